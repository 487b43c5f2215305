"""Confidence: monotone maps, folds of whole clusters, and thresholds that meet a risk guarantee over topics."""

from statistics import NormalDist

import numpy as np
import pytest

from conqret.stats.confidence import (
    band_places,
    bands,
    brier,
    calibration_error,
    calibration_noise,
    cross_fitted,
    dealt,
    monotone,
    ranked_probability_score,
)
from conqret.stats.selective import by_t, fewest_labels, risk_coverage, trusted_from


def test_violators_are_pooled_by_hand():
    places, levels = monotone([1, 2, 2, 3, 4], [1, 3, 5, 1, 6])
    assert places.tolist() == [1, 2, 3, 4]
    assert levels.tolist() == pytest.approx([1, 3, 3, 6])  # 3, 5 and 1 have the mean 3


def test_folds_hold_whole_clusters_and_differ_by_one():
    folds = dealt([f"t{number % 13}" for number in range(60)], seed=5)
    assert len(folds) == 13
    assert sorted(np.bincount(list(folds.values())).tolist()) == [2, 2, 3, 3, 3]
    assert folds == dealt([f"t{number}" for number in reversed(range(13))], seed=5)
    assert folds != dealt(folds, seed=6)


def test_what_is_said_of_a_fold_rests_on_the_others():
    fold = np.array([0, 0, 1, 1])
    said = cross_fitted([0, 1, 0, 1], [0, 1, 5, 9], fold)
    assert said.tolist() == [5, 9, 0, 1]
    assert cross_fitted([0, 1, 0, 1], [9, 5, 1, 0], fold).tolist() == [1, 0, 9, 5]  # a map may fall
    lost = cross_fitted([0, np.nan, 0, 1], [0, 1, np.nan, np.nan], fold)
    assert np.isnan(lost).tolist() == [True, True, False, False]  # nothing to fit on; no x


def answers(topics, each, rng, *, informed=True, base=0.25):
    """Items of topics: the more confident, the less often wrong; or not, where the confidence is not ``informed``."""
    confidence = rng.random(topics * each)
    chance = np.clip(2 * base * (1 - confidence), 0, 1) if informed else np.full(topics * each, base)
    wrong = rng.random(topics * each) < chance
    return (
        confidence,
        np.ones(topics * each, dtype=bool),
        wrong,
        [place // each for place in range(topics * each)],
    )


def test_the_curve_counts_what_each_threshold_keeps():
    confidence = np.array([0.9, 0.9, 0.5, 0.5, 0.1, np.nan])
    labelled = np.array([True, True, True, False, True, False])
    wrong = np.array([False, True, True, True, True, True])
    curve = risk_coverage(confidence, labelled, wrong, list("aabbcc"), error=0.5, delta=0.05)
    assert [one.threshold for one in curve] == [0.9, 0.5, 0.1]
    assert [one.share for one in curve] == pytest.approx(
        [2 / 6, 4 / 6, 5 / 6]
    )  # what says nothing is never kept
    assert [one.labelled for one in curve] == [2, 3, 4]
    assert [one.topics for one in curve] == [1, 2, 3]
    assert [one.error.value for one in curve] == pytest.approx([1 / 2, 2 / 3, 3 / 4])
    assert [one.holds for one in curve] == [None] * 3  # fewer than ten labels
    assert trusted_from(curve) is None


def test_an_informed_confidence_earns_a_threshold_and_a_useless_one_none():
    rng = np.random.default_rng(1)
    given = answers(60, 10, rng)
    curve = risk_coverage(*given, error=0.2, delta=0.05)
    threshold = trusted_from(curve)
    assert threshold is not None
    kept = next(one for one in curve if one.threshold == threshold)
    assert 0.2 <= kept.share < 0.8  # 0.2 is the truth at .8
    assert kept.error.value < 0.2
    tested = [one.holds for one in curve if one.holds is not None]
    assert tested.count(False) <= 1  # the first that fails ends it
    assert tested == sorted(tested, reverse=True)
    useless = answers(40, 10, np.random.default_rng(3), informed=False, base=0.3)
    assert trusted_from(risk_coverage(*useless, error=0.2, delta=0.05)) is None


def test_where_testing_starts_does_not_hang_on_what_is_wrong():
    rng = np.random.default_rng(2)
    confidence, labelled, wrong, topics = answers(30, 10, rng)
    for other in (wrong, ~wrong, np.zeros_like(wrong)):
        curve = risk_coverage(confidence, labelled, other, topics, error=0.2, delta=0.05)
        first = next(one for one in curve if one.holds is not None)
        assert first.share == pytest.approx(0.2, abs=0.01)
        assert first.labelled >= fewest_labels(0.2) == 25
    assert trusted_from(curve) == pytest.approx(confidence.min())  # nothing is wrong, so all is kept


def test_the_t_is_careful_where_topics_are_skewed():
    """As many errors, at most four in a topic or all in one: only the former are shown to be below the promise."""
    topics = [place // 20 for place in range(240)]
    spread, heaped = np.zeros(240), np.zeros(240)
    spread[::16] = 1
    heaped[:15] = 1
    assert by_t(spread, topics, 0.12, 0.05)
    assert not by_t(heaped, topics, 0.12, 0.05)
    assert not by_t(np.ones(240), topics, 0.2, 0.05)
    assert by_t(np.zeros(240), topics, 0.2, 0.05)
    assert not by_t(
        np.zeros(24), [place // 2 for place in range(24)], 0.2, 0.05
    )  # as if one of 24 were wrong


def test_brier_and_calibration_error_by_hand():
    said, true = np.array([0.9, 0.9, 0.5, 0.5]), np.array([1.0, 0.0, 1.0, 0.0])
    assert brier(said, true, list("abcd")).value == pytest.approx((0.01 + 0.81 + 0.25 + 0.25) / 4)
    assert band_places(said).tolist() == [1, 1, 0, 0]
    assert calibration_error(said, true, list("abcd")).value == pytest.approx((2 * 0.0 + 2 * 0.4) / 4)
    low, high = bands(said, true, list("abcd"), 0.95)
    assert (low.units, low.said.value, low.people.value) == (2, pytest.approx(0.5), pytest.approx(0.5))
    assert (high.said.value, high.people.value) == (pytest.approx(0.9), pytest.approx(0.5))
    nearly_one = np.array([0.8, 0.8000000000000003] * 6)
    (band,) = bands(nearly_one, np.linspace(0, 1, 12), list("abcdefghijkl"), 0.95)
    assert band.units == 12


@pytest.mark.parametrize(("n", "topics", "alike"), [(20, None, 0.0), (96, 12, 0.3)])
def test_a_calibrated_judge_is_beyond_noise_in_5_percent_at_most(n, topics, alike):
    """Its error is above 0, on average as far as the noise says; outcomes may be alike within topics."""
    rng, draws = np.random.default_rng(11), 150
    clusters = [place % (topics or n) for place in range(n)]
    errors, noises = [], []
    for _ in range(draws):
        said = rng.random(n)
        shared = rng.normal(size=topics or n)[clusters]
        chance = NormalDist().cdf
        latent = np.sqrt(alike) * shared + np.sqrt(1 - alike) * rng.normal(size=n)
        true = (np.array([chance(one) for one in latent]) < said).astype(float)
        errors.append(calibration_error(said, true, clusters).value)
        noises.append(calibration_noise(said, true, clusters))
    beyond = np.mean([error > noise.high for error, noise in zip(errors, noises, strict=True)])
    assert beyond <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / draws)
    if not alike:
        assert np.mean(errors) == pytest.approx(np.mean([noise.value for noise in noises]), rel=0.1)
    overconfident = (rng.random(400) < 0.6).astype(float)
    noise = calibration_noise(np.full(400, 0.95), overconfident, range(400))
    assert noise.high < 0.05 < calibration_error(np.full(400, 0.95), overconfident, range(400)).value
    assert calibration_noise(said, true, ["one"] * n).reason == "all labels are of one topic"


def test_the_ranked_probability_score_of_two_levels_is_the_brier_score_and_of_more_the_one_by_steps():
    said, true = np.array([0.9, 0.1, 0.5]), np.array([1.0, 1.0, 0.0])
    two = ranked_probability_score(
        np.stack([1 - said, said], axis=1), np.array([0.0, 1.0]), true, list("abc")
    )
    assert two.value == pytest.approx(brier(said, true, list("abc")).value)
    shares = np.array([[0.2, 0.5, 0.3]])
    steps = ranked_probability_score(shares, np.array([0.0, 0.5, 1.0]), np.array([0.5]), ["a"])
    assert steps.value == pytest.approx((0.2**2 + (0.7 - 1) ** 2) / 2)

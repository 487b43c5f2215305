"""Corrected means and shares: coverage by simulation, and width beside labels alone."""

import numpy as np
import pytest
from scipy import stats

from conqret.errors import DeclarationError
from conqret.stats.estimate import UNVARIED
from conqret.stats.prediction_powered import prediction_powered_mean
from conqret.stats.resampling import mean_interval

DATA_SETS = 2_000
TOLERANCE = 0.015


def simulate(rng, correlation, labelled, further, mean=0.3):
    truth = rng.normal(size=labelled + further)
    noise = np.sqrt(1 - correlation**2) * rng.normal(size=labelled + further)
    people = correlation * truth + noise + mean
    judge = 0.7 * truth - 0.4  # another scale and a bias
    return prediction_powered_mean(people[:labelled], judge[:labelled], judge[labelled:])


@pytest.mark.parametrize(
    ("correlation", "labelled", "further"), [(0.0, 50, 500), (0.4, 40, 400), (0.8, 50, 500)]
)
def test_coverage_and_width(correlation, labelled, further):
    rng = np.random.default_rng(11)
    found = [simulate(rng, correlation, labelled, further) for _ in range(DATA_SETS)]
    held = np.mean([one.corrected.low <= 0.3 <= one.corrected.high for one in found])
    naive = np.mean([one.naive.low <= 0.3 <= one.naive.high for one in found])
    width = np.mean([one.corrected.high - one.corrected.low for one in found])
    alone = np.mean([one.labels.high - one.labels.low for one in found])
    assert held == pytest.approx(0.95, abs=TOLERANCE)
    assert naive < 0.1
    if correlation:
        assert width < alone
    else:
        assert width == pytest.approx(alone, rel=0.02)


def test_coverage_with_topics():
    """Errors that the items of a topic share: 25 topics with labelled and other items."""
    rng = np.random.default_rng(3)
    topics = np.repeat(np.arange(25), 16)
    held = tight = 0
    for _ in range(DATA_SETS):
        shared = rng.normal(size=25)[topics] * 0.5
        truth = rng.normal(size=len(topics)) + shared
        people = 0.7 * truth + 0.6 * rng.normal(size=len(topics))
        judge, labelled = 0.5 * truth + 0.2, rng.random(len(topics)) < 0.25
        one = prediction_powered_mean(
            people[labelled],
            judge[labelled],
            judge[~labelled],
            clusters=list(topics[labelled]),
            unlabelled_clusters=list(topics[~labelled]),
        )
        held += one.corrected.low <= 0 <= one.corrected.high
        tight += one.corrected.high - one.corrected.low < one.labels.high - one.labels.low
    assert held / DATA_SETS == pytest.approx(0.95, abs=TOLERANCE)
    assert tight / DATA_SETS > 0.8


def test_by_hand():
    # theta = mean(Y) + (mean(F) - mean(f)) = 0.5 + (0.8 - 0.7) = 0.6 with the weight fixed at 1.
    found = prediction_powered_mean([0, 1, 0, 1], [0.5, 0.9, 0.5, 0.9], [0.7, 0.9, 0.8, 0.8], power=1)
    assert found.corrected.value == pytest.approx(0.6)
    assert found.labels.value == 0.5
    assert found.naive.value == pytest.approx(0.75)


def test_means_of_shares_stay_between_0_and_1_and_hold_the_truth():
    """Labels near the top of their scale: plain intervals reach above 1, and those of labels alone hold it in 88%."""
    rng = np.random.default_rng(8)
    topics = np.repeat(np.arange(8), 5)

    def people(shifts):
        seen = 2.5 + 0.8 * shifts + rng.normal(size=(len(shifts)))
        return np.clip(np.round(2 + seen), 0, 4) / 4

    truth = people(rng.normal(size=100_000)).mean()
    held, alone = [], []
    for _ in range(300):
        said = people(rng.normal(size=8)[topics])
        judge = np.clip(said + 0.1 * rng.normal(size=40) + 0.05, 0, 1)
        known = rng.random(40) < 0.5
        sides = [one[known].tolist() for one in (said, judge, topics)]
        rest = [one[~known].tolist() for one in (judge, topics)]
        if len(set(sides[2])) < 4:
            continue
        found = prediction_powered_mean(
            *sides[:2], rest[0], clusters=sides[2], unlabelled_clusters=rest[1], scale="share"
        )
        for one, kept in ((found.corrected, held), (found.labels, alone)):
            if one.low is not None:
                assert 0 <= one.low <= one.value <= one.high <= 1
                kept.append(one.low <= truth <= one.high)
        assert found.naive == mean_interval(
            [*sides[1], *rest[0]], [*sides[2], *rest[1]], scale="share"
        )  # as on the page of the run
    assert min(np.mean(held), np.mean(alone)) >= 0.93


def test_labels_that_do_not_vary_have_no_interval():
    topics = [*range(6)]
    found = prediction_powered_mean(
        [0.8] * 6, [0.7] * 6, [0.7] * 6, clusters=topics, unlabelled_clusters=topics, scale="share"
    )
    assert (found.labels.low, found.labels.reason) == (None, UNVARIED)
    assert (found.naive.low, found.naive.reason) == (None, UNVARIED)


def test_a_judge_that_says_nothing_leaves_the_labels():
    found = prediction_powered_mean([0, 1, 0, 1, 1], [0.5] * 5, [0.5] * 20)
    assert found.power == 0
    assert (found.corrected.low, found.corrected.high) == (found.labels.low, found.labels.high)
    assert "tells nothing" in found.corrected.reason


def test_few_labels_have_no_interval():
    found = prediction_powered_mean([0.2, 0.4], [0.1, 0.2], [0.3, 0.4, 0.5])
    assert found.corrected.low is None
    assert "fewer than" in found.labels.reason


def test_wrong_calls():
    with pytest.raises(DeclarationError, match="same items"):
        prediction_powered_mean([1], [1, 2], [])
    with pytest.raises(DeclarationError, match="infinite"):
        prediction_powered_mean([np.nan], [1], [])
    with pytest.raises(DeclarationError, match="infinite"):
        prediction_powered_mean([1], [np.inf], [])
    with pytest.raises(DeclarationError, match="neither"):
        prediction_powered_mean([1], [1], [], clusters=["a"])
    with pytest.raises(DeclarationError, match="clusters for"):
        prediction_powered_mean([1], [1], [], clusters=["a", "b"], unlabelled_clusters=[])
    with pytest.raises(DeclarationError, match="power"):
        prediction_powered_mean([1], [1], [], power=2)


def test_a_label_without_a_score_stays():
    """The judge has no score where people find it good: dropped, the labels' mean is too low."""
    nan = float("nan")
    found = prediction_powered_mean([0, 0, 0, 1, 1], [0.1, 0.2, 0.3, nan, nan], [0.1, 0.2, nan], power=1)
    assert found.labels.value == pytest.approx(0.4)
    assert (found.naive.value, found.naive.n) == (pytest.approx(0.18), 5)
    # the missing ones count as .18: .4 + mean(.1, .2, .18) - mean(.1, .2, .3, .18, .18)
    assert found.corrected.value == pytest.approx(0.4 + 0.16 - 0.192)
    with pytest.raises(DeclarationError, match="no judgment"):
        prediction_powered_mean([1, 0], [nan, nan], [nan])


def test_labels_of_a_few_large_topics_leave_fewer_degrees_of_freedom():
    people, sizes = np.random.default_rng(4).normal(size=24), [12, 6, 3, 2, 1]
    topics = np.repeat(np.arange(5), sizes)
    labels = prediction_powered_mean(
        people, people, [0.0], clusters=topics.tolist(), unlabelled_clusters=[9], power=0
    ).labels
    shares = np.bincount(topics, people - people.mean()) / 24
    error = np.sqrt(5 / 4 * (shares**2).sum())
    freedom = 24**2 / (np.array(sizes) ** 2).sum() - 1
    assert freedom < 2.0 + 1
    assert labels.high - labels.value == pytest.approx(stats.t.ppf(0.975, max(freedom, 2)) * error)

"""Corrected means: by hand, of random samples and of items drawn with unequal probabilities."""

import numpy as np
import pytest

from conqret.errors import DeclarationError
from conqret.stats.estimate import t_quantile
from conqret.stats.prediction_powered import (
    ProbabilitySample,
    prediction_powered_mean,
    weighted_difference,
    weighted_mean,
)


def estimated(labels, judged, unlabelled):
    """The corrected mean of items that are topics of their own."""
    count, further = len(labels), len(unlabelled)
    return prediction_powered_mean(
        labels, judged, unlabelled, clusters=range(count), unlabelled_clusters=range(count, count + further)
    )


def test_by_hand():
    # The slope is 2.5, so lambda is cut to 1: mean(Y) + (mean(F) - mean(f)) = 0.5 + (0.8 - 0.7) = 0.6.
    found = estimated([0, 1, 0, 1], [0.5, 0.9, 0.5, 0.9], [0.7, 0.9, 0.8, 0.8])
    assert found.corrected.value == pytest.approx(0.6)
    assert found.labels.value == 0.5
    assert found.naive.value == pytest.approx(0.75)


def test_a_judge_that_says_nothing_leaves_the_labels():
    found = estimated([0, 1, 0, 1, 1], [0.5] * 5, [0.5] * 20)
    assert found.power == 0
    assert (found.corrected.low, found.corrected.high) == (found.labels.low, found.labels.high)
    assert "tells nothing" in found.corrected.reason


def test_a_label_without_a_score_stays():
    """The judge has no score where people find it good: dropped, the labels' mean is too low."""
    nan = float("nan")
    found = estimated([0, 0, 0, 1, 1], [0.1, 0.2, 0.1, nan, nan], [0.3, 0.4, nan])
    assert found.labels.value == pytest.approx(0.4)
    assert (found.naive.value, found.naive.n) == (pytest.approx(0.22), 5)
    # the missing ones count as .22: .4 + mean(.3, .4, .22) - mean(.1, .2, .1, .22, .22), with a lambda of 1
    assert found.corrected.value == pytest.approx(0.4 + 0.92 / 3 - 0.168)


def drawn(rng, topics=20, each=10, shift=0.0):
    """Items whose probability rises with the judgment, topics of one size."""
    names = np.repeat(np.arange(topics), each)
    judged = rng.random(len(names))
    labels = np.clip(
        judged + 0.2 * rng.normal(size=topics)[names] + 0.1 * rng.normal(size=len(names)) + shift, 0, 1
    )
    chances = 0.1 + 0.8 * judged
    some = rng.random(len(names)) < chances
    items = ProbabilitySample(np.where(some, labels, np.nan), judged, np.where(some, chances, np.nan))
    return items, names, labels


def by_hand(items, places):
    """Hajek's estimate with the least squares slope, item by item; numpy alone."""
    y, f, p = (column[places] for column in (items.labels, items.judged, items.chances))
    known = ~np.isnan(y)
    w = np.where(known, 1 / np.where(known, p, 1), 0) / (1 / p[known]).sum()
    y = np.where(known, y, 0)
    labels, judge, every = (w * y).sum(), (w * f).sum(), f.mean()
    of_labels = w * (y - labels)
    of_judge = w * (f - judge) - (f - every) / len(f)
    slope = np.clip((of_labels * of_judge).sum() / (of_judge**2).sum(), 0, 1)
    return labels - slope * (judge - every), labels, slope


def test_it_is_the_estimate_by_hand_with_a_jackknife_over_topics():
    items, names, _ = drawn(np.random.default_rng(1))
    found = weighted_mean(items, names.tolist())
    value, labels, slope = by_hand(items, np.ones(len(names), dtype=bool))
    assert found.corrected.value == pytest.approx(value, abs=1e-12)
    assert found.labels.value == pytest.approx(labels, abs=1e-12)
    assert found.power == pytest.approx(slope, abs=1e-12)
    assert found.naive.value == pytest.approx(items.judged.mean())
    assert found.corrected.n == (~np.isnan(items.labels)).sum()
    without = np.array([by_hand(items, names != topic)[0] for topic in range(20)])
    error = np.sqrt(19 / 20 * ((without - without.mean()) ** 2).sum())
    weights = np.bincount(names, np.where(np.isnan(items.labels), 0, 1 / np.nan_to_num(items.chances, nan=1)))
    freedom = weights.sum() ** 2 / (weights**2).sum() - 1
    reach = t_quantile(freedom, 0.95) * error
    assert found.corrected.low == pytest.approx(value - reach, abs=1e-10)
    assert found.corrected.high == pytest.approx(value + reach, abs=1e-10)


def test_a_difference_takes_labels_of_one_side_alone():
    rng = np.random.default_rng(4)
    (first, names, _), (second, _, _) = drawn(rng), drawn(rng)
    moved = ProbabilitySample(second.labels + 0.1, second.judged, second.chances)
    found = weighted_difference(first, moved, names.tolist())
    assert found.corrected.low <= 0.1 <= found.corrected.high
    sides = [weighted_mean(side, names.tolist()).corrected.value for side in (first, moved)]
    assert found.corrected.value == pytest.approx(sides[1] - sides[0])


def test_probabilities_that_give_no_estimate_are_said():
    items, names, labels = drawn(np.random.default_rng(5))
    some = ~np.isnan(items.labels)
    topics = names.tolist()
    unknown = ProbabilitySample(
        items.labels, items.judged, np.where(np.arange(200) < 50, np.nan, items.chances)
    )
    lost = weighted_mean(unknown, topics)
    assert (lost.corrected.value, lost.labels.value) == (None, None)
    assert lost.naive.value is not None
    assert "no inclusion_probability" in lost.corrected.reason
    never = items.judged < 0.7  # items that could not be drawn
    part = some & ~never
    few = ProbabilitySample(
        np.where(part, labels, np.nan), items.judged, np.where(part, items.chances, np.nan)
    )
    assert "stand for" in weighted_mean(few, topics).corrected.reason
    nothing = ProbabilitySample(np.full(200, np.nan), items.judged, np.full(200, np.nan))
    assert weighted_mean(nothing, topics).corrected.reason == "there is no label"
    with pytest.raises(DeclarationError):
        weighted_mean(ProbabilitySample(items.labels, np.full(200, np.nan), items.chances), topics)

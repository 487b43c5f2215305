"""Corrected means: coverage by simulation, and width beside labels alone."""

import numpy as np
import pytest

from conqret.errors import DeclarationError
from conqret.stats.estimate import UNVARIED
from conqret.stats.prediction_powered import prediction_powered_mean


def test_by_hand():
    # theta = mean(Y) + (mean(F) - mean(f)) = 0.5 + (0.8 - 0.7) = 0.6 with the weight fixed at 1.
    found = prediction_powered_mean([0, 1, 0, 1], [0.5, 0.9, 0.5, 0.9], [0.7, 0.9, 0.8, 0.8], power=1)
    assert found.corrected.value == pytest.approx(0.6)
    assert found.labels.value == 0.5
    assert found.naive.value == pytest.approx(0.75)


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

"""Corrected means and shares: coverage by simulation, and width beside labels alone."""

import numpy as np
import pytest

from conqret.errors import DeclarationError
from conqret.stats.prediction_powered import prediction_powered_mean
from conqret.stats.rogan_gladen import rogan_gladen

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
    with pytest.raises(DeclarationError, match="neither"):
        prediction_powered_mean([1], [1], [], clusters=["a"])
    with pytest.raises(DeclarationError, match="clusters for"):
        prediction_powered_mean([1], [1], [], clusters=["a", "b"], unlabelled_clusters=[])
    with pytest.raises(DeclarationError, match="power"):
        prediction_powered_mean([1], [1], [], power=2)


def test_rogan_gladen_by_hand():
    # p = 0.5, se = 0.8, sp = 0.9: (0.5 + 0.9 - 1) / (0.8 + 0.9 - 1) = 4 / 7.
    found = rogan_gladen(100, 200, 40, 50, 45, 50)
    assert found.corrected.value == pytest.approx(4 / 7)
    assert found.naive.value == 0.5


@pytest.mark.parametrize(("share", "se", "sp"), [(0.3, 0.8, 0.9), (0.7, 0.7, 0.7)])
def test_rogan_gladen_covers_and_the_naive_share_does_not(share, se, sp):
    rng = np.random.default_rng(0)
    held = naive = 0
    for _ in range(DATA_SETS):
        called = rng.binomial(500, share * se + (1 - share) * (1 - sp))
        found = rogan_gladen(called, 500, rng.binomial(60, se), 60, rng.binomial(60, sp), 60)
        held += found.corrected.low is not None and found.corrected.low <= share <= found.corrected.high
        naive += found.naive.low <= share <= found.naive.high
    assert held / DATA_SETS == pytest.approx(0.95, abs=TOLERANCE)
    assert naive / DATA_SETS < held / DATA_SETS


def test_rogan_gladen_without_a_use():
    assert "chance" in rogan_gladen(5, 10, 5, 10, 5, 10).corrected.reason
    assert "positive" in rogan_gladen(5, 10, 0, 0, 5, 10).corrected.reason
    with pytest.raises(DeclarationError, match="do not fit"):
        rogan_gladen(11, 10, 1, 2, 1, 2)

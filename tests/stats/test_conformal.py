"""Conformal sets of labels over topics."""

import numpy as np
import pytest

from conqret.errors import DeclarationError
from conqret.stats.conformal import conformal_sets, fewest_topics
from conqret.stats.isotonic import dealt, monotone
from conqret.stats.selective import TESTS, on_average

STEPS = (1.0, 2.0, 3.0, 4.0, 5.0)
PLACES = np.arange(5) / 4


def rated(rng, topics, each=8, *, unequal=False):
    """Scores and labels that cluster in topics; larger topics are worth more."""
    sizes = (
        np.maximum(1, (each * rng.lognormal(0, 0.7, topics)).astype(int))
        if unequal
        else np.full(topics, each)
    )
    names = np.repeat(np.arange(topics), sizes)
    effects = 0.4 * np.log(sizes / each) + 0.5 * rng.normal(size=topics)
    worth = effects[names] + 0.8 * rng.normal(size=len(names))
    cuts = (-1.2, -0.4, 0.4, 1.2)
    human, judge = (
        worth + (0.3 * rng.normal(size=topics))[names] + noise * rng.normal(size=len(names))
        for noise in (0.5, 0.6)
    )
    return np.digitize(judge, cuts) / 4, np.digitize(human, cuts) + 1.0, names


def test_it_is_the_set_by_hand():
    """Every label is tried, and the weights of closer items are added up one by one."""
    x, y, names = rated(np.random.default_rng(1), 14, unequal=True)
    found = conformal_sets(x, y, names.tolist(), steps=STEPS, places=PLACES, level=0.8)
    folds = dealt(range(14), 13, 10)
    maps = {
        fold: monotone(*(side[[folds[name] != fold for name in names.tolist()]] for side in (x, y)))
        for fold in range(10)
    }
    for at, place in enumerate(PLACES):
        inside = []
        for step in STEPS:
            closer = 0.0
            for score, label, name in zip(x, y, names.tolist(), strict=True):
                knots = maps[folds[name]]
                if abs(label - np.interp(score, *knots)) < abs(step - np.interp(place, *knots)) - 1e-9:
                    closer += 1 / (names == name).sum() / 15
            if closer < 0.8 - 1e-9:
                inside.append(step)
        assert (STEPS[found.first[at]], STEPS[found.last[at]]) == (inside[0], inside[-1])


@pytest.mark.parametrize("unequal", [False, True])
@pytest.mark.parametrize("topics", [9, 20])
def test_a_label_of_a_new_topic_lies_in_its_set(topics, unequal):
    rng = np.random.default_rng(2)
    held = []
    for _ in range(150):
        x, y, names = rated(rng, topics, unequal=unequal)
        found = conformal_sets(x, y, names.tolist(), steps=STEPS, places=PLACES, level=0.9)
        new, label, topic = rated(rng, 60, unequal=unequal)
        at = np.round(new * 4).astype(int)
        inside = (found.first[at] + 1 <= label) & (label <= found.last[at] + 1)
        held.append(np.mean([inside[topic == one].mean() for one in range(60)]))
    assert np.mean(held) >= 0.9


def test_so_many_topics_are_needed():
    assert [fewest_topics(level) for level in (0.5, 0.8, 0.9, 0.95)] == [2, 4, 9, 19]
    x, y, names = rated(np.random.default_rng(3), 8)
    with pytest.raises(DeclarationError, match="9 topics"):
        conformal_sets(x, y, names.tolist(), steps=STEPS, places=PLACES, level=0.9)
    with pytest.raises(DeclarationError):
        conformal_sets(x, y[1:], names.tolist(), steps=STEPS, places=PLACES, level=0.8)
    with pytest.raises(DeclarationError):
        conformal_sets(x, y, names.tolist(), steps=STEPS, places=PLACES, level=1.0)
    x, y, names = rated(np.random.default_rng(3), 9)
    barely = conformal_sets(x, y, names.tolist(), steps=STEPS, places=PLACES, level=0.9)
    assert barely.covered is None
    one_more = conformal_sets(
        *rated(np.random.default_rng(3), 10)[:2], list(range(80)), steps=STEPS, places=PLACES, level=0.9
    )
    assert one_more.covered is not None


def test_labels_that_the_score_tells_have_sets_of_one_step():
    x = np.tile(PLACES, 20)
    found = conformal_sets(
        x, 1 + 4 * x, np.repeat(np.arange(20), 5).tolist(), steps=STEPS, places=PLACES, level=0.9
    )
    assert found.first.tolist() == found.last.tolist() == [0, 1, 2, 3, 4]
    assert found.covered.all()


def test_a_guarantee_on_average_counts_one_topic_more_that_is_all_wrong():
    """``C / (C + 1) rate + 1 / (C + 1)`` (Angelopoulos et al. 2024)."""
    topics = list(range(12))
    for wrong, holds in ((0, True), (1, True), (2, False)):
        errors = np.array([1.0] * wrong + [0.0] * (12 - wrong))
        assert on_average(errors, topics, 0.2, 0.05) is holds
        assert (12 * errors.mean() + 1) / 13 <= 0.2 or not holds
    assert TESTS["average"] is on_average

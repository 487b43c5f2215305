"""The choice among kinds of map is inside the cross-validation: what is reported is the error on other topics."""

from types import SimpleNamespace

import numpy as np
import pytest

from conqret.stats.isotonic import FOLDS
from conqret.studies.calibrate.calibration_maps import (
    AS_IS,
    LEFT_OUT,
    CalibrationSample,
    refits,
    tried,
)

TOPICS, ITEMS, NEW = 8, 3, 20_000


class Made(CalibrationSample):
    """Made-up scores that say something of the target."""

    def __init__(self, rng, topics, items=ITEMS):
        n = topics * items
        worth = np.repeat(rng.normal(size=topics) * 0.1, items) + rng.normal(size=n) * 0.15
        self.score = np.clip(0.5 + worth + rng.normal(size=n) * 0.25, 0, 1)
        self.target = np.clip(0.5 + worth + rng.normal(size=n) * 0.1, 0, 1)
        self.known = np.full(n, True)
        self.fold = np.repeat(np.arange(topics) % FOLDS, items)
        names = [int(topic) for topic in np.repeat(np.arange(topics), items)]
        self.view = SimpleNamespace(
            target=self.target,
            scale=SimpleNamespace(level="interval"),
            on_labels=lambda values: values,
            clusters_of=lambda units: [names[place] for place in np.flatnonzero(units)],
        )


def error(one, seen):
    return float(((np.interp(seen.score, one.scores, one.labels) - seen.target) ** 2).mean())


def test_the_error_of_the_chosen_maps_is_not_optimistic():
    """The reported error of the chosen maps less that on very many other topics, in the mean of many samples."""
    rng = np.random.default_rng(0)
    fresh = Made(rng, NEW, 1)
    gaps = []
    for _ in range(120):
        seen = Made(rng, TOPICS)
        found = tried(seen)
        whole, *without = found.chosen_maps
        assert whole.kind == found.chosen[0]
        elsewhere = [error(value, fresh) for value in without]
        said = np.array([without[fold].of(one) for fold, one in zip(seen.fold, seen.score, strict=True)])
        gaps.append(((said - seen.target) ** 2).mean() - np.mean([elsewhere[fold] for fold in seen.fold]))
    assert abs(np.mean(gaps)) < 2 * np.std(gaps, ddof=1) / len(gaps) ** 0.5


def test_a_fold_has_no_part_in_the_choice_of_its_kind():
    """Labels of one fold turned upside down change the maps of all others, and neither its own nor their kinds."""
    seen = Made(np.random.default_rng(3), TOPICS)
    before = tried(seen)
    for fold in range(FOLDS):
        turned = Made(np.random.default_rng(3), TOPICS)
        turned.target[:] = np.where(turned.fold == fold, 1 - turned.target, turned.target)
        after = tried(turned)
        assert after.chosen[1 + fold] == before.chosen[1 + fold]
        assert after.chosen_maps[1 + fold] == before.chosen_maps[1 + fold]
        assert after.chosen_maps[0] != before.chosen_maps[0] or after.chosen[0] == AS_IS


def test_without_a_topic_the_kind_is_chosen_again():
    """By hand: the labels of a topic away, all maps fitted to the others, and of these the ones that they choose, by
    the standard errors of the choice from all labels."""
    seen = Made(np.random.default_rng(4), TOPICS)
    whole = tried(seen)
    fit = refits(seen, whole.errors)["calibrated"]
    assert fit(seen.known) == pytest.approx(whole.calibrated(seen.fold))
    chosen = set()
    for topic in range(TOPICS):
        kept = np.repeat(np.arange(TOPICS), ITEMS) != topic
        again = tried(seen, kept, whole.errors)
        chosen.add(again.chosen)
        assert fit(kept) == pytest.approx(again.calibrated(seen.fold))
    assert len(chosen) > 1  # else nothing is shown


def test_each_fold_and_each_two_are_left_out():
    parts = Made(np.random.default_rng(1), TOPICS).parts()
    assert len(LEFT_OUT) == len(parts) == 1 + FOLDS + FOLDS * (FOLDS - 1) // 2
    fold = Made(np.random.default_rng(1), TOPICS).fold
    assert all(set(fold[part]) == set(range(FOLDS)) - out for out, part in parts.items())

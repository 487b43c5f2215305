"""The choice among kinds of map is inside the cross-validation: what is reported is the error on other topics."""

from types import SimpleNamespace

import numpy as np
import pytest

from conqret.stats.isotonic import FOLDS
from conqret.studies.calibrate.calibration_maps import (
    AS_IS,
    KINDS,
    LEFT_OUT,
    CalibrationSample,
    _read,
    refits,
    tried,
)

METRICS, TOPICS, ITEMS, NEW = 8, 8, 3, 400


class Made(CalibrationSample):
    """Made-up scores by several metrics, of which the first and the second say something of the target."""

    def __init__(self, rng, topics, items=ITEMS):
        n = topics * items
        worth = np.repeat(rng.normal(size=topics) * 0.1, items) + rng.normal(size=n) * 0.15
        self.columns = np.clip(0.5 + worth[:, None] + rng.normal(size=(n, METRICS)) * 0.25, 0, 1)
        self.columns[:, 2:] = rng.random((n, METRICS - 2))
        self.target = np.clip(0.5 + worth + rng.normal(size=n) * 0.1, 0, 1)
        self.names = [f"m{place}" for place in range(METRICS)]
        self.score, self.metric = self.columns[:, 0], "m0"
        self.said = [dict(zip(self.names, row, strict=True)) for row in self.columns.tolist()]
        self.known = np.full(n, True)
        self.fold = np.repeat(np.arange(topics) % FOLDS, items)
        names = [int(topic) for topic in np.repeat(np.arange(topics), items)]
        self.view = SimpleNamespace(
            steps=False,
            target=self.target,
            scale=SimpleNamespace(level="interval"),
            on_labels=lambda values: values,
            clusters_of=lambda units: [names[place] for place in np.flatnonzero(units)],
        )


def error(one, seen):
    return float(((_read(one, seen, seen.known) - seen.target) ** 2).mean())


@pytest.fixture(scope="module")
def gaps():
    """Of each of many samples: the reported error of the chosen maps less that on other topics, and the like where the
    kind is taken that has the least error in the very cross-validation that is reported."""
    rng = np.random.default_rng(0)
    fresh = Made(rng, NEW, 1)
    nested, best = [], []
    for _ in range(120):
        seen = Made(rng, TOPICS)
        found = tried(seen)
        whole, *without = found.chosen_maps
        assert whole.kind == found.chosen[0]
        elsewhere = [error(value, fresh) for value in without]
        said = np.array([without[fold].of(one) for fold, one in zip(seen.fold, seen.said, strict=True)])
        nested.append(((said - seen.target) ** 2).mean() - np.mean([elsewhere[fold] for fold in seen.fold]))
        errors = {kind: ((one - seen.target) ** 2).mean() for kind, one in found.said.items()}
        least = min(errors, key=errors.get)
        parts = seen.parts()
        again = [KINDS[least](seen, parts[out]) for out in LEFT_OUT[1 : 1 + FOLDS]]
        beyond = np.array([error(one, fresh) for one in again])
        best.append(errors[least] - beyond[seen.fold].mean())
    return np.array(nested), np.array(best)


def test_maps_say_of_all_units_what_they_say_of_one():
    seen = Made(np.random.default_rng(2), TOPICS)
    for chosen_map in tried(seen).chosen_maps:
        assert _read(chosen_map, seen, seen.known) == pytest.approx(
            [chosen_map.of(said) for said in seen.said]
        )


def test_the_error_of_the_chosen_maps_is_not_optimistic(gaps):
    nested, best = gaps
    spread = nested.std(ddof=1) / len(nested) ** 0.5
    assert abs(nested.mean()) < 2 * spread
    assert best.mean() < -2 * best.std(ddof=1) / len(best) ** 0.5  # which would be


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
    seen = Made(np.random.default_rng(10), TOPICS)
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

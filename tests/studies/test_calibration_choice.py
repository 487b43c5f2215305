"""The choice among kinds of map is inside the cross-validation: what is reported is the error on other topics."""

from types import SimpleNamespace

import numpy as np

from conqret.stats.confidence import FOLDS
from conqret.studies.calibrate.calibration_maps import AS_IS, CalibrationSample, tried

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

"""Fit monotone maps from a judge's scores to people's scale, and say what they change on topics kept back.

A judge that ranks as people do may still use its scale otherwise, and Krippendorff's alpha asks for the same values.
Each metric gets one map, from all labels for items to come, and one for each fold of whole topics, fitted on the other
folds, by which everything that is reported is computed. Intervals leave out a topic and fit the maps again without it,
but those of bands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from conqret.data import Item, Judgment
from conqret.errors import DeclarationError
from conqret.io.labels import LabelSet
from conqret.reliability.validation.calibration import (
    CALIBRATED,
    Band,
    CalibratedOn,
    Calibration,
    Maps,
    MonotoneMap,
)
from conqret.reliability.validation.dimension_view import NO_SCALE, View
from conqret.reliability.validation.label_join import Joined, join_labels
from conqret.reliability.validation.people import OVERALL
from conqret.reliability.validation.settings import Basis, Settings
from conqret.reliability.validation.trivial import beside_trivial, labelled_folds, over_trivial
from conqret.reliability.validation.validate import validated_judge
from conqret.stats.estimate import Sampled, average
from conqret.stats.isotonic import FOLDS, monotone
from conqret.stats.resampling import Resamples, leave_one_out, mean_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST_TOPICS = 6
"""Topics with labels below which nothing is calibrated: each fold holds one, and four are left to be fitted on."""
BANDS = 5
"""Bands of the judge's score (of as many units each) in the table of reliability."""


def calibrate(
    judgments: Iterable[Judgment],
    labels: LabelSet,
    *,
    items: Iterable[Item] = (),
    floor: Iterable[Judgment] | None = None,
    metrics: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> Calibration:
    """Map the scores of one judge onto people's scale.

    ``items`` (the run's) put the length of the argument beside it, ``floor`` the offline model's judgments; ``metrics``
    maps dimensions to metrics of other names.

    Raises:
        DeclarationError: nothing meets, the judgments come from several instruments, or no dimension can be
            calibrated: labels of too few topics, no scale, or a judge that says one thing of all.
        UnknownNameError: ``metrics`` names what is not there.
    """
    settings = settings or Settings()
    kept = list(judgments)
    judge = validated_judge(kept)
    joined = beside_trivial(join_labels(kept, labels, metrics), items, floor, settings, fitted=True)
    folds = {str(cluster): fold for cluster, fold in labelled_folds(joined, settings.seed).items()}
    maps: dict[str, Maps] = {}
    left_out: dict[str, str] = {}
    for dimension, metric in joined.metrics.items():
        found = _maps(View(joined, dimension, settings), dimension, folds, joined.clustered_by)
        if isinstance(found, str):
            left_out[dimension] = found
        else:
            maps[metric] = found
    if not maps:
        raise DeclarationError(
            "nothing can be calibrated: " + "; ".join(f"{name}: {why}" for name, why in left_out.items())
        )
    drawn = leave_one_out(joined.clusters)
    made = Calibration(
        format=judge.format,
        model=judge.model,
        fingerprint=judge.fingerprint,
        basis=Basis.of(labels, joined.clustered_by, joined.units, joined.clusters, settings),
        folds=folds,
        maps=maps,
        left_out=left_out,
    )
    return _checked(made, made.applied(joined, settings), drawn, settings)


def _maps(view: View, dimension: str, folds: Mapping[str, int], clustered_by: str) -> Maps | str:
    """The maps of one dimension, or why there are none."""
    import numpy as np

    if view.verdicts:
        return "verdicts in words have no scale"
    if not view.scale.bounded:
        return NO_SCALE
    known = view.compared
    score = np.array(
        [one.value if (one := view.found.get(unit)) else None for unit in view.units], dtype=float
    )
    fold = np.array([folds.get(str(cluster), -1) for cluster in view.clusters])
    topics = len({cluster for cluster, here in zip(view.clusters, known, strict=True) if here})
    if topics < FEWEST_TOPICS:
        return f"scores and labels of {topics} {clustered_by}s, and {FEWEST_TOPICS} are needed"
    if len(np.unique(score[known])) < 2:
        return "the judge says the same of everything"
    parts = [known & (fold != one) for one in range(FOLDS)]
    if not all(part.any() for part in parts):
        return f"all its {clustered_by}s fell into one fold"
    low, high = view.scale.ends()
    target = (view.target - low) / (high - low)
    whole, *without = (_map(score[part], target[part]) for part in (known, *parts))
    return Maps(dimension=dimension, scale=str(view.scale), whole=whole, without=tuple(without))


def _map(score: NDArray[np.float64], target: NDArray[np.float64]) -> MonotoneMap:
    """The map without the knots that lie within a level stretch."""
    import numpy as np

    places, levels = monotone(score, target)
    levels = levels.clip(0, 1)
    steps = np.diff(levels) > 0
    kept = np.concatenate([[True], steps]) | np.concatenate([steps, [True]])
    return MonotoneMap(scores=tuple(places[kept].tolist()), labels=tuple(levels[kept].tolist()))


def _checked(made: Calibration, joined: Joined, drawn: Resamples, settings: Settings) -> Calibration:
    checked, sampled, pooled = {}, {}, []
    for maps in made.maps.values():
        view = View(joined, maps.dimension, settings)
        sampled[maps.dimension] = {
            name: view.alpha(name, drawn)
            for name in view.variants
            if not name.startswith(("sample", "majority"))
        }
        sides = _sides(view)
        pooled.append(sides)
        checked[maps.dimension] = _on(view, sampled[maps.dimension], sides, drawn)
    rows = [alphas for name, alphas in sampled.items() if name != OVERALL] or list(sampled.values())
    means = {
        name: average([one[name] for one in rows]) for name in rows[0] if all(name in one for one in rows)
    }
    return made.model_copy(
        update={
            "checked": checked,
            "average": {name: one.estimate(settings.confidence) for name, one in means.items()},
            "average_gain": means[CALIBRATED].minus(means["mean"]).estimate(settings.confidence),
            "bands": _bands(pooled, settings.confidence),
        }
    )


def _on(view: View, alphas: Mapping[str, Sampled], sides: Sides, drawn: Resamples) -> CalibratedOn:
    confidence = view.settings.confidence
    return CalibratedOn(
        units=int(view.compared.sum()),
        alpha={name: one.estimate(confidence) for name, one in alphas.items()},
        error={name: view.distance(name, drawn).estimate(confidence) for name in alphas},
        gain=alphas[CALIBRATED].minus(alphas["mean"]).estimate(confidence),
        over=over_trivial(alphas, confidence),
        bands=_bands([sides], confidence),
    )


Sides = tuple[list[object], "NDArray[np.float64]", "NDArray[np.float64]", "NDArray[np.float64]"]
"""The topics of the units that are compared, and in [0, 1] the judge's score, the calibrated one, and people's."""


def _sides(view: View) -> Sides:
    import numpy as np

    low, high = view.scale.ends()
    known = view.compared
    judge, calibrated = (view.judge(name, rounded=False) for name in ("mean", CALIBRATED))
    shown = [(one[known] - low) / (high - low) for one in (judge, calibrated, view.target)]
    return [view.clusters[place] for place in np.flatnonzero(known)], shown[0], shown[1], shown[2]


def _bands(sides: list[Sides], confidence: float) -> tuple[Band, ...]:
    import numpy as np

    names = [name for one in sides for name in one[0]]
    judge, calibrated, people = (np.concatenate([one[place] for one in sides]) for place in (1, 2, 3))
    edges = np.unique(np.quantile(judge, np.arange(1, BANDS) / BANDS))
    which = np.searchsorted(edges, judge, side="left")
    found = []
    for band in np.unique(which):
        here = np.flatnonzero(which == band)
        topics = [names[place] for place in here]
        means = [
            mean_interval(one[here], topics, confidence=confidence, scale="share")
            for one in (judge, calibrated, people)
        ]
        found.append(Band(units=len(here), judge=means[0], calibrated=means[1], people=means[2]))
    return tuple(found)

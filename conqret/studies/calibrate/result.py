"""Fit maps from a judge's scores to people's scale, and say what they change on topics kept back.

A judge that ranks as people do may still use its scale otherwise, and Krippendorff's alpha asks for the same values.
Each metric gets one map, from all labels for items to come, and one for each fold of whole topics, fitted on the other
folds, by which everything that is reported is computed. Several kinds of map are tried
(:mod:`conqret.studies.calibrate.calibration_maps`), and the folds kept back say which is taken. Intervals leave
out a topic, and choose and fit the maps again without it, but for those of bands.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from conqret.data import Item, Judgment
from conqret.data.topic_keys import TopicKeys
from conqret.errors import DeclarationError, strict_options
from conqret.io.labels import Labels, labels_of
from conqret.judging.judge_folder import FinishedRun, JudgeFolder, folder_of
from conqret.stats.confidence_scores import Band, bands
from conqret.stats.estimate import JackknifedEstimate, average
from conqret.stats.resampling import Resamples, leave_one_out
from conqret.studies.agreement.agreement_settings import USUAL, AgreementSettings, Basis
from conqret.studies.agreement.annotator_agreement import averaged_dimensions
from conqret.studies.agreement.dimension_view import NO_SCALE, View
from conqret.studies.agreement.label_join import JoinedLabels, join_labels
from conqret.studies.agreement.statistics import CALIBRATED
from conqret.studies.agreement.trivial_judges import (
    beside_trivial,
    floor_judgments,
    labelled_folds,
    over_trivial,
)
from conqret.studies.calibrate.calibration import CalibratedOn, Calibration, CalibrationMaps
from conqret.studies.calibrate.calibration_maps import (
    AS_IS,
    KINDS,
    CalibrationSample,
    MapTrial,
    refits,
    tried,
)
from conqret.studies.validate.result import validated_judge

FEWEST_TOPICS = 6
"""Topics with labels below which nothing is calibrated: each fold holds one, and four are left to be fitted on."""
FittedMaps = tuple[CalibrationSample, MapTrial]
"""What the maps of a dimension are fitted on, and they."""


@strict_options
def calibrate(
    run: FinishedRun | Iterable[Judgment],
    labels: Labels,
    *,
    items: Iterable[Item] = (),
    baseline: FinishedRun | Iterable[Judgment] | None = None,
    metrics: Mapping[str, str] | None = None,
    settings: AgreementSettings = USUAL,
) -> Calibration:
    """Fit a calibration map from judge scores to human scores for each metric, and test it on other topics.

    Args:
        run: a finished run, or its judgments.
        labels: human labels of the items.
        items: the items of judgments that come without a run: the length of the argument is put beside the judge.
        baseline: a finished run of the offline baseline over the same items, or its judgments.
        metrics: which metric is calibrated on which labelled dimension, where their names differ.
        settings: how several labels become one, intervals, the seed of the folds.

    Raises:
        DeclarationError: nothing meets, the judgments come from several instruments, or no dimension can be
            calibrated: labels of too few topics, no scale, or a judge that says one thing of all.
        UnknownNameError: ``metrics`` names what is not there.
    """
    if isinstance(run, str | Path | JudgeFolder):
        items = folder_of(run).items()
        run = folder_of(run).finished()
    if isinstance(baseline, str | Path | JudgeFolder):
        baseline = floor_judgments(folder_of(baseline))
    kept, read = list(run), labels_of(labels)
    judge = validated_judge(kept)
    joined = beside_trivial(join_labels(kept, read, metrics), items, baseline, settings, fitted=True)
    folds = {str(cluster): fold for cluster, fold in labelled_folds(joined, settings.seed).items()}
    maps: dict[str, CalibrationMaps] = {}
    fits: dict[str, FittedMaps] = {}
    left_out: dict[str, str] = {}
    for dimension, metric in joined.metrics.items():
        seen = _seen(joined, dimension, settings, folds)
        if isinstance(seen, str):
            left_out[dimension] = seen
        else:
            fits[dimension] = seen, tried(seen)
            whole, *without = fits[dimension][1].chosen_maps
            parts = any(unit.part for unit in seen.view.found)
            scale = str(seen.view.scale)
            maps[metric] = CalibrationMaps(
                dimension=dimension, scale=scale, parts=parts, whole=whole, without=tuple(without)
            )
    if not maps:
        raise DeclarationError(
            "nothing can be calibrated: " + "; ".join(f"{name}: {why}" for name, why in left_out.items())
        )
    drawn = leave_one_out(joined.clusters)
    made = Calibration(
        format=judge.format,
        model=judge.model,
        fingerprint=judge.fingerprint,
        basis=Basis.of(read, joined.clustered_by, joined.units, joined.clusters, settings),
        folds={
            **folds,
            **{name: folds[key] for name, key in TopicKeys.of(kept).joined.items() if key in folds},
        },
        maps=maps,
        left_out=left_out,
    )
    return _checked(made, _beside(made.applied(joined, settings), fits), drawn, settings)


def _seen(
    joined: JoinedLabels, dimension: str, settings: AgreementSettings, folds: Mapping[str, int]
) -> CalibrationSample | str:
    """What the maps of one dimension are fitted on, or why there are none."""
    view = View(joined, dimension, settings)
    if view.verdicts:
        return "verdicts in words have no scale"
    if not view.scale.bounded:
        return NO_SCALE
    topics = len(set(view.clusters_of(view.compared)))
    if topics < FEWEST_TOPICS:
        return f"scores and labels of {topics} {joined.clustered_by}s, and {FEWEST_TOPICS} are needed"
    if len(np.unique(view.judge(rounded=False)[view.compared])) < 2:
        return "the judge says the same of everything"
    seen = CalibrationSample(view, folds)
    if not all(part.any() for part in seen.parts().values()):
        return f"all its {joined.clustered_by}s fell into two folds"
    return seen


def _beside(joined: JoinedLabels, fits: Mapping[str, FittedMaps]) -> JoinedLabels:
    """The same join, in which each score has beside it what each kind of map makes of it."""
    for dimension, (seen, trial) in fits.items():
        said = {kind: values for kind, values in trial.said.items() if kind != AS_IS}
        joined = joined.beside(dimension, said, refits(seen, trial.errors))
    return joined


def _checked(
    made: Calibration,
    joined: JoinedLabels,
    drawn: Resamples,
    settings: AgreementSettings,
) -> Calibration:
    checked, sampled, pooled = {}, {}, []
    for maps in made.maps.values():
        view = View(joined, maps.dimension, settings)
        sampled[maps.dimension] = {
            name: view.alpha(name, drawn)
            for name in view.variants
            if not name.startswith(("sample", "majority"))
        }
        pooled.append(_sides(view))
        checked[maps.dimension] = _on(view, sampled[maps.dimension], drawn)
    names = averaged_dimensions({name: alphas["mean"].defined for name, alphas in sampled.items()})
    rows = [sampled[name] for name in names]
    means = {
        name: average([row[name] for row in rows]) for name in rows[0] if all(name in row for row in rows)
    }
    return made.model_copy(
        update={
            "checked": checked,
            "average": {name: mean.estimate(settings.confidence) for name, mean in means.items()},
            "average_gain": means[CALIBRATED].minus(means["mean"]).estimate(settings.confidence),
            "bands": _bands(pooled, settings.confidence),
        }
    )


def _on(
    view: View,
    alphas: Mapping[str, JackknifedEstimate],
    drawn: Resamples,
) -> CalibratedOn:
    confidence = view.settings.confidence
    return CalibratedOn(
        units=int(view.compared.sum()),
        alpha={name: alpha.estimate(confidence) for name, alpha in alphas.items()},
        error={name: view.distance(name, drawn).estimate(confidence) for name in alphas},
        gain=alphas[CALIBRATED].minus(alphas["mean"]).estimate(confidence),
        over=over_trivial(alphas, confidence),
    )


class LabelledSides(NamedTuple):
    """The topics of the units that are compared, and in [0, 1] people's one label and what each series says: the judge
    (``mean``), each kind of map, and the chosen ones (``calibrated``)."""

    topics: list[Hashable]
    people: NDArray[np.float64]
    said: dict[str, NDArray[np.float64]]


def _sides(view: View) -> LabelledSides:
    known, unit = view.compared, view.scale.unit
    scores_by_variant = {
        name: unit(view.judge(name, rounded=False)[known])
        for name in ("mean", *KINDS, CALIBRATED)
        if name in view.variants
    }
    return LabelledSides(view.clusters_of(known), unit(view.target[known]), scores_by_variant)


def _bands(sides: Sequence[LabelledSides], confidence: float) -> dict[str, tuple[Band, ...]]:
    """By series; one that some of the dimensions have not is left out."""
    topics = [name for side in sides for name in side.topics]
    people = np.concatenate([side.people for side in sides])
    return {
        name: bands(np.concatenate([side.said[name] for side in sides]), people, topics, confidence)
        for name in sides[0].said
        if all(name in side.said for side in sides)
    }

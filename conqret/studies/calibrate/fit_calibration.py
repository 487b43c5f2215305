"""Fit maps from a judge's scores to people's scale, and say what they change on topics kept back.

A judge that ranks as people do may still use its scale otherwise, and Krippendorff's alpha asks for the same values.
Each metric gets one map, from all labels for items to come, and one for each fold of whole topics, fitted on the other
folds, by which everything that is reported is computed. Several kinds of map are tried
(:mod:`conqret.studies.calibrate.calibration_maps`), and the folds kept back say which is taken. Intervals leave
out a topic, and choose and fit the maps again without it, but for those of bands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from conqret.data import Item, Judgment
from conqret.data.judgment import TopicKeys
from conqret.errors import DeclarationError, strict_options
from conqret.io.labels import Labels, labels_of
from conqret.judging.judge_folder import FinishedRun, JudgeFolder, folder_of
from conqret.stats.confidence import Band, bands
from conqret.stats.resampling import leave_one_out
from conqret.studies.agreement.agreement_settings import USUAL, AgreementSettings, Basis
from conqret.studies.agreement.annotator_agreement import averaged_alphas
from conqret.studies.agreement.label_join import NO_SCALE, JoinedLabels, View, join_labels
from conqret.studies.agreement.statistics import CALIBRATED
from conqret.studies.agreement.trivial_judges import beside_trivial, labelled_folds, over_trivial
from conqret.studies.calibrate.calibration_maps import (
    AS_IS,
    KINDS,
    CalibrationSample,
    MapTrial,
    refits,
    tried,
)
from conqret.studies.calibrate.result import Calibration, CalibrationMaps, CalibrationRow
from conqret.studies.validate.result import validated_judge

FEWEST_TOPICS = 6
"""Topics with labels below which nothing is calibrated: each fold holds one, and four are left to be fitted on."""


@strict_options
def calibrate(
    run: FinishedRun | Iterable[Judgment],
    labels: Labels,
    *,
    items: Iterable[Item] = (),
    metrics: Mapping[str, str] | None = None,
    settings: AgreementSettings = USUAL,
) -> Calibration:
    """Fit a calibration map from judge scores to human scores for each metric, and test it on other topics.

    Args:
        run: a finished run, or its judgments.
        labels: human labels of the items.
        items: the items of judgments that come without a run: the length of the argument is put beside the judge.
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
    kept, read = list(run), labels_of(labels)
    judge = validated_judge(kept)
    joined = beside_trivial(join_labels(kept, read, metrics), items, None, settings)
    folds = {str(cluster): fold for cluster, fold in labelled_folds(joined, settings.seed).items()}
    maps: dict[str, CalibrationMaps] = {}
    fits: dict[str, tuple[CalibrationSample, MapTrial]] = {}
    left_out: dict[str, str] = {}
    for dimension, metric in joined.metrics.items():
        seen = _seen(joined, dimension, settings, folds)
        if isinstance(seen, str):
            left_out[dimension] = seen
        else:
            fits[dimension] = seen, tried(seen)
            whole, *without = fits[dimension][1].chosen_maps
            maps[metric] = CalibrationMaps(
                dimension=dimension,
                scale=str(seen.view.scale),
                parts=any(unit.part for unit in seen.view.found),
                whole=whole,
                without=tuple(without),
            )
    if not maps:
        why = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise DeclarationError(f"nothing can be calibrated: {why}")
    made = Calibration(
        format=judge.format,
        model=judge.model,
        fingerprint=judge.fingerprint,
        basis=Basis.of(read, joined.clustered_by, joined.units, joined.clusters, settings),
        folds=folds
        | {name: folds[key] for name, key in TopicKeys.from_judged(kept).joined.items() if key in folds},
        maps=maps,
        left_out=left_out,
    )
    joined = made.applied(joined, settings)
    for dimension, (seen, trial) in fits.items():  # beside each score what each kind of map makes of it
        said = {kind: values for kind, values in trial.said.items() if kind != AS_IS}
        joined = joined.beside(dimension, said, refits(seen, trial.errors))
    return _checked(made, joined, settings)


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


def _checked(made: Calibration, joined: JoinedLabels, settings: AgreementSettings) -> Calibration:
    """What the maps change, by dimension, in the mean, and in bands of the score."""
    drawn, confidence = leave_one_out(joined.clusters), settings.confidence
    checked, sampled, views = {}, {}, []
    for maps in made.maps.values():
        view = View(joined, maps.dimension, settings)
        names = [name for name in view.variants if not name.startswith(("sample", "majority"))]
        alphas = {name: view.alpha(name, drawn) for name in names}
        checked[maps.dimension] = CalibrationRow(
            units=int(view.compared.sum()),
            alpha={name: alpha.estimate(confidence) for name, alpha in alphas.items()},
            error={name: view.distance(name, drawn).estimate(confidence) for name in alphas},
            gain=alphas[CALIBRATED].minus(alphas["mean"]).estimate(confidence),
            over=over_trivial(alphas, confidence),
        )
        sampled[maps.dimension] = alphas
        views.append(view)
    means = averaged_alphas(sampled)
    return made.model_copy(
        update={
            "checked": checked,
            "average": {name: mean.estimate(confidence) for name, mean in means.items()},
            "average_gain": means[CALIBRATED].minus(means["mean"]).estimate(confidence),
            "bands": _bands(views, confidence),
        }
    )


def _bands(views: Sequence[View], confidence: float) -> dict[str, tuple[Band, ...]]:
    """By what is said of the units (the judge's mean, each kind of map, the chosen ones); what some of the dimensions
    have not is left out."""
    topics = [name for view in views for name in view.clusters_of(view.compared)]
    people = np.concatenate([view.scale.unit(view.target[view.compared]) for view in views])
    found = {}
    for name in ("mean", *KINDS, CALIBRATED):
        if all(name in view.variants for view in views):
            said = [view.scale.unit(view.judge(name, rounded=False)[view.compared]) for view in views]
            found[name] = bands(np.concatenate(said), people, topics, confidence)
    return found

"""Fit calibration maps from a judge's scores to the labels' scale, and test them on held-out topics.

A judge that ranks as annotators do may still use its scale otherwise, which lowers Krippendorff's alpha. Each metric
gets a map of all labels, for new items, and one for each fold of topics, fitted on the other folds; all statistics use
these. The kind of map is chosen by cross-validation (:mod:`conqret.studies.calibrate.calibration_maps`). Jackknife
intervals choose and fit the maps again without each topic, except those of bands.
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
from conqret.stats.estimate import MIN_TOPICS
from conqret.stats.resampling import leave_one_out
from conqret.studies.agreement.agreement_settings import DEFAULT_SETTINGS, AgreementSettings, Basis
from conqret.studies.agreement.annotator_agreement import averaged_alphas
from conqret.studies.agreement.judge_baselines import (
    differences_from_baselines,
    labeled_folds,
    with_baselines,
)
from conqret.studies.agreement.label_join import NO_SCALE, DimensionView, JoinedLabels, join_labels
from conqret.studies.agreement.statistics import CALIBRATED
from conqret.studies.calibrate.calibration_maps import (
    ISOTONIC,
    CalibrationSample,
    FittedMaps,
    fit_maps,
    refits,
)
from conqret.studies.calibrate.result import Calibration, CalibrationMaps, CalibrationRow
from conqret.studies.validate.result import validated_judge


@strict_options
def calibrate(
    run: FinishedRun | Iterable[Judgment],
    labels: Labels,
    *,
    items: Iterable[Item] = (),
    metrics: Mapping[str, str] | None = None,
    settings: AgreementSettings = DEFAULT_SETTINGS,
) -> Calibration:
    """Fit a calibration map from judge scores to human scores for each metric, and evaluate it on other
    topics.

    Args:
        run: a finished run, or its judgments.
        labels: human labels of the items.
        items: the items, if ``run`` is judgments; needed for the length baseline.
        metrics: the metric of each dimension, where the names differ.
        settings: aggregation of labels, intervals, the seed of the folds.

    Returns:
        The maps, and agreement and error before and after.

    Raises:
        DeclarationError: no labeled item was judged, the judgments come from several judge configurations, or
            no dimension can be calibrated (too few topics, no scale, or constant scores).
        UnknownNameError: ``metrics`` has an unknown dimension or metric.
    """
    if isinstance(run, str | Path | JudgeFolder):
        items = folder_of(run).items()
        run = folder_of(run).finished()
    kept, read = list(run), labels_of(labels)
    judge = validated_judge(kept)
    joined = with_baselines(join_labels(kept, read, metrics), items, None, settings)
    folds = {str(cluster): fold for cluster, fold in labeled_folds(joined, settings.seed).items()}
    maps: dict[str, CalibrationMaps] = {}
    fits: dict[str, tuple[CalibrationSample, FittedMaps]] = {}
    left_out: dict[str, str] = {}
    for dimension, metric in joined.metrics.items():
        sample = _sample(joined, dimension, settings, folds)
        if isinstance(sample, str):
            left_out[dimension] = sample
        else:
            fits[dimension] = sample, fit_maps(sample)
            whole, *without = fits[dimension][1].chosen_maps
            maps[metric] = CalibrationMaps(
                dimension=dimension,
                scale=str(sample.view.scale),
                parts=any(unit.part for unit in sample.view.unit_scores),
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
        basis=Basis.from_labels(read, joined.clustered_by, joined.units, joined.clusters, settings),
        folds=folds
        | {name: folds[key] for name, key in TopicKeys.from_judged(kept).joined.items() if key in folds},
        maps=maps,
        left_out=left_out,
    )
    joined = made.apply_to(joined, settings)
    for dimension, (sample, trial) in fits.items():
        isotonic = {ISOTONIC: trial.isotonic}
        joined = joined.with_variants(dimension, isotonic, refits(sample, trial.errors))
    return _with_agreement(made, joined, settings)


def _sample(
    joined: JoinedLabels, dimension: str, settings: AgreementSettings, folds: Mapping[str, int]
) -> CalibrationSample | str:
    """Return the data on which the maps of one dimension are fitted, or the reason why there are none."""
    view = DimensionView(joined, dimension, settings)
    if view.verdicts:
        return "verdicts in words have no scale"
    if not view.scale.bounded:
        return NO_SCALE
    topics = len(set(view.clusters_of(view.compared)))
    if topics < MIN_TOPICS:
        return f"scores and labels of {topics} {joined.clustered_by}s, and {MIN_TOPICS} are needed"
    if len(np.unique(view.judge(rounded=False)[view.compared])) < 2:
        return "the judge says the same of everything"
    sample = CalibrationSample(view, folds)
    if not all(part.any() for part in sample.parts().values()):
        return f"all its {joined.clustered_by}s fell into two folds"
    return sample


def _with_agreement(made: Calibration, joined: JoinedLabels, settings: AgreementSettings) -> Calibration:
    """Return the calibration with what its maps change: alpha and error by dimension, the means over dimensions, and
    bands of the score."""
    drawn, confidence = leave_one_out(joined.clusters), settings.confidence
    checked, sampled, views = {}, {}, []
    for maps in made.maps.values():
        view = DimensionView(joined, maps.dimension, settings)
        names = [name for name in view.variants if not name.startswith(("sample", "majority"))]
        alphas = {name: view.alpha(name, drawn) for name in names}
        checked[maps.dimension] = CalibrationRow(
            units=int(view.compared.sum()),
            alpha={name: alpha.estimate(confidence) for name, alpha in alphas.items()},
            error={name: view.distance(name, drawn).estimate(confidence) for name in alphas},
            gain=alphas[CALIBRATED].minus(alphas["mean"]).estimate(confidence),
            over=differences_from_baselines(alphas, confidence),
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


def _bands(views: Sequence[DimensionView], confidence: float) -> dict[str, tuple[Band, ...]]:
    """Return the bands of scores with their mean labels over all dimensions, by variant (the judge's mean, isotonic
    maps, the chosen ones); a variant that one of the dimensions lacks is left out."""
    topics = [name for view in views for name in view.clusters_of(view.compared)]
    people = np.concatenate([view.scale.unit(view.target[view.compared]) for view in views])
    found = {}
    for name in ("mean", ISOTONIC, CALIBRATED):
        if all(name in view.variants for view in views):
            said = [view.scale.unit(view.judge(name, rounded=False)[view.compared]) for view in views]
            found[name] = bands(np.concatenate(said), people, topics, confidence)
    return found

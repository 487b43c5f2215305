"""Baselines of a judge: the length of the argument, a constant, and the offline baseline.

Each is compared with the judge on the units that the judge scored. Length is mapped onto the labels' scale by the
labels of other topics (:func:`conqret.stats.confidence.cross_fitted`); the constant is the mean label.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from conqret.data import Item, Judgment
from conqret.errors import DeclarationError, number
from conqret.io.label_set import Unit
from conqret.judging.judge_folder import JudgeFolder
from conqret.show import words
from conqret.stats.confidence import cross_fitted, dealt
from conqret.stats.estimate import Estimate
from conqret.stats.jackknife import JackknifedEstimate
from conqret.studies.agreement.agreement_settings import AgreementSettings
from conqret.studies.agreement.label_join import DimensionView, Fit, JoinedLabels, join_labels
from conqret.studies.agreement.statistics import CALIBRATED

WORDS = {"length": "text length alone", "constant": "a constant", "floor": "the offline baseline"}
BASELINES = tuple(WORDS)
"""Their names among the variants of a judge's scores."""
MAX_NAMED = 3
"""Dimensions that a sentence names; more are counted."""
AS_CHANCE = "its alpha is below 0 and counts as 0, agreement by chance"
"""Remark on a difference from which nothing was subtracted."""


def with_baselines(
    joined: JoinedLabels,
    items: Iterable[Item],
    offline: Iterable[Judgment] | None,
    settings: AgreementSettings,
) -> JoinedLabels:
    """Return the join with the baselines' scores as further variants.

    A baseline that lacks a value on one of the judge's units is left out of that dimension. All are left out
    of dimensions whose scale has no ends, whose labels are words, or whose labeled units have no score.

    Args:
        joined: labels joined with the judge's scores.
        items: the items, for the length baseline.
        offline: judgments of the offline model, for the offline baseline; None if there are none.
        settings: the seed of the folds.

    Raises:
        DeclarationError: none of the offline judgments has labels.
    """
    lengths, other = _lengths(items), None
    if offline is not None:
        judged = list(offline)
        known = {name for judgment in judged for name in judgment.measures}
        shared = {dimension: metric for dimension, metric in joined.metrics.items() if metric in known}
        other = join_labels(judged, joined.labels, shared)
    dealt_to = labeled_folds(joined, settings.seed)
    folds = np.array([dealt_to.get(cluster, -1) for cluster in joined.clusters])
    for dimension in joined.scores:
        view = DimensionView(joined, dimension, settings)
        if view.verdicts or not view.scale.bounded or not view.compared.any():
            continue
        target = view.scale.unit(view.target)
        constant = np.full(len(target), target[view.compared].mean())
        fit = _length_fit(_series(view, lengths), target, folds)
        baselines = {"constant": constant}
        if other is not None:
            scores = other.scores.get(dimension, {})
            baselines["floor"] = _series(view, {unit: score.value for unit, score in scores.items()})
        baselines["length"] = fit(view.compared)
        complete = {
            name: score for name, score in baselines.items() if not np.isnan(score[view.compared]).any()
        }
        joined = joined.with_variants(dimension, complete, {"length": fit} if "length" in complete else {})
    return joined


def _length_fit(x: NDArray[np.float64], target: NDArray[np.float64], folds: NDArray[np.intp]) -> Fit:
    """The fit that maps a series onto the labels' scale by the labels of other topics."""
    return lambda kept: cross_fitted(x, np.where(kept, target, np.nan), folds)


def offline_judgments(run: JudgeFolder) -> Iterator[Judgment]:
    """Return the judgments of a finished run of the offline model.

    Raises:
        DeclarationError: the run is of another model, or not finished.
    """
    record = run.record()
    if not record.baseline:
        raise DeclarationError(
            f"{run.path} is a run of {record.model}, but the baseline must be one of conqret judge --model offline on "
            "the same items; to compare two LLM judges, use conqret judges compare"
        )
    return run.finished()


def labeled_folds(joined: JoinedLabels, seed: int) -> dict[Hashable, int]:
    """Assign each topic (or item) with a label to a fold at random; return the fold of each."""
    labelled = {label.unit for label in joined.labels.labels if label.value is not None}
    pairs = zip(joined.units, joined.clusters, strict=True)
    return dealt((cluster for unit, cluster in pairs if unit in labelled), seed)


def _lengths(items: Iterable[Item]) -> dict[Unit, float | None]:
    """The length of each argument, and of each document by itself, in characters."""
    lengths: dict[Unit, float | None] = {}
    for item in items:
        if item.argument is not None:
            lengths[Unit(item.id)] = float(len(item.argument))
        lengths |= {Unit(item.id, document.id): float(len(document.text)) for document in item.documents}
    return lengths


def _series(view: DimensionView, known: Mapping[Unit, float | None]) -> NDArray[np.float64]:
    return np.array([known.get(unit) for unit in view.units], dtype=float)


def differences_from_baselines(
    alphas: Mapping[str, JackknifedEstimate], confidence: float
) -> dict[str, Estimate]:
    """Return the judge's alpha minus that of each baseline, over the same topics, by baseline.

    The judge's alpha is that of calibrated scores if there are any. A baseline's alpha below 0 counts as 0
    (:data:`AS_CHANCE`).
    """

    judge = alphas.get(CALIBRATED, alphas["mean"])
    alone, over = judge.estimate(confidence), {}
    for name in (name for name in BASELINES if name in alphas):
        difference = replace(judge.minus(alphas[name]), unsure=judge.unsure).estimate(confidence)
        if alphas[name].value < 0:
            difference = replace(alone, reason=alone.reason or AS_CHANCE)
        elif difference.low is not None and difference.high is not None:
            # no interval goes beyond what a difference can be: an alpha is 1 at most, and -1 at least
            difference = replace(difference, low=max(difference.low, -2.0), high=min(difference.high, 1.0))
        over[name] = difference
    return over


def baseline_sentences(over: Mapping[str, Mapping[str, Estimate]]) -> Iterator[str]:
    """Yield sentences that say which baselines the judge beats significantly, does not beat, or is worse
    than.

    ``over`` maps dimensions to the differences of alphas by baseline.
    """
    better, unshown, less = [], [], []
    several = len(over) > 1
    for name, baseline in WORDS.items():
        known = {key: row[name] for key, row in over.items() if name in row and row[name].value is not None}
        above = [words.label(key).lower() for key, one in known.items() if one.sign > 0]
        below = sum(one.sign < 0 and one.reason != AS_CHANCE for one in known.values())
        named = f" ({', '.join(above)})" * (0 < len(above) <= MAX_NAMED)
        where = f" on {len(above) or 'none'} of {number(len(known), 'dimension')}{named}" * several
        if known and (several or above):
            better.append(f"than {baseline}{where}")
        elif known and not below:
            unshown.append(baseline)
        if below:
            less.append(f"than {baseline}{f' on {below}' * several}")
    if better:
        yield f"The judge agrees significantly better with annotators {words.listed(better)}."
    if unshown:
        names = words.listed(unshown).replace(" and ", " or ")
        yield f"The judge is not shown to agree better with annotators than {names}."
    if less:
        yield f"It agrees significantly less with annotators {words.listed(less)}."

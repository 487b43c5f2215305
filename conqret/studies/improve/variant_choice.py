"""Which variant of a judge is chosen.

A choice is made on scores that are cross-fitted within the topics that it may see: each topic is rated by variants that
learned from the others, and mapped by the labels of others. The simplest candidate within one standard error of the
least squared error is taken (Breiman et al., Classification and Regression Trees, 1984).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from conqret.data import Judgment
from conqret.errors import DeclarationError
from conqret.stats.resampling import mean
from conqret.studies.agreement.label_join import View, join_labels
from conqret.studies.agreement.trivial_judges import labelled_folds
from conqret.studies.calibrate.calibration_maps import CalibrationSample, MonotoneMap, tried
from conqret.studies.calibrate.fit_calibration import FEWEST_TOPICS
from conqret.studies.improve.improve_run import EVERY_FOLD, ImprovePlan, Out
from conqret.studies.improve.improved_prompt import AS_IT_IS
from conqret.studies.improve.learned import FOLDS
from conqret.studies.improve.result import Candidate, VariantChoice

Scores = Mapping[str, float]
"""Scores in [0, 1] by item."""


@dataclass(frozen=True)
class CrossFitted:
    """The scores of a variant on the topics that are chosen on, as it says them and mapped by the labels of other
    topics, with the map of all of them; no map where there are too few topics, or it says the same of all."""

    said: Scores
    mapped: Scores | None = None
    map: MonotoneMap | None = None


def cross_fitted(plan: ImprovePlan, judgments: Sequence[Judgment]) -> CrossFitted:
    """The scores of a variant, by the judgments of topics that it did not learn from."""
    data, settings = plan.data, plan.settings
    said = {judgment.item: judgment.values[data.metric] for judgment in judgments}
    if len(set(said.values())) < 2 or len({judgment.topic for judgment in judgments}) < FEWEST_TOPICS:
        return CrossFitted(said)
    joined = join_labels(judgments, data.labels, {data.dimension: data.metric})
    folds = {str(cluster): fold for cluster, fold in labelled_folds(joined, settings.seed).items()}
    seen = CalibrationSample(View(joined, data.dimension, settings), folds)
    parts = seen.parts().values()
    if not all(part.any() and len(np.unique(seen.score[part])) > 1 for part in parts):
        return CrossFitted(said)
    trial = tried(seen)
    mapped = trial.calibrated(seen.fold)
    values = {unit.item: float(value) for unit, value in zip(seen.view.units, mapped, strict=True)}
    return CrossFitted(said, values, trial.chosen_maps[0])


def choose(
    scores: Mapping[str, CrossFitted],
    labels: Mapping[str, float],
    topics: Mapping[str, Hashable],
    fold: int = -1,
) -> VariantChoice:
    """The simplest candidate within one standard error of the least squared error. ``scores`` are by variant, the
    simplest first; candidates are compared on the items that all of them scored.

    Raises:
        DeclarationError: there are none.
    """
    series: dict[tuple[str, bool], Scores] = {}
    for variant, fitted in scores.items():
        series[variant, False] = fitted.said
        if fitted.mapped is not None:
            series[variant, True] = fitted.mapped
    items = [item for item in labels if all(item in values for values in series.values())]
    if not items:
        raise DeclarationError(
            "no labeled item has a score by each variant: find the reason with conqret runs"
        )
    target = np.array([labels[item] for item in items])
    clusters = [topics[item] for item in items]
    errors = {
        key: (np.array([values[item] for item in items]) - target) ** 2 for key, values in series.items()
    }
    best = min(errors, key=lambda key: float(errors[key].mean()))
    candidates, chosen = [], best
    for key in reversed(errors):
        worse = mean(errors[key] - errors[best], clusters)
        error = 0.0 if key == best or np.isnan(worse.error) else worse.error
        candidates.append(
            Candidate(
                variant=key[0],
                calibrated=key[1],
                squared_error=float(errors[key].mean()),
                worse=float(worse.value),
                error_of_worse=error,
            )
        )
        if worse.value <= error:
            chosen = key
    return VariantChoice(
        fold=fold,
        variant=chosen[0],
        calibrated=chosen[1],
        topics=len(set(clusters)),
        items=len(items),
        candidates=tuple(reversed(candidates)),
    )


def scores_without(plan: ImprovePlan, out: Out) -> dict[str, CrossFitted]:
    """By variant what it says of the topics that are in none of the folds ``out``, each rated by what was learned
    without it, too."""
    if out in plan.fitted:
        return plan.fitted[out]
    found = {}
    for variant in (AS_IT_IS, *plan.variants):
        judgments: list[Judgment] = []
        for fold in range(FOLDS):
            if fold not in out:
                setup = plan.setup_of(variant, out | {fold})
                judgments += plan.judgments(setup, plan.items_in(frozenset({fold}))).values()
        found[variant] = cross_fitted(plan, judgments)
    plan.fitted[out] = found
    return found


def choice_without(plan: ImprovePlan, out: Out) -> VariantChoice:
    """What is chosen without these folds (one at most)."""
    topics = {item.id: item.topic for item in plan.data.training}
    means = {item.id: plan.data.means[item.id] for item in plan.items_in(EVERY_FOLD - out)}
    return choose(scores_without(plan, out), means, topics, min(out, default=-1))

"""What is chosen (:mod:`conqret.studies.improve.improve_run`), and what it is worth on topics that the choice has
not seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from conqret.data import Item, Judgment, Measure, Status
from conqret.data.criterion import parse_criterion
from conqret.errors import DeclarationError
from conqret.io.label_set import Unit
from conqret.io.safe_files import Content
from conqret.judging.judge_options import CRITERIA, SampleSettings
from conqret.judging.setup import Setup
from conqret.runs.session import SessionCounts
from conqret.stats.correlation import ranked
from conqret.stats.jackknife import JackknifedEstimate, without_value
from conqret.stats.resampling import leave_one_out
from conqret.studies.agreement.agreement_settings import Basis
from conqret.studies.agreement.label_join import DimensionView, join_labels
from conqret.studies.calibrate.fit_calibration import calibrate as calibrate_judge
from conqret.studies.improve.improve_run import (
    ImproveFolder,
    ImprovePlan,
    Scores,
    choice_without,
    scores_without,
)
from conqret.studies.improve.improved_prompt import (
    AS_IT_IS,
    CALIBRATION,
    FOLDS,
    PROMPTS,
    WordingAnswer,
    judge_criterion,
    observed,
    prompt_files,
)
from conqret.studies.improve.result import ImproveResult, VariantAgreement, VariantChoice, improve_page


def outcome(plan: ImprovePlan) -> tuple[tuple[Item, ...], dict[str, Any]]:
    """Choose the final variant and those without each fold, and evaluate each on topics that its choice has
    not seen.

    Returns:
        The items with a score in all series, and fields of :class:`ImproveResult` by name.

    Raises:
        DeclarationError: no item has a score before and after.
    """
    data = plan.data
    outs = [frozenset({fold}) for fold in range(FOLDS) if not data.held_out]
    final, *choices = (choice_without(plan, out) for out in (frozenset[int](), *outs))
    series = _series(plan, final, choices)
    items = tuple(item for item in data.every if all(item.id in scores for scores in series.values()))
    if not items:
        raise DeclarationError(
            "no item has a score both before and after the change, so no gain can be measured"
        )
    judged = plan.judgments(plan.setup, items)
    bare = [judged[item.id] for item in items]
    return items, {"final": final, "choices": tuple(choices), **_compared(plan, series, bare)}


def measured(
    plan: ImprovePlan, folder: ImproveFolder, session: SessionCounts, missing: tuple[str, ...]
) -> tuple[ImproveResult, dict[Path, Content]]:
    """Return the result of an improvement run, and the contents of its files by path; nothing is written here.
    ``missing`` are the keys of responses that a replay lacked."""
    data, none = plan.data, frozenset[int]()
    items, found = outcome(plan)
    final: VariantChoice = found["final"]
    improved = plan.setup_of(final.variant, none)
    topics = [item.topic for item in items]
    proposal = plan.proposal(none) if plan.variants else None
    result = ImproveResult(
        metric=data.metric,
        dimension=data.dimension,
        format=plan.setup.judge.name,
        model=plan.setup.client.model,
        baseline=plan.setup.client.backend.baseline,
        fingerprint=plan.setup.fingerprint,
        improved_fingerprint=improved.fingerprint,
        basis=Basis.from_labels(
            data.labels, "topic", [Unit(item.id) for item in items], topics, plan.settings
        ),
        measured="held out" if data.held_out else "cross-fitted",
        training_items=len(data.training),
        training_topics=len({item.topic for item in data.training}),
        items=len(items),
        topics=len(set(topics)),
        unscored=len(data.held_out or data.training) - len(items),
        **found,
        improvement=plan.improvement(final.variant, none),
        observations=observed(WordingAnswer.model_validate(proposal.wording))
        if proposal and proposal.wording
        else (),
        criterion=judge_criterion(improved).plain() if improved.judge.name == CRITERIA else None,
        use=judging_options(plan, improved, final),
        options=plan.record().improving,
        session=session,
        missing=missing,
    )
    return result, _files(plan, folder, result, improved)


def _series(plan: ImprovePlan, final: VariantChoice, choices: Sequence[VariantChoice]) -> dict[str, Scores]:
    """Return by series (``as_it_is``, ``calibrated``, ``improved``) the scores of items by id. Every score is by a
    judge or a map that has neither learned from the item's topic nor been chosen on it."""
    series: dict[str, dict[str, float]] = {"as_it_is": {}, "calibrated": {}, "improved": {}}
    for choice in choices or [final]:
        out = frozenset({choice.fold} if choices else ())
        items = plan.items_in(out) if choices else plan.data.held_out
        fitted = scores_without(plan, out)
        for name, variant, mapped in (
            ("as_it_is", AS_IT_IS, False),
            ("calibrated", AS_IT_IS, True),
            ("improved", choice.variant, choice.calibrated),
        ):
            learned_map = fitted[variant].map if mapped else None
            for item, judgment in plan.judgments(plan.setup_of(variant, out), items).items():
                score = judgment.values[plan.data.metric]
                series[name][item] = score if learned_map is None else learned_map.apply(score)
    return dict(series)


def _compared(
    plan: ImprovePlan, series: Mapping[str, Scores], judgments: Sequence[Judgment]
) -> dict[str, Any]:
    """Return three fields of the result: how well each of ``series`` agrees with the labels on the items of
    ``judgments``, and what is gained over the judge as it is and over calibration alone."""
    metric, dimension, confidence = plan.data.metric, plan.data.dimension, plan.settings.confidence
    views = {}
    for name, scores in series.items():
        said = []
        for judgment in judgments:
            score = min(max(scores[judgment.item], 0.0), 1.0)
            measures = {metric: Measure(status=Status.SCORED, value=score)}
            said.append(judgment.model_copy(update={"measures": measures}))
        joined = join_labels(said, plan.data.labels, {dimension: metric})
        views[name] = DimensionView(joined, dimension, plan.settings)
    sampled = {name: _agreement(view) for name, view in views.items()}
    improved = sampled["improved"]
    return {
        "agreement": {name: _estimates(one, confidence) for name, one in sampled.items()},
        "gain": _estimates(_over(improved, sampled["as_it_is"]), confidence),
        "over_calibration": _estimates(_over(improved, sampled["calibrated"]), confidence),
    }


_Sampled = dict[str, JackknifedEstimate]


def _agreement(view: DimensionView) -> _Sampled:
    """Return alpha, rank correlation and mean absolute difference of scores and mean labels, by name."""
    drawn = leave_one_out(view.clusters)
    known = view.compared
    some = drawn.for_items(known)
    return {
        "alpha": view.alpha("mean", drawn),
        "spearman": ranked(view.judge(rounded=False)[known], view.target[known], some),
        "distance": view.distance("mean", drawn),
    }


def _over(one: _Sampled, other: _Sampled) -> _Sampled:
    """Return how much better one agrees than the other, so that a gain is always positive (the distance is that of the
    other minus this). An alpha of the other that is below 0 or undefined counts as 0, also in the jackknife."""
    alpha = other["alpha"]
    if alpha.defined:
        by_chance = replace(alpha, value=max(alpha.value, 0.0), without=np.maximum(alpha.without, 0.0))
    else:  # it says one thing of all, which agrees by chance
        no_gain = np.zeros_like(one["alpha"].without)
        by_chance = replace(one["alpha"], value=0.0, without=no_gain, reason="", unsure="")
    return {
        "alpha": _difference(one["alpha"], by_chance),
        "spearman": _difference(one["spearman"], other["spearman"]),
        "distance": _difference(other["distance"], one["distance"]),
    }


def _difference(one: JackknifedEstimate, other: JackknifedEstimate) -> JackknifedEstimate:
    """One minus the other, which has no value where one of them has none."""
    lost = next((side for side in (one, other) if not side.defined), None)
    return one.minus(other) if lost is None else without_value(lost.reason)


def _estimates(sampled: _Sampled, confidence: float) -> VariantAgreement:
    return VariantAgreement(**{name: one.estimate(confidence) for name, one in sampled.items()})


def judging_options(plan: ImprovePlan, improved: Setup, final: VariantChoice) -> tuple[str, ...]:
    """Return the options of ``conqret judge`` that select the improved judge, relative to its folder.

    They are empty if the judge did not change, or if its criterion cannot be given as an option.
    """
    if not final.changes:
        return ()
    words = ["--model", plan.setup.client.model]
    if improved.judge.name == CRITERIA:
        criterion = judge_criterion(improved)
        scale = "" if criterion.scale is None else f" {criterion.scale[0]}-{criterion.scale[1]}"
        typed = f"{criterion.name}: {criterion.question}{scale}"
        if parse_criterion(typed).plain() != criterion.plain():
            return ()
        words += ["--criterion", typed]
    else:
        words += ["--format", improved.judge.name, "--metric", plan.data.metric]
    if final.variant != AS_IT_IS:
        words += ["--prompts", PROMPTS]
    if final.calibrated:
        words += ["--calibration", CALIBRATION]
    for name in (*SampleSettings.__annotations__, "max_tokens"):
        settings: Any = improved.client if name == "max_tokens" else improved.options
        value = getattr(settings, name)
        if value != next(field.default for field in fields(settings) if field.name == name):
            words += [f"--{name.replace('_', '-')}", str(value)]
    return tuple(words)


def _files(
    plan: ImprovePlan, folder: ImproveFolder, result: ImproveResult, improved: Setup
) -> dict[Path, Content]:
    sheet = improve_page(result)
    files: dict[Path, Content] = {
        folder.summary_file: result.model_dump_json(indent=1),
        folder.report_file: sheet.html(),
        folder.card_file: sheet.markdown(),
    }
    if result.final.variant != AS_IT_IS:
        files |= prompt_files(improved, folder.prompts_folder)
    if result.final.calibrated:
        files[folder.calibration_file] = _calibration(plan, improved, result.final)
    return files


def _calibration(plan: ImprovePlan, improved: Setup, final: VariantChoice) -> str:
    """Return the map of the improved judge as JSON. It is fitted on cross-fitted scores: each item is scored by a judge
    that was improved without its fold, because scores of topics that a judge has learned from are too good."""
    judgments: list[Judgment] = []
    for fold in range(FOLDS):
        out = frozenset({fold})
        judgments += plan.judgments(plan.setup_of(final.variant, out), plan.items_in(out)).values()
    named = [one.model_copy(update={"fingerprint": improved.fingerprint}) for one in judgments]
    made = calibrate_judge(
        named,
        plan.data.labels,
        metrics={plan.data.dimension: plan.data.metric},
        items=plan.data.training,
        settings=plan.settings,
    )
    return made.model_dump_json(indent=1) + "\n"

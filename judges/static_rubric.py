"""static-rubric: six yes/no criteria a metric, with an explanation (ConQRet, Figure 6, D.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from statistics import fmean
from typing import Any

from pydantic import create_model

from conqret.baseline import Which
from conqret.data import Measure, Part
from conqret.judges._prompt_questions import rubric_preference, rubric_questions
from conqret.judges._shared import LABELS, SIDES, Side, side
from conqret.judges.query_rubric import NUGGETS
from conqret.judging.judge_parts import Case, Judge, JudgePrompt, JudgeReply
from conqret.judging.responses import Typed
from conqret.judging.scales import mean_of_parts, preferred_mostly

PREFERENCE = (
    "evidence_coverage",
    "evidence_accuracy",
    "depth_of_reasoning",
    "coherence",
    "structure",
    "stance_consistency",
)


CONTEXT_RELEVANCE = {
    "direct_relevance": ("relevant_share", 0.5),
    "breadth_of_coverage": ("breadth", 0.5),
    "quality_of_evidence": ("evidence", 0.3),
    "applicability_to_argumentation": ("relevant_share", 0.3),
    "consistency_of_relevance": ("relevant_share", 0.8),
    "low_noise": ("focus", 0.7),
}
GROUNDEDNESS = {
    "claims_supported": ("citation_precision", 0.7),
    "figures_and_names_match": ("no_contradiction", 0.8),
    "no_contradiction": ("no_contradiction", 1.0),
    "nothing_invented": ("citation_precision", 0.9),
    "citations_accurate": ("citation_precision", 0.5),
    "citations_complete": ("citation_presence", 0.7),
}
"""The criteria; for the offline model, the evidence that each rests on, and the share from which it is met."""


class Rubric(Typed):
    """An explanation, then a verdict on each criterion."""

    explanation: str
    criteria: Any


def _rubric(name: str, criteria: Iterable[str], verdict: Any) -> type[Rubric]:
    fields: dict[str, Any] = dict.fromkeys(criteria, (verdict, ...))
    return create_model(
        name, __base__=Rubric, criteria=(create_model(f"{name}Criteria", __base__=Typed, **fields), ...)
    )


_RESPONSES = {
    "context_relevance": _rubric("ContextRelevanceRubric", CONTEXT_RELEVANCE, bool),
    "groundedness": _rubric("GroundednessRubric", GROUNDEDNESS, bool),
    "preference": _rubric("PreferenceRubric", PREFERENCE, Side),
}


def _yes_or_no(
    metric: str, criteria: Mapping[str, tuple[str, float]], needs: frozenset[str]
) -> JudgePrompt[Rubric]:
    def score(reply: JudgeReply[Rubric], case: Case) -> Mapping[str, Measure]:
        parts = [
            Part(id=criterion, value=float(met), label="yes" if met else "no")
            for criterion, met in reply.value.criteria
        ]
        return {metric: mean_of_parts(parts, reply.value.explanation)}

    def baseline(case: Case) -> dict[str, Any]:
        criterion_values = case.evidence.criteria
        explanations = dict.fromkeys(criterion_values[name].explanation for name, _ in criteria.values())
        met = {
            criterion: criterion_values[name].value >= least for criterion, (name, least) in criteria.items()
        }
        return {"explanation": " ".join(explanations), "criteria": met}

    return JudgePrompt(
        prompt=f"static-rubric/{metric.replace('_', '-')}",
        metrics=(metric,),
        needs=needs,
        response=_RESPONSES[metric],
        score=score,
        baseline=baseline,
        english_only=frozenset({"context_relevance"}) & {metric},
        typed=partial(rubric_questions, metric),
    )


def score_preference(reply: JudgeReply[Rubric], case: Case) -> Mapping[str, Measure]:
    """Return a mapping from ``preference`` to its measure: the most frequent preference over the six criteria."""
    parts = [Part(id=criterion, label=LABELS[side]) for criterion, side in reply.value.criteria]
    return {"preference": preferred_mostly(parts, reply.value.explanation)}


def baseline_preference(case: Case) -> dict[str, Any]:
    """Return the baseline's preference on each criterion.

    Three criteria use evidence of their own; depth, coherence and structure use the overall preference.
    """
    evidence = case.evidence
    nuggets = evidence.document_nuggets(NUGGETS)
    whole = evidence.preference()

    def strengths(which: Which) -> dict[str, float]:
        return {
            "evidence_coverage": fmean(evidence.coverage(nugget, which) for nugget in nuggets)
            if nuggets
            else 0.0,
            "evidence_accuracy": evidence.groundedness(which).value,
            "stance_consistency": evidence.answer_relevance(which).value,
        }

    first, second = strengths("argument"), strengths("second_argument")
    sides = {criterion: side(first[criterion], second[criterion], "tie") for criterion in first}
    return {
        "explanation": whole.explanation,
        "criteria": {criterion: sides.get(criterion, SIDES[whole.label]) for criterion in PREFERENCE},
    }


JUDGE = Judge(
    name="static-rubric",
    summary="six yes/no criteria for each metric, with an explanation; preference on six criteria",
    scale="true or false",
    score="the share of statements that are true; preference is the most frequent one",
    source="ConQRet, Figure 6, Appendix D.2",
    judge_prompts=(
        _yes_or_no("context_relevance", CONTEXT_RELEVANCE, frozenset({"documents"})),
        _yes_or_no("groundedness", GROUNDEDNESS, frozenset({"documents", "argument"})),
        JudgePrompt(
            prompt="static-rubric/preference",
            metrics=("preference",),
            needs=frozenset({"argument", "second_argument"}),
            optional=frozenset({"documents"}),
            response=_RESPONSES["preference"],
            score=score_preference,
            baseline=baseline_preference,
            both_orders=True,
            english_only=frozenset({"preference"}),
            typed=rubric_preference,
        ),
    ),
)

"""query-rubric: 20 nuggets from topic and stance, each rated for coverage (ConQRet, Figure 8, D.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from conqret.data import Measure, Part
from conqret.judges._shared import LABELS, Different, NuggetSide, covered, nugget_share, side
from conqret.judging.judge_parts import Case, Judge, JudgePrompt, JudgeReply
from conqret.judging.responses import OneToFive, Typed
from conqret.judging.scales import ONE_TO_FIVE, preferred_mostly

NUGGETS = 20
"""Nuggets a prompt (ConQRet, Figures 8 and 9)."""


class Nugget(Typed):
    """A point, and how well it is covered."""

    nugget: str = Field(min_length=1)
    coverage: OneToFive


class NuggetPreference(Typed):
    """A point, and which argument deals with it better."""

    nugget: str = Field(min_length=1)
    better: NuggetSide


class Coverage(Typed):
    """Exactly twenty different nuggets with their coverage."""

    nuggets: Annotated[list[Nugget], Field(min_length=NUGGETS, max_length=NUGGETS), Different]


class Preferences(Typed):
    """Exactly twenty different nuggets with a preference each."""

    nuggets: Annotated[list[NuggetPreference], Field(min_length=NUGGETS, max_length=NUGGETS), Different]


def _coverage(metric: str, needs: frozenset[str]) -> JudgePrompt[Coverage]:
    def score(reply: JudgeReply[Coverage], case: Case) -> Mapping[str, Measure]:
        return {metric: nugget_share(reply.value.nuggets, "coverage")}

    def baseline(case: Case) -> dict[str, Any]:
        nuggets = case.evidence.topic_nuggets(NUGGETS)
        if metric == "context_relevance":
            coverages = covered(case, nuggets, "documents")
        else:
            coverages = covered(case, nuggets, "argument", weight=case.evidence.groundedness().value)
        return {
            "nuggets": [
                {"nugget": nugget, "coverage": coverage}
                for nugget, coverage in zip(nuggets, coverages, strict=True)
            ]
        }

    return JudgePrompt(
        prompt=f"query-rubric/{metric.replace('_', '-')}",
        metrics=(metric,),
        needs=needs,
        response=Coverage,
        score=score,
        baseline=baseline,
        english_only=frozenset({metric}),
    )


def score_preference(reply: JudgeReply[Preferences], case: Case) -> Mapping[str, Measure]:
    """Return a mapping from ``preference`` to its measure: the most frequent preference over the nuggets."""
    parts = [Part(id=nugget.nugget, label=LABELS[nugget.better]) for nugget in reply.value.nuggets]
    return {"preference": preferred_mostly(parts)}


def baseline_preference(case: Case) -> dict[str, Any]:
    """Return the baseline's preference for each nugget: the argument that covers it better."""
    nuggets = case.evidence.topic_nuggets(NUGGETS)
    first, second = covered(case, nuggets, "argument"), covered(case, nuggets, "second_argument")
    return {
        "nuggets": [
            {"nugget": nugget, "better": side(first_rating, two, "both")}
            for nugget, first_rating, two in zip(nuggets, first, second, strict=True)
        ]
    }


JUDGE = Judge(
    name="query-rubric",
    summary="20 nuggets from topic and stance, each rated for coverage by the documents or the argument",
    scale=str(ONE_TO_FIVE),
    score="the mean of (rating - 1) / 4 over the questions; preference is the most frequent one",
    source="ConQRet, Figure 8, Appendix D.4",
    judge_prompts=(
        _coverage("context_relevance", frozenset({"documents"})),
        _coverage("groundedness", frozenset({"documents", "argument"})),
        JudgePrompt(
            prompt="query-rubric/preference",
            metrics=("preference",),
            needs=frozenset({"documents", "argument", "second_argument"}),
            response=Preferences,
            score=score_preference,
            baseline=baseline_preference,
            both_orders=True,
            english_only=frozenset({"preference"}),
        ),
    ),
)

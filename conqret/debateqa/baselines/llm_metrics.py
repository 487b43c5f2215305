"""The baselines that are asked of a model: Direct-Score, G-Eval and Num-of-POVs (DebateQA, B.1.2 and Table 10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated, Any

from pydantic import Field

from conqret.debateqa.baselines.lexical import MOST_VIEWS, Findings
from conqret.debateqa.finished_scores import ScoringPlan
from conqret.debateqa.metric_requests import AnswerCase, Figure, Question, expected_about
from conqret.debateqa.score_table import ScoreRow
from conqret.judging.cost import ExpectedCost
from conqret.judging.responses import OneToFive, Typed, Whole
from conqret.judging.scales import ONE_TO_FIVE
from conqret.llm.replies import rating_distribution
from conqret.llm.request import TokenLogprobs
from conqret.runs.session import Session

CHOICES = tuple(range(ONE_TO_FIVE.low, ONE_TO_FIVE.high + 1))
WEIGHTED = "the mean over the rating's log-probabilities"
"""The detail of a g-eval rating for which the provider gave them; without, it is the rating as given."""


ANSWER_TOKENS = {"g-eval": 300}
"""An answer with its reasoning."""
NUMBER_TOKENS = 10
"""An answer that is a number alone, ``{"score": 4}``."""


class Grade(Typed):
    """A grade from 1 to 5."""

    score: OneToFive


class ReasonedRating(Typed):
    """Reasoning along the steps, then the rating from 1 to 5 that follows."""

    reasoning: str
    rating: OneToFive


class Viewpoints(Typed):
    """How many viewpoints there are, 0 to 10."""

    viewpoints: Annotated[Whole, Field(ge=0, le=MOST_VIEWS)]


def _weighted(rated: ReasonedRating, logprobs: Sequence[TokenLogprobs] | None) -> Figure:
    """``sum over x of P(x) * x`` (G-Eval, Equation 1) where the provider gives log-probabilities, else the rating."""
    distribution = rating_distribution(logprobs, "rating", CHOICES)
    if distribution is None:
        return float(rated.rating), ""
    return sum(rating * share for rating, share in distribution.items()), WEIGHTED


def _reasoned(case: AnswerCase) -> Mapping[str, Any]:
    steps = Findings(case.question, case.answer).steps
    steps_text = ", ".join(f"{name} {value:.2f}" for name, value in steps.items())
    return {"reasoning": f"Counted: {steps_text}.", "rating": ONE_TO_FIVE.rating(fmean(steps.values()))}


QUESTIONS: Mapping[str, Question] = {
    "direct-score": Question(
        "baselines/direct-score",
        Grade,
        lambda grade, logprobs: (float(grade.score), ""),
        lambda case: {
            "score": ONE_TO_FIVE.rating(fmean(Findings(case.question, case.answer).criteria.values()))
        },
    ),
    "g-eval": Question("baselines/g-eval", ReasonedRating, _weighted, _reasoned, logprobs=True),
    "num-of-povs": Question(
        "baselines/num-of-povs",
        Viewpoints,
        lambda counted, logprobs: (float(counted.viewpoints), ""),
        lambda case: {"viewpoints": Findings(case.question, case.answer).viewpoints},
    ),
}


@dataclass(frozen=True, kw_only=True)
class LlmMetricsPlan(ScoringPlan):
    """Every answer of a ``system`` by each of ``metrics`` (a name among :data:`QUESTIONS`, and its name in the table).
    Without a valid answer there is no value, and a reason."""

    system: str
    metrics: Mapping[str, str]

    def asked(self, case: AnswerCase) -> Iterator[tuple[Question, ScoreRow]]:
        """A question for each."""
        for name, metric in self.metrics.items():
            yield (
                QUESTIONS[name],
                ScoreRow(self.system, case.id, metric, _instrument(name, self.models), None),
            )


def estimate(metrics: Iterable[str], cases: Sequence[AnswerCase], session: Session) -> list[ExpectedCost]:
    """The calls, tokens and dollars of :class:`LlmMetricsPlan`, one for each of ``metrics``."""
    return [
        expected_about(QUESTIONS[name].prompt, cases, session, ANSWER_TOKENS.get(name, NUMBER_TOKENS))
        for name in metrics
    ]


def _instrument(name: str, session: Session) -> str:
    """The model and the prompt's version; the offline model is named for what it is."""
    model = "offline, a lexical baseline" if session.options.backend.baseline else session.options.model
    return f"{model}, prompt v{session.library[QUESTIONS[name].prompt].version}"

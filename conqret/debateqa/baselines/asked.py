"""The baselines that are asked of a model: Direct-Score, G-Eval and Num-of-POVs (DebateQA, B.1.2 and Table 10)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Annotated, Any

from pydantic import Field

from conqret.data import Reason
from conqret.debateqa.baselines.lexical import MOST_VIEWS, Findings
from conqret.debateqa.baselines.similarity import Case
from conqret.debateqa.table import EMPTY_ANSWER, NO_QUESTION, ScoreRow
from conqret.judging.responses import OneToFive, Typed, Whole
from conqret.judging.scales import ONE_TO_FIVE
from conqret.llm.client import Client
from conqret.llm.ratings import rating_distribution
from conqret.llm.request import Message, Request
from conqret.runs.session import Session
from conqret.runs.trials import collect

CHOICES = tuple(range(ONE_TO_FIVE.low, ONE_TO_FIVE.high + 1))
WEIGHTED = "the mean over the rating's log-probabilities"
"""The detail of a g-eval rating for which the provider gave them; without, it is the rating as given."""


class Grade(Typed):
    """A grade from 1 to 5."""

    score: OneToFive


class ReasonedRating(Typed):
    """Reasoning along the steps, then a rating from 1 to 5: a model writes the fields in this order."""

    reasoning: str
    rating: OneToFive


class Viewpoints(Typed):
    """How many viewpoints there are, 1 to 10."""

    viewpoints: Annotated[Whole, Field(ge=1, le=MOST_VIEWS)]


@dataclass(frozen=True)
class Question:
    """A prompt file, the typed answer, the value in it, and the offline model's answer from the words.

    ``rating_field`` names the field whose log-probabilities are wanted; the value then is their weighted mean,
    ``sum over x of P(x) * x`` (G-Eval, Equation 1), where the provider gives them.
    """

    prompt: str
    response: type[Typed]
    value: Callable[[Any], int]
    baseline: Callable[[Findings], Mapping[str, Any]]
    rating_field: str | None = None


def _reasoned(findings: Findings) -> Mapping[str, Any]:
    found = ", ".join(f"{name} {value:.2f}" for name, value in findings.steps.items())
    return {"reasoning": f"Counted: {found}.", "rating": ONE_TO_FIVE.rating(fmean(findings.steps.values()))}


QUESTIONS: Mapping[str, Question] = {
    "direct-score": Question(
        "baselines/direct-score",
        Grade,
        lambda grade: int(grade.score),
        lambda found: {"score": ONE_TO_FIVE.rating(fmean(found.criteria.values()))},
    ),
    "g-eval": Question(
        "baselines/g-eval",
        ReasonedRating,
        lambda rated: int(rated.rating),
        _reasoned,
        rating_field="rating",
    ),
    "num-of-povs": Question(
        "baselines/num-of-povs",
        Viewpoints,
        lambda counted: int(counted.viewpoints),
        lambda found: {"viewpoints": found.viewpoints},
    ),
}


def ask(
    metrics: Mapping[str, str], cases: Sequence[Case], session: Session, system: str
) -> dict[str, list[ScoreRow]]:
    """Ask every case each of ``metrics`` (a name among :data:`QUESTIONS`, and its name in the table).

    The rows by name, in the order of the cases. Without a valid answer there is no value, and a reason.

    Raises:
        DeclarationError: the recordings are none, or there is a budget and the model's price is unknown.
    """

    def all_of(client: Client) -> Awaitable[list[ScoreRow]]:
        works = (
            (f"{name} {place}", partial(_one, name, metric, case, session, client, system))
            for name, metric in metrics.items()
            for place, case in enumerate(cases)
        )
        return collect(works, in_flight=client.in_flight)

    rows = session.run(all_of)
    return {name: rows[place * len(cases) : (place + 1) * len(cases)] for place, name in enumerate(metrics)}


async def _one(name: str, metric: str, case: Case, session: Session, client: Client, system: str) -> ScoreRow:
    question, instrument = QUESTIONS[name], _instrument(name, session)
    for text, fault in ((case.answer, EMPTY_ANSWER), (case.question, NO_QUESTION)):
        if not text.strip():
            return ScoreRow(system, case.id, metric, instrument, None, 1, fault)
    rendered = session.library[question.prompt].render({"question": case.question, "answer": case.answer})
    reply = await client.ask(
        Request(
            ask=question.prompt,
            item=case.id,
            messages=(Message("system", rendered.system), Message("user", rendered.user)),
            response=question.response,
            temperature=0.0,
            logprobs=question.rating_field is not None,
            baseline=lambda: question.baseline(Findings(case.question, case.answer)),
        )
    )
    if reply.value is None:
        reason = reply.reason or Reason.INVALID_ANSWER
        return ScoreRow(system, case.id, metric, instrument, None, 1, reason.value, reply.detail)
    value, detail = float(question.value(reply.value)), ""
    if question.rating_field is not None and reply.logprobs is not None:
        distribution = rating_distribution(reply.logprobs, question.rating_field, CHOICES)
        if distribution is not None:
            value, detail = sum(one * share for one, share in distribution.items()), WEIGHTED
    return ScoreRow(system, case.id, metric, instrument, value, detail=detail)


def _instrument(name: str, session: Session) -> str:
    """The model and the prompt's version; the offline model is named for what it is."""
    model = "offline, a lexical baseline" if session.options.backend.baseline else session.options.model
    return f"{model}, prompt v{session.library[QUESTIONS[name].prompt].version}"

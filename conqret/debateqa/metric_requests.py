"""A typed question about answers: whoever asks it, what becomes of it is a row of scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from conqret.data import Reason
from conqret.debateqa.debateqa_files import DebatableQuestion, ModelAnswer
from conqret.debateqa.score_table import EMPTY_ANSWER, NO_QUESTION, ScoreRow
from conqret.judging.cost import ExpectedCost, expected_asking
from conqret.llm.request import Reading, Request, TokenLogprobs, messages
from conqret.prompts import RenderedPrompt
from conqret.runs.session import Session

Figure = tuple[float, str]
"""A value, and what there is to say of it."""


@dataclass(frozen=True, slots=True)
class AnswerCase:
    """One answer to be measured, with its question and the partial answers of it."""

    id: str
    question: str
    answer: str
    partial: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """A prompt file, the typed answer, the value in it, and the offline model's answer from the words.

    ``figure`` takes the answer and, where ``logprobs`` are wanted and the provider has them, its log-probabilities.
    ``reading`` says how a model that is read answers.
    """

    prompt: str
    response: type[BaseModel]
    figure: Callable[[Any, Sequence[TokenLogprobs] | None], Figure]
    baseline: Callable[[AnswerCase], Mapping[str, Any]]
    logprobs: bool = False
    reading: Callable[[RenderedPrompt], Reading] | None = None


def cases_of(
    answers: Iterable[ModelAnswer], questions: Mapping[str, DebatableQuestion]
) -> Iterator[AnswerCase]:
    """Each answer with its question and partial answers, as they come; answers without a question are left out."""
    for answer in answers:
        question = questions.get(answer.id)
        if question is not None:
            partial = tuple(partial_answer.text for partial_answer in question.partial_answers)
            yield AnswerCase(answer.id, question.question, answer.text, partial)


async def ask_about(
    case: AnswerCase, question: Question, row: ScoreRow, session: Session, earlier: object = None
) -> ScoreRow:
    """Fill in the ``row`` of a case; without a valid answer it has no value, and a reason.

    About an empty answer, or one to a question without text, the model is not asked.
    """
    if fault := _unfit(case):
        return replace(row, reason=fault)
    rendered = _rendered(question.prompt, case, session)
    reply = await session.client.ask(
        Request(
            ask=question.prompt,
            item=case.id,
            messages=messages(rendered),
            response=question.response,
            temperature=0.0,
            logprobs=question.logprobs,
            baseline=lambda: question.baseline(case),
            reading=None if question.reading is None else question.reading(rendered),
        )
    )
    if reply.value is None:
        reason = reply.reason or Reason.INVALID_ANSWER
        return replace(row, reason=reason.value, detail=reply.detail)
    value, detail = question.figure(reply.value, reply.logprobs)
    return replace(row, value=value, detail=detail)


def expected_about(prompt: str, cases: Iterable[AnswerCase], session: Session, tokens: int) -> ExpectedCost:
    """The calls, tokens and dollars of asking about all cases, with so many ``tokens`` of an answer."""
    prompts = (_rendered(prompt, case, session) for case in cases if not _unfit(case))
    return expected_asking("score", session.options, prompts, tokens, by=prompt)


def _unfit(case: AnswerCase) -> str:
    """Why the model is not asked about a case; empty where it is."""
    if not case.answer.strip():
        return EMPTY_ANSWER
    return "" if case.question.strip() else NO_QUESTION


def _rendered(prompt: str, case: AnswerCase, session: Session) -> RenderedPrompt:
    return session.library[prompt].render({"question": case.question, "answer": case.answer})

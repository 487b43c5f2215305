"""A typed question about answers, of which each answer to it is a row of scores; and what was scored already, so that a
stopped run goes on: the folder of a run of ``conqret debateqa score``, and its rows."""

from __future__ import annotations

import hashlib
import json
import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, FiniteFloat

from conqret.data import Reason
from conqret.data.digest import file_digest_of
from conqret.debateqa.debateqa_files import DebatableQuestion, ModelAnswer
from conqret.debateqa.score_table import EMPTY_ANSWER, NO_QUESTION, ScoreRow
from conqret.io.safe_files import InFolder
from conqret.judging.cost import ExpectedCost, expected_asking
from conqret.llm.request import Reading, Request, TokenLogprobs, messages
from conqret.local.definitions import TargetScore
from conqret.prompts import RenderedPrompt
from conqret.runs.engine import CompletedTrials, Plan, Stage
from conqret.runs.row_store import RowStore
from conqret.runs.run_folder import RunFolder, RunRecord
from conqret.runs.session import Session, SessionCounts
from conqret.runs.trials import Memory, Trial

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


Score = TypeVar("Score")


class ScoreRecord(RunRecord):
    """What ``run.json`` says of scores: of whose answers which metrics, by which instrument."""

    SAME: ClassVar[Mapping[str, str]] = {
        "metrics": "metrics",
        "instrument": "model or settings",
        "system": "system",
        "answers": "answers",
    }

    kind: str = "score"
    metrics: list[str]
    instrument: str
    system: str
    answers: str

    @classmethod
    def of(cls, metrics: list[str], instrument: str, system: str, answers: Path) -> ScoreRecord:
        """The record of scores of a file of answers, which counts by its digest."""
        digest = file_digest_of(answers)
        return cls(metrics=metrics, instrument=instrument, system=system, answers=digest)

    def __str__(self) -> str:
        return f"{', '.join(self.metrics)} of {self.system} by {self.instrument}"


@dataclass(frozen=True)
class ScoreFolder(RunFolder[ScoreRecord]):
    """The files of scores under one folder."""

    COMMAND: ClassVar[str] = "conqret debateqa score"

    rows_file = InFolder("rows.jsonl")
    """What texts score."""
    values_file = InFolder("values.jsonl")
    """What baselines score."""


@dataclass(frozen=True, slots=True)
class ScoringOutcome:
    """What a model's answers come to: a row for each question about each case, what this session did, and which answers
    a replay lacked."""

    rows: tuple[ScoreRow, ...]
    session: SessionCounts
    missing: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ScoringPlan(Plan[ScoreRow, ScoringOutcome]):
    """Questions about every case, each asked once; where a run was stopped, their answers are in the recordings."""

    cases: Iterable[AnswerCase]
    models: Session
    folder: ScoreFolder | None = None
    scores: ScoreRecord | None = None

    @abstractmethod
    def asked(self, case: AnswerCase) -> Iterable[tuple[Question, ScoreRow]]:
        """The questions about a case, each with the row that it fills."""

    def record(self) -> ScoreRecord:
        """What ``run.json`` says."""
        assert self.scores is not None  # noqa: S101 - it comes with the folder
        return self.scores

    def open_rows(self) -> Memory[ScoreRow]:
        """They are written once all are there."""
        return Memory(lambda row: f"{row.metric} {row.id}")

    def stages(self) -> Iterator[Stage[ScoreRow]]:
        """All at once, as far as the model's limits allow; only the cases that are asked about are held."""
        trials = (
            Trial(f"{row.metric} {row.id}", partial(ask_about, case, question, row, self.models))
            for case in self.cases
            for question, row in self.asked(case)
        )
        yield Stage(trials, self.models.client.in_flight)

    def result(self, done: CompletedTrials[ScoreRow]) -> ScoringOutcome:
        """The rows in the order of the cases."""
        return ScoringOutcome(tuple(done.rows.rows()), done.session, done.missing)


@dataclass(frozen=True, slots=True)
class Likeness:
    """An answer's mean similarity to its partial answers; None with a ``reason``. ``detail`` says what was cut."""

    value: FiniteFloat | None
    reason: str = ""
    detail: str = ""


class KeptScores(BaseModel, Generic[Score]):
    """A score, its key, and the fingerprint of what made it."""

    key: str
    by: str
    score: Score


class TargetStore(RowStore[KeptScores[TargetScore]]):
    """Scores by what they are scores of.

    ``fingerprint`` names model and settings: rows under another are of no use and stay where they are. Rows that
    failed are kept in the file and tried again.

    Raises:
        DeclarationError: the file holds something else.
    """

    def __init__(self, path: Path, fingerprint: str) -> None:
        self._fingerprint = fingerprint
        super().__init__(
            path,
            KeptScores[TargetScore],
            lambda row: row.key if row.by == fingerprint else None,
            finished=lambda row: row.score.perplexity is not None,
            foreign="is not a scored row; give another --output, or delete this file",
        )

    def find(self, answer: str | None, target: str, context: int, number: int) -> TargetScore | None:
        """The row's score from before, under its present numbers."""
        key = self._key_of(answer, target)
        row = self.get(key) if key in self else None
        return None if row is None else replace(row.score, context=context, target=number)

    def keep(self, answer: str | None, target: str, score: TargetScore) -> None:
        """Append a row, and see it written."""
        key = self._key_of(answer, target)
        self.add(KeptScores[TargetScore](key=key, by=self._fingerprint, score=score))

    def _key_of(self, answer: str | None, target: str) -> str:
        return _digest([self._fingerprint, answer, target])


class KeptValues(RowStore[KeptScores[Likeness]]):
    """Likenesses by what they are values of: metric, instrument, answer and partial answers.

    Values under another instrument or of other texts are of no use and stay where they are. What could not be
    computed, or is no finite number, is not kept, and is tried again.

    Raises:
        DeclarationError: the file holds something else.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(
            path,
            KeptScores[Likeness],
            lambda row: row.key,
            foreign="is not a value of conqret debateqa score; "
            "give another folder with -o, or delete this file",
        )

    def find(self, metric: str, fingerprint: str, case: AnswerCase) -> Likeness | None:
        """The value from before; None where there is none."""
        row = self.get(_digest([metric, fingerprint, case.answer, case.partial]))
        return None if row is None else row.score

    def keep(self, metric: str, fingerprint: str, case: AnswerCase, likeness: Likeness) -> None:
        """Append a value, and see it written."""
        if likeness.value is not None and math.isfinite(likeness.value):
            key = _digest([metric, fingerprint, case.answer, case.partial])
            self.add(KeptScores[Likeness](key=key, by=fingerprint, score=likeness))


def _digest(parts: list[object]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]

"""How answers are scored: by a typed question to a model, or by Perspective Diversity (DebateQA, Equation 1: the summed
perplexity of a question's partial answers); and the folder of a run of ``conqret debateqa score``, whose rows are kept
so that a stopped run goes on."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, FiniteFloat

from conqret.data import Reason
from conqret.data.digest import file_digest_of
from conqret.debateqa.debateqa_files import DebatableQuestion, ModelAnswer
from conqret.debateqa.score_table import (
    DIVERSITY,
    DIVERSITY_MEAN,
    EMPTY_ANSWER,
    NO_PARTIAL_ANSWERS,
    NO_QUESTION,
    ScoreRow,
)
from conqret.io.safe_files import InFolder
from conqret.judging.request_run import Run, RunPrompt
from conqret.llm.request import Reading, Request, TokenLogprobs, messages
from conqret.local.likelihoods import TargetScore
from conqret.local.scorer import ConditionalPerplexity
from conqret.prompts import RenderedPrompt
from conqret.runs.run_folder import RunFolder, RunRecord
from conqret.runs.trials import Memory, RowStore

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
    ``reading`` says how a model that is read answers. An answer has some ``tokens``, by default a number alone:
    ``{"score": 4}``.
    """

    prompt: str
    response: type[BaseModel]
    figure: Callable[[Any, Sequence[TokenLogprobs] | None], Figure]
    baseline: Callable[[AnswerCase], Mapping[str, Any]]
    logprobs: bool = False
    reading: Callable[[RenderedPrompt], Reading] | None = None
    tokens: int = 10

    @property
    def run_prompt(self) -> RunPrompt:
        """The prompt as a run has it."""
        return RunPrompt(self.response, "score", self.tokens, by=self.prompt)


def cases_of(
    answers: Iterable[ModelAnswer], questions: Mapping[str, DebatableQuestion], *, released: bool = False
) -> Iterator[AnswerCase]:
    """Each answer with its question and partial answers (``released``: joined as the released script does), as they
    come; answers without a question are left out."""
    for answer in answers:
        question = questions.get(answer.id)
        if question is not None:
            partial = (part.released_text if released else part.text for part in question.partial_answers)
            yield AnswerCase(answer.id, question.question, answer.text, tuple(partial))


async def scored(run: Run[Any], case: AnswerCase, question: Question, row: ScoreRow) -> ScoreRow:
    """The ``row`` of a case, filled in; without a valid answer it has no value, and a reason.

    About an empty answer, or one to a question without text, no request is sent.
    """

    async def made() -> ScoreRow:
        if not case.answer.strip():
            return replace(row, reason=EMPTY_ANSWER)
        if not case.question.strip():
            return replace(row, reason=NO_QUESTION)
        prompt = run.library[question.prompt]
        rendered = prompt.render({"question": case.question, "answer": case.answer})
        reply = await run.client().request(
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

    kept: ScoreRow = await run.row(ScoreFolder.key(row), made)
    return kept


Score = TypeVar("Score")


class ScoreRecord(RunRecord):
    """What ``run.json`` says of scores: of whose answers which metrics, by which measuring model."""

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
    def from_answers(cls, metrics: list[str], instrument: str, system: str, answers: Path) -> ScoreRecord:
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

    @staticmethod
    def key(row: ScoreRow) -> str:
        """Under which key a row is found again."""
        return f"{row.metric} {row.id}"

    def rows(self) -> Memory[ScoreRow]:
        """They are written once all are there; where a run was stopped, the answers are in the recordings."""
        return Memory(self.key)


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
    """Likenesses by what they are values of: metric, measuring model, answer and partial answers.

    Values under another measuring model or of other texts are of no use and stay where they are. What could not be
    computed, or is no finite number, is not kept, and is tried again.

    Raises:
        DeclarationError: the file holds something else.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(
            path,
            KeptScores[Likeness],
            lambda row: row.key,
            foreign="is not a value of conqret debateqa score; give another folder with -o, or delete this file",
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


SHOWN = 8
"""Characters of a fingerprint in a measuring model's name: enough to tell apart what a study holds."""
_NAMED = re.compile(rf", (?P<definition>paper|released) \([0-9a-f]{{{SHOWN}}}\)")


def diversity_rows(
    system: str,
    cases: Iterable[AnswerCase],
    scorer: ConditionalPerplexity,
    store: TargetStore | None = None,
    on_answer: Callable[[int], None] = lambda number: None,
) -> Iterator[ScoreRow]:
    """Two rows an answer, the sum (P.D., lower is better) and the mean, in the answers' order; ``store`` holds rows
    from before.

    An answer of which a partial answer could not be scored has no P.D.: a sum over fewer would be better for it.
    An empty answer has none either, nor has one whose question has no partial answers.
    """
    ahead: deque[tuple[AnswerCase, str]] = (
        deque()
    )  # some tens that were read ahead, and why they are not scored
    instrument = diversity_instrument(scorer)

    def pairs() -> Iterator[tuple[str, list[str]]]:
        """Every answer with its partial answers, or with none where it cannot be scored."""
        for case in cases:
            reason = "" if case.partial else NO_PARTIAL_ANSWERS
            reason = reason if case.answer.strip() else EMPTY_ANSWER
            ahead.append((case, reason))
            yield case.answer, [] if reason else list(case.partial)

    for scores in scorer.stream(pairs(), store=store, on_context=on_answer):
        case, reason = ahead.popleft()
        n = len(case.partial)
        values = [score.perplexity for score in scores if score.perplexity is not None]
        reason = reason or next((score.reason for score in scores if score.perplexity is None), "")
        truncated = sum(score.truncated > 0 for score in scores)
        detail = f"answer trimmed for {truncated} of {n}" if truncated else ""
        total = None if reason else sum(values)
        mean = None if total is None else total / n
        for metric, value in ((DIVERSITY, total), (DIVERSITY_MEAN, mean)):
            yield ScoreRow(system, case.id, metric, instrument, value, n, reason, detail)


def diversity_instrument(scorer: ConditionalPerplexity) -> str:
    """What measures, for tables and plots: ``gpt2, prompt 3, paper (1a2b3c4d)``.

    Backbone, wrapping prompt and definition, and the begin of the fingerprint of all settings. The released
    definition has no prompt.
    """
    prompt = "" if scorer.definition == "released" else f"prompt {scorer.wrapping}, "
    return f"{model_name(scorer.model)}, {prompt}{scorer.definition} ({scorer.fingerprint[:SHOWN]})"


def definition_of(instrument: str) -> str | None:
    """``paper`` or ``released``, as the name of a measuring model of P.D. says it; None where it is not one of ours."""
    named = _NAMED.search(instrument)
    return None if named is None else named["definition"]


def model_name(model: str) -> str:
    """The last part of a model's folder or of its name on a hub, for tables; the fingerprint tells two apart."""
    return Path(model).name or Path(model).resolve().name


_ACKNOWLEDGED = "as an ai language model"


def acknowledges(answer: str) -> bool:
    """DELPHI's measure, the paper's baseline: the answer begins with "As an AI language model" (Appendix C.1)."""
    return answer.strip().lower().startswith(_ACKNOWLEDGED)

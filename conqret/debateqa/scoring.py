"""How answers are scored: by a typed question to a model, or by Perspective Diversity (DebateQA: the perplexity of a
question's partial answers); and the folder of a run of ``conqret debateqa score``, whose rows are kept
so that a stopped run goes on."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, FiniteFloat

from conqret.data import Reason
from conqret.debateqa.score_table import (
    DIVERSITY,
    DIVERSITY_MEAN,
    EMPTY_ANSWER,
    NO_PARTIAL_ANSWERS,
    NO_QUESTION,
    ScoreRow,
)
from conqret.io.safe_files import InFolder
from conqret.llm.request import Reading, Request, TokenLogprobs, messages
from conqret.local.likelihoods import TargetScore
from conqret.local.prefix import NO_WRAPPING
from conqret.local.scorer import ConditionalPerplexity
from conqret.prompts import Library, RenderedPrompt
from conqret.runs.dry_run import RunPrompt
from conqret.runs.request_run import Run
from conqret.runs.run_folder import RunFolder, RunRecord
from conqret.runs.trials import Memory, RowStore

Figure = tuple[float, str]
"""A value, and what there is to say of it."""


@dataclass(frozen=True, slots=True)
class AnswerCase:
    """One answer to score, with its question and the texts of the question's partial answers."""

    id: str
    question: str
    answer: str
    partial: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScoringPrompt:
    """A question to a judge: its prompt, its response type, and how a score follows from the response.

    ``figure`` converts a response, and its log-probabilities if ``logprobs`` is set, into a value and a
    detail. ``baseline`` returns the offline response. ``reading`` says how a local model chooses its
    response. ``tokens`` is the expected length of a response in tokens.
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
        """Return the prompt in the form that a run needs."""
        return RunPrompt(self.response, "score", self.tokens, by=self.prompt)


def why_unscored(case: AnswerCase) -> str:
    """Return why an answer cannot be compared with the partial answers of its question; empty where it can."""
    if not case.answer.strip():
        return EMPTY_ANSWER
    if not case.partial:
        return NO_PARTIAL_ANSWERS
    return "" if all(map(str.strip, case.partial)) else "a partial answer of the question is empty"


async def scored(run: Run[Any], case: AnswerCase, question: ScoringPrompt, row: ScoreRow) -> ScoreRow:
    """Return ``row`` with the value and detail of a judge's response on a case; without a valid response,
    with a reason.

    No request is sent for an empty answer, for one to a question without text, or if the run has the row
    already.
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
    """The record of a scoring run (``run.json``): the system, its answers, the metrics and the measuring
    model."""

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

    def __str__(self) -> str:
        return f"{', '.join(self.metrics)} of {self.system} by {self.instrument}"


@dataclass(frozen=True)
class ScoreFolder(RunFolder[ScoreRecord]):
    """The files of a scoring run in one folder."""

    COMMAND: ClassVar[str] = "conqret debateqa score"

    rows_file = InFolder("rows.jsonl")
    """What texts score."""
    values_file = InFolder("values.jsonl")
    """What baselines score."""

    @staticmethod
    def key(row: ScoreRow) -> str:
        """Return the key of a row in the run: metric and answer id."""
        return f"{row.metric} {row.id}"

    def rows(self) -> Memory[ScoreRow]:
        """Return an in-memory store of rows; a stopped run is continued from the recorded responses."""
        return Memory(self.key)


@dataclass(frozen=True, slots=True)
class Likeness:
    """An answer's mean similarity to its partial answers.

    The value is None, with a ``reason``, where it could not be computed. ``detail`` says what was cut off.
    """

    value: FiniteFloat | None
    reason: str = ""
    detail: str = ""


class KeptScores(BaseModel, Generic[Score]):
    """A score, its key, and the fingerprint of what made it."""

    key: str
    by: str
    score: Score


class TargetStore(RowStore[KeptScores[TargetScore]]):
    """A file of perplexity scores, by answer and partial answer.

    ``fingerprint`` identifies model and settings; rows with another one are ignored, but stay in the file.
    Failed rows are stored and tried again.

    Raises:
        DeclarationError: the file contains something else.
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
        """Return the stored score of a target given an answer, with ``context`` and ``number`` as positions;
        None if missing."""
        key = self._key_of(answer, target)
        row = self.get(key) if key in self else None
        return None if row is None else replace(row.score, context=context, target=number)

    def keep(self, answer: str | None, target: str, score: TargetScore) -> None:
        """Append a score to the file."""
        key = self._key_of(answer, target)
        self.add(KeptScores[TargetScore](key=key, by=self._fingerprint, score=score))

    def _key_of(self, answer: str | None, target: str) -> str:
        return _digest([self._fingerprint, answer, target])


class KeptValues(RowStore[KeptScores[Likeness]]):
    """A file of similarities, by metric, measuring model, answer and partial answers.

    Values that could not be computed or are not finite are not stored, and are tried again.

    Raises:
        DeclarationError: the file contains something else.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(
            path,
            KeptScores[Likeness],
            lambda row: row.key,
            foreign="is not a value of conqret debateqa score; give another folder with -o, or delete this file",
        )

    def find(self, metric: str, fingerprint: str, case: AnswerCase) -> Likeness | None:
        """Return the stored similarity of a case; None where there is none."""
        row = self.get(_digest([metric, fingerprint, case.answer, case.partial]))
        return None if row is None else row.score

    def keep(self, metric: str, fingerprint: str, case: AnswerCase, likeness: Likeness) -> None:
        """Append a similarity to the file, if its value is a finite number."""
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
    cases: Sequence[AnswerCase],
    scorer: ConditionalPerplexity,
    store: TargetStore | None = None,
    on_answer: Callable[[int], None] = lambda number: None,
) -> Iterator[ScoreRow]:
    """Yield the rows of each answer, in order; lower is better.

    By ``released`` P.D. is the mean of the perplexities; by ``paper`` it is their sum, and a second row has
    the mean.

    ``on_answer`` is called with the number of each answer, from 0. An answer has no value if it is empty, if
    its question has no partial answers, or if one of these could not be scored. ``store`` has scores of an
    earlier run.
    """
    instrument, released = diversity_instrument(scorer), scorer.definition == "released"
    pairs = ((case.answer, [] if why_unscored(case) else list(case.partial)) for case in cases)
    for case, scores in zip(cases, scorer.stream(pairs, store=store, on_context=on_answer), strict=True):
        n, values = len(case.partial), [score.perplexity for score in scores if score.perplexity is not None]
        lacking = (score.reason for score in scores if score.perplexity is None)
        reason = why_unscored(case) or next(lacking, "")
        truncated = sum(score.truncated > 0 for score in scores)
        detail = f"answer trimmed for {truncated} of {n}" if truncated else ""
        total = None if reason else sum(values)
        mean = None if total is None else total / n
        values_of = {DIVERSITY: mean} if released else {DIVERSITY: total, DIVERSITY_MEAN: mean}
        for metric, value in values_of.items():
            yield ScoreRow(system, case.id, metric, instrument, value, n, reason, detail)


def diversity_instrument(scorer: ConditionalPerplexity) -> str:
    """Return the name of the measuring model of P.D. for tables, such as ``gpt2, prompt 3, paper
    (1a2b3c4d)``.

    It has the backbone, the wrapping prompt, the definition, and the start of the fingerprint of all
    settings. The released definition has no prompt by default, and its name has none then.
    """
    plain = scorer.definition == "released" and scorer.wrapping == NO_WRAPPING
    prompt = "" if plain else f"prompt {scorer.wrapping}, "
    return f"{model_name(scorer.model)}, {prompt}{scorer.definition} ({scorer.fingerprint[:SHOWN]})"


PUBLISHED = "P.D. is computed as in DebateQA's tables, where a longer answer has a lower P.D."
EQUATION = (
    "P.D. is the sum of DebateQA's Equation 1, and not comparable with its tables (--definition released)."
)
"""What a table says of P.D. by either definition."""


def definition_of(instrument: str) -> str | None:
    """Return the definition of P.D. (``paper`` or ``released``) in a measuring model's name; None where there
    is none."""
    named = _NAMED.search(instrument)
    return None if named is None else named["definition"]


def own_prompt(prompts: str | Path | Library | None, prompt: str) -> str:
    """Return what a measuring model's name says of a prompt that the user wrote; empty for conqret's own."""
    library = prompts if isinstance(prompts, Library) else Library(None if prompts is None else Path(prompts))
    own = library.overlay is not None and library.path(prompt).is_file()
    return f", own prompt {library[prompt].digest[:SHOWN]}" if own else ""


def model_name(model: str) -> str:
    """Return the last part of a model's folder or hub name, for tables."""
    return Path(model).name or Path(model).resolve().name


_ACKNOWLEDGED = "as an ai language model"


def acknowledges(answer: str) -> bool:
    """Return True if the answer begins with "As an AI language model", DELPHI's measure (DebateQA, Appendix
    C.1)."""
    return answer.strip().lower().startswith(_ACKNOWLEDGED)

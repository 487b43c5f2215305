"""A typed judgment of each of many rows, as a run: what the checks of benchmarks and of questions have in common."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from conqret.io.safe_files import Content, InFolder
from conqret.judging.cost import ExpectedCost, expected_asking
from conqret.judging.responses import Typed
from conqret.llm.request import Request, messages
from conqret.prompts import RenderedPrompt
from conqret.runs.session import Session
from conqret.runs.study_run import AskedFolder, AskedRecord, ResponseRow, StudyPlan, lost
from conqret.runs.trials import Trial


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """One question to the model: the prompt, the type of the answer, and about how many tokens an answer has."""

    prompt: str
    response: type[Typed]
    tokens: int
    about: str


@dataclass(frozen=True, slots=True)
class Subject:
    """What is judged: its id, the variables of the prompt (plain data), and the offline answer."""

    id: str
    variables: Mapping[str, Any]
    baseline: Callable[[], Any] = field(repr=False)


class VerdictRow(ResponseRow):
    """The answer on one subject as plain data; empty where there is none."""

    answer: Mapping[str, Any] = Field(default_factory=dict)


class VerdictRecord(AskedRecord):
    """What ``run.json`` says of such judgments."""

    kind: str = "verdicts"


@dataclass(frozen=True)
class VerdictFolder(AskedFolder[VerdictRecord, VerdictRow]):
    """The folder of such judgments, with what a command may make of them."""

    COMMAND: ClassVar[str] = "conqret debateqa questions or conqret debateqa curate --check"

    kept_file = InFolder("kept.jsonl")
    """The rows that pass."""
    table_file = InFolder("verdicts.csv")
    """All of them."""
    pairs_file = InFolder("pairs.csv")
    """Similar questions, of which at least one was removed."""


@dataclass(frozen=True)
class VerdictPlan(StudyPlan[VerdictRow, None]):
    """Every subject gets a typed judgment."""

    models: Session
    folder: VerdictFolder
    verdict: CheckVerdict
    subjects: Sequence[Subject]

    def check(self) -> None:
        """Raise DeclarationError where this cannot be asked."""
        self.models.options.backend.check_can_ask(self.verdict.about)

    def record(self) -> VerdictRecord:
        """What ``run.json`` says."""
        shown = ((subject.id, dict(subject.variables)) for subject in self.subjects)
        return VerdictRecord.of(self.models, {self.verdict.prompt: self.verdict.response}, shown)

    def trials(self) -> Iterator[Trial[VerdictRow]]:
        """A trial for each."""
        return (
            Trial(subject.id, partial(_asked, self.verdict, subject, self.models))
            for subject in self.subjects
        )

    def conclude(self, rows: tuple[VerdictRow, ...]) -> tuple[None, Mapping[Path, Content]]:
        """The run in numbers, and its files."""
        summary = {"judgments": len(rows), "unanswered": lost(rows)}
        return None, {self.folder.summary_file: json.dumps(summary, indent=1)}


def estimate(verdict: CheckVerdict, subjects: Sequence[Subject], session: Session) -> ExpectedCost:
    """The calls, tokens and dollars of :class:`VerdictPlan`."""
    prompts = (_rendered(verdict, subject, session) for subject in subjects)
    return expected_asking("judge", session.options, prompts, verdict.tokens)


def _rendered(verdict: CheckVerdict, subject: Subject, session: Session) -> RenderedPrompt:
    return session.library[verdict.prompt].render(subject.variables)


async def _asked(
    verdict: CheckVerdict, subject: Subject, session: Session, earlier: Mapping[str, VerdictRow]
) -> VerdictRow:
    answer = await session.client.ask(
        Request(
            ask=verdict.prompt,
            item=subject.id,
            messages=messages(_rendered(verdict, subject, session)),
            response=verdict.response,
            baseline=subject.baseline,
        )
    )
    if answer.value is None:
        return VerdictRow.of(subject.id, answer)
    return VerdictRow(id=subject.id, answer=answer.value.model_dump())

"""A typed judgment of each of many rows, as a run: what the checks of benchmarks and of questions have in common."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

from pydantic import Field

from conqret.io.safe_files import InFolder, write_whole
from conqret.judging.cost import Expected, expected_asking
from conqret.judging.responses import Typed
from conqret.llm.client import Client
from conqret.llm.request import Request, messages
from conqret.prompts import Rendered
from conqret.runs.session import Session
from conqret.runs.study_run import Answered, AskedFolder, AskedRecord, StudyOutcome, ask_all, lost
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


class VerdictRow(Answered):
    """The answer on one subject as plain data; empty where there is none."""

    answer: Mapping[str, Any] = Field(default_factory=dict)


class VerdictRecord(AskedRecord):
    """What ``run.json`` says of such judgments."""

    kind: str = "verdicts"


@dataclass(frozen=True)
class VerdictFolder(AskedFolder[VerdictRecord, VerdictRow]):
    """The folder of such judgments, with what a command may make of them."""

    COMMAND: ClassVar[str] = "conqret debateqa questions debatable or conqret curate check"

    kept_file = InFolder("kept.jsonl")
    """The rows that pass."""
    table_file = InFolder("verdicts.csv")
    """All of them."""


def ask_verdicts(
    verdict: CheckVerdict,
    subjects: Sequence[Subject],
    session: Session,
    folder: VerdictFolder,
    *,
    overwrite: bool = False,
    on_start: Callable[[Client, int], None] = lambda client, kept: None,
    on_row: Callable[[VerdictRow], None] = lambda row: None,
) -> StudyOutcome[VerdictRow, None]:
    """The judgments of all subjects, in their order.

    Raises what :func:`conqret.runs.study_run.ask_all` raises.
    """

    def finish(rows: Sequence[VerdictRow]) -> None:
        summary = {"judgments": len(rows), "unanswered": lost(rows)}
        write_whole(folder.summary_file, json.dumps(summary, indent=1).encode())

    session.options.backend.check_can_ask(verdict.about)
    shown = ((one.id, dict(one.variables)) for one in subjects)
    record = VerdictRecord.of(session, {verdict.prompt: verdict.response}, shown)
    trials = [Trial(one.id, partial(_asked, verdict, one, session)) for one in subjects]
    return session.run(
        lambda client: ask_all(
            trials,
            session,
            folder,
            record,
            finish,
            overwrite=overwrite,
            on_start=on_start,
            on_row=on_row,
        )
    )


def estimate(verdict: CheckVerdict, subjects: Sequence[Subject], session: Session) -> Expected:
    """The calls, tokens and dollars of :func:`ask_verdicts`."""
    prompts = (_rendered(verdict, one, session) for one in subjects)
    return expected_asking("judge", session.options, prompts, verdict.tokens)


def _rendered(verdict: CheckVerdict, subject: Subject, session: Session) -> Rendered:
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

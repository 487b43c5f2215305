"""Questions to a model as a run: an answer a row, kept in a folder as it comes, so that a stopped run goes on.

What a study adds: the questions (a trial for each), what a row holds, and what it makes of all rows in the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Self, TypeVar

from pydantic import BaseModel

from conqret.data import Reason
from conqret.data.digest import digest_of
from conqret.data.item import Frozen
from conqret.io.safe_files import InFolder
from conqret.llm.client import Client
from conqret.llm.keys import schema_digest
from conqret.llm.request import Answer
from conqret.runs.row_store import RowStore
from conqret.runs.run_folder import R, RunFolder, RunRecord
from conqret.runs.session import Session, SessionCounts
from conqret.runs.trials import Trial, perform

ROWS = "rows.jsonl"


class Answered(Frozen):
    """What became of the question of trial ``id``, without an answer why. Kinds of rows add the fields of their
    answers, each with a default for where there is none."""

    id: str
    reason: Reason | None = None
    detail: str = ""

    @property
    def answered(self) -> bool:
        """Whether the question need not be asked again."""
        return self.reason is None

    @classmethod
    def of(cls, id: str, answer: Answer[Any]) -> Self:  # noqa: A002 - the field's name
        """The row of an answer, whose fields have the same names here and there."""
        if answer.value is None:
            return cls(id=id, reason=answer.reason or Reason.INVALID_ANSWER, detail=answer.detail)
        return cls(id=id, **answer.value.model_dump())


Row = TypeVar("Row", bound=Answered)
T = TypeVar("T")


class AskedRecord(RunRecord):
    """What ``run.json`` says of questions to a model: all that decides what is asked. ``prompts`` and ``schemas`` are
    the digests of the prompts and of what they are to be answered with, by the prompt's id; ``asked`` is that of what
    is shown in them."""

    SAME: ClassVar[Mapping[str, str]] = {
        "model": "model",
        "identity": "model settings",
        "prompts": "prompt",
        "schemas": "answer schema",
        "asked": "what is asked",
    }

    model: str
    baseline: bool
    identity: dict[str, Any]
    prompts: dict[str, str]
    schemas: dict[str, str]
    asked: str

    @classmethod
    def of(
        cls, session: Session, prompts: Mapping[str, type[BaseModel]], shown: Iterable[object], **more: Any
    ) -> Self:
        """The record of asking a session's model by ``prompts``, each with its type of answer, about ``shown``, plain
        data; ``more`` are the fields of a kind of its own, and those that differ from what the session says."""
        fields: dict[str, Any] = {
            "model": session.options.model,
            "baseline": session.options.backend.baseline,
            "identity": dict(session.options.identity),
            "prompts": {name: session.library[name].digest for name in prompts},
            "schemas": {name: schema_digest(response) for name, response in prompts.items()},
            "asked": digest_of(list(shown)),
        }
        return cls(**fields | more)

    def __str__(self) -> str:
        return f"answers of {self.model}"


@dataclass(frozen=True)
class AskedFolder(RunFolder[R], Generic[R, Row]):
    """The files of such a run under one folder, of the types of record and row that stand in the brackets of the
    base."""

    ROW: ClassVar[type[Answered]]

    rows_file = InFolder(ROWS)
    """What became of each question, as it came."""

    @classmethod
    def _named(cls, type_: Any) -> None:
        super()._named(type_)
        if isinstance(type_, type) and issubclass(type_, Answered):
            cls.ROW = type_

    def rows(self) -> RowStore[Row]:
        """What became of each question; those without an answer are asked again."""
        return RowStore(
            self.rows_file,
            self.ROW,  # type: ignore[arg-type]
            lambda one: one.id,
            finished=lambda one: one.answered,
        )


@dataclass(frozen=True, slots=True)
class StudyOutcome(Generic[Row, T]):
    """What came of a run: what its kind makes of all rows, the rows in the order of their trials, what this session did
    for them, and which answers a replay lacked."""

    summary: T
    rows: tuple[Row, ...]
    session: SessionCounts
    missing: tuple[str, ...]

    @property
    def lost(self) -> dict[str, int]:
        """How many questions have no answer, by reason."""
        return lost(self.rows)


def lost(rows: Iterable[Answered]) -> dict[str, int]:
    """How many questions have no answer, by reason."""
    return dict(Counter(str(row.reason) for row in rows if not row.answered))


async def ask_all(
    trials: Sequence[Trial[Row]],
    session: Session,
    folder: AskedFolder[R, Row],
    record: R,
    finish: Callable[[tuple[Row, ...]], T],
    *,
    beside: Sequence[Session] = (),
    overwrite: bool = False,
    on_start: Callable[[Client, int], None] = lambda client, kept: None,
    on_row: Callable[[Row], None] = lambda row: None,
) -> StudyOutcome[Row, T]:
    """Do every trial that the folder does not hold, and what ``finish`` makes of all rows while the folder is held.

    Use it as ``session.run(lambda client: ask_all(…))``; trials ask ``session.client``, and those of the sessions
    ``beside`` it on the same event loop. ``on_start`` gets that client and the number of rows kept from before,
    ``on_row`` each new row.

    Raises:
        DeclarationError: the folder holds something else or another run, another process is writing it, or the
            recordings are none. No model is asked then.
    """
    sessions = (session, *beside)
    folder.check(record, overwrite=overwrite)
    for one in sessions:
        await one.ready(folder)
    with folder.claimed(record, overwrite=overwrite):
        for one in sessions:
            one.keep_in(folder.recordings_file)
        before = SessionCounts.total(one.counts for one in sessions)
        with folder.rows() as rows:
            kept = len(rows)
            on_start(session.client, kept)
            async for row in perform(trials, rows, in_flight=sum(one.client.in_flight for one in sessions)):
                on_row(row)
            rows.arrange(trial.key for trial in trials)
        counts = SessionCounts.total(one.counts for one in sessions).since(before, kept=kept)
        missing = tuple(str(lacking) for one in sessions for lacking in one.client.missing)
        found = {row.id: row for row in rows.rows()}
        ordered = tuple(found[trial.key] for trial in trials)
        return StudyOutcome(finish(ordered), ordered, counts, missing)

"""A model writes statements: what it answers when it is told topic, side and argument, or anything else.

The instruction is sent as it stands, and the answer is taken as it stands: what is measured is the model, before and
after it was tuned (DEBATunE, sections 4 and 5). Beside ``run.json`` and ``recordings.sqlite`` the folder holds
``rows.jsonl`` (each text, or the reason why there is none) and ``statements.jsonl``, which ``conqret debate score`` and
``conqret debate quality`` read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from conqret.data.item import Frozen
from conqret.debate.debatune import debater
from conqret.debate.debatune.debate_topics import SIDES, Side
from conqret.debate.debatune.instructions import Instruction
from conqret.errors import DeclarationError
from conqret.io.corpus_folder import write_lines
from conqret.io.safe_files import InFolder, write_whole
from conqret.judging.cost import Expected, counter, expected
from conqret.llm.client import Client
from conqret.llm.request import Plain, Request
from conqret.local.text_writing import ROOM
from conqret.runs.session import Session
from conqret.runs.study_run import Answered, AskedFolder, AskedRecord, StudyOutcome, ask_all, lost
from conqret.runs.trials import Trial

ASK = "statement"

ANSWER_TOKENS = 374
"""A statement in tokens: the mean of the 1,440 published ones of three models."""

_SIDES: Mapping[str, Side] = {"pro": SIDES[0], "con": SIDES[1]}


class Stated(Answered):
    """What was written; ``cut`` where the room for it was too small."""

    text: str = ""
    cut: bool = False


class StatedRecord(AskedRecord):
    """What ``run.json`` says of written statements."""

    SAME: ClassVar[Mapping[str, str]] = {
        **AskedRecord.SAME, "asked": "what is asked", "temperature": "temperature",
    }  # fmt: skip

    kind: str = "debate-write"
    temperature: float


@dataclass(frozen=True)
class StatedFolder(AskedFolder[StatedRecord, Stated]):
    """The files of written statements under one folder."""

    COMMAND: ClassVar[str] = "conqret debate write"

    statements_file = InFolder("statements.jsonl")
    """The statements, ready to be judged."""


class StatedSummary(Frozen):
    """A run in numbers: how many statements there are, how many of them were cut, and how many there are not (by
    reason)."""

    written: int
    cut: int
    unwritten: dict[str, int]


def write_statements(
    rows: Sequence[Instruction],
    session: Session,
    folder: StatedFolder,
    *,
    system: str | None = None,
    temperature: float = 0.0,
    overwrite: bool = False,
    on_start: Callable[[Client, int], None] = lambda client, kept: None,
    on_row: Callable[[Stated], None] = lambda found: None,
) -> StudyOutcome[Stated, StatedSummary]:
    """Have every statement written that the folder does not hold; ``system`` names who wrote them (the model).

    Raises:
        DeclarationError: as :func:`conqret.runs.study_run.ask_all`; or the offline writer is told anything but to
        argue for
            a side.
    """
    name = session.options.model if system is None else system
    session.options.backend.check_can_ask("an instruction", written=True, plain=True)
    if session.options.backend.baseline and (
        odd := next((row for row in rows if row.stance == "none"), None)
    ):
        raise DeclarationError(
            f"{odd.place} names no side of a topic, and the offline writer can do no more than argue for one: name a "
            "model"
        )

    def finish(found: Sequence[Stated]) -> StatedSummary:
        pairs = [(row, one) for row, one in zip(rows, found, strict=True) if one.answered]
        write_lines(folder.statements_file, (_record(row, one, name) for row, one in pairs))
        summary = StatedSummary(
            written=len(pairs), cut=sum(one.cut for _, one in pairs), unwritten=lost(found)
        )
        write_whole(folder.summary_file, summary.model_dump_json().encode())
        return summary

    shown = [[row.id, *([one.role, one.content] for one in row.messages)] for row in rows]
    record = StatedRecord.of(session, {}, shown, temperature=temperature)
    trials = [Trial(row.id, partial(_stated, row, session, temperature)) for row in rows]
    return session.run(
        lambda client: ask_all(
            trials, session, folder, record, finish, overwrite=overwrite, on_start=on_start, on_row=on_row
        )
    )  # fmt: skip


def estimate(rows: Sequence[Instruction], session: Session) -> Expected:
    """The calls, tokens and dollars of all of them; nothing that is recorded already is taken off."""
    client = counter(session.options)
    told = sum(client.count_tokens(one.content) for row in rows for one in row.messages)
    return expected("write statements", session.options, len(rows), told, ANSWER_TOKENS * len(rows))


async def _stated(
    row: Instruction, session: Session, temperature: float, earlier: Mapping[str, Stated]
) -> Stated:
    answer = await session.client.ask(
        Request(
            ask=ASK,
            item=row.id,
            messages=row.messages,
            response=Plain,
            temperature=temperature,
            max_tokens=session.options.max_tokens or ROOM,
            baseline=lambda: debater.statement(row.topic, _SIDES[row.stance], row.argument, ()),
        )
    )
    return Stated.of(row.id, answer)


def _record(row: Instruction, one: Stated, system: str) -> dict[str, Any]:
    return {
        "id": row.id,
        "topic": row.topic or row.text,
        "side": _SIDES.get(row.stance, "none"),
        **({"argument": row.argument} if row.argument else {}),
        "instruction": row.text,
        "statement": one.text,
        "system": system,
        **({"cut": True} if one.cut else {}),
    }

"""A model writes statements: what it answers when it is told topic, side and argument, or anything else.

The instruction is sent as it stands, and the answer is taken as it stands: what is measured is the model, before and
after it was tuned (DEBATunE, sections 4 and 5). Beside ``run.json`` and ``recordings.sqlite`` the folder holds
``rows.jsonl`` (each text, or the reason why there is none) and ``statements.jsonl``, which ``conqret debate score`` and
``conqret debate score`` reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from conqret.data.item import Frozen
from conqret.debate.debatune import debater
from conqret.debate.debatune.debate_topics import SIDES, Side
from conqret.debate.debatune.instructions import Instruction, read_instructions
from conqret.errors import DeclarationError, strict_options
from conqret.io.jsonl import json_lines
from conqret.io.safe_files import Content, InFolder
from conqret.judging.asked_run import Run, RunPrompt
from conqret.judging.judge_settings import AskedSettings, as_path, client_options
from conqret.llm.request import Plain, Request
from conqret.llm.token_sampling import GREEDY, Sampling
from conqret.local.text_writing import ROOM
from conqret.options import table_of
from conqret.runs.run_folder import default_folder, stem
from conqret.runs.study_run import AskedFolder, AskedRecord, ResponseRow, StudyOutcome, lost

ASK = "statement"

ANSWER_TOKENS = 374
"""A statement in tokens: the mean of the 1,440 published ones of three models."""

PROMPTS = {ASK: RunPrompt(Plain, "write statements", ANSWER_TOKENS, file=False)}

_SIDES: Mapping[str, Side] = {"pro": SIDES[0], "con": SIDES[1]}


class StatementRow(ResponseRow):
    """What was written; ``cut`` where the room for it was too small."""

    text: str = ""
    cut: bool = False


if TYPE_CHECKING:

    class _SampledRecord(AskedRecord): ...

else:  # with the options that are declared there
    _SampledRecord = table_of(Sampling, AskedRecord)


class StatedRecord(_SampledRecord):
    """What ``run.json`` says of written statements."""

    SAME: ClassVar[Mapping[str, str]] = {
        **AskedRecord.SAME, "asked": "requests", "temperature": "temperature",
    }  # fmt: skip

    kind: str = "debate-write"


@dataclass(frozen=True)
class StatedFolder(AskedFolder[StatedRecord, StatementRow]):
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


@strict_options
def write_statements(
    rows: str | Path,
    *,
    system: str | None = None,
    sampling: Sampling = GREEDY,
    output: str | Path | None = None,
    **settings: Unpack[AskedSettings],
) -> StudyOutcome[StatementRow, StatedSummary]:
    """Have a model write statements, or answer any instructions, to be judged.

    Args:
        rows: rows of topic, side and argument, of an instruction, or chats; responses are ignored.
        system: the name of the writer in the rows, by default the model's name.
        sampling: how the model draws what it writes.
        output: the run's folder, by default ``runs/ROWS-debate-write-MODEL``; the same call goes on there.
        settings: who writes, and how: :class:`conqret.judging.judge_settings.AskedSettings`.

    Raises:
        DeclarationError: anything wrong with the call, the rows or the folder, or the offline writer is told anything
            but to argue for a side. No model is asked then.
    """
    writer = client_options(settings.get("model"), settings)
    writer.backend.check_can_ask("an instruction", written=True, plain=True)
    source = Path(rows)
    folder = StatedFolder(as_path(output) or default_folder(stem(source), "debate-write", writer.model))
    instructions = read_instructions(source, answered=False)
    odd = next((row for row in instructions if row.stance == "none"), None)
    if writer.backend.baseline and odd is not None:
        raise DeclarationError(
            f"{odd.place} names no side of a topic, and the offline model can only argue for a side: name a model"
        )
    shown = [[row.id, *([message.role, message.content] for message in row.messages)] for row in instructions]

    def concluded(rows: tuple[StatementRow, ...]) -> tuple[StatedSummary, Mapping[Path, Content]]:
        pairs = [
            (row, statement) for row, statement in zip(instructions, rows, strict=True) if statement.answered
        ]
        cut = sum(statement.cut for _, statement in pairs)
        name = writer.model if system is None else system
        lines = json_lines(_record(row, statement, name) for row, statement in pairs)
        summary = StatedSummary(written=len(pairs), cut=cut, unwritten=lost(rows))
        return summary, {folder.statements_file: lines}

    with Run(
        folder, [writer], PROMPTS, settings, asked=shown, total=len(instructions), asks="",
        about=f"{len(instructions)} statements by", record={"temperature": sampling.sampling_temperature},
    ) as run:  # fmt: skip
        room = run.session().options.max_tokens or ROOM
        run.ask_all(_request(row, sampling, room) for row in instructions)
        return run.finish(concluded)


def _request(row: Instruction, sampling: Sampling, room: int) -> Request[Plain]:
    return Request(
        ask=ASK,
        item=row.id,
        messages=row.messages,
        response=Plain,
        temperature=sampling.sampling_temperature,
        max_tokens=room,
        baseline=lambda: debater.statement(row.topic, _SIDES[row.stance], row.argument, ()),
    )


def _record(row: Instruction, statement: StatementRow, system: str) -> dict[str, Any]:
    return {
        "id": row.id,
        "topic": row.topic or row.text,
        "side": _SIDES.get(row.stance, "none"),
        **({"argument": row.argument} if row.argument else {}),
        "instruction": row.text,
        "statement": statement.text,
        "system": system,
        **({"cut": True} if statement.cut else {}),
    }

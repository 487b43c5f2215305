"""Writing debates as a run: recorded, resumable, and what is finished in the layout of ``conqret debate two-turn
judge``.

Beside ``run.json`` and ``recordings.sqlite`` the folder holds ``rows.jsonl`` (the texts as they came, with the reason
where there is none), ``debates.jsonl`` (the debates of which nothing is missing) and ``summary.json``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from conqret.data.item import Frozen
from conqret.debate.two_turn.counter_writing import ARGUMENT, COUNTER, Argued, Debated, Written, tasks, trials
from conqret.io.corpus_folder import write_lines
from conqret.io.safe_files import InFolder, write_whole
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.runs.session import Sessions
from conqret.runs.study_run import AskedFolder, AskedRecord, StudyOutcome, ask_all, lost


class WrittenRecord(AskedRecord):
    """What ``run.json`` says of written debates; ``against`` is the second writer with its settings."""

    SAME: ClassVar[Mapping[str, str]] = {
        **AskedRecord.SAME,
        "asked": "questions or writers",
        "against": "settings of the second writer",
    }

    kind: str = "debate-argue"
    against: dict[str, Any]


@dataclass(frozen=True)
class WrittenFolder(AskedFolder[WrittenRecord, Written]):
    """The files of written debates under one folder."""

    COMMAND: ClassVar[str] = "conqret debate two-turn argue"

    debates_file = InFolder("debates.jsonl")
    """The debates, ready to be judged."""


class WrittenSummary(Frozen):
    """A run in numbers: debates in all and whole ones, texts in all and those that there are not (by reason), snippets
    quoted, and the debates of which something is missing."""

    writers: tuple[str, ...]
    debates: int
    whole: int
    texts: int
    unwritten: dict[str, int]
    snippets: int
    incomplete: tuple[str, ...]


def write_debates(
    debated: Sequence[Debated],
    writers: Sequence[ClientOptions],
    folder: WrittenFolder,
    *,
    recordings: Path | None = None,
    replay: Path | None = None,
    prompts: Path | None = None,
    overwrite: bool = False,
    on_start: Callable[[Client, int], None] = lambda client, kept: None,
    on_row: Callable[[Written], None] = lambda found: None,
) -> StudyOutcome[Written, WrittenSummary]:
    """Write every text that the folder does not hold, and the debates; ``writers`` are one or two models.

    Raises what :func:`conqret.runs.study_run.ask_all` raises.
    """
    asked = tasks(debated)

    def finish(rows: Sequence[Written]) -> WrittenSummary:
        by_key = {one.id: one for one in rows}
        whole = {one.id: one.whole(by_key) for one in debated}
        summary = WrittenSummary(
            writers=tuple(one.model for one in writers),
            debates=len(whole),
            whole=sum(one is not None for one in whole.values()),
            texts=len(asked),
            unwritten=lost(rows),
            snippets=sum(len(one.snippets) for one in rows),
            incomplete=tuple(name for name, one in whole.items() if one is None),
        )
        write_lines(folder.debates_file, (one.record() for one in whole.values() if one is not None))
        write_whole(folder.summary_file, summary.model_dump_json(indent=1).encode())
        return summary

    with Sessions(recordings=recordings, replay=replay, prompts=prompts) as sessions:
        own = {one.model: sessions.of(one) for one in writers}
        for session in own.values():
            session.options.backend.check_can_ask("for arguments")
        first, *beside = own.values()
        shown = ((one.id, one.writers, one.question.record()) for one in debated)
        against = {one.options.model: dict(one.options.identity) for one in beside}
        record = WrittenRecord.of(first, {ARGUMENT: Argued, COUNTER: Argued}, shown, against=against)
        return sessions.run(
            ask_all(
                trials(asked, own), first, folder, record, finish,
                beside=beside, overwrite=overwrite, on_start=on_start, on_row=on_row,
            )
        )  # fmt: skip

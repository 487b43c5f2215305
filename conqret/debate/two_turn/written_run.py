"""Writing debates as a run: recorded, resumable, and what is finished in the layout of ``conqret debate two-turn
judge``.

Beside ``run.json`` and ``recordings.sqlite`` the folder holds ``rows.jsonl`` (the texts as they came, with the reason
where there is none), ``debates.jsonl`` (the debates of which nothing is missing) and ``summary.json``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Unpack

from conqret.data.item import Frozen
from conqret.debate.two_turn.counter_writing import (
    ARGUMENT,
    COUNTER,
    Argued,
    DebateTask,
    Task,
    WrittenTextRow,
    debates,
    tasks,
    trials,
)
from conqret.debate.two_turn.two_turn_files import read_questions
from conqret.errors import DeclarationError, strict_options
from conqret.io.jsonl import json_lines
from conqret.io.safe_files import Content, InFolder
from conqret.judging.judge_settings import AskedSettings, as_path, client_options, session_settings
from conqret.llm.client_options import ClientOptions
from conqret.runs.engine import run
from conqret.runs.run_folder import default_folder, stem
from conqret.runs.session import Session, Sessions
from conqret.runs.study_run import AskedFolder, AskedRecord, StudyOutcome, StudyPlan, lost
from conqret.runs.trials import Trial


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
class WrittenFolder(AskedFolder[WrittenRecord, WrittenTextRow]):
    """The files of written debates under one folder."""

    COMMAND: ClassVar[str] = "conqret debate two-turn write"

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


@dataclass(frozen=True)
class DebateWritingRun(StudyPlan[WrittenTextRow, WrittenSummary]):
    """Every text of every debate is written by one of one or two writers."""

    models: Sessions
    folder: WrittenFolder
    debated: Sequence[DebateTask]
    writers: Sequence[ClientOptions]

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """The texts to be written."""
        return tuple(tasks(self.debated))

    @cached_property
    def sessions(self) -> dict[str, Session]:
        """The writers, by their names."""
        return {writer.model: self.models.of(writer) for writer in self.writers}

    def check(self) -> None:
        """Raise DeclarationError where this cannot be asked."""
        for writer in self.writers:
            writer.backend.check_can_ask("for arguments")

    def record(self) -> WrittenRecord:
        """What ``run.json`` says."""
        first, *beside = self.sessions.values()
        shown = ((debate.id, debate.writers, debate.question.record()) for debate in self.debated)
        against = {session.options.model: dict(session.options.identity) for session in beside}
        return WrittenRecord.of(first, {ARGUMENT: Argued, COUNTER: Argued}, shown, against=against)

    def trials(self) -> list[Trial[WrittenTextRow]]:
        """A trial for each."""
        return trials(self.tasks, self.sessions)

    def conclude(self, rows: tuple[WrittenTextRow, ...]) -> tuple[WrittenSummary, Mapping[Path, Content]]:
        """The run in numbers, and its files."""
        by_key = {row.id: row for row in rows}
        whole = {debate.id: debate.whole(by_key) for debate in self.debated}
        summary = WrittenSummary(
            writers=tuple(writer.model for writer in self.writers),
            debates=len(whole),
            whole=sum(debate is not None for debate in whole.values()),
            texts=len(self.tasks),
            unwritten=lost(rows),
            snippets=sum(len(row.snippets) for row in rows),
            incomplete=tuple(name for name, debate in whole.items() if debate is None),
        )
        return summary, {
            self.folder.debates_file: json_lines(
                debate.record() for debate in whole.values() if debate is not None
            ),
        }


def writing_plan(
    questions: str | Path,
    sessions: Sessions,
    writers: Sequence[ClientOptions],
    *,
    output: str | Path | None = None,
) -> DebateWritingRun:
    """Debates that are ready to be written, or to be estimated, by one writer or two.

    Raises:
        DeclarationError: both writers are the same model.
    """
    names = [writer.model for writer in writers]
    if len(names) > len({*names}):
        raise DeclarationError(
            f"--model and --against are both {names[0]}: leave --against out, and this model argues both sides"
        )
    folder = WrittenFolder(as_path(output) or default_folder(stem(Path(questions)), "debate-argue", *names))
    return DebateWritingRun(sessions, folder, debates(read_questions(Path(questions)), names), writers)


@strict_options
def write_debates(
    questions: str | Path,
    *,
    against: str | ClientOptions | None = None,
    output: str | Path | None = None,
    **settings: Unpack[AskedSettings],
) -> StudyOutcome[WrittenTextRow, WrittenSummary]:
    """Write two-turn debates: an argument for either option of each question, and an answer to each argument.

    Args:
        questions: a file of questions with ``id``, ``question``, ``options``, ``right``, ``passage_id`` and
            ``passage``; arguments in it are ignored.
        against: a second model: each question is debated twice, with the sides exchanged. By default ``model`` argues
            for both options.
        output: the run's folder, by default ``runs/QUESTIONS-debate-argue-MODEL``; the same call goes on there.
        settings: who writes, and how: :class:`conqret.judging.judge_settings.AskedSettings`.

    Raises:
        DeclarationError: anything wrong with the call, the questions or the folder. No model is asked then.
    """
    writers = [client_options(settings.get("model"), settings)]
    writers += [] if against is None else [client_options(against, settings)]
    with Sessions(**session_settings(settings)) as sessions:
        plan = writing_plan(questions, sessions, writers, output=output)
        return run(plan, overwrite=settings.get("overwrite", False))

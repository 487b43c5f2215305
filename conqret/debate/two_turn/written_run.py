"""Writing debates as a run: recorded, resumable, and what is finished in the layout of ``conqret debate two-turn
judge``.

Beside ``run.json`` and ``recordings.sqlite`` the folder holds ``rows.jsonl`` (the texts as they came, with the reason
where there is none), ``debates.jsonl`` (the debates of which nothing is missing) and ``summary.json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Unpack

from conqret.data.item import Frozen
from conqret.debate.two_turn.counter_writing import PROMPTS, WrittenTextRow, debates, write_debate
from conqret.debate.two_turn.two_turn_files import read_questions
from conqret.errors import DeclarationError, number, strict_options
from conqret.io.jsonl import json_lines
from conqret.io.safe_files import Content, InFolder
from conqret.judging.asked_run import Run
from conqret.judging.judge_settings import AskedSettings, as_path, client_options
from conqret.llm.client_options import ClientOptions
from conqret.runs.run_folder import default_folder, stem
from conqret.runs.study_run import AskedFolder, AskedRecord, StudyOutcome, lost


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
    names = [writer.model for writer in writers]
    if len(names) > len({*names}):
        raise DeclarationError(
            f"--model and --against are both {names[0]}: leave --against out, and this model argues both sides"
        )
    folder = WrittenFolder(as_path(output) or default_folder(stem(Path(questions)), "debate-argue", *names))
    found = read_questions(Path(questions))
    debated = debates(found, names)

    def concluded(rows: tuple[WrittenTextRow, ...]) -> tuple[WrittenSummary, Mapping[Path, Content]]:
        by_key = {row.id: row for row in rows}
        whole = {debate.id: debate.whole(by_key) for debate in debated}
        summary = WrittenSummary(
            writers=tuple(names),
            debates=len(whole),
            whole=sum(debate is not None for debate in whole.values()),
            texts=len(rows),
            unwritten=lost(rows),
            snippets=sum(len(row.snippets) for row in rows),
            incomplete=tuple(name for name, debate in whole.items() if debate is None),
        )
        lines = json_lines(debate.record() for debate in whole.values() if debate is not None)
        return summary, {folder.debates_file: lines}

    total = sum(len(debate.tasks) for debate in debated)
    with Run(
        folder,
        writers,
        PROMPTS,
        settings,
        asked=[(debate.id, debate.writers, debate.question.record()) for debate in debated],
        total=total,
        asks="for arguments",
        about=f"{number(total, 'text')} on {number(len(found), 'question')}, by",
        record={"against": {writer.model: dict(writer.identity) for writer in writers[1:]}},
    ) as run:
        by_name = dict(zip(names, writers, strict=True))
        run.ask_all(write_debate(debate, run, by_name) for debate in debated)
        return run.finish(concluded)

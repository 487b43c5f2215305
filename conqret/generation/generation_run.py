"""Write the arguments of many topics into a folder: recorded, resumable, the files whole or not at all.

Beside ``run.json`` and ``recordings.sqlite`` the folder holds ``generations.jsonl``, a line for each topic and stance
with its argument or the reason why there is none, and ``items.jsonl``, an item for each argument (what ``conqret
judge`` reads). The same command again asks only for what was not answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar

from conqret.data import Document, Reason
from conqret.generation.budget import ANSWER_ROOM
from conqret.generation.cited_argument import GeneratedArgument
from conqret.generation.generator import Generated, GenerateOptions, GenerationTask, Generator
from conqret.io.corpus_folder import write_lines
from conqret.io.rows import item_record
from conqret.io.safe_files import InFolder
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.prompts import Library
from conqret.runs.run_folder import ITEMS
from conqret.runs.session import Session, SessionCounts
from conqret.runs.study_run import AskedFolder, AskedRecord, ask_all
from conqret.runs.trials import Trial


class GenerationRecord(AskedRecord):
    """What ``run.json`` says of arguments; ``settings`` say where the tasks are from."""

    SAME: ClassVar[Mapping[str, str]] = {
        "window": "context window",
        "options": "options",
        **AskedRecord.SAME,
        "asked": "ranking, documents or examples",
    }

    kind: str = "generate"
    window: int | None
    options: dict[str, Any]
    settings: dict[str, Any]

    def __str__(self) -> str:
        return f"arguments by {self.model}"


@dataclass(frozen=True)
class GenerationFolder(AskedFolder[GenerationRecord, Generated]):
    """The files of written arguments under one folder."""

    COMMAND: ClassVar[str] = "conqret generate arguments"

    items_file = InFolder(ITEMS)
    rows_file = InFolder("generations.jsonl")


@dataclass(frozen=True)
class GenerationRun:
    """What is to be written, with what, and where to.

    ``recordings`` is the store to use (by default the folder's own); with ``replay`` nothing is ever sent.
    ``settings`` are further things that ``run.json`` shall say (where the tasks are from). ``shared`` is a session that
    others use, too: store, library and client are then its own.
    """

    tasks: Sequence[GenerationTask]
    options: GenerateOptions
    model: ClientOptions
    out: Path
    library: Library = field(default_factory=Library)
    recordings: Path | None = None
    replay: Path | None = None
    overwrite: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    shared: Session | None = None

    @property
    def folder(self) -> GenerationFolder:
        """Where the arguments go."""
        return GenerationFolder(self.out)

    @cached_property
    def session(self) -> Session:
        """What asks the model."""
        return self.shared or Session(
            self.model,
            recordings=None if self.replay else self.recordings,
            replay=self.replay,
            prompts=self.library,
        )

    @cached_property
    def record(self) -> GenerationRecord:
        """What ``run.json`` says."""
        way = self.options.way
        asked = way.asked(self.library, (task.stance for task in self.tasks))
        return GenerationRecord.of(
            self.session,
            dict.fromkeys(sorted(asked), GeneratedArgument),
            map(_shown, self.tasks),
            baseline=self.model.backend.baseline or not asked,
            window=self.model.context_window,
            options=asdict(self.options),
            settings=dict(self.settings),
        )


@dataclass(frozen=True, slots=True)
class GenerationOutcome:
    """A finished run: where its items are, how many arguments there are, how many topics without evidence for the
    side, how many failed (by reason), what the arguments are like, and what this session did for them."""

    items_file: Path
    written: int
    no_evidence: int
    failed: Mapping[str, int]
    session: SessionCounts
    trimmed: int
    out_of_range: int
    misquoted: int
    left_out: int
    missing: tuple[str, ...] = ()


def generate(
    run: GenerationRun,
    *,
    on_start: Callable[[Client, int], None] = lambda client, kept: None,
    on_row: Callable[[Generated], None] = lambda found: None,
) -> GenerationOutcome:
    """Write all arguments, and the files, and wait for it; see :func:`agenerate`."""
    return run.session.run(lambda client: agenerate(run, on_start, on_row))


async def agenerate(
    run: GenerationRun,
    on_start: Callable[[Client, int], None] = lambda client, kept: None,
    on_row: Callable[[Generated], None] = lambda found: None,
) -> GenerationOutcome:
    """Write all arguments, and the files.

    Raises what :func:`conqret.runs.study_run.ask_all` raises, and DeclarationError where the settings do not fit the
    model.
    """

    def finish(rows: Sequence[Generated]) -> None:
        items = [task.item(found) for task, found in zip(run.tasks, rows, strict=True)]
        write_lines(run.folder.items_file, (item_record(item) for item in items if item is not None))

    room = max(ANSWER_ROOM, run.model.max_tokens or 0)
    generator = Generator(run.options, run.library, run.session.client, run.model.model, room)
    trials = [Trial(task.id, partial(generator.write, task)) for task in run.tasks]
    asked = await ask_all(
        trials, run.session, run.folder, run.record, finish,
        overwrite=run.overwrite, on_start=on_start, on_row=on_row,
    )  # fmt: skip
    facts = [one.facts for one in asked.rows if one.argument is not None]
    return GenerationOutcome(
        items_file=run.folder.items_file,
        written=len(facts),
        no_evidence=sum(one.reason is Reason.NO_EVIDENCE for one in asked.rows),
        failed=asked.lost,
        session=asked.session,
        trimmed=sum(len(one["trimmed"]) for one in facts),
        out_of_range=sum(len(one["citations"]["out_of_range"]) for one in facts),
        misquoted=sum(len(one["citations"]["misquoted"]) for one in facts),
        left_out=sum(len(one["left_out"]) for one in facts),
        missing=asked.missing,
    )


def _shown(task: GenerationTask) -> list[object]:
    """Everything that a prompt can hold of a task."""
    examples = [(one.expert.question, one.expert.text(), _documents(one.documents)) for one in task.examples]
    expert = task.expert.text() if task.expert else ""
    return [task.id, task.topic.question, task.stance, expert, _documents(task.documents), examples]


def _documents(documents: Sequence[Document]) -> list[tuple[str, str, str]]:
    return [(one.id, one.title, one.text) for one in documents]

"""Write the arguments of many topics into a folder: recorded, resumable, the files whole or not at all.

Beside ``run.json`` and ``recordings.sqlite`` the folder holds ``generations.jsonl``, a line for each topic and stance
with its argument or the reason why there is none, and ``items.jsonl``, an item for each argument (what ``conqret
judge`` reads). The same command again asks only for what was not answered.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from conqret.data import Reason
from conqret.generation.arguments import GeneratedArgument
from conqret.generation.budget import ANSWER_ROOM
from conqret.generation.generate import Generated, GenerateOptions, Generator, Task
from conqret.io.corpus import write_lines
from conqret.io.rows import item_record
from conqret.llm.client import Client
from conqret.llm.keys import schema_digest
from conqret.llm.options import ClientOptions
from conqret.prompts import Library
from conqret.runs.folder import ITEMS, RunFolder, RunRecord
from conqret.runs.rows import RowStore
from conqret.runs.session import Session, SessionCounts
from conqret.runs.trials import Trial, perform

GENERATIONS = "generations.jsonl"


class GenerationRecord(RunRecord):
    """What ``run.json`` says of arguments: all that decides what is written, and in ``settings`` where it is from."""

    SAME: ClassVar[Mapping[str, str]] = {
        "model": "model",
        "identity": "model settings",
        "window": "context window",
        "options": "options",
        "prompts": "prompts",
        "answer_schema": "answer schema",
        "tasks": "ranking, documents or examples",
    }

    kind: str = "generate"
    model: str
    baseline: bool
    identity: dict[str, Any]
    window: int | None
    options: dict[str, Any]
    prompts: dict[str, str]
    answer_schema: str
    tasks: str
    settings: dict[str, Any]

    def __str__(self) -> str:
        return f"arguments by {self.model}"


@dataclass(frozen=True)
class GenerationFolder(RunFolder[GenerationRecord]):
    """The files of written arguments under one folder."""

    KIND: ClassVar[str] = "generate"
    COMMAND: ClassVar[str] = "conqret generate"
    RECORD: ClassVar[type[RunRecord]] = GenerationRecord
    MAKES: ClassVar[tuple[str, ...]] = (ITEMS, GENERATIONS)

    def rows(self) -> RowStore[Generated]:
        """What became of each task; those that failed are tried again."""
        return RowStore(
            self.path / GENERATIONS,
            Generated,
            lambda one: one.id,
            finished=lambda one: one.answered,
        )


@dataclass(frozen=True)
class GenerationRun:
    """What is to be written, with what, and where to.

    ``recordings`` is the store to use (by default the folder's own); with ``replay`` nothing is ever sent.
    ``settings`` are further things that ``run.json`` shall say (where the tasks are from). ``shared`` is a session that
    others use, too: store, library and client are then its own.
    """

    tasks: Sequence[Task]
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

    @property
    def items_file(self) -> Path:
        """The items, ready to be judged."""
        return self.folder.items_file

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
        stances = (task.stance for task in self.tasks)
        return GenerationRecord(
            model=self.model.model,
            baseline=self.model.backend.baseline or not self.options.way.prompts,
            identity=dict(self.model.identity),
            window=self.model.context_window,
            options=asdict(self.options),
            prompts={
                str(stance): digest
                for stance, digest in self.options.way.digests(self.library, stances).items()
            },
            answer_schema=schema_digest(GeneratedArgument),
            tasks=_digest(self.tasks),
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
    on_start: Callable[[Client, int], None] | None = None,
    on_argument: Callable[[Generated], None] | None = None,
) -> GenerationOutcome:
    """Write all arguments, and the files, and wait for it; see :func:`agenerate`."""
    return run.session.run(lambda _: agenerate(run, on_start, on_argument))


async def agenerate(
    run: GenerationRun,
    on_start: Callable[[Client, int], None] | None = None,
    on_argument: Callable[[Generated], None] | None = None,
) -> GenerationOutcome:
    """Write all arguments, and the files.

    ``on_start`` gets the client and the number of arguments kept from before; ``on_argument`` what becomes of each
    task.

    Raises:
        DeclarationError: the folder holds something else or another run, another process is writing it, the recordings
            are none, or the settings do not fit the model. No model is asked then.
    """
    folder, session = run.folder, run.session
    folder.check(run.record, overwrite=run.overwrite)
    await session.ready(folder)
    with folder.claimed(run.record, overwrite=run.overwrite):
        session.keep_in(folder.recordings_file)
        before = session.counts
        with folder.rows() as rows:
            kept = len(rows)
            if on_start is not None:
                on_start(session.client, kept)
            await _write(run, session.client, rows, on_argument)
        rows.arrange(task.id for task in run.tasks)
        found = {one.id: one for one in rows.rows()}
        items = [item for task in run.tasks if (item := task.item(found[task.id])) is not None]
        write_lines(run.items_file, map(item_record, items))
    facts = [one.facts for one in found.values() if one.argument is not None]
    return GenerationOutcome(
        items_file=run.items_file,
        written=len(items),
        no_evidence=sum(one.reason is Reason.NO_EVIDENCE for one in found.values()),
        failed=dict(Counter(str(one.reason) for one in found.values() if not one.answered)),
        session=session.counts.since(before, kept=kept),
        trimmed=sum(len(one["trimmed"]) for one in facts),
        out_of_range=sum(len(one["citations"]["out_of_range"]) for one in facts),
        misquoted=sum(len(one["citations"]["misquoted"]) for one in facts),
        left_out=sum(len(one["left_out"]) for one in facts),
        missing=tuple(map(str, session.client.missing)),
    )


async def _write(
    run: GenerationRun,
    client: Client,
    rows: RowStore[Generated],
    on_argument: Callable[[Generated], None] | None,
) -> None:
    room = max(ANSWER_ROOM, run.model.max_tokens or 0)
    generator = Generator(run.options, run.library, client, run.model.model, room)

    def trial(task: Task) -> Trial[Generated]:
        return Trial(task.id, lambda earlier: generator.write(task))

    async for found in perform(map(trial, run.tasks), rows, in_flight=client.in_flight):
        if on_argument is not None:
            on_argument(found)


def _digest(tasks: Sequence[Task]) -> str:
    """sha256 (hex, 16 characters) over everything that a prompt can hold."""
    found = hashlib.sha256()
    for task in tasks:
        parts = [task.id, task.topic.question, task.stance, task.expert.text() if task.expert else ""]
        parts += [f"{one.id}\0{one.title}\0{one.text}" for one in task.documents]
        for example in task.examples:
            parts += [example.expert.question, example.expert.text()]
            parts += [f"{one.id}\0{one.title}\0{one.text}" for one in example.documents]
        found.update("\1".join(parts).encode("utf-8", "surrogatepass") + b"\2")
    return found.hexdigest()[:16]

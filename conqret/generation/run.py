"""Write the arguments of many topics into a folder: recorded, resumable, the files whole or not at all.

``generation.json`` says what was asked for, ``items.jsonl`` holds an item for each argument (what ``conqret
judge`` reads), ``generations.jsonl`` a line for each topic and stance with its status, reason and calls, and
``recordings.sqlite`` every answer of the model. The same command again asks only for what was not answered.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from conqret._version import __version__
from conqret.data import Document, Item, Stance
from conqret.data.corpus import CorpusTopic
from conqret.errors import DeclarationError
from conqret.generation.arguments import GeneratedArgument
from conqret.generation.budget import ANSWER_ROOM
from conqret.generation.examples import Example, Expert, ExpertArguments, draw_examples
from conqret.generation.generate import Generated, GenerateOptions, Generator, Task
from conqret.io.atomic import replacing
from conqret.io.corpus import CorpusDirectory, write_lines
from conqret.io.rows import item_record
from conqret.io.trec import read_run
from conqret.llm.client import Client
from conqret.llm.keys import schema_digest
from conqret.llm.options import ClientOptions
from conqret.llm.recordings import STORE_NAME, Recordings
from conqret.prompts import Library

RECORD, ITEMS, GENERATIONS = "generation.json", "items.jsonl", "generations.jsonl"


@dataclass(frozen=True)
class GenerationRun:
    """What is to be written, with what, and where to.

    ``recordings`` is the store to use (by default the folder's own); with ``replay`` nothing is ever sent.
    ``settings`` are further things that ``generation.json`` shall say (where the tasks are from).
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

    @property
    def items_file(self) -> Path:
        """The items, ready to be judged."""
        return self.out / ITEMS

    def record(self) -> dict[str, Any]:
        """What ``generation.json`` says; its fingerprint changes with everything that changes the arguments."""
        identity = {
            "model": dict(Client(replace(self.model, budget_usd=None), store=None).fingerprint_parts()),
            "window": self.model.context_window,
            "options": asdict(self.options),
            "prompts": self.options.way.digests(self.library, (task.stance for task in self.tasks)),
            "schema": schema_digest(GeneratedArgument),
            "tasks": _digest(self.tasks),
        }
        text = json.dumps(identity, sort_keys=True, ensure_ascii=False)
        return {
            "conqret": __version__,
            "fingerprint": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16],
            "baseline": self.model.backend.baseline or not self.options.way.prompts,
            **identity,
            **self.settings,
            "model": self.model.model,
        }


@dataclass(frozen=True, slots=True)
class GenerationOutcome:
    """A finished run: how many arguments were written and how many not (by reason), and what they took.

    ``cost_usd`` is that of the calls made now (None: unknown).
    """

    written: int
    failed: Mapping[str, int]
    calls: int
    recorded: int
    cost_usd: float | None
    trimmed: int
    out_of_range: int
    misquoted: int
    left_out: int
    missing: tuple[str, ...] = ()


def make_tasks(
    corpus: CorpusDirectory,
    rankings: Mapping[str, Sequence[str]],
    stance: Stance,
    options: GenerateOptions,
    topics: Iterable[CorpusTopic] | None = None,
) -> list[Task]:
    """A task for each ranked topic, in the order of the rankings, with its first ``options.documents`` documents.

    ``topics`` (default: all of the corpus) are those that may be ranked and that examples are drawn from.

    Raises:
        DeclarationError: a topic or document of the rankings is not in the corpus, or there are too few examples.
    """
    known = list(corpus.topics() if topics is None else topics)
    by_id = {topic.id: topic for topic in known}
    strangers = [name for name in rankings if name not in by_id]
    if strangers:
        raise DeclarationError(
            f"the run ranks {len(strangers)} topics that {corpus.topics_file} lacks ({strangers[0]!r} is one): "
            "give the corpus that it was made from"
        )
    experts = ExpertArguments(corpus) if options.shots or options.expert else None
    shown = {
        name: draw_examples(known, experts, stance, options.shots, seed=options.seed, exclude=by_id[name])
        if experts is not None
        else ()
        for name in rankings
    }
    wanted = {document for ranking in rankings.values() for document in ranking[: options.documents]}
    cited = {document for drawn in shown.values() for expert in drawn for document in expert.documents}
    texts = _read(corpus, wanted | cited)
    return [
        Task(
            by_id[name],
            stance,
            tuple(texts[document] for document in ranking[: options.documents]),
            tuple(_example(expert, texts) for expert in shown[name]),
            experts.of(by_id[name], stance) if experts is not None and options.expert else None,
        )
        for name, ranking in rankings.items()
    ]


def read_rankings(path: Path) -> dict[str, list[str]]:
    """The document ids of each topic of a TREC run, best first.

    Raises:
        DeclarationError: the file is missing, no run, or empty.
    """
    found: dict[str, list[tuple[float, str]]] = {}
    for line in read_run(path):
        found.setdefault(line.query_id, []).append((line.score, line.doc_id))
    if not found:
        raise DeclarationError(f"{path} ranks nothing")
    return {
        topic: [document for _, document in sorted(lines, key=lambda pair: -pair[0])]
        for topic, lines in found.items()
    }


def generate(
    run: GenerationRun,
    *,
    on_start: Callable[[Client], None] | None = None,
    on_argument: Callable[[Generated], None] | None = None,
) -> GenerationOutcome:
    """Write all arguments, and the files.

    Raises:
        DeclarationError: the folder holds something else or another run, the recordings are none, or the
            settings do not fit the model. No model is asked then.
    """
    record = run.record()
    _claim(run, record)
    return asyncio.run(_generate(run, on_start, on_argument))


async def _generate(
    run: GenerationRun,
    on_start: Callable[[Client], None] | None,
    on_argument: Callable[[Generated], None] | None,
) -> GenerationOutcome:
    shared = run.replay or run.recordings
    store = (
        Recordings.open_for_replay(run.replay) if run.replay else Recordings(shared or run.out / STORE_NAME)
    )
    with store:
        async with Client(run.model, store=store, replay=run.replay is not None) as client:
            if on_start is not None:
                on_start(client)
            room = max(ANSWER_ROOM, run.model.max_tokens or 0)
            generator = Generator(run.options, run.library, client, run.model.model, room)
            gate = asyncio.Semaphore(client.in_flight)

            async def one(task: Task) -> Generated:
                async with gate:
                    found = await generator.write(task)
                if on_argument is not None:
                    on_argument(found)
                return found

            found = await asyncio.gather(*map(one, run.tasks))
            progress, missing = client.progress, tuple(map(str, client.missing))
    _write(run, found)
    items = [one.item for one in found if one.item is not None]
    return GenerationOutcome(
        written=len(items),
        failed=dict(Counter(str(one.reason) for one in found if one.item is None)),
        calls=progress.calls,
        recorded=progress.recorded,
        cost_usd=progress.cost_usd,
        trimmed=sum(len(_facts(item)["trimmed"]) for item in items),
        out_of_range=sum(len(_facts(item)["citations"]["out_of_range"]) for item in items),
        misquoted=sum(len(_facts(item)["citations"]["misquoted"]) for item in items),
        left_out=sum(len(_facts(item)["left_out"]) for item in items),
        missing=missing,
    )


def _facts(item: Item) -> Mapping[str, Any]:
    facts: Mapping[str, Any] = item.metadata["generation"]
    return facts


def _claim(run: GenerationRun, record: Mapping[str, Any]) -> None:
    """Make sure that the folder is free for this run, or holds the beginning of it; then say what it is."""
    if run.out.exists() and not run.out.is_dir():
        raise DeclarationError(f"{run.out} is a file; give a folder with -o")
    file = run.out / RECORD
    if file.is_file() and not run.overwrite:
        try:
            before = json.loads(file.read_bytes())["fingerprint"]
        except (ValueError, KeyError, TypeError):
            before = None
        if before != record["fingerprint"]:
            raise DeclarationError(
                f"{run.out} holds other arguments (model, prompts, options, ranking or documents differ); give "
                "another folder with -o, or --overwrite to begin afresh (its recordings are kept)"
            )
    elif run.out.is_dir() and not run.overwrite:
        ours = (STORE_NAME, ".part")
        foreign = sorted(one.name for one in run.out.iterdir() if not any(name in one.name for name in ours))
        if foreign:
            raise DeclarationError(
                f"{run.out} holds other files ({', '.join(foreign[:3])}); give another folder with -o"
            )
    run.out.mkdir(parents=True, exist_ok=True)
    if run.overwrite:
        for name in (RECORD, ITEMS, GENERATIONS):
            (run.out / name).unlink(missing_ok=True)
    with replacing(file) as target:
        target.write(json.dumps(record, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass"))


def _write(run: GenerationRun, found: Sequence[Generated]) -> None:
    write_lines(run.out / GENERATIONS, (one.record() for one in found))
    write_lines(run.items_file, (item_record(one.item) for one in found if one.item is not None))


def _example(expert: Expert, texts: Mapping[str, Document]) -> Example:
    return Example(expert, tuple(texts[document] for document in expert.documents))


def _read(corpus: CorpusDirectory, wanted: set[str]) -> dict[str, Document]:
    """Only the documents that are wanted, in one pass over the file."""
    found = {document.id: document for document in corpus.documents() if document.id in wanted}
    lacking = sorted(wanted - found.keys())
    if lacking:
        raise DeclarationError(
            f"{corpus.documents_file} lacks {len(lacking)} documents that are ranked or cited ({lacking[0]!r} is "
            "one): give the corpus that the run was made from"
        )
    return found


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

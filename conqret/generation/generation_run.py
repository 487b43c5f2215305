"""Write the arguments of many topics into a folder: recorded, resumable, the files whole or not at all.

Beside ``run.json`` and ``recordings.sqlite`` the folder holds ``generations.jsonl``, a line for each topic and stance
with its argument or the reason why there is none, and ``items.jsonl``, an item for each argument (what ``conqret
judge`` reads). The same command again asks only for what was not answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal, Unpack

from conqret.data import Document, Reason
from conqret.errors import DeclarationError, strict_options
from conqret.generation.budget import ANSWER_ROOM
from conqret.generation.cited_argument import GeneratedArgument
from conqret.generation.generator import (
    ArgumentRow,
    GenerateOptions,
    GenerateSettings,
    GenerationTask,
    Generator,
)
from conqret.generation.tasks import make_tasks
from conqret.io.corpus_folder import CorpusDirectory
from conqret.io.jsonl import json_lines
from conqret.io.rows import item_record
from conqret.io.safe_files import Content, InFolder
from conqret.io.trec import read_rankings
from conqret.judging.judge_settings import AskingSettings, session_settings
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions
from conqret.options import options_in
from conqret.runs.engine import run
from conqret.runs.run_folder import ITEMS, default_folder, stem
from conqret.runs.session import Session, SessionCounts
from conqret.runs.study_run import AskedFolder, AskedRecord, StudyPlan, lost
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
class GenerationFolder(AskedFolder[GenerationRecord, ArgumentRow]):
    """The files of written arguments under one folder."""

    COMMAND: ClassVar[str] = "conqret generate arguments"

    items_file = InFolder(ITEMS)
    rows_file = InFolder("generations.jsonl")


@dataclass(frozen=True, slots=True)
class GenerationOutcome:
    """A finished run: where its items are, how many arguments there are, how many topics without evidence for the
    side, how many failed (by reason), what the arguments are like, what this session did for them, and what the first
    prompt that does not fit the model's window lacks."""

    items_file: Path
    written: int
    no_evidence: int
    failed: Mapping[str, int]
    session: SessionCounts = field(default_factory=SessionCounts)
    trimmed: int = 0
    out_of_range: int = 0
    misquoted: int = 0
    left_out: int = 0
    missing: tuple[str, ...] = ()
    overflow: str = ""


@dataclass(frozen=True)
class GenerationPlan(StudyPlan[ArgumentRow, GenerationOutcome]):
    """Every task gets an argument. ``settings`` are further things that ``run.json`` shall say (where the tasks are
    from), ``remarks`` what is to be said of the run that they are made of."""

    ABOUT = "the question for an argument"

    models: Session
    folder: GenerationFolder
    tasks: Sequence[GenerationTask]
    options: GenerateOptions
    settings: Mapping[str, Any] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    def record(self) -> GenerationRecord:
        """What ``run.json`` says."""
        asked = self.options.way.asked(self.models.library, (task.stance for task in self.tasks))
        model = self.models.options
        return GenerationRecord.of(
            self.models,
            dict.fromkeys(sorted(asked), GeneratedArgument),
            map(_shown, self.tasks),
            baseline=model.backend.baseline or not asked,
            window=model.context_window,
            options=asdict(self.options),
            settings=dict(self.settings),
        )

    def trials(self) -> Iterator[Trial[ArgumentRow]]:
        """A trial for each."""
        model, library = self.models.options, self.models.library
        room = model.max_tokens or ANSWER_ROOM
        generator = Generator(self.options, library, self.models.client, model.model, room)
        return (Trial(task.id, partial(generator.write, task)) for task in self.tasks)

    def conclude(self, rows: tuple[ArgumentRow, ...]) -> tuple[GenerationOutcome, Mapping[Path, Content]]:
        """The run in numbers, and its files."""
        items = [task.item(row) for task, row in zip(self.tasks, rows, strict=True)]
        facts = [row.facts for row in rows if row.argument is not None]
        outcome = GenerationOutcome(
            items_file=self.folder.items_file,
            written=len(facts),
            no_evidence=sum(row.reason is Reason.NO_EVIDENCE for row in rows),
            failed=lost(rows),
            trimmed=sum(len(fact["trimmed"]) for fact in facts),
            out_of_range=sum(len(fact["citations"]["out_of_range"]) for fact in facts),
            misquoted=sum(len(fact["citations"]["misquoted"]) for fact in facts),
            left_out=sum(len(fact["left_out"]) for fact in facts),
            overflow=next((row.detail for row in rows if row.reason is Reason.CONTEXT_OVERFLOW), ""),
        )
        lines = json_lines(item_record(item) for item in items if item is not None)
        return outcome, {outcome.items_file: lines}


def write_arguments(plan: GenerationPlan, **how: Any) -> GenerationOutcome:
    """Write all arguments, and the files; takes and raises what :func:`conqret.runs.engine.execute` does."""
    done = run(plan, **how)
    return replace(done.summary, session=done.session, missing=done.missing)


def _shown(task: GenerationTask) -> list[object]:
    """Everything that a prompt can hold of a task."""
    examples = [
        (example.expert.question, example.expert.text(), _documents(example.documents))
        for example in task.examples
    ]
    expert = task.expert.text() if task.expert else ""
    return [task.id, task.topic.question, task.stance, expert, _documents(task.documents), examples]


def _documents(documents: Sequence[Document]) -> list[tuple[str, str, str]]:
    return [(document.id, document.title, document.text) for document in documents]


class GenerationSettings(GenerateSettings, AskingSettings, total=False):
    """How arguments are generated: ``model`` writes them, as
    :class:`conqret.generation.generator.GenerateOptions` says. ``output``: the folder; the same call again goes on
    where it stopped. By default ``runs/RUN-MODEL``."""

    model: str | ClientOptions
    output: str | Path | None


@strict_options
def generation_job(
    corpus: str | Path,
    run: str | Path,
    *,
    stance: Literal["pro", "con"],
    **settings: Unpack[GenerationSettings],
) -> GenerationPlan:
    """Arguments that are ready to be written, or to be estimated. Raises DeclarationError as :func:`generate`."""
    client = ClientOptions.of(settings.get("model", OFFLINE_MODEL))
    client.backend.check_can_ask("the question for an argument")
    wanted = options_in(settings, GenerateOptions)
    asks = bool(wanted.way.prompts)
    if not asks and not client.backend.baseline:
        raise DeclarationError(f"the strategy {wanted.way.name} uses no model; leave out --model")
    ranking, source = Path(run), Path(corpus)
    name = client.model if asks else wanted.way.name
    output, rankings = settings.get("output"), read_rankings(ranking)
    return GenerationPlan(
        Session(client, **session_settings(settings)),
        GenerationFolder(default_folder(stem(ranking), name) if output is None else Path(output)),
        make_tasks(CorpusDirectory(source), rankings, stance, wanted),
        wanted,
        {"corpus": source.name, "run": ranking.name, "stance": stance},
        rankings.remarks(),
    )


@strict_options
def generate(
    corpus: str | Path,
    run: str | Path,
    *,
    stance: Literal["pro", "con"],
    **settings: Unpack[GenerationSettings],
) -> GenerationOutcome:
    """Write a cited argument for every topic that a run ranks, into a folder whose items are ready to be judged.

    Args:
        corpus: a corpus directory.
        run: the TREC run that ranks its documents (``.gz`` too).
        stance: the side to argue for.
        settings: who writes, how, and where to: :class:`GenerationSettings`.

    Raises:
        DeclarationError: anything wrong with the call, the corpus, the run or the folder. No model is asked then.
    """
    plan = generation_job(corpus, run, stance=stance, **settings)
    return write_arguments(plan, overwrite=settings.get("overwrite", False))

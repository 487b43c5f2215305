"""Write the arguments of many topics into a folder: recorded, resumable, the files whole or not at all.

Next to ``run.json`` and ``recordings.sqlite``, the folder holds ``generations.jsonl``, a line for each topic and stance
with its argument or the reason why there is none, and ``items.jsonl``, an item for each argument (what ``conqret
judge`` reads). The same command again requests only what has no response.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal, Unpack

from conqret.data import Document, Reason, Stance
from conqret.data.corpus import CorpusTopic, Split
from conqret.data.digest import gathered
from conqret.errors import DeclarationError, number, strict_options
from conqret.generation.cited_argument import GeneratedArgument
from conqret.generation.examples import ExpertArguments, draw_examples
from conqret.generation.generator import (
    ANSWER_ROOM,
    GENERATED_TOKENS,
    ArgumentRow,
    GenerateOptions,
    GenerateSettings,
    GenerationTask,
    Generator,
)
from conqret.io.corpus_folder import CorpusDirectory, select_topics
from conqret.io.jsonl import json_lines
from conqret.io.rows import item_record
from conqret.io.safe_files import Content, InFolder
from conqret.io.trec import read_rankings
from conqret.llm.client_options import ClientOptions, client_options
from conqret.options import options_in
from conqret.runs.dry_run import RunPrompt
from conqret.runs.request_run import Run, WatchSettings
from conqret.runs.run_folder import ITEMS, as_path, default_folder, stem
from conqret.runs.session import RequestSettings, SessionCounts
from conqret.runs.study_run import RequestFolder, RequestRecord, lost

SIDES: tuple[Literal["pro", "con"], ...] = ("pro", "con")


class GenerationRecord(RequestRecord):
    """The record ``run.json`` of a generation run; ``settings`` say where its tasks come from."""

    SAME: ClassVar[Mapping[str, str]] = {
        "window": "context window",
        "options": "options",
        **RequestRecord.SAME,
        "asked": "ranking, documents or examples",
    }

    kind: str = "generate"
    window: int | None
    options: dict[str, Any]
    settings: dict[str, Any]

    def __str__(self) -> str:
        return f"arguments by {self.model}"


@dataclass(frozen=True)
class GenerationFolder(RequestFolder[GenerationRecord, ArgumentRow]):
    """The folder of a generation run: its items and one row per argument."""

    COMMAND: ClassVar[str] = "conqret generate arguments"

    items_file = InFolder(ITEMS)
    rows_file = InFolder("generations.jsonl")


@dataclass(frozen=True, slots=True)
class GenerationOutcome:
    """The result of a finished generation run.

    ``written`` counts arguments, ``no_evidence`` topics without evidence for the side, and ``failed``
    failures by reason. Over all arguments, ``trimmed`` counts trimmed documents, ``out_of_range`` and
    ``misquoted`` faulty citations and quotations, and ``left_out`` documents that the model left out.
    ``session`` counts this session's requests. ``missing`` names responses that a replay lacked.
    ``overflow`` says what the first prompt over the model's window lacks. ``remarks`` say what the corpus lacks.
    """

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
    remarks: tuple[str, ...] = ()


class ArgumentRun(Run[ArgumentRow]):
    """A run that writes one argument per task.

    ``settings`` are those of :class:`conqret.runs.request_run.Run`. ``made_of`` records where the tasks
    come from.
    """

    def __init__(
        self,
        folder: GenerationFolder,
        tasks: Sequence[GenerationTask],
        options: GenerateOptions,
        writer: ClientOptions,
        settings: Mapping[str, Any],
        *,
        made_of: Mapping[str, str],
        **how: Any,
    ) -> None:
        self.tasks, self.options, self._writer = tasks, options, writer
        way = options.way
        asked = sorted(way.prompt_ids(task.stance for task in tasks))
        argument = RunPrompt(GeneratedArgument, "generate", GENERATED_TOKENS, shown_later=bool(way.turns))
        by = writer.model if way.prompts else way.name
        if writer.backend.baseline and not way.expert:
            by += ": sentences of the documents, a lexical baseline and no author"
        super().__init__(
            folder,
            [writer],
            dict.fromkeys(asked, argument),
            settings,
            contents=map(_shown, tasks),
            total=len(tasks),
            purpose="the question for an argument",
            about=f"{number(len(tasks), 'argument')} by",
            by=by,
            record={
                "baseline": not way.expert and (writer.backend.baseline or not asked),
                "window": writer.context_window,
                "options": asdict(options),
                "settings": dict(made_of),
            },
            **how,
        )

    def units(self) -> Iterator[Coroutine[Any, Any, ArgumentRow]]:
        """Return an iterator of coroutines, one per task; each returns the row of its argument."""
        room = self._writer.max_tokens or ANSWER_ROOM
        generator = Generator(self.options, self.library, self.client(), self._writer.model, room)
        return (self.row(task.id, partial(generator.write, task)) for task in self.tasks)

    def written(self) -> GenerationOutcome:
        """Write all arguments and return the result of the run."""
        self.request_all(self.units())
        return self.outcome()

    def outcome(self) -> GenerationOutcome:
        """Return the result of the run after all arguments are done.

        Raises:
            DeclarationError: as :meth:`conqret.runs.request_run.Run.finish`.
        """
        done = self.finish(self._concluded)
        return replace(done.summary, session=done.session, missing=done.missing)

    def _concluded(self, rows: Sequence[ArgumentRow]) -> tuple[GenerationOutcome, Mapping[Path, Content]]:
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


def _shown(task: GenerationTask) -> list[object]:
    """Everything that a prompt can hold of a task."""
    drawn = ((example.expert, example.documents) for example in task.examples)
    examples = [(expert.question, expert.text(), _documents(documents)) for expert, documents in drawn]
    expert = task.expert.text() if task.expert else ""
    return [task.id, task.topic.question, task.stance, expert, _documents(task.documents), examples]


def _documents(documents: Sequence[Document]) -> list[tuple[str, str, str]]:
    return [(document.id, document.title, document.text) for document in documents]


class GenerationSettings(GenerateSettings, RequestSettings, WatchSettings, total=False):
    """The keyword settings of :func:`generate`.

    ``model`` writes the arguments. ``output`` is the folder, by default ``runs/RUN-MODEL``; a repeated
    call resumes there. The other fields are those of :class:`conqret.generation.generator.GenerateOptions`
    and of requests.
    """

    model: str | ClientOptions
    output: str | Path | None


@strict_options
def generate(
    corpus: str | Path,
    run: str | Path | None = None,
    *,
    stance: Literal["pro", "con", "both"],
    split: Split | None = None,
    topics: str | None = None,
    **settings: Unpack[GenerationSettings],
) -> GenerationOutcome:
    """Write a cited argument for each topic of a TREC run, into a folder whose items can be judged.

    Args:
        corpus: a corpus directory.
        run: the TREC run that ranks its documents (``.gz`` too); None: a side's relevant documents, in the order of
            its qrels (the oracle setting).
        stance: the side to argue for, or ``both``, one after the other.
        split: the topics to argue on; None: all.
        topics: only these topics: comma-separated ids, or a file with one id per line.
        settings: the model, the options and the folder: :class:`GenerationSettings`.

    Returns:
        The counts of arguments written and failed, and the file of items.

    Raises:
        DeclarationError: the call, the corpus, the run or the folder has a fault; no request is sent.
    """
    writer, options = client_options(settings.get("model"), settings), options_in(settings, GenerateOptions)
    writer.backend.check_can_request("the question for an argument")
    if not (options.way.prompts or writer.backend.baseline):
        raise DeclarationError(f"the strategy {options.way.name} uses no model; leave out --model")
    source, directory = Path(corpus), CorpusDirectory(Path(corpus))
    ranking = Path("gold" if run is None else run)
    name = writer.model if options.way.prompts else options.way.name
    folder = as_path(settings.get("output")) or default_folder(stem(ranking), name)
    known = list(directory.topics())
    in_split = [topic for topic in known if split in (None, topic.split)]
    chosen = {topic.id for topic in select_topics(in_split, topics, split or "all")}
    remarks = list[str]()
    if options.shots and options.way.prompts and not directory.debates_file.is_file():
        options = replace(options, shots=0)
        remarks.append("the corpus has no expert arguments (debates.jsonl), so the prompt has no examples")
    if run is None and not directory.views():
        raise DeclarationError(
            f"{source} has no qrels, which name each side's documents: give a ranking with --run (conqret retrieve run "
            f"{source} makes one), or import the corpus with --qrels"
        )
    if run is None and directory.views() == ("all",):
        remarks.append("the qrels have no sides: each side gets all relevant documents of its topic")
    ranked = None if run is None else read_rankings(ranking)
    tasks = []
    for side in SIDES if stance == "both" else (stance,):
        rankings: Mapping[str, Sequence[str]] = gold_rankings(directory, side) if ranked is None else ranked
        if split or topics:
            rankings = {name: ids for name, ids in rankings.items() if name in chosen}
        tasks += make_tasks(directory, rankings, side, options, known)
    if not tasks:
        what = "its qrels have no relevant document" if ranked is None else f"{ranking} ranks nothing"
        raise DeclarationError(
            f"{source} has no topic to argue on: {what} for {', '.join(sorted(chosen)[:5])}"
        )
    if bare := sorted(chosen - {task.topic.id for task in tasks}) if topics else []:
        remarks.append(f"no argument is written on {', '.join(bare[:5])}: there are no documents for it")
    restricted = {"split": split, "topics": topics}
    made_of = {"corpus": source.name, "run": ranking.name, "stance": stance}
    made_of |= {name: value for name, value in restricted.items() if value}
    with ArgumentRun(GenerationFolder(folder), tasks, options, writer, settings, made_of=made_of) as writing:
        return replace(writing.written(), remarks=tuple(remarks))


def gold_rankings(corpus: CorpusDirectory, stance: Literal["pro", "con"]) -> dict[str, list[str]]:
    """Return the relevant documents (grade above 0) of a side by topic: those that the expert cites first, in
    that order, then the others as in the qrels. Where qrels have no sides, these are the topic's relevant
    documents.
    """
    judged = corpus.qrels_iter("all" if corpus.views() == ("all",) else stance)
    pairs = ((pair.query_id, pair.doc_id) for pair in judged if pair.relevance > 0)
    relevant = gathered(pairs)
    if not (corpus.debates_file.is_file() and corpus.ledger_file.is_file()):
        return relevant
    experts = ExpertArguments(corpus)
    for topic in corpus.topics():
        expert = experts.find(topic, stance) if topic.id in relevant else None
        if expert is not None:
            order = {name: place for place, name in enumerate(expert.documents)}
            relevant[topic.id].sort(key=lambda name: order.get(name, len(order)))
    return relevant


def make_tasks(
    corpus: CorpusDirectory,
    rankings: Mapping[str, Sequence[str]],
    stance: Stance,
    options: GenerateOptions,
    topics: Iterable[CorpusTopic] | None = None,
) -> list[GenerationTask]:
    """Return one generation task per ranked topic, with its first ``options.documents`` documents, in ranking
    order.

    ``topics`` (default: all topics of the corpus) are the topics that may be ranked and used for examples.

    Raises:
        DeclarationError: a ranked topic or document is not in the corpus, or there are too few
            examples.
    """
    known = list(corpus.topics() if topics is None else topics)
    by_id = {topic.id: topic for topic in known}
    strangers = [name for name in rankings if name not in by_id]
    shots = options.shots if options.way.prompts else 0
    own = options.expert or options.way.expert
    experts = ExpertArguments(corpus) if shots or own else None
    wanted = {
        document
        for name, ranking in rankings.items()
        if name in by_id
        for document in ranking[: options.documents]
    }
    written = [experts.find(topic, stance) for topic in known] if experts is not None and shots else []
    cited = {document for expert in written if expert is not None for document in expert.documents}
    every = wanted | cited
    texts = {document.id: document for document in corpus.documents() if document.id in every}
    lacking = sorted(wanted - texts.keys())
    for names, what, file, remedy in (
        (strangers, "topic", corpus.topics_file, "name the topics of the corpus with --topics"),
        (lacking, "document", corpus.documents_file, "remove these documents from the run"),
    ):
        if names:
            raise DeclarationError(
                f"the run ranks {number(len(names), what)} that {file} lacks ({names[0]!r} is one): give the corpus "
                f"that it was made from, or {remedy}"
            )
    tasks = []
    for name, ranking in rankings.items():
        topic, documents = by_id[name], tuple(texts[document] for document in ranking[: options.documents])
        task = GenerationTask(topic, stance, documents)
        if experts is not None:
            drawn = partial(draw_examples, known, experts, texts, stance, shots, seed=options.seed)
            expert = experts.find(topic, stance) if own else None
            task = replace(task, examples=drawn(exclude=topic), expert=expert)
        tasks.append(task)
    return tasks

"""The rankings that are scored: TREC runs, BeRDS's files with texts, and conqret's own systems over a corpus; and the
judgments of their documents, as qrels.

BeRDS's scripts read and write a row for each question: ``question``, perhaps ``id`` and ``perspectives``, and ``ctxs``,
its passages, the best first, each with ``text``, perhaps ``title``, ``id``, and what was judged: a list of true and
false in ``preds`` (there ``mistral-preds``, ``gpt4-preds``), one for each perspective. Passages are told apart by their
text, so that equal ones of two files are judged once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from conqret.data.corpus import CorpusTopic
from conqret.data.digest import digest_of, gathered
from conqret.errors import DeclarationError
from conqret.io.checks import Cell, Filled, Text, a_list, each
from conqret.io.files import file_rows
from conqret.io.jsonl import json_lines
from conqret.io.pairs import Pair
from conqret.io.schema import TableReader, in_columns
from conqret.io.trec import read_qrels, read_rankings, scored, write_run
from conqret.perspectives.perspective_files import PerspectiveQuestion, Side
from conqret.retrieval.collection import Entry
from conqret.retrieval.corpus_index import Index, OwnIndex
from conqret.retrieval.evaluate import Run
from conqret.retrieval.system_names import PipelinePlan, check_systems, has_step, is_system
from conqret.retrieval.systems import SystemRun, run_systems
from conqret.runs.run_folder import stem

if TYPE_CHECKING:
    from conqret.runs.session import Session


JudgedDocuments = Mapping[str, Mapping[str, Set[int]]]
"""For each question its documents that were judged for all perspectives, with the places of those that they contain."""

MMR_DOCUMENTS = 100
"""Documents among which maximal marginal relevance chooses, as in BeRDS (Section 4), where no more are judged."""

JudgedPair = tuple[str, int, str]
"""A question, the place of one of its perspectives (from 1), and a document."""

QUERY_SIDES: tuple[Side, ...] = ("", "supporting", "opposing")
"""As what a question is searched: itself, or one of its perspectives (Figure 3)."""

SUFFIXES = (".jsonl", ".jsonl.gz", ".json")
"""Names of files that hold rankings with texts; all others are TREC runs."""
ID_LENGTH = 16


def _verdicts(value: object, where: str, reader: TableReader) -> tuple[bool, ...]:
    listed = a_list(value, "a list of true and false", "Write [true, false]", lambda entry: entry in (0, 1))
    return tuple(map(bool, listed))


@dataclass(frozen=True, slots=True)
class RetrievedPassage:
    """A passage of a ranking; ``preds`` says which perspectives it contains, in their order (empty: not
    judged)."""

    text: Annotated[Filled, in_columns(needed="Give the text of the passage")]
    title: Text = ""
    preds: Annotated[tuple[bool, ...], _verdicts, in_columns("preds", "mistral-preds", "gpt4-preds")] = ()

    @property
    def whole(self) -> str:
        """The text with the title behind it, as the released evaluation joins them."""
        return f"{self.text} {self.title}".rstrip()


Passage = RetrievedPassage | Entry
"""A ranked document with its text."""


@dataclass(frozen=True, slots=True)
class _Retrieved:
    ctxs: Annotated[
        tuple[RetrievedPassage, ...],
        each(RetrievedPassage),
        in_columns(needed="List the passages, best first"),
    ]
    id: Cell = ""
    question: Annotated[Text, in_columns("question", "topic")] = ""


@dataclass(frozen=True)
class RetrievedContexts:
    """The contents of a file: a ranking for each question, the passages by id, and what was judged.

    ``judged`` maps question, number of the perspective (from 1) and passage to whether it contains it.
    """

    run: SystemRun
    passages: Mapping[str, RetrievedPassage]
    judged: Mapping[tuple[str, int, str], bool]


def holds_contexts(path: str | Path) -> bool:
    """Return True if a file's name is that of rankings with texts, and not of a TREC run or qrels."""
    return str(path).lower().endswith(SUFFIXES)


def read_contexts(named: str, questions: Sequence[PerspectiveQuestion]) -> RetrievedContexts:
    """Read ``NAME=FILE``, rankings with texts; a row belongs to the question with its words, else with its id.

    A passage that a ranking has twice counts twice, as in the released evaluation. Rows of other questions
    are skipped; of several rows of one question the last counts.

    Raises:
        ItemsError: rows have faults; all are listed.
        DeclarationError: no row belongs to one of the questions.
    """
    name, _, path = named.partition("=")
    by_words = {_same_words(question.question): question for question in questions}
    by_id = {question.id: question for question in questions}
    rankings = dict[str, list[str]]()
    passages, judged = dict[str, RetrievedPassage](), dict[tuple[str, int, str], bool]()
    reader = TableReader(file_rows(Path(path)))
    for row in reader.read_as(_Retrieved):
        question = by_words.get(_same_words(row.question)) or by_id.get(row.id or str(reader.number))
        if question is None:
            continue
        ranking = rankings[question.id] = list[str]()
        for passage in row.ctxs:
            document = digest_of([passage.title, passage.text])[:ID_LENGTH]
            times = sum(known.partition("~")[0] == document for known in ranking)
            document += f"~{times + 1}" if times else ""
            ranking.append(document)
            passages[document] = passage
            for place, yes in enumerate(passage.preds, start=1):
                judged[question.id, place, document] = yes
    reader.finish(wanted="rankings")
    if not rankings:
        raise DeclarationError(
            f"{path} ranks nothing for any of the {len(questions)} questions: give its rows the same questions or ids"
        )
    return RetrievedContexts(
        SystemRun(name, rankings, None, max(map(len, rankings.values()))), passages, judged
    )


def context_lines(
    questions: Sequence[PerspectiveQuestion],
    run: SystemRun,
    passages: Mapping[str, Passage],
    judged: Mapping[str, Mapping[str, Any]],
    depth: int,
) -> Iterator[str]:
    """Return the rankings of a system as JSON Lines that :func:`read_contexts` reads, down to ``depth``.

    ``judged`` has, by question and document, the places (from 0) of the perspectives that the document
    contains. Documents without a text are left out.
    """

    def contexts(question: PerspectiveQuestion) -> Iterator[dict[str, Any]]:
        known = judged[question.id]
        for document in run.run.get(question.id, ())[:depth]:
            if document in passages:
                passage = passages[document]
                yield {"id": document, "title": passage.title, "text": passage.text} | (
                    {"preds": [place in known[document] for place in range(len(question.perspectives))]}
                    if document in known
                    else {}
                )

    return json_lines(
        {
            "id": question.id,
            "question": question.question,
            "perspectives": [perspective.text for perspective in question.perspectives],
            "ctxs": list(contexts(question)),
        }
        for question in questions
    )


def _same_words(question: str) -> str:
    return " ".join(question.casefold().split())


def query_topic(question: str, side: Side) -> str:
    """Return the topic id of a ranking: the question's id, with ``:SIDE`` where a perspective is the
    query."""
    return f"{question}:{side}" if side else question


def queries(questions: Sequence[PerspectiveQuestion]) -> list[tuple[str, str]]:
    """Return the (topic id, query) pairs to search for: each question, and both perspectives of those with
    two sides."""
    return [
        (
            query_topic(question.id, side),
            question.perspectives[question.place(side)].text if side else question.question,
        )
        for question in questions
        for side in (QUERY_SIDES if question.sided else QUERY_SIDES[:1])
    ]


def pooled(
    questions: Sequence[PerspectiveQuestion],
    runs: Sequence[SystemRun],
    depth: int,
    sides: Sequence[Side] = QUERY_SIDES,
) -> Run:
    """Return each question's documents to judge: the union of the first ``depth`` documents of all systems.

    ``sides`` are the queries whose rankings count: the question itself, and by default also each of its two
    perspectives. Documents keep the order of first occurrence.
    """
    return {
        question.id: list(
            dict.fromkeys(
                document
                for system in runs
                for side in sides
                for document in system.run.get(query_topic(question.id, side), ())[:depth]
            )
        )
        for question in questions
    }


def passages_of(
    pool: Run, index: Index | None, files: Iterable[RetrievedContexts] = ()
) -> dict[str, Passage]:
    """Return the pooled documents by id: those of files with texts, and those of the corpus; others are left out.

    Raises:
        DeclarationError: the corpus contains none of the documents.
    """
    known: dict[str, Passage] = {name: text for file in files for name, text in file.passages.items()}
    wanted = [document for documents in pool.values() for document in documents if document not in known]
    entries = {} if index is None else index.entries(wanted)
    if index is not None and wanted and not entries:
        raise DeclarationError(
            f"the corpus contains none of the ranked documents, such as {wanted[0]!r}: give the corpus of the ranking"
        )
    return known | entries


def pairs_of(
    questions: Sequence[PerspectiveQuestion], pool: Run, passages: Mapping[str, Passage]
) -> dict[JudgedPair, Pair]:
    """Return a pair to judge for each perspective of a question and each of its pooled documents.

    Keys are (question id, number of the perspective from 1, document id). Documents without a text are
    skipped.
    """
    texts = {name: passage.whole for name, passage in passages.items()}
    return {
        (question.id, place, document): Pair(
            f"{question.id} {place} {document}", texts[document], perspective.text, question.question
        )
        for question in questions
        for document in pool[question.id]
        if texts.get(document, "").strip()
        for place, perspective in enumerate(question.perspectives, start=1)
    }


def judged_of(
    questions: Sequence[PerspectiveQuestion], contains: Mapping[JudgedPair, bool | None]
) -> JudgedDocuments:
    """Return, by question and document, the indexes (from 0) of the perspectives that the document contains.

    Documents without a verdict on every perspective of their question are left out.
    """
    known = gathered(
        ((question, document), (place, yes))
        for (question, place, document), yes in contains.items()
        if yes is not None
    )
    wanted = {item.id: len(item.perspectives) for item in questions}
    shown: dict[str, dict[str, Set[int]]] = {name: {} for name in wanted}
    for (question, document), answers in known.items():
        if question in wanted and len(answers) == wanted[question]:
            shown[question][document] = {place - 1 for place, yes in answers if yes}
    return shown


def named(systems: Sequence[str]) -> list[str]:
    """Return the systems as ``NAME`` or ``NAME=FILE``; a file without a name is named after its file name.

    Raises:
        UnknownNameError: one is neither a system nor a file.
        DeclarationError: a name occurs twice, or a file does not exist.
    """
    names = [
        f"{stem(Path(system))}={system}"
        if "=" not in system and not is_system(system) and Path(system).is_file()
        else system
        for system in systems
    ]
    check_systems(names)
    return names


def ranked(
    systems: Sequence[str],
    questions: Sequence[PerspectiveQuestion],
    depth: int,
    index: Index | None = None,
    session: Session | None = None,
    encoder: str | None = None,
    mmr_encoder: str | None = None,
) -> list[SystemRun]:
    """Return the rankings of all systems for the questions, and for their perspectives as queries.

    Args:
        systems: systems as :func:`named` returns them.
        questions: the questions with their perspectives.
        depth: how many documents are ranked; MMR chooses them among :data:`MMR_DOCUMENTS`.
        index: the index of the corpus to search; without it or a session, all rankings are read from files.
        session: the session for steps that call a model.
        encoder: the current location of the encoder of a dense index.
        mmr_encoder: the encoder whose vectors MMR compares; by default it compares words.

    Raises:
        DeclarationError: a system searches, and there is no ``index``; or a file ranks nothing for any
            question.
    """
    if index is None or session is None:
        return [_from_file(system, questions) for system in systems]

    if isinstance(index, OwnIndex) and not any(question.id in index.parts for question in questions):
        raise DeclarationError(
            f"{index.folder} has corpora of other questions, such as {next(iter(index.parts))!r}, but not of "
            f"{questions[0].id!r}: make them with `conqret perspectives collect`"
        )
    topics = [CorpusTopic(id=name, question=text, split="test") for name, text in queries(questions)]
    runs: dict[str, SystemRun] = {}
    for diverse in (False, True):
        chosen = [system for system in systems if has_step(system, {"mmr"}) == diverse]
        plan = PipelinePlan(depth=max(depth, MMR_DOCUMENTS) if diverse else depth)
        mmr = mmr_encoder if diverse else None
        made = (
            run_systems(chosen, index, topics, plan, session, encoder=encoder, mmr_encoder=mmr)
            if chosen
            else []
        )
        for name, run in zip(chosen, made, strict=True):
            first = {topic: documents[:depth] for topic, documents in run.run.items()}
            runs[name] = replace(run, run=first) if diverse else run
    return [runs[system] for system in systems]


def write_rankings(folder: Path, runs: Sequence[SystemRun]) -> None:
    """Write the rankings of each system to ``folder`` as a TREC run (``SYSTEM.res.gz``, with ``-`` for
    ``/``), including those for perspectives as queries."""
    folder.mkdir(parents=True, exist_ok=True)
    for run in runs:
        write_run(folder / f"{run.name.replace('/', '-')}.res.gz", scored(run.run), tag=run.name)


def read_judged(path: Path, questions: Sequence[PerspectiveQuestion]) -> JudgedDocuments:
    """Read judgments from qrels whose second column is the number of the perspective, from 1; or from JSON
    Lines with ``ctxs``, which have their judgments in ``preds``.

    A relevance above 0 means that the document contains the perspective. A document counts only if every
    perspective of its question is judged: write 0 for those it lacks. Perspectives are numbered from 0 in
    the result. Judgments of other questions are ignored.

    Raises:
        DeclarationError: the file cannot be read, a question lacks the numbered perspective, or no
            question is judged.
    """
    if holds_contexts(path):
        return judged_of(questions, read_contexts(f"judgments={path}", questions).judged)
    wanted = {question.id: len(question.perspectives) for question in questions}
    contains: dict[tuple[str, int, str], bool | None] = {}
    for row in read_qrels(path, by_iteration=True):
        if row.query_id not in wanted:
            continue
        places = map(str, range(1, wanted[row.query_id] + 1))
        if row.iteration not in places:
            raise DeclarationError(
                f"{path} judges the perspective {row.iteration!r} of {row.query_id!r}, which has "
                f"{wanted[row.query_id]}: write the perspective's number, from 1, into the second column"
            )
        contains[row.query_id, int(row.iteration), row.doc_id] = row.relevance > 0
    if not contains:
        raise DeclarationError(f"{path} judges none of the {len(wanted)} questions: use the same ids")
    return judged_of(questions, contains)


def qrels_lines(questions: Sequence[PerspectiveQuestion], judged: JudgedDocuments) -> Iterator[str]:
    """Yield judgments as lines of qrels with relevance 1 or 0; the second column is the number of the perspective, from
    1."""
    for question in questions:
        for document, held in judged[question.id].items():
            for place in range(len(question.perspectives)):
                yield f"{question.id} {place + 1} {document} {int(place in held)}\n"


def _from_file(system: str, questions: Sequence[PerspectiveQuestion]) -> SystemRun:
    label, separator, path = system.partition("=")
    if not separator:
        raise DeclarationError(f"{system} searches a corpus: give it with --corpus FOLDER")
    run = read_rankings(path)
    if not any(question.id in run for question in questions):
        raise DeclarationError(
            f"{path} ranks nothing for any of the {len(questions)} questions: its topics are "
            f"{', '.join(list(run)[:3])}, but the questions are {questions[0].id} and so on"
        )
    return SystemRun(label, run, None, max(map(len, run.values())), run.remarks())

"""The rankings that are scored: files of TREC runs, and conqret's own systems over a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.data.corpus import CorpusTopic, Qrel
from conqret.data.digest import gathered
from conqret.errors import DeclarationError
from conqret.io.pairs import Pair
from conqret.io.trec import read_qrels, read_rankings, scored, write_run
from conqret.perspectives.perspective_files import PerspectiveQuestion, Side
from conqret.perspectives.retrieved_contexts import Passage, RetrievedContexts, holds_contexts, read_contexts
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

    Rankings for the question and for its perspectives as queries are included; documents keep the order of
    first occurrence.
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
    questions: Sequence[PerspectiveQuestion], pool: Run, texts: Mapping[str, str]
) -> dict[JudgedPair, Pair]:
    """Return a pair to judge for each perspective of a question and each of its pooled documents.

    Keys are (question id, number of the perspective from 1, document id). Documents without a text are
    skipped.
    """
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
    diverse = [system for system in systems if has_step(system, {"mmr"})]
    others = [system for system in systems if system not in diverse]
    plan, deep = PipelinePlan(depth=depth), PipelinePlan(depth=max(depth, MMR_DOCUMENTS))
    made = run_systems(others, index, topics, plan, session, encoder=encoder) if others else []
    if diverse:
        made += [
            replace(run, run={name: documents[:depth] for name, documents in run.run.items()})
            for run in run_systems(
                diverse, index, topics, deep, session, encoder=encoder, mmr_encoder=mmr_encoder
            )
        ]
    runs = dict(zip([*others, *diverse], made, strict=True))
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


def qrels_of(questions: Sequence[PerspectiveQuestion], judged: JudgedDocuments) -> list[Qrel]:
    """Return judgments as qrels of relevance 1 or 0, with the number of the perspective, from 1, as the
    iteration."""
    return [
        Qrel(question.id, document, int(place in held), str(place + 1))
        for question in questions
        for document, held in judged[question.id].items()
        for place in range(len(question.perspectives))
    ]


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

"""The systems of Table 4 by name, run over a corpus's topics; and runs from files."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from conqret.data.corpus import QRELS_STANCES, CorpusTopic, QrelsStance, Split
from conqret.data.digest import gathered
from conqret.errors import DeclarationError, number
from conqret.io.corpus_folder import CorpusDirectory
from conqret.io.trec import Rankings, ScoredDoc, read_rankings
from conqret.retrieval.evaluate import Judgments, Run
from conqret.retrieval.system_names import BM25, PipelinePlan, check_systems, stages_of

if TYPE_CHECKING:
    import pandas as pd

    from conqret.retrieval.corpus_index import Index
    from conqret.retrieval.rerank import RerankSummary
    from conqret.runs.session import Session


@dataclass(frozen=True, slots=True)
class SystemRun:
    """One system's rankings, with the reranker's counts if it reranked.

    ``depth`` is the number of documents per topic, or None if every document could be ranked. ``remarks``
    are notes on its TREC run file.
    """

    name: str
    run: Run
    windows: RerankSummary | None = None
    depth: int | None = None
    remarks: tuple[str, ...] = ()


def run_systems(
    names: Sequence[str],
    index: Index,
    topics: Sequence[CorpusTopic],
    plan: PipelinePlan,
    session: Session,
    on_query: Callable[[str], None] = lambda topic: None,
    *,
    encoder: str | None = None,
    mmr_encoder: str | None = None,
) -> list[SystemRun]:
    """Run the named systems and return their rankings, in the given order.

    Args:
        names: names of systems, or ``NAME=FILE`` for TREC runs.
        index: the word index of the corpus.
        topics: the topics to rank for.
        plan: depth and windows for all systems.
        session: the session of the reranking model.
        on_query: called with the id of each topic that is reranked.
        encoder: the encoder of the vector index.
        mmr_encoder: the encoder whose vectors MMR compares; by default it compares words.

    Raises:
        DeclarationError: as :func:`check_systems`.
    """
    from conqret.retrieval.pipeline import assemble, open_indexes

    check_systems(names)
    named = (name.partition("=") for name in names)
    files = {label: _from_file(label, path, topics) for label, separator, path in named if separator}
    frame = queries(topics)
    system_runs = []
    for name in names:
        label = name.partition("=")[0]
        if label in files:
            of_file = files[label]
            depth = max(map(len, of_file.values()))
            cut = depth if depth < len(index) else None
            remarks = (*of_file.remarks(), *_strangers(of_file, index, topics, name.partition("=")[2]))
            system_runs.append(SystemRun(label, of_file, None, cut, remarks))
            continue
        engines, settings = stages_of(name)
        if "mmr" in settings:
            settings["mmr_encoder"] = mmr_encoder
        indexes = [index]
        if engines != BM25:
            indexes = open_indexes(index.collection.folder, engines, encoder)
        made = assemble(indexes, replace(plan, **settings), session, on_query)
        ranked = rankings(made.pipeline(frame))
        windows = made.reranker.summary if made.reranker else None
        system_runs.append(SystemRun(name, ranked, windows, plan.depth if plan.depth < len(index) else None))
    return system_runs


def _from_file(label: str, path: str, topics: Sequence[CorpusTopic]) -> Rankings:
    """Return the rankings of the TREC file ``path``; ``label`` names it in messages.

    Raises:
        DeclarationError: it cannot be read, or has nothing for any of the topics.
    """
    ranked = read_rankings(path)
    if not any(topic.id in ranked for topic in topics):
        there = ", ".join(list(ranked)[:3]) or "none"
        raise DeclarationError(
            f"the run {label!r}: {path} ranks nothing for any of the {number(len(topics), 'topic')}: "
            f"its topics are {there}, but those of the corpus are {topics[0].id} and so on"
        )
    return ranked


def _strangers(ranked: Run, index: Index, topics: Sequence[CorpusTopic], path: str) -> Iterator[str]:
    """Yield a remark on the documents, and one on the topics, of a run that the corpus lacks; none if it has
    all.

    Raises:
        DeclarationError: the corpus has none of its documents, or none of its topics.
    """
    corpus = index.collection.corpus
    every = [*topics, *(corpus.topics() if corpus.topics_file.is_file() else ())]
    for kind, there, names in (
        ("document", set(index.ids), dict.fromkeys(chain(*ranked.values()))),
        ("topic", {topic.id for topic in every}, ranked),
    ):
        unknown = [name for name in names if name not in there]
        known = f"{len(names) - len(unknown)} of {number(len(names), kind)} of {path}"
        if unknown:
            text = f"{known} are in {corpus.path}; not {', '.join(unknown[:3])}"
            if len(unknown) == len(names):
                raise DeclarationError(f"{text}: give the corpus that the run was made from")
            yield text


def queries(topics: Sequence[CorpusTopic]) -> pd.DataFrame:
    """Return topics as a PyTerrier frame of queries with the columns ``qid`` and ``query``."""
    import pandas as pd

    return pd.DataFrame([(topic.id, topic.question) for topic in topics], columns=["qid", "query"])


def rankings(frame: pd.DataFrame) -> Run:
    """Convert a frame of PyTerrier results into rankings: a mapping from topic id to document ids, by rank."""
    ranked = frame.sort_values(["rank"], kind="stable")
    return gathered(zip(map(str, ranked["qid"]), map(str, ranked["docno"]), strict=True))


def falling(frame: pd.DataFrame) -> Iterator[ScoredDoc]:
    """Yield PyTerrier results as run lines, by rank; an equal score becomes the next lower one, which keeps the
    order."""
    for topic, rows in frame.sort_values("rank", kind="stable").groupby("qid", sort=False):
        last = np.float32(np.inf)
        for document, score in zip(rows["docno"], rows["score"], strict=True):
            last = min(np.float32(score), np.nextafter(last, np.float32(-np.inf)))
            yield ScoredDoc(str(topic), str(document), float(str(last)))


def judgments(
    corpus: CorpusDirectory,
    split: Split | None,
    topics: Container[str] | None = None,
    views: Sequence[QrelsStance] | None = None,
) -> dict[str, Judgments]:
    """Return the qrels of a corpus as a mapping from view to topic id to document id to grade.

    ``views`` are by default those that have qrels: ``all`` alone where qrels have no sides. If ``topics`` are
    given, other topics are left out, and so are views in which none of them has a relevant document.

    Raises:
        DeclarationError: the qrels do not exist.
    """
    by_view: dict[str, Judgments] = {}
    for view in views or corpus.views(split) or QRELS_STANCES[-1:]:
        judged: dict[str, dict[str, int]] = {}
        for qrel in corpus.qrels_iter(view, split):
            if topics is None or qrel.query_id in topics:
                judged.setdefault(qrel.query_id, {})[qrel.doc_id] = qrel.relevance
        if topics is None or any(grade > 0 for grades in judged.values() for grade in grades.values()):
            by_view[view] = judged
    return by_view

"""The first stage of an experiment: retrieve for each side, and rerank."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conqret.data import Stance
from conqret.data.corpus import CorpusTopic
from conqret.experiments.config import Reranker, Retriever, System
from conqret.experiments.job import Job, digest_of
from conqret.io.jsonl import object_in
from conqret.io.safe_files import write_whole
from conqret.io.trec import Rankings, read_rankings, scored, write_run
from conqret.runs.session import Sessions

if TYPE_CHECKING:
    import pandas as pd

    from conqret.retrieval.corpus_index import Index
    from conqret.retrieval.pipeline import PipelinePlan


async def rank(job: Job, sessions: Sessions, ranking: str, system: System, stance: Stance) -> int:
    """Write the ranking of a side; returns how many of the reranker's windows failed."""
    from conqret._optional import require
    from conqret.retrieval.corpus_index import open_index

    experiment = job.experiment
    retriever, reranker = experiment.retrievers[system.retriever], experiment.rerankers.get(system.reranker)
    topics = job.topics()
    target = job.out.ranking(ranking, stance)
    ranking_file = retriever.file(stance)
    given = None if ranking_file is None else read_rankings(ranking_file)
    facts: dict[str, Any] = {
        "retriever": system.retriever if ranking_file else retriever.model_dump(mode="json"),
        "run": None if given is None else digest_of(given),
        "reranker": reranker.model_dump(mode="json") if reranker else None,
        "stance": stance if reranker is not None and reranker.instruction == "stance" else "none",
        "topics": [[topic.id, topic.question] for topic in topics],
    }
    made_of = digest_of(facts)
    if object_in(_state_file(target)).get("made_of") == made_of and target.is_file():
        return 0
    require("pyterrier", extra="retrieval")
    if ranking_file is None or given is None:
        frame, indexes = first_stage(experiment.corpus, retriever, topics)
    else:
        indexes = [open_index(experiment.corpus)]
        frame = _of_file(indexes[0], topics, ranking_file, given, retriever.depth)
        for remark in given.remarks():
            job.say("rank", f"{ranking_file.name}: {remark}")
    failed = 0
    if reranker is not None:
        frame, failed = await _rerank(job, sessions, frame, reranker, stance)
    lines = scored(_ranked(frame))
    write_run(target, lines, tag=ranking)
    state = {
        "made_of": made_of,
        "engine": ", ".join(index.engine for index in indexes),
        "index": ", ".join(index.fingerprint for index in indexes),
        "failed_windows": failed,
    }
    if failed:  # kept, and made again by the next run
        state["made_of"] = ""
    write_whole(_state_file(target), json.dumps(state, indent=1).encode())
    job.say(
        "rank", f"{ranking}, {stance}: {len(lines)} lines{f', {failed} windows failed' if failed else ''}"
    )
    return failed


def _of_file(
    index: Index, topics: list[CorpusTopic], ranking_file: Path, ranked: Rankings, depth: int
) -> pd.DataFrame:
    """The ranking of a file, with texts."""
    import pandas as pd

    from conqret.errors import DeclarationError

    documents = list(
        dict.fromkeys(identifier for topic in topics for identifier in ranked.get(topic.id, [])[:depth])
    )
    entries = index.entries(documents)
    if lacking := [document for document in documents if document not in entries]:
        raise DeclarationError(
            f"{ranking_file} ranks {len(lacking)} documents that the corpus lacks (for example "
            f"{lacking[0]!r}): give the corpus of the ranking"
        )
    rows = [
        (
            topic.id,
            topic.question,
            identifier,
            float(depth - place),
            place,
            entries[identifier].title,
            entries[identifier].text,
        )
        for topic in topics
        for place, identifier in enumerate(ranked.get(topic.id, [])[:depth])
    ]
    return pd.DataFrame(rows, columns=["qid", "query", "docno", "score", "rank", "title", "text"])


def first_stage(
    corpus: Path, retriever: Retriever, topics: Sequence[CorpusTopic]
) -> tuple[pd.DataFrame, list[Index]]:
    """The ranking of a retriever that searches, with texts, and the indexes that it searched (built where there are
    none).

    Raises:
        DeclarationError: there is no index by vectors and nothing says with which encoder to build it, or what
            :func:`conqret.retrieval.pipeline.open_indexes` raises.
    """
    from conqret.retrieval.evaluation.systems import queries
    from conqret.retrieval.pipeline import assemble, open_indexes

    indexes = open_indexes(corpus, retriever.engines, retriever.encoder)
    made = assemble(indexes, plan_of(retriever), None)
    return made.pipeline(queries(topics)), indexes


def plan_of(retriever: Retriever) -> PipelinePlan:
    """The stages of a retriever that searches. Raises DeclarationError where its settings do not fit each other."""
    from conqret.retrieval.pipeline import PipelinePlan

    return PipelinePlan(
        depth=retriever.depth,
        weights=retriever.weights,
        cross_encoder=retriever.cross_encoder,
        instruction=retriever.instruction,
    )


async def _rerank(
    job: Job, sessions: Sessions, frame: pd.DataFrame, table: Reranker, stance: Stance
) -> tuple[pd.DataFrame, int]:
    from conqret.retrieval.mmr import MMR
    from conqret.retrieval.rerank import ListwiseReranker

    session = sessions.of(job.experiment.client(table.model))
    reranker = ListwiseReranker(
        stance=stance if table.instruction == "stance" else "none",
        window=table.window,
        step=table.step,
        session=session,
    )
    frame = await reranker.rerank(frame, session.client)
    if table.mmr is not None:
        frame = MMR(table.mmr).transform(frame)
    return frame, reranker.summary.failed


def _ranked(frame: pd.DataFrame) -> Mapping[str, list[str]]:
    from conqret.retrieval.evaluation.systems import rankings

    documents_by_topic: dict[str, list[str]] = {
        topic: list(documents) for topic, documents in rankings(frame).items()
    }
    return {topic: documents_by_topic[topic] for topic in dict.fromkeys(map(str, frame["qid"]))}


def _state_file(target: Path) -> Path:
    return target.with_name(target.name.removesuffix(".res.gz") + ".json")

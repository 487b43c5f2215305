"""What an experiment's rankings are worth against the qrels of its corpus."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping
from typing import Any

from conqret.data import Item
from conqret.experiments.job import Job

Qrels = Mapping[str, Mapping[str, Mapping[str, int]]]
"""By side and topic the judged documents with their grades."""


def qrels(job: Job) -> Qrels:
    """The qrels of the experiment's topics; a side of which nothing relevant is known is left out."""
    topics = {topic.id for topic in job.topics()}
    split = None if job.experiment.split == "all" else job.experiment.split
    grades: dict[str, dict[str, dict[str, int]]] = {}
    for stance in job.experiment.stances:
        files = [job.corpus.qrels_file(stance, part) for part in ([split] if split else ("train", "test"))]
        if not all(file.is_file() for file in files):
            continue
        judged: dict[str, dict[str, int]] = {}
        for qrel in job.corpus.qrels_iter(stance, split):
            if qrel.query_id in topics:
                judged.setdefault(qrel.query_id, {})[qrel.doc_id] = qrel.relevance
        if any(grade > 0 for documents in judged.values() for grade in documents.values()):
            grades[stance] = judged
    return grades


def without_relevant(items: Iterable[Item], known: Qrels) -> list[str] | None:
    """The ids of the items whose documents are all irrelevant, of those with a relevant document to be found; None
    where no qrels are known."""
    if not known:
        return None
    identifiers = []
    for item in items:
        grades = known.get(item.stance, {}).get(str(item.metadata["topic_id"]), {})
        relevant = {name for name, grade in grades.items() if grade > 0}
        if relevant and not relevant & {document.id for document in item.documents}:
            identifiers.append(item.id)
    return identifiers


def retrieval(job: Job, known: Qrels) -> dict[str, Any]:
    """By side and ranking, precision, nDCG, and recall at the depth to which all were retrieved; empty where no qrels
    are known."""
    from conqret.io.trec import read_rankings
    from conqret.retrieval.evaluation.depths import default_measures
    from conqret.retrieval.evaluation.evaluate import evaluate

    if importlib.util.find_spec("ir_measures") is None:
        return {}
    retrievers = [job.experiment.retrievers[ranking.retriever] for ranking in job.rankings.values()]
    measures = default_measures(min(retriever.depth for retriever in retrievers))
    scores: dict[str, Any] = {}
    for stance, judged in known.items():
        runs = {name: read_rankings(job.out.ranking(name, stance)) for name in job.rankings}
        for score in evaluate(runs, {stance: judged}, measures=measures).scores:
            scores.setdefault(stance, {}).setdefault(score.system, {})[score.measure] = {
                "mean": score.interval.value,
                "low": score.interval.low,
                "high": score.interval.high,
                "reason": score.interval.reason,
                "difference": score.difference,
                "p": score.p,
            }
    return scores

"""All scores of an experiment in one file, and the experiment in numbers; the same bytes for the same answers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from conqret.data import Item, Measure
from conqret.experiments.config import System
from conqret.experiments.job import Job
from conqret.generation.generate import Generated
from conqret.io.atomic import replacing
from conqret.io.corpus import write_lines
from conqret.judging.folder import JudgeFolder


def write_scores(job: Job) -> dict[str, Any]:
    """Write ``scores.jsonl`` and ``summary.json``, and return the latter.

    A line of the scores has system, judge, item, topic, stance, metric, status, value, raw, label and reason;
    those of damaged versions have perturbation and level too. An argument that could not be written has a line
    without a judge. Nothing in either file depends on when or how fast answers came.
    """
    rows = list(_rows(job))
    write_lines(job.out.scores_file, rows)
    summary = {
        "name": job.experiment.name,
        "topics": len(job.topics()),
        "retrieval": _retrieval(job),
        "arguments": {system.name: _arguments(job, system) for system in job.systems},
        "scores": _means(job, rows),
        "sensitivity": {
            system.name: _curves(job, system) for system in job.systems if job.experiment.perturbations
        },
    }
    with replacing(job.out.summary_file) as file:
        file.write(json.dumps(summary, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass"))
    return summary


def _rows(job: Job) -> Iterator[dict[str, Any]]:
    for system in job.systems:
        for one in _generations(job, system):
            if one.argument is None:
                yield {
                    "system": system.name, "judge": None, "item": one.id, "topic": one.topic,
                    "stance": one.stance, "metric": None, "status": one.status, "value": None,
                    "raw": None, "label": None, "reason": one.reason,
                }  # fmt: skip
        for table in job.experiment.judges:
            run = job.out.judgments(system, table.label)
            if run.record_file.is_file():
                yield from _judged(system, table.label, run)
        yield from _damaged(job, system)


def _judged(system: System, judge: str, run: JudgeFolder) -> Iterator[dict[str, Any]]:
    """The measures of a run, in the order of its items and of the format's metrics."""
    topics = {item.id: item.metadata.get("topic_id", item.topic) for item in run.items()}
    judgments = {judgment.item: judgment for judgment in run.judgments()}
    for identifier, topic in topics.items():
        if (judgment := judgments.get(identifier)) is not None:
            for metric, measure in judgment.measures.items():
                yield _row(system, judge, identifier, topic, judgment.stance, metric, measure)


def _damaged(job: Job, system: System) -> Iterator[dict[str, Any]]:
    """The scores of damaged versions, sorted by judge and version."""
    items = {item.id: item for item in _items(job, system)}
    judgments = [judgment.bare() for judgment in job.out.sensitivity(system).judgments()]
    for judgment in sorted(judgments, key=lambda one: (one.fingerprint, one.item)):
        version = judgment.version
        if version is None or version.original not in items:
            continue
        item = items[version.original]
        topic = item.metadata.get("topic_id", "")
        for metric, measure in sorted(judgment.measures.items()):
            label = _label(job, judgment.fingerprint, metric)
            yield {
                **_row(system, label, item.id, topic, item.stance, metric, measure),
                "perturbation": version.perturbation,
                "level": version.level,
            }


def _row(
    system: System, judge: str, item: str, topic: str, stance: str, metric: str, measure: Measure
) -> dict[str, Any]:
    return {
        "system": system.name, "judge": judge, "item": item, "topic": topic, "stance": stance, "metric": metric,
        "status": measure.status.value, "value": measure.value, "raw": measure.raw, "label": measure.label,
        "reason": measure.reason.value if measure.reason else None,
    }  # fmt: skip


def _label(job: Job, fingerprint: str, metric: str) -> str:
    """The judge of a score: the instrument may stand under several labels, each with metrics of its own."""
    return next(
        (
            label
            for label, setup in job.setups.items()
            if setup.fingerprint == fingerprint and metric in setup.metrics
        ),
        fingerprint,
    )


def _means(job: Job, rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """By system, judge and metric: the mean with its interval over topics, n of N, and the bounds.

    N counts every argument that was to be written: one that is not there has no score either.
    """
    import numpy as np

    from conqret.stats import bootstrap_interval

    wanted = len(job.topics()) * len(job.experiment.stances)
    found: dict[tuple[str, str, str], list[tuple[str, float]]] = {}
    for row in rows:
        if row["judge"] is None or "perturbation" in row:
            continue
        values = found.setdefault((row["system"], row["judge"], row["metric"]), [])
        if row["value"] is not None:
            values.append((row["topic"], row["value"]))
    means: dict[str, dict[str, dict[str, Any]]] = {}
    for (system, judge, metric), values in found.items():
        total = math.fsum(value for _, value in values)
        entry: dict[str, Any] = {"n": len(values), "total": wanted, "mean": None, "low": None, "high": None}
        if values:
            rng = np.random.default_rng(job.experiment.seed)
            interval = bootstrap_interval(
                [v for _, v in values], rng, clusters=[topic for topic, _ in values]
            )
            entry |= {"mean": interval.value, "low": interval.low, "high": interval.high}
        entry |= {"worst_case": total / wanted, "best_case": (total + wanted - len(values)) / wanted}
        means.setdefault(system, {}).setdefault(judge, {})[metric] = entry
    return means


def _arguments(job: Job, system: System) -> dict[str, Any]:
    """What the arguments of a system are like: written, not written by reason, citations, documents."""
    facts = [item.metadata["generation"] for item in _items(job, system)]
    reasons: dict[str, int] = {}
    for one in _generations(job, system):
        if one.reason is not None:
            reasons[one.reason] = reasons.get(one.reason, 0) + 1
    return {
        "written": len(facts),
        "not_written": dict(sorted(reasons.items())),
        "sentences": sum(one["citations"]["sentences"] for one in facts),
        "cited_sentences": sum(one["citations"]["cited_sentences"] for one in facts),
        "out_of_range": sum(len(one["citations"]["out_of_range"]) for one in facts),
        "misquoted": sum(len(one["citations"]["misquoted"]) for one in facts),
        "never_cited": sum(len(one["citations"]["never_cited"]) for one in facts),
        "left_out": sum(len(one["left_out"]) for one in facts),
        "trimmed": sum(len(one["trimmed"]) for one in facts),
    }


def _retrieval(job: Job) -> dict[str, Any]:
    """By side and ranking, precision, nDCG and recall against the corpus's qrels; empty where it has none."""
    import importlib.util

    import numpy as np

    from conqret.io.trec import read_rankings
    from conqret.retrieval.evaluation.evaluate import evaluate

    if importlib.util.find_spec("ir_measures") is None:
        return {}
    topics = {topic.id for topic in job.topics()}
    split = None if job.experiment.split == "all" else job.experiment.split
    found: dict[str, Any] = {}
    for stance in job.experiment.stances:
        if not all(
            job.corpus.qrels_file(stance, one).is_file() for one in ([split] if split else ("train", "test"))
        ):
            continue
        judged: dict[str, dict[str, int]] = {}
        for qrel in job.corpus.qrels_iter(stance, split):
            if qrel.query_id in topics:
                judged.setdefault(qrel.query_id, {})[qrel.doc_id] = qrel.relevance
        if not any(grade > 0 for documents in judged.values() for grade in documents.values()):
            continue
        runs = {name: read_rankings(job.out.ranking(name, stance)) for name in job.rankings}
        scores = evaluate(runs, {stance: judged}, np.random.default_rng(job.experiment.seed)).scores
        for score in scores:
            found.setdefault(stance, {}).setdefault(score.system, {})[score.measure] = {
                "mean": score.interval.value,
                "low": score.interval.low,
                "high": score.interval.high,
                "p": score.p,
            }
    return found


def _curves(job: Job, system: System) -> list[dict[str, Any]]:
    """For each judge, perturbation and metric, what was expected and whether it came."""
    folder = job.out.sensitivity(system)
    if not folder.results_file.is_file():
        return []
    return [curve.model_dump(mode="json") for curve in folder.results().curves]


def _generations(job: Job, system: System) -> list[Generated]:
    return list(job.out.arguments(system).rows().rows())


def _items(job: Job, system: System) -> list[Item]:
    file = job.out.arguments(system).items_file
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    return [Item.model_validate_json(line) for line in text.split("\n") if line]

"""All scores of an experiment in one table, and the experiment in numbers; the same bytes for the same answers."""

from __future__ import annotations

import importlib.util
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from conqret.data import Item, Judgment
from conqret.experiments.config import System
from conqret.experiments.job import Job
from conqret.io.safe_files import write_whole
from conqret.io.trec import read_rankings
from conqret.judging.judge_folder import COLUMNS, score_cells
from conqret.judging.judge_folder import write_scores as write_table
from conqret.judging.judge_parts import JURY
from conqret.retrieval.corpus_index import open_index
from conqret.retrieval.evaluate import default_measures, evaluate
from conqret.retrieval.systems import judgments
from conqret.stats.effects import holm
from conqret.stats.estimate import Estimate, undefined
from conqret.stats.resampling import mean, mean_interval

Qrels = Mapping[str, Mapping[str, Mapping[str, int]]]
"""By side and topic the judged documents with their grades."""


def qrels(job: Job) -> Qrels:
    """Return the qrels of the experiment's topics by side; sides that lack qrels of one of its splits are
    left out. Qrels without sides are those of each side."""
    there, sides = job.corpus.views(job.split), job.experiment.stances
    topics = {topic.id for topic in job.topics()}
    if there == ("all",):
        return dict.fromkeys(sides, judgments(job.corpus, job.split, topics, there).get("all", {}))
    judged = [side for side in sides if side in there]
    return judgments(job.corpus, job.split, topics, judged) if judged else {}


def without_relevant(items: Iterable[Item], known: Qrels) -> list[str] | None:
    """Return the ids of the items that could have a relevant document but have none; None if there are no
    qrels.
    """
    if not known:
        return None
    identifiers = []
    for item in items:
        grades = known.get(item.stance, {}).get(str(item.metadata["topic_id"]), {})
        relevant = {name for name, grade in grades.items() if grade > 0}
        if relevant and relevant.isdisjoint(document.id for document in item.documents):
            identifiers.append(item.id)
    return identifiers


def retrieval(job: Job, known: Qrels) -> dict[str, Any]:
    """Return precision, nDCG and recall by side, ranking and measure, each with interval, difference from the
    first ranking and p; empty if there are no qrels or no ir_measures.

    Recall is measured at the smallest retrieval depth of all retrievers. A run from a file has no value of measures
    that look deeper than its longest ranking.
    """
    if not known or importlib.util.find_spec("ir_measures") is None:
        return {}
    retrievers = {
        name: job.experiment.retrievers[ranking.retriever] for name, ranking in job.rankings.items()
    }
    measures = default_measures(min(retriever.depth for retriever in retrievers.values()))
    sideless = " (qrels without sides)" * (job.corpus.views(job.split) == ("all",))
    scores: dict[str, Any] = {}
    for stance, judged in known.items():
        runs = {name: read_rankings(job.out.ranking(name, stance)) for name in job.rankings}
        depths = {
            name: longest
            for name, run in runs.items()
            if retrievers[name].files
            and (longest := max(map(len, run.values()))) < len(open_index(job.experiment.corpus))
        }
        for score in evaluate(runs, {stance: judged}, measures=measures, depths=depths).scores:
            scores.setdefault(f"{stance}{sideless}", {}).setdefault(score.system, {})[score.measure] = {
                **_ends(score.interval),
                "difference": score.difference,
                "p": score.p,
            }
    return scores


LEADING = ("system", "judge", "topic_id")
"""The columns of an experiment's ``scores.parquet`` before those of every table of scores."""


def write_scores(job: Job) -> dict[str, Any]:
    """Write ``scores.parquet`` and ``summary.json``, and return the content of the latter.

    The table has the columns :data:`LEADING` and :data:`conqret.judging.judge_folder.COLUMNS`. Rows of
    perturbed items name the original item and the perturbation. An argument that was not written has a row
    without a judge. Neither file depends on the time or the order of responses.
    """
    rows = (row for system in job.systems for row in _system_rows(job, system))
    write_table(job.out.scores_file, rows, LEADING)
    known = qrels(job)
    summary = {
        "name": job.experiment.name,
        "topics": len(job.topics()),
        "retrieval": retrieval(job, known),
        "arguments": {system.name: _arguments(job, system, known) for system in job.systems},
        "scores": _means(job),
        "differences": _differences(job),
        "sensitivity": {
            system.name: [curve.model_dump(mode="json") for curve in folder.results().curves]
            if (folder := job.out.sensitivity(system)).results_file.is_file()
            else []
            for system in job.systems
            if job.experiment.perturbations
        },
    }
    write_whole(
        job.out.summary_file,
        json.dumps(summary, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass"),
    )
    return summary


def _system_rows(job: Job, system: System) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of what a system did not write (with the reason), of the judgments of what it wrote, and of those
    of the perturbed versions. Judgments of arguments that are no longer there are left out."""
    questions = {topic.id: topic.question for topic in job.topics()}
    for generation in job.out.arguments(system).rows().rows():
        if generation.argument is None:
            cells = {
                "system": system.name,
                "topic_id": generation.topic,
                "item": generation.id,
                "topic": questions[generation.topic],
                "stance": generation.stance,
                "status": generation.status,
                "reason": generation.reason,
            }
            yield tuple(map(cells.get, (*LEADING, *COLUMNS)))
    topics = {item.id: str(item.metadata["topic_id"]) for item in _items(job, system)}
    for judge in (*job.setups, *([JURY.name] if job.experiment.jury else [])):
        run = job.out.judgments(system, judge)
        for judgment in run.judgments():
            if judgment.item in topics:  # not of an argument that is no longer there
                for row in score_cells(judgment):
                    yield system.name, judge, topics[judgment.item], *row
    for judgment in job.out.sensitivity(system).judgments():
        if judgment.version is not None and judgment.version.original in topics:
            for judge, part in _by_judge(job, judgment):
                for row in score_cells(part):
                    yield system.name, judge, topics[judgment.version.original], *row


def _by_judge(job: Job, judgment: Judgment) -> Iterator[tuple[str, Judgment]]:
    """The judgment for every judge of this judge configuration, which each have metrics of their own."""
    for label, setup in job.setups.items():
        if setup.fingerprint == judgment.fingerprint:
            measures = {name: measure for name, measure in judgment.measures.items() if name in setup.metrics}
            yield label, judgment.model_copy(update={"measures": measures})


def _means(job: Job) -> dict[str, Any]:
    """Return, by system, judge and metric: the mean with its interval over topics, the number of scores
    (``n`` of ``total``), and the means if all missing ones were 0 and 1 (``worst_case``, ``best_case``).

    ``total`` counts every argument that was to be written, also those that were not.
    """
    wanted = len(job.topics()) * len(job.experiment.stances)
    measures = _measures(job)
    means: dict[str, dict[str, dict[str, Any]]] = {}
    for (system, judge, metric), rows in measures.group_by("system", "judge", "metric", maintain_order=True):
        scored = rows.drop_nulls("value")
        values = scored["value"].to_list()
        total = math.fsum(values)
        interval = undefined("nothing was scored")
        if values:
            interval = mean_interval(values, scored["topic_id"].to_list(), scale="share")
        bounds = {"worst_case": total / wanted, "best_case": (total + wanted - len(values)) / wanted}
        entry = {"n": len(values), "total": wanted, **_ends(interval), **bounds}
        means.setdefault(str(system), {}).setdefault(str(judge), {})[str(metric)] = entry
    return means


def _differences(job: Job) -> dict[str, Any]:
    """Return, by system after the first, judge and metric, the mean difference of its scores from those of
    the first system on the same topic and side. Each has an interval over topics, the number of pairs (``n``
    of ``total``) and ``p``, by a t-test over topics (None below six) with Holm's correction over all metrics
    of a judge and all systems. For two systems this is what ``conqret runs diff`` reports on their runs."""
    pair = ["judge", "metric", "topic_id", "stance"]
    measures = _measures(job).drop_nulls("value").select("system", *pair, "value")
    first, *others = (measures.filter(pl.col("system") == system.name) for system in job.systems)
    wanted = len(job.topics()) * len(job.experiment.stances)
    differences: dict[str, dict[str, dict[str, Any]]] = {}
    families: dict[object, list[dict[str, Any]]] = {}
    for system, rows in zip(job.systems[1:], others, strict=True):
        both = rows.join(first, on=pair, suffix="_first", maintain_order="left")
        for (judge, metric), paired_rows in both.group_by("judge", "metric", maintain_order=True):
            apart = (paired_rows["value"] - paired_rows["value_first"]).to_list()
            moved = mean(apart, paired_rows["topic_id"].to_list())
            entry = {"n": len(apart), "total": wanted, **_ends(moved.estimate()), "p": moved.p()}
            differences.setdefault(system.name, {}).setdefault(str(judge), {})[str(metric)] = entry
            families.setdefault(judge, []).append(entry)
    for family in families.values():
        for entry, p in zip(family, holm([entry["p"] for entry in family]), strict=True):
            entry["p"] = p
    return differences


def _measures(job: Job) -> pl.DataFrame:
    """The scores of whole arguments as they were written."""
    return pl.read_parquet(job.out.scores_file).filter(
        pl.col("judge").is_not_null() & pl.col("perturbation").is_null() & pl.col("part").is_null()
    )


def _ends(interval: Estimate) -> dict[str, float | str | None]:
    return {"mean": interval.value, "low": interval.low, "high": interval.high, "reason": interval.reason}


def _arguments(job: Job, system: System, known: Qrels) -> dict[str, Any]:
    """Return facts about the arguments of a system: how many were written and not written (by reason), their citations
    and documents, prompt injections by the first judge, and ``none_relevant``, how many have no relevant document
    though there is one (None: no qrels)."""
    items = _items(job, system)
    facts = [item.metadata["generation"] for item in items]
    lacking = without_relevant(items, known)
    label = next(iter(job.setups))
    flagged = {
        judgment.item for judgment in job.out.judgments(system, label).judgments() if judgment.addressed
    }
    written = job.out.arguments(system).rows().rows()
    reasons = Counter(row.reason for row in written if row.reason is not None)
    cited = [fact["citations"] for fact in facts]
    return {
        "written": len(facts),
        "not_written": dict(sorted(reasons.items())),
        "sentences": sum(check["sentences"] for check in cited),
        "cited_sentences": sum(check["cited_sentences"] for check in cited),
        **{
            kind: sum(len(check[kind]) for check in cited)
            for kind in ("out_of_range", "misquoted", "never_cited")
        },
        "left_out": sum(len(fact["left_out"]) for fact in facts),
        "trimmed": sum(len(fact["trimmed"]) for fact in facts),
        "flagged": len(flagged & {item.id for item in items}),
        "none_relevant": None if lacking is None else len(lacking),
    }


def _items(job: Job, system: System) -> list[Item]:
    folder = job.out.arguments(system)
    return list(folder.items()) if folder.items_file.is_file() else []

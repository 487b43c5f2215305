"""RAGChecker, meta-evaluation: which of two answers of RAG systems annotators prefer, and how clearly."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

import numpy as np

from conqret.data import Item
from conqret.io.checks import between, filled, identifier, number, text
from conqret.io.schema import Field, TableReader
from conqret.stats.correlation import COEFFICIENTS
from conqret.suites.suite import Suite, SuiteData, SuiteFile, SuiteStatistic, SuiteVerdicts, printed
from conqret.suites.suite_files import MOVED, is_there, published, published_rows, published_text
from conqret.suites.suite_statistics import correlation, mean_labels

LABELS, SCORES = "human_labeled_data.json", "baseline_ragchecker.json"
ASPECTS = {"preference": "overall", "correctness": "correctness", "completeness": "completeness"}
"""The questions to annotators, under the metrics of the suite: the preference is the overall one."""
RAGCHECKER = "RAGChecker"
LABEL = published(
    id=("instance_id", identifier),
    dataset=("dataset", filled),
    query=("query", published_text),
    reference=("gt_answer", published_text),
    first=Field(("model1.response",), text, ""),
    second=Field(("model2.response",), text, ""),
    **{metric: (f"{aspect}_label", between(-2, 2, MOVED)) for metric, aspect in ASPECTS.items()},
)


def _score(value: object, where: str, reader: TableReader) -> float:
    """A number, NaN included: RAGChecker has no score of some answers."""
    return math.nan if isinstance(value, float) and math.isnan(value) else number(value, where, reader)


SCORE = published(
    id=("instance_id", identifier),
    **{
        f"{model}/{metric}": Field((f"{model}.ragchecker.{aspect}_label",), _score, math.nan)
        for model in ("model1", "model2")
        for metric, aspect in ASPECTS.items()
    },
)


def read(folder: Path) -> SuiteData:
    """Read the pairs with two annotators' labels on the preference scale, and RAGChecker's own scores as
    logs.

    Raises:
        DeclarationError: a file is missing or empty.
        ItemsError: rows are faulty; all are listed.
    """
    items: dict[str, Item] = {}
    datasets: dict[str, str] = {}
    labels: dict[str, dict[str, dict[str, float]]] = {metric: {} for metric in ASPECTS}
    for row in published_rows(folder, LABELS, LABEL):
        name = row["id"]
        if name not in items and row["first"].strip() and row["second"].strip():
            items[name] = Item(
                id=name,
                topic=row["query"],
                argument=row["first"],
                second_argument=row["second"],
                reference=row["reference"],
            )
        datasets[name] = row["dataset"]
        for metric in ASPECTS:
            of_pair = labels[metric].setdefault(name, {})
            of_pair[f"annotator {len(of_pair) + 1}"] = (2 - row[metric]) / 4
    gold = {metric: mean_labels(annotations) for metric, annotations in labels.items()}
    logs = {RAGCHECKER: _differences(folder)} if is_there(folder, SCORES) else {}
    return SuiteData(tuple(items.values()), gold, {}, datasets, labels, logs)


def _differences(folder: Path) -> dict[str, dict[str, float]]:
    """Return by metric and item how much higher RAGChecker scores the first answer, scaled linearly so that the
    differences fill -2 to 2 as in its script. An item without a score gets the median."""
    rows = list(published_rows(folder, SCORES, SCORE, unique="id"))
    differences = {}
    for metric in ASPECTS:
        delta = np.array([row[f"model2/{metric}"] - row[f"model1/{metric}"] for row in rows])
        delta[np.isnan(delta)] = np.nanmedian(delta)
        low, high = delta.min(), delta.max()
        scaled = ((delta - low) / (high - low) - 0.5) * 4 if high > low else delta
        differences[metric] = {row["id"]: -float(value) for row, value in zip(rows, scaled, strict=True)}
    return differences


def with_all_labels(kind: str, verdicts: SuiteVerdicts) -> float:
    """Return a correlation (``kind``: a name in :data:`~conqret.stats.correlation.COEFFICIENTS`) between
    verdicts and labels, with each annotator's label as a separate point.
    """
    points = [
        (verdict, label)
        for verdict, labels in zip(verdicts.verdicts.tolist(), verdicts.annotations, strict=True)
        for label in labels.values()
    ]
    scores, labels = ([point[place] for point in points] for place in (0, 1))
    return COEFFICIENTS[kind](scores, labels)


def _statistic(kind: str, metric: str) -> SuiteStatistic:
    title = {"pearson": "Pearson's", "spearman": "Spearman's"}[kind]
    return correlation(
        kind if metric == "preference" else f"{kind}_{metric}",
        f"{title} correlation with the labels ({ASPECTS[metric]}, -2 to 2) of both annotators of each pair",
        partial(with_all_labels, kind),
        metric,
    )


_FROM = ("amazon-science/RAGChecker", "657d54ba07ace0fe545ed0e9905032b5b73c5278")
_STATISTICS = tuple(_statistic(kind, metric) for metric in ASPECTS for kind in ("pearson", "spearman"))
SUITE = Suite(
    name="ragchecker",
    title="RAGChecker, meta-evaluation",
    question="Which of two answers of RAG systems do annotators prefer?",
    source=(
        "Ru et al., RAGChecker: A Fine-grained Framework for Diagnosing Retrieval-Augmented Generation, NeurIPS 2024 "
        "Datasets and Benchmarks, https://arxiv.org/abs/2408.08067"
    ),
    license="Apache-2.0: use and pass on with the notice",
    files=(
        SuiteFile(LABELS, *_FROM, f"data/meta_evaluation/{LABELS}"),
        SuiteFile(SCORES, *_FROM, f"data/meta_evaluation/{SCORES}", optional=True),
    ),
    public_since="2024-08",
    task="preference",
    read=read,
    metrics=tuple(ASPECTS),
    baseline={"format": "response-quality", "metrics": ("preference",)},
    judging={
        "criteria": (
            "overall: The answer to the question is correct and complete, as the reference answer shows",
        )
    },
    statistics=_STATISTICS,
    published=printed(
        {RAGCHECKER: (61.93, 60.90, 49.66, 46.95, 60.67, 58.11)},
        [statistic.name for statistic in _STATISTICS],
        2,
        "Tables 2 and 5",
        logged=True,
        times=100,
    ),
    whole={"items": 280, "logs": 1},
)

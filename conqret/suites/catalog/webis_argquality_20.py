"""Webis-ArgQuality-20: the quality of short arguments in three dimensions, from paired comparisons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from conqret.io.checks import filled, identifier, number, one_line, one_of
from conqret.io.label_set import LabelSet
from conqret.io.labels import read_labels
from conqret.io.pairs import Comparison, read_comparisons
from conqret.io.schema import Field
from conqret.stats.agreement import Level, krippendorff_alpha
from conqret.stats.correlation import spearman
from conqret.stats.paired_ranking import PairwisePreference, bradley_terry
from conqret.suites.suite import PublishedFigure, Suite, SuiteData, SuiteFile
from conqret.suites.suite_files import data_of_rows, is_there, published, published_rows, suite_file
from conqret.suites.suite_statistics import correlation, spearman_rho, value_of

_NAME = "webis-argquality20"
ARGUMENTS, TOPICS, RELEVANCE = f"{_NAME}-arguments.csv", f"{_NAME}-topics.csv", f"{_NAME}-raw-relevance.csv"
DIMENSIONS = {
    "overall_quality": "Combined Quality",
    "cogency": "Logical Quality",
    "effectiveness": "Rhetorical Quality",
    "reasonableness": "Dialectical Quality",
}
"""The dimensions by the names of Wachsmuth et al. (2017), which the format has, with the corpus's columns."""
RAW = {
    "cogency": f"{_NAME}-raw-logical.csv",
    "effectiveness": f"{_NAME}-raw-rhetorical.csv",
    "reasonableness": f"{_NAME}-raw-dialectical.csv",
}
TOPIC = published(id=("Topic ID", identifier), question=("Long Query", one_line))
ARGUMENT = published(
    cluster=("Topic ID", identifier),
    discussion=("Discussion ID", identifier),
    id=("Argument ID", identifier),
    argument=("Premise", filled),
    is_argument=("Is Argument?", one_of({"true": True, "false": False}, "yes-or-no value")),
    **{name: Field((column,), number, math.nan) for name, column in DIMENSIONS.items()},
)


def read(folder: Path) -> SuiteData:
    """Read the arguments of all topics; texts that are not arguments are left out.

    Raises:
        DeclarationError: a file is missing or empty.
        ItemsError: rows are faulty; all are listed.
        LabelsError: labels are faulty.
    """
    topics = {row["id"]: row["question"] for row in published_rows(folder, TOPICS, TOPIC, unique="id")}
    rows = published_rows(folder, ARGUMENTS, ARGUMENT, unique=("cluster", "discussion", "id"))
    arguments = (
        {
            **row,
            "id": f"{row['cluster']}/{row['discussion']}-{row['id']}",
            "topic": topics.get(row["cluster"], row["cluster"]),
            "argument": row["argument"].strip(),
        }
        for row in rows
        if row["is_argument"]
    )
    raw: dict[str, Any] = {
        name: read_comparisons(suite_file(folder, file))
        for name, file in RAW.items()
        if is_there(folder, file)
    }
    if is_there(folder, RELEVANCE):
        raw["relevance"] = read_labels(suite_file(folder, RELEVANCE))
    return data_of_rows(arguments, *DIMENSIONS, raw=raw)


def alpha(dimension: str, level: Level, data: SuiteData) -> float:
    """Return Krippendorff's alpha of a dimension's single labels at a level of measurement; NaN if their
    file is missing.

    The labels of an argument are numbered as if each number were one annotator.
    """
    labels: LabelSet | None = data.raw.get("relevance")
    if labels is None:
        return math.nan
    return krippendorff_alpha(labels.table(dimension, labels.units)[1], level)


def strengths(dimension: str, data: SuiteData) -> float:
    """Return Spearman's correlation of the arguments' Bradley-Terry strengths (from paired comparisons) with their
    published scores, over the arguments that have both. NaN if there are none, or no comparisons of the dimension."""
    comparisons: Sequence[Comparison] | None = data.raw.get(dimension)
    if not comparisons:
        return math.nan
    standings = bradley_terry(
        [PairwisePreference(pair.first, pair.second, pair.outcome) for pair in comparisons]
    )
    scores = {name.partition("/")[2]: score for name, score in data.gold[dimension].items()}
    fitted = {row.player: row.rating.value for row in standings if row.rating.value is not None}
    both = [name for name in fitted if name in scores]
    if not both:
        return math.nan
    return value_of(spearman([fitted[name] for name in both], [scores[name] for name in both]))


_FROM = ("webis-de/acl20-efficient-argument-quality-annotation", "2e93b5850eb22e76f7ed1a02d8148fc225f600fa")
_ALPHAS: tuple[tuple[str, Level, float], ...] = (
    ("relevance", "nominal", 0.1342),
    ("relevance", "ordinal", 0.2759),
    ("is_argument", "nominal", 0.2183),
)
_REFERENCE = "the released single labels, by the package krippendorff"
SUITE = Suite(
    name="webis-argquality-20",
    title="Webis-ArgQuality-20",
    question="How good is a short argument: cogent, effective, reasonable, and overall?",
    source=(
        "Gienapp et al., Efficient Pairwise Annotation of Argument Quality, ACL 2020, "
        "https://aclanthology.org/2020.acl-main.511/"
    ),
    license="the repository names none: ask before passing the texts on",
    files=(
        SuiteFile(ARGUMENTS, *_FROM, f"Webis-ArgQuality-20-Full/{ARGUMENTS}"),
        SuiteFile(TOPICS, *_FROM, f"Webis-ArgQuality-20-Full/{TOPICS}"),
        *(
            SuiteFile(name, *_FROM, f"Webis-ArgQuality-20-Raw/{name}", optional=True)
            for name in (RELEVANCE, *RAW.values())
        ),
    ),
    public_since="2020-07",
    task="rating",
    read=read,
    metrics=tuple(DIMENSIONS),
    judging={"format": "listwise"},
    statistics=tuple(
        correlation(
            "spearman" if name == "overall_quality" else f"spearman_{name}",
            f"Spearman's rank correlation with the scores of {column.lower()} from paired comparisons",
            spearman_rho,
            name,
        )
        for name, column in DIMENSIONS.items()
    ),
    published=(
        *(
            PublishedFigure(
                f"the annotators, {dimension.replace('_', ' ')}",
                f"Krippendorff's alpha ({level})",
                value,
                4,
                _REFERENCE,
                recompute=partial(alpha, dimension, level),
                judge=False,
            )
            for dimension, level, value in _ALPHAS
        ),
        *(
            PublishedFigure(
                f"Bradley-Terry strengths of the raw comparisons, {name}",
                "Spearman's correlation with the published scores",
                value,
                3,
                "docs/results/agreement.md",
                recompute=partial(strengths, name),
                judge=False,
                note=(
                    "1 is not reached: the authors' model has a threshold for ties and a regularization whose values "
                    "for the release are not published"
                ),
            )
            for name, value in (("cogency", 0.997), ("effectiveness", 0.988), ("reasonableness", 0.992))
        ),
    ),
    whole={"items": 1_271, "clusters": 20},
    folder="webis-argquality20",
    about="debates and arguments",
)

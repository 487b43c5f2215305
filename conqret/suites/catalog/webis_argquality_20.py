"""Webis-ArgQuality-20: the quality of short arguments in three dimensions, from paired comparisons."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from conqret.data import Item
from conqret.io.checks import filled, identifier, number, one_line, one_of
from conqret.io.comparisons import Comparison, read_comparisons
from conqret.io.label_set import LabelSet
from conqret.io.labels import read_labels
from conqret.io.schema import Field, Schema
from conqret.stats.agreement import Level
from conqret.suites.published_files import MOVED, NO_DIGEST, is_there, published_rows
from conqret.suites.suite import (
    PublishedFigure,
    Suite,
    SuiteData,
    SuiteFile,
    SuiteStatistic,
    suite_file,
)
from conqret.suites.suite_statistics import spearman_rho

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
TOPIC = Schema(
    "a topic",
    {
        "id": Field(("Topic ID",), identifier, needed=MOVED),
        "question": Field(("Long Query",), one_line, needed=MOVED),
    },
)
ARGUMENT = Schema(
    "an argument",
    {
        "topic": Field(("Topic ID",), identifier, needed=MOVED),
        "discussion": Field(("Discussion ID",), identifier, needed=MOVED),
        "argument": Field(("Argument ID",), identifier, needed=MOVED),
        "text": Field(("Premise",), filled, needed=MOVED),
        "is_argument": Field(
            ("Is Argument?",), one_of({"true": True, "false": False}, "yes-or-no value"), needed=MOVED
        ),
        **{name: Field((column,), number, math.nan) for name, column in DIMENSIONS.items()},
    },
)


@dataclass(frozen=True)
class WebisData(SuiteData):
    """The arguments with their scores; and what these were made of, where it is there: the single labels of relevance
    and the paired comparisons of each dimension."""

    relevance: LabelSet | None = None
    comparisons: Mapping[str, tuple[Comparison, ...]] = field(default_factory=dict)


def read(folder: Path) -> WebisData:
    """The arguments of all topics; texts that are no argument have no quality and are left out."""
    topics = {row["id"]: row["question"] for row in published_rows(folder, TOPICS, TOPIC, unique="id")}
    items, topic_of = [], {}
    gold: dict[str, dict[str, float]] = {name: {} for name in DIMENSIONS}
    for row in published_rows(folder, ARGUMENTS, ARGUMENT, unique=("topic", "discussion", "argument")):
        if not row["is_argument"]:
            continue
        scores = {name: row[name] for name in DIMENSIONS if not math.isnan(row[name])}
        item = Item(
            id=f"{row['topic']}/{row['discussion']}-{row['argument']}",
            topic=topics.get(row["topic"], row["topic"]),
            argument=row["text"].strip(),
        )
        items.append(item)
        topic_of[item.id] = row["topic"]
        for name, score in scores.items():
            gold[name][item.id] = score
    return WebisData(
        tuple(items),
        gold,
        topic_of,
        relevance=read_labels(suite_file(folder, RELEVANCE)) if is_there(folder, RELEVANCE) else None,
        comparisons={
            name: read_comparisons(suite_file(folder, file))
            for name, file in RAW.items()
            if is_there(folder, file)
        },
    )


def alpha(dimension: str, level: Level, data: SuiteData) -> float:
    """Krippendorff's alpha of the single labels of a dimension; the labels of an argument are numbered as coders."""
    from conqret.stats.agreement import krippendorff_alpha

    labels = data.relevance if isinstance(data, WebisData) else None
    if labels is None:
        return math.nan
    return krippendorff_alpha(labels.table(dimension, labels.units)[1], level)


def strengths(dimension: str, data: SuiteData) -> float:
    """Spearman's correlation of Bradley-Terry strengths of the paired comparisons with the published scores."""
    from conqret.stats.correlation import spearman
    from conqret.stats.paired_ranking import PairwisePreference, bradley_terry

    comparisons = data.comparisons.get(dimension) if isinstance(data, WebisData) else None
    if not comparisons:
        return math.nan
    standings = bradley_terry(
        [PairwisePreference(pair.first, pair.second, pair.outcome) for pair in comparisons]
    )
    scores = {name.partition("/")[2]: score for name, score in data.gold[dimension].items()}
    fitted = {row.player: row.rating.value for row in standings if row.rating.value is not None}
    both = [name for name in fitted if name in scores]
    value = spearman([fitted[name] for name in both], [scores[name] for name in both]).value if both else None
    return math.nan if value is None else value


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
        SuiteFile(ARGUMENTS, *_FROM, f"Webis-ArgQuality-20-Full/{ARGUMENTS}", note=NO_DIGEST),
        SuiteFile(TOPICS, *_FROM, f"Webis-ArgQuality-20-Full/{TOPICS}", note=NO_DIGEST),
        *(
            SuiteFile(name, *_FROM, f"Webis-ArgQuality-20-Raw/{name}", optional=True, note=NO_DIGEST)
            for name in (RELEVANCE, *RAW.values())
        ),
    ),
    public_since="2020-07",
    task="rating",
    read=read,
    metrics=tuple(DIMENSIONS),
    judging={"format": "listwise"},
    statistics=tuple(
        SuiteStatistic(
            "spearman" if name == "overall_quality" else f"spearman_{name}",
            f"Spearman's rank correlation with the scores of {column.lower()} from paired comparisons",
            spearman_rho,
            metric=name,
            scale="correlation",
            chance=0.0,
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

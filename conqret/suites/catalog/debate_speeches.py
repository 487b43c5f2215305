"""Debate speeches: the quality of an opening speech of some 600 words, by the ratings of fifteen
annotators each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conqret.io.checks import a_list, filled, identifier, number, whole_number
from conqret.io.rows import InvalidCell
from conqret.io.schema import TableReader
from conqret.stats.agreement import krippendorff_alpha
from conqret.stats.correlation import kendall, one_against_others
from conqret.suites.suite import PublishedFigure, Suite, SuiteData, SuiteFile, SuiteVerdicts, printed
from conqret.suites.suite_files import MOVED, data_of_rows, published, published_rows, published_text
from conqret.suites.suite_statistics import (
    annotator_table,
    correlation,
    kendall_tau,
    mean_labels,
    spearman_rho,
    system_means,
    value_of,
)

METRIC = "good_opening_speech"
QUESTION = (
    f"{METRIC}: The question is the motion of a debate, and the argument a speech in support of it. How good is it "
    "as an opening speech? 1-5"
)
SPEECHES = "speeches.csv"


def _ratings(low: float, high: float) -> Callable[[object, str, TableReader], list[float]]:
    """Return a check that a value is a list of numbers from ``low`` to ``high``, also one that is written as a text;
    the check raises InvalidCell."""

    def check(value: object, where: str, reader: TableReader) -> list[float]:
        listed = a_list(value, "a list of ratings", MOVED)
        values = [number(rating, where, reader) for rating in listed]
        wrong = next((rating for rating in values if not low <= rating <= high), None)
        if wrong is not None:
            raise InvalidCell(f"contains {wrong:g}, but ratings must lie between {low:g} and {high:g}", MOVED)
        return values

    return check


def _names(value: object, where: str, reader: TableReader) -> list[str]:
    """The check that a value is a list of names (numbers count as such), all different."""
    listed = [str(name) for name in a_list(value, "a list of names", MOVED)]
    if len(set(listed)) < len(listed):
        raise InvalidCell("names an annotator twice", MOVED)
    return listed


SPEECH = published(
    id=("id", identifier),
    cluster=("topic_id", identifier),
    topic=("topic", filled),
    group=("source", filled),
    argument=("text", published_text),
    ratings=("goodopeningspeech", _ratings(1, 5)),
    count=("#labelers", whole_number),
    raters=("labeler_ids", _names),
)


def read(folder: Path) -> SuiteData:
    """Read the speeches, with the mean of their ratings as gold.

    Raises:
        DeclarationError: a file is missing or empty.
        ItemsError: rows are faulty; all are listed.
    """
    rows = list(published_rows(folder, SPEECHES, SPEECH, unique="id", check=_counted))
    annotations = {row["id"]: dict(zip(row["raters"], row["ratings"], strict=True)) for row in rows}
    means = mean_labels(annotations)
    speeches = ({**row, "stance": "pro", METRIC: means[row["id"]]} for row in rows)
    return data_of_rows(speeches, METRIC, annotations={METRIC: annotations})


def _counted(row: dict[str, Any]) -> None:
    ratings, raters, count = len(row["ratings"]), len(row["raters"]), row["count"]
    if not ratings == raters == count:
        raise InvalidCell(
            f"has {ratings} ratings of {raters} annotators, but states {count}", MOVED, "goodopeningspeech"
        )


def system_tau(verdicts: SuiteVerdicts) -> float:
    """Return Kendall's tau-b between the systems' mean gold and mean verdicts; NaN with one system.
    Systems are kinds of authors.
    """
    gold, judged = system_means(verdicts)
    return value_of(kendall(gold, judged)) if len(gold) > 1 else math.nan


def alpha(data: SuiteData) -> float:
    """Return Krippendorff's alpha (ordinal) of the annotators' ratings."""
    return krippendorff_alpha(annotator_table(data.annotations[METRIC])[1], "ordinal")


def single_rater(data: SuiteData) -> float:
    """Return Spearman's correlation of one annotator with the mean of the others, averaged over annotators.

    Only annotators with at least twenty speeches count.
    """
    return value_of(one_against_others(annotator_table(data.annotations[METRIC])[1]))


def mean_of(source: str, data: SuiteData) -> float:
    """Return the mean rating of the speeches of a source; NaN if there are none."""
    means = [data.gold[METRIC][name] for name, group in data.groups.items() if group == source]
    return math.fsum(means) / len(means) if means else math.nan


_RELEASED = "ratings of 444 of the 631 speeches"
_PART = "not printed in the paper; other speeches give another value"
_MEANS = {
    "Human expert": [4.21],
    "Project Debater": [4.03],
    "Arg-Human1": [3.78],
    "Arg-Human2": [3.72],
    "Arg-GPT2": [3.50],
    "Speech-GPT2": [3.28],
    "Arg-Search": [3.12],
    "Summit": [3.03],
}
SUITE = Suite(
    name="debate-speeches",
    title="Debate speeches (Debatable Intelligence)",
    question="How good is a long opening speech of a debate?",
    source=(
        "Sternlicht et al., Debatable Intelligence: Benchmarking LLM Judges via Debate Speech Evaluation, EMNLP 2025, "
        "https://aclanthology.org/2025.emnlp-main.953/; the speeches are those of Project Debater (Slonim et al., "
        "Nature 2021)"
    ),
    license="the repository names none; the speeches are IBM's (ibm-research/debate_speeches): ask before passing on",
    files=(
        SuiteFile(
            SPEECHES,
            "noy-sternlicht/Debatable-Intelligence",
            "132246d20f17e8864c2eb08020fa38460754d159",
            "data.csv",
        ),
    ),
    public_since="2021-03",
    task="rating",
    read=read,
    metrics=(METRIC,),
    judging={"criteria": [QUESTION]},
    statistics=(
        correlation(
            "spearman", "Spearman's rank correlation with the mean rating of fifteen annotators", spearman_rho
        ),
        correlation("kendall", "Kendall's tau-b with the mean rating", kendall_tau),
        correlation(
            "system_kendall",
            "Kendall's tau-b of the mean scores of the kinds of authors with their mean ratings",
            system_tau,
        ),
    ),
    published=(
        PublishedFigure(
            "one annotator against the mean of the others",
            "spearman",
            0.485,
            3,
            _RELEASED,
            recompute=single_rater,
            judge=False,
            human=True,
            note=_PART,
        ),
        PublishedFigure(
            "the annotators",
            "Krippendorff's alpha (ordinal)",
            0.2353,
            4,
            _RELEASED,
            recompute=alpha,
            judge=False,
            note=_PART,
        ),
        *printed(_MEANS, ["mean rating"], 2, _RELEASED, recompute=mean_of, judge=False, note=_PART),
    ),
    whole={"items": 631},
    folder="debate_speeches",
    about="debates and arguments",
)

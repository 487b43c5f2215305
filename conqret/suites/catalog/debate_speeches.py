"""Debate speeches: how good is an opening speech of some 600 words, by the ratings of fifteen annotators each."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

from conqret.data import Item
from conqret.io.checks import filled, identifier, whole_number
from conqret.io.faults import Unfit
from conqret.io.schema import Field, Schema
from conqret.suites.published_files import MOVED, NO_DIGEST, names, published_rows, published_text, ratings
from conqret.suites.suite import (
    PublishedFigure,
    Suite,
    SuiteData,
    SuiteFile,
    SuiteStatistic,
    SuiteVerdicts,
)
from conqret.suites.suite_statistics import (
    annotator_table,
    kendall_tau,
    mean_labels,
    spearman_rho,
    system_means,
)

METRIC = "good_opening_speech"
QUESTION = (
    f"{METRIC}: The question is the motion of a debate, and the argument a speech in support of it. How good is it "
    "as an opening speech? 1-5"
)
SPEECHES = "speeches.csv"
SPEECH = Schema(
    "a speech",
    {
        "id": Field(("id",), identifier, needed=MOVED),
        "topic_id": Field(("topic_id",), identifier, needed=MOVED),
        "topic": Field(("topic",), filled, needed=MOVED),
        "source": Field(("source",), filled, needed=MOVED),
        "text": Field(("text",), published_text, needed=MOVED),
        "ratings": Field(("goodopeningspeech",), ratings(1, 5), needed=MOVED),
        "count": Field(("#labelers",), whole_number, needed=MOVED),
        "raters": Field(("labeler_ids",), names, needed=MOVED),
    },
)


def read(folder: Path) -> SuiteData:
    """The speeches with the mean of their ratings as gold."""
    items, motions, sources, annotations = [], {}, {}, {}

    def check(row: dict[str, object]) -> None:
        ratings, raters, count = row["ratings"], row["raters"], row["count"]
        if not len(ratings) == len(raters) == count:  # type: ignore[arg-type]
            raise Unfit(
                f"has {len(ratings)} ratings of {len(raters)} annotators, but states {count}",  # type: ignore[arg-type]
                MOVED,
                "goodopeningspeech",
            )

    for row in published_rows(folder, SPEECHES, SPEECH, unique="id", check=check):
        item = Item(id=row["id"], topic=row["topic"], stance="pro", argument=row["text"])
        items.append(item)
        motions[item.id], sources[item.id] = row["topic_id"], row["source"]
        annotations[item.id] = dict(zip(row["raters"], row["ratings"], strict=True))
    return SuiteData(
        tuple(items), {METRIC: mean_labels(annotations)}, motions, sources, {METRIC: annotations}
    )


def system_tau(verdicts: SuiteVerdicts) -> float:
    """Kendall's tau-b of the means of the systems (kinds of authors)."""
    from conqret.stats.correlation import kendall

    gold, judged = system_means(verdicts)
    value = kendall(gold, judged).value if len(gold) > 1 else None
    return math.nan if value is None else value


def alpha(data: SuiteData) -> float:
    """Krippendorff's alpha (ordinal) of the ratings, each annotator by name."""
    from conqret.stats.agreement import krippendorff_alpha

    return krippendorff_alpha(annotator_table(data.annotations[METRIC])[1], "ordinal")


def single_rater(data: SuiteData) -> float:
    """Spearman's correlation of one annotator with the mean of the others, mean over those with twenty speeches."""
    from conqret.stats.correlation import one_against_others

    value = one_against_others(annotator_table(data.annotations[METRIC])[1]).value
    return math.nan if value is None else value


def mean_of(source: str, data: SuiteData) -> float:
    """The mean rating of the speeches of a source."""
    means = [data.gold[METRIC][name] for name, group in data.groups.items() if group == source]
    return math.fsum(means) / len(means) if means else math.nan


_RELEASED = "ratings of 444 of the 631 speeches"
_PART = "not printed in the paper; other speeches give another value"
_MEANS = {
    "Human expert": 4.21, "Project Debater": 4.03, "Arg-Human1": 3.78, "Arg-Human2": 3.72, "Arg-GPT2": 3.50,
    "Speech-GPT2": 3.28, "Arg-Search": 3.12, "Summit": 3.03,
}  # fmt: skip
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
            note=NO_DIGEST,
        ),
    ),
    public_since="2021-03",
    task="rating",
    read=read,
    metrics=(METRIC,),
    judging={"criteria": [QUESTION]},
    statistics=(
        SuiteStatistic(
            "spearman",
            "Spearman's rank correlation with the mean rating of fifteen annotators",
            spearman_rho,
            scale="correlation",
            chance=0.0,
        ),
        SuiteStatistic(
            "kendall",
            "Kendall's tau-b with the mean rating",
            kendall_tau,
            scale="correlation",
            chance=0.0,
        ),
        SuiteStatistic(
            "system_kendall",
            "Kendall's tau-b of the mean scores of the kinds of authors with their mean ratings",
            system_tau,
            scale="correlation",
            chance=0.0,
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
        *(
            PublishedFigure(
                source,
                "mean rating",
                mean,
                2,
                _RELEASED,
                recompute=partial(mean_of, source),
                judge=False,
                note=_PART,
            )
            for source, mean in _MEANS.items()
        ),
    ),
    whole={"items": 631},
    folder="debate_speeches",
    about="debates and arguments",
)

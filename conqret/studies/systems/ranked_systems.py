"""Reports of systems and their judgments: the leaderboard, the grades of documents, the nuggets of topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean

from conqret.data import Item, Judgment
from conqret.data.corpus import Qrel
from conqret.errors import DeclarationError, number
from conqret.io.leaderboards import SystemLeaderboard, leaderboard
from conqret.io.reports import RUN, TOPIC
from conqret.judging.judge_parts import SECOND
from conqret.judging.summary import MetricSummary

NUGGET_FORMATS = ("query-rubric", "rag-rubric")
"""The formats whose parts are nuggets."""
TOP_GRADE = 5
"""Documents are rated from 0 to 5 (ConQRet, Table 7)."""


@dataclass(frozen=True, slots=True)
class ListedNugget:
    """A nugget of a topic. ``coverage`` maps metric and system to the degree of coverage, 0 to 1."""

    text: str
    coverage: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def run_leaderboard(
    name: str,
    items: Iterable[Item],
    judgments: Iterable[Judgment],
    empty: Iterable[Item] = (),
    metrics: Iterable[str] = (),
) -> SystemLeaderboard:
    """Return the leaderboard of a judged run: the scores of each system's report on each topic, and means
    over topics.

    Scores of the second report of a pair (``second.…``) count for the system of that report. ``empty``
    reports get 0 in each of ``metrics``.

    Raises:
        DeclarationError: an item does not name its system and topic.
    """
    cells: list[tuple[str, str, str, float]] = []
    for item, judgment in zip(items, judgments, strict=True):
        if RUN not in item.metadata or TOPIC not in item.metadata:
            raise DeclarationError(
                f"{name}: item {item.id} has no {RUN} or {TOPIC} in its metadata: give items made of TREC RAG reports"
            )
        run, topic = str(item.metadata[RUN]), str(item.metadata[TOPIC])
        cells += [
            (metric, run, topic, value) for metric, value in judgment.values.items() if SECOND not in metric
        ]
    for item in empty:
        place = str(item.metadata[RUN]), str(item.metadata[TOPIC])
        cells += [(metric, *place, 0.0) for metric in metrics]
    return leaderboard(name, cells).recomputed()


def described(summary: MetricSummary | None, score: str, empty: int = 0) -> str:
    """Return a description of a metric: its scale, the reports behind its mean, and bounds if scores are
    missing.

    ``empty`` is the number of reports that were not judged and count as 0.
    """
    scale_text = f"0 to 1; {score}"
    if empty:
        scale_text += f"; {number(empty, 'report')} without a sentence counted as 0, as the track requires"
    if summary is None:
        return scale_text
    scale_text += f". {summary.scored} of {summary.total} reports have a score"
    if summary.scored == summary.total:
        return scale_text
    lost = ", ".join(f"{count} {reason}" for reason, count in summary.reasons.items())
    return (
        f"{scale_text} ({lost}), the others are left out of means, never 0; with them the mean over all reports lies "
        f"between {summary.worst_case:.3f} and {summary.best_case:.3f}"
    )


def document_grades(
    items: Iterable[Item], judgments: Iterable[Judgment], low: int = 0, high: int = TOP_GRADE
) -> tuple[list[Qrel], list[tuple[str, str]]]:
    """Return relevance grades from ``low`` to ``high`` for documents rated 0 to 5, and the pairs of topic
    and document without a rating.

    Several ratings of a document for a topic are averaged, and mapped linearly to whole grades; halves are
    rounded up.
    """
    ratings: dict[tuple[str, str], list[float]] = {}
    for item, judgment in zip(items, judgments, strict=True):
        topic = str(item.metadata[TOPIC])
        documents = [document.id for document in item.documents]
        for document in documents:
            ratings.setdefault((topic, document), [])
        rated = None if judgment.format in NUGGET_FORMATS else judgment.measures.get("context_relevance")
        for part in rated.parts if rated is not None else ():
            if part.id in documents and part.raw is not None:
                ratings[topic, part.id].append(part.raw)
    grades = [
        Qrel(topic, document, int(low + fmean(pair_grades) / TOP_GRADE * (high - low) + 0.5))
        for (topic, document), pair_grades in ratings.items()
        if pair_grades
    ]
    return grades, [pair for pair, pair_grades in ratings.items() if not pair_grades]


def nuggets(items: Iterable[Item], judgments: Iterable[Judgment]) -> dict[str, list[ListedNugget]]:
    """Return the nuggets of each topic with their coverage by metric and system; each nugget is listed once. ``items``
    and ``judgments`` are in the same order, and items have the run and the topic in their metadata. A nugget that was
    never scored has no coverage."""
    nuggets_by_topic: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
    for item, judgment in zip(items, judgments, strict=True):
        topic = nuggets_by_topic.setdefault(str(item.metadata[TOPIC]), {})
        for metric, measure in judgment.measures.items():
            for part in measure.parts if not metric.startswith(SECOND) else ():
                covered = topic.setdefault(" ".join(part.id.split()), {})
                if part.value is not None:
                    covered.setdefault(metric, {})[str(item.metadata[RUN])] = part.value
    return {
        topic: [ListedNugget(text, by) for text, by in listed.items()]
        for topic, listed in nuggets_by_topic.items()
    }


def compared_runs(items: Iterable[Item], system: str = "") -> list[Item]:
    """Return each report with another system's report on its topic as second argument.

    That is the report of ``system``, or otherwise of the next system by name, in a cycle. The reports of
    ``system`` itself get the next system's, too. It is None where no other system has one.
    """
    every = list(items)
    by_topic: dict[str, dict[str, str | None]] = {}
    for item in every:
        by_topic.setdefault(str(item.metadata[TOPIC]), {})[str(item.metadata[RUN])] = item.argument
    made = []
    for item in every:
        own, there = str(item.metadata[RUN]), by_topic[str(item.metadata[TOPIC])]
        other, names = system, sorted(there)
        if system not in there or system == own:
            other = names[(names.index(own) + 1) % len(names)]
        second = None if other == own else there[other]
        made.append(item.model_copy(update={"second_argument": second}))
    return made

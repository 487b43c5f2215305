"""Two leaderboards beside each other: which systems and topics are compared, and how far one orders as the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from statistics import fmean
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from conqret.data import Item, Judgment
from conqret.data.corpus import Qrel
from conqret.data.item import Frozen
from conqret.errors import DeclarationError, UnknownNameError, number
from conqret.io.leaderboards import ALL, SystemLeaderboard, leaderboard
from conqret.io.reports import RUN, TOPIC
from conqret.io.rows import listed
from conqret.judging.judge_parts import SECOND
from conqret.judging.summary import MetricSummary
from conqret.stats.correlation import COEFFICIENTS, FEWEST_SYSTEMS, too_crowded
from conqret.stats.estimate import CONFIDENCE, JackknifedEstimate
from conqret.stats.resampling import snapped

NUGGET_FORMATS = ("query-rubric", "rag-rubric")
"""The formats whose parts are nuggets."""
TOP_GRADE = 5
"""Documents are rated from 0 to 5 (ConQRet, Table 7)."""


@dataclass(frozen=True, slots=True)
class ListedNugget:
    """A point of a topic; ``coverage`` has for each metric and system how far it is covered, 0 to 1."""

    text: str
    coverage: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def run_leaderboard(
    name: str,
    items: Iterable[Item],
    judgments: Iterable[Judgment],
    empty: Iterable[Item] = (),
    metrics: Iterable[str] = (),
) -> SystemLeaderboard:
    """Every score of every report, and the means over the topics that have one. What is said of the report beside it
    (``second.…``) stands in that one's row. Reports that are ``empty`` have 0 in each of ``metrics``.

    Raises:
        DeclarationError: an item does not say which run's report on which topic it is.
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
    """What a metric is, on how many reports it rests, and where its mean would lie with what is missing. ``empty``
    reports were not judged, and count as 0."""
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
    """Grades ``low`` to ``high`` of the documents that a judge rated from 0 to 5, and the pairs of topic and document
    that have no rating.

    Several ratings of a document for a topic (it stands under several reports) are averaged before they are mapped,
    evenly, to whole grades; halves go up.
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
    """The nuggets of each topic, those that several reports were asked about once, as they were first written."""
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
    """Each report with another one on its topic as its second argument: that of ``system``, or else of the system
    that comes next by name (after the last the first), which is also what ``system`` itself gets."""
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


METHODS = (*COEFFICIENTS, "kendall@10")
"""What auto-judge-evaluate computes where nothing is said."""
SAME_MEAN = 0.001
"""How far a score over all topics may lie from their mean: auto-judge-evaluate's own tolerance, for rounded files."""
OnMissing = Literal["error", "skip", "default"]


class MetaSettings(Frozen):
    """What is compared, and how.

    ``methods`` are coefficients, ``kendall@10`` among the ten systems that the reference ranks first; the first method
    is tested. ``on_missing``: refuse leaderboards with gaps, leave the gaps out, or count them as 0. ``shared`` leaves
    out topics and systems that only one side has, and takes means over the topics for the files' own scores over all.
    """

    methods: tuple[str, ...] = METHODS
    truth_measures: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    on_missing: OnMissing = "error"
    shared: bool = False
    confidence: float = CONFIDENCE


@dataclass(frozen=True)
class SystemMeasure:
    """One measure of each side, over the systems and topics that are left."""

    truth: SystemLeaderboard
    judge: SystemLeaderboard
    truth_measure: str
    measure: str
    on_missing: OnMissing
    topics: Sequence[str]

    def aligned(
        self, truth: Mapping[str, float], judged: Mapping[str, float], top: int | None
    ) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
        """The systems, sorted, and their scores on both sides."""
        runs = sorted(truth)
        if top is not None:
            runs = sorted(sorted(truth, key=lambda run: -truth[run])[:top])
        if self.on_missing != "default":
            runs = [run for run in runs if run in judged]
        return runs, np.array([truth[run] for run in runs]), np.array([judged.get(run, 0.0) for run in runs])

    def sampled(self, method: tuple[str, int | None]) -> JackknifedEstimate:
        """The coefficient over all topics, and without each topic; the systems stay."""
        name, top = method
        truth, judged = self.truth.on(self.truth_measure), self.judge.on(self.measure)
        runs, first_scores, other = self.aligned(truth, judged, top)
        value = _coefficient(name, first_scores, other)
        count = len(self.topics)
        sides = []
        for board, measure in ((self.truth, self.truth_measure), (self.judge, self.measure)):
            rows = [[board.on(measure, topic).get(run, np.nan) for topic in self.topics] for run in runs]
            sides.append(np.array(rows, dtype=float).reshape(len(runs), count))
        weights = np.concatenate([np.ones((1, count)), 1 - np.eye(count)]) if count else np.ones((1, 0))
        with np.errstate(invalid="ignore", divide="ignore"):
            means = [(weights @ np.nan_to_num(side).T) / (weights @ ~np.isnan(side).T) for side in sides]
        if self.on_missing == "default":
            means[1] = np.where([run in judged for run in runs], means[1], 0.0)
        apart = [
            ~(np.abs(side[0] - scores) <= SAME_MEAN)
            for side, scores in zip(means, (first_scores, other), strict=True)
        ]
        off = [run for side in apart for run in compress(runs, side)]
        pairs = zip(*(map(snapped, side[1:]) for side in means), strict=True)
        without = np.array([_coefficient(name, *pair) for pair in pairs])
        present = ~np.any([np.isnan(side).all(axis=0) for side in sides], axis=0)
        unsure = too_crowded(len(runs), int(present.sum()))
        if any(np.isnan(side).all() for side in sides):
            unsure = "there are no scores by topic"
        elif off:
            unsure = f"the scores over all topics are not the means of the topics ({listed(off, 2)})"
        why = "" if value == value else "one side gives all systems the same score"
        if why and len(runs) < FEWEST_SYSTEMS:
            why = f"{len(runs)} systems have both scores, and {FEWEST_SYSTEMS} are needed"
        return JackknifedEstimate(value, without, present, len(runs), why, "ranks", unsure)

    def on_topics(self, method: tuple[str, int | None]) -> dict[str, float | None]:
        """The coefficient of the scores on each topic that both sides have."""
        name, top = method
        coefficients: dict[str, float | None] = {}
        for topic in self.topics:
            truth, judged = self.truth.on(self.truth_measure, topic), self.judge.on(self.measure, topic)
            if truth and judged:
                _, first_scores, other = self.aligned(truth, judged, top)
                value = _coefficient(name, first_scores, other)
                coefficients[topic] = None if value != value else value
        return coefficients


def prepared(
    truth: SystemLeaderboard,
    judge: SystemLeaderboard,
    judges: Sequence[SystemLeaderboard],
    settings: MetaSettings,
) -> tuple[SystemLeaderboard, SystemLeaderboard]:
    """Both leaderboards with the topics (all that one of the ``judges`` has) and the runs that are compared."""
    if settings.on_missing == "error" and (gaps := [*truth.gaps(), *judge.gaps()]):
        more = f" (and {len(gaps) - 1} more such gaps)" if gaps[1:] else ""
        raise DeclarationError(
            f"{gaps[0]}{more}. Write --on-missing skip to leave gaps out, or default to count them as 0"
        )
    if settings.shared:
        topics = set(truth.topics) & {topic for board in judges for topic in board.topics}
        truth, judge = truth.recomputed(topics), judge.recomputed(topics)
    if settings.shared or any("@" in method for method in settings.methods):
        runs = set(truth.runs) & set(judge.runs)
        truth, judge = truth.of_runs(runs), judge.of_runs(runs)
    truth, judge = (
        board if any(ALL in by_topic for by_topic in board.scores.values()) else board.recomputed()
        for board in (truth, judge)
    )
    if settings.on_missing == "error":
        _same_runs(truth, judge)
    return truth, judge


def _same_runs(truth: SystemLeaderboard, judge: SystemLeaderboard) -> None:
    if truth.topics and judge.topics and not set(truth.topics) & set(judge.topics):
        raise DeclarationError(
            f"{judge.name} and {truth.name} share no topic: check --format (or --truth-format), or write --on-missing "
            "skip where their topics differ"
        )
    for board, other in ((truth, judge), (judge, truth)):
        if lost := sorted(set(other.runs) - set(board.runs)):
            raise DeclarationError(
                f"{board.name} has no {listed(lost, 3)}, which {other.name} has. Write --only-shared, or "
                "--on-missing skip (or default, to count as 0 what a judge lacks)"
            )


def parsed(method: str) -> tuple[str, int | None]:
    """``kendall@10`` as its coefficient and its number of systems."""
    name, _, top = method.partition("@")
    if name not in COEFFICIENTS:
        raise UnknownNameError("coefficient", method, (*COEFFICIENTS, "kendall@10"))
    if "@" in method and not (top.isascii() and top.isdigit() and int(top) > 0):
        raise DeclarationError(
            f"{method}: write the number of top systems to compare after @, as in kendall@10"
        )
    return name, int(top) if top else None


def _coefficient(name: str, truth: NDArray[np.float64], judged: NDArray[np.float64]) -> float:
    if len(truth) < FEWEST_SYSTEMS or np.isnan(truth).any() or np.isnan(judged).any():
        return float("nan")
    return COEFFICIENTS[name](truth, judged)

"""Two leaderboards beside each other: which systems and topics are compared, and how far one orders as the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from conqret.data.item import Frozen
from conqret.errors import DeclarationError, UnknownNameError
from conqret.io.faults import listed
from conqret.io.leaderboards import ALL, SystemLeaderboard
from conqret.stats.estimate import CONFIDENCE, JackknifedEstimate
from conqret.stats.rank_correlation import COEFFICIENTS, FEWEST_SYSTEMS, too_crowded
from conqret.stats.resampling import snapped

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
        import numpy as np

        runs = sorted(truth)
        if top is not None:
            runs = sorted(sorted(truth, key=lambda run: -truth[run])[:top])
        if self.on_missing != "default":
            runs = [run for run in runs if run in judged]
        return runs, np.array([truth[run] for run in runs]), np.array([judged.get(run, 0.0) for run in runs])

    def sampled(self, method: tuple[str, int | None]) -> JackknifedEstimate:
        """The coefficient over all topics, and without each topic; the systems stay."""
        import numpy as np

        name, top = method
        truth, judged = self.truth.on(self.truth_measure), self.judge.on(self.measure)
        runs, first_scores, other = self.aligned(truth, judged, top)
        value = _coefficient(name, first_scores, other)
        count = len(self.topics)
        sides = [
            self._matrix(self.truth, self.truth_measure, runs),
            self._matrix(self.judge, self.measure, runs),
        ]
        weights = np.concatenate([np.ones((1, count)), 1 - np.eye(count)]) if count else np.ones((1, 0))
        with np.errstate(invalid="ignore", divide="ignore"):
            means = [(weights @ np.nan_to_num(side).T) / (weights @ ~np.isnan(side).T) for side in sides]
        if self.on_missing == "default":
            means[1] = np.where([run in judged for run in runs], means[1], 0.0)
        side_scores = (first_scores, other)
        off = [
            run
            for side, scores in zip(means, side_scores, strict=True)
            for place, run in enumerate(runs)
            if not abs(side[0, place] - scores[place]) <= SAME_MEAN
        ]
        unsure = ""
        if any(np.isnan(side).all() for side in sides):
            unsure = "there are no scores by topic"
        elif off:
            unsure = f"the scores over all topics are not the means of the topics ({listed(off, 2)})"
        pairs = zip(*(map(snapped, side[1:]) for side in means), strict=True)
        without = np.array([_coefficient(name, *pair) for pair in pairs])
        present = np.array(
            [not all(np.isnan(side[:, place]).all() for side in sides) for place in range(count)], bool
        )
        unsure = unsure or too_crowded(len(runs), int(present.sum()))
        return JackknifedEstimate(
            value, without, present, len(runs), _why(first_scores, other, value), "ranks", unsure
        )

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

    def _matrix(self, board: SystemLeaderboard, measure: str, runs: Sequence[str]) -> NDArray[np.float64]:
        """Scores, runs by topics; NaN where there is none."""
        import numpy as np

        rows = [[board.on(measure, topic).get(run, np.nan) for topic in self.topics] for run in runs]
        return np.array(rows, dtype=float).reshape(len(runs), len(self.topics))


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
    import numpy as np

    if len(truth) < FEWEST_SYSTEMS or np.isnan(truth).any() or np.isnan(judged).any():
        return float("nan")
    return COEFFICIENTS[name](truth, judged)


def _why(truth: NDArray[np.float64], judged: NDArray[np.float64], value: float) -> str:
    """Why there is no coefficient."""
    if value == value:
        return ""
    if len(truth) < FEWEST_SYSTEMS:
        return f"{len(truth)} systems have both scores, and {FEWEST_SYSTEMS} are needed"
    return "one side gives all systems the same score"

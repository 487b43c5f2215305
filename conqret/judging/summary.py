"""The summary of a run: means with intervals and the number behind them, bounds for what is missing, cost.

A mean over scored items alone would hide the others, so each mean comes with two bounds: what it would be
if every missing value were 0 (worst case) or 1 (best case).
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter, not_

from pydantic import BaseModel, Field

from conqret.data import Judgment, Status, Trace
from conqret.data.item import Frozen
from conqret.data.judgment import ARROW
from conqret.errors import number
from conqret.runs.session import SessionCounts
from conqret.show.words import money
from conqret.stats.estimate import Estimate


class MetricSummary(BaseModel, frozen=True):
    """One metric over all items (``total``), including those without a judgment.

    Items to which it does not apply (``inapplicable``) are outside the mean and the bounds. ``mean``,
    ``deviation`` (sample standard deviation) and the bounds are in [0, 1]. The mean is None without
    scores, the deviation with fewer than two. ``low`` and ``high`` are the ends of the mean's 95% interval
    over topics; without one, ``no_interval`` is the reason. ``calibrated`` is the mean score on the human
    scale, if a calibration was given.
    """

    total: int
    scored: int
    mean: float | None
    low: float | None = None
    high: float | None = None
    no_interval: str = ""
    deviation: float | None
    worst_case: float
    best_case: float
    reasons: dict[str, int]
    inapplicable: int = Field(default=0, exclude_if=not_)
    flipped: int | None = None
    labels: dict[str, int] = {}
    methods: dict[str, int] = {}
    calibrated: float | None = None

    @property
    def interval(self) -> Estimate:
        """The mean with its 95% interval."""
        return Estimate(self.mean, self.low, self.high, self.scored, self.no_interval)

    def lacking(self, items: int) -> MetricSummary:
        """Return the summary with ``items`` further items that have no value."""
        every = max(self.total + items, 1)
        of_all = {
            "total": self.total + items,
            "worst_case": self.worst_case * self.total / every,
            "best_case": (self.best_case * self.total + items) / every,
        }
        return self.model_copy(update=of_all)


class Usage(BaseModel, frozen=True):
    """The calls, tokens, cost and time of all judgments.

    ``calls`` were sent to the model, ``recorded`` were answered by a recording; a replay's call without a
    recording is neither. Tokens, cost and seconds include recorded calls. ``cost_usd`` sums the calls with a
    known price, and ``unpriced`` counts the other responses, including invalid ones.
    """

    calls: int
    recorded: int
    attempts: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    cost_usd: float
    unpriced: int
    seconds: float


class CascadeCounts(Frozen):
    """How many items each judge of a cascade gave its scores, and the dollars of both (None: a price is unknown)."""

    kept: int = 0
    escalated: int = 0
    first_usd: float | None = 0.0
    last_usd: float | None = 0.0

    def plus(self, judgment: Judgment) -> CascadeCounts:
        """Return the counts with one more judgment; unchanged if it is of no cascade. A failed judgment counts for
        neither judge, but its cost does."""
        if (stage := judgment.cascade) is None:
            return self
        calls = judgment.trace.calls
        sides = Trace(calls=calls[: stage.first_calls]), Trace(calls=calls[stage.first_calls :])
        return CascadeCounts(
            kept=self.kept + (not stage.escalated and judgment.status is not Status.FAILED),
            escalated=self.escalated + stage.escalated,
            first_usd=_sum(self.first_usd, sides[0].cost_usd),
            last_usd=_sum(self.last_usd, sides[1].cost_usd),
        )

    def line(self, model: str) -> str:
        """Return one line on the calls that are saved.

        Args:
            model: the models of both judges, joined by :data:`~conqret.data.judgment.ARROW`, the first judge's first.
        """
        first, _, last = model.partition(ARROW)
        every = self.kept + self.escalated
        line = f"{first} kept {self.kept:,} of {number(every, 'item')}"
        line += f", so {self.kept / max(every, 1):.0%} of the calls of {last} are saved"
        if self.first_usd is None and self.last_usd is None:
            return line
        return f"{line} (cost: {money(self.first_usd)} and {money(self.last_usd)})"


def _sum(cost: float | None, more: float | None) -> float | None:
    return None if cost is None or more is None else cost + more


class Summary(BaseModel, frozen=True):
    """The summary of a run: counts of items, and a summary of each metric.

    ``partly`` counts the unscored and failed items with a score for some metrics. ``reasons`` counts the
    items with each reason, and ``examples`` has the most frequent detail of each, with an item. ``flagged``
    items contain prompt injections, and ``attacks`` has the first item of each kind. ``html`` counts further
    items with scripts of a web page. ``miscited`` items cite a document that they do not have.
    ``cascade`` counts the items of each judge of a cascade. ``outstanding`` items have no judgment yet,
    because the run was stopped; ``left_out`` items were invalid. Neither are in ``total``, but both count as
    items without a score in each metric.
    """

    total: int
    scored: int
    unscored: int
    failed: int
    inapplicable: int = Field(default=0, exclude_if=not_)
    partly: int = 0
    reasons: dict[str, int]
    examples: dict[str, str] = {}
    metrics: dict[str, MetricSummary]
    usage: Usage
    flagged: int
    attacks: dict[str, str] = {}
    html: int = 0
    trimmed: int
    miscited: int = 0
    cascade: CascadeCounts | None = Field(default=None, exclude_if=not_)
    session: SessionCounts | None = None
    outstanding: int = 0
    left_out: int = 0

    def of_all(self, items: int, left_out: int) -> Summary:
        """Return the summary for a run of ``items`` items, those without a judgment counted as outstanding.

        ``left_out`` is the number of further items that were invalid.
        """
        outstanding = items - self.total
        if not outstanding and not left_out:
            return self
        metrics = {name: metric.lacking(outstanding + left_out) for name, metric in self.metrics.items()}
        return self.model_copy(update={"outstanding": outstanding, "left_out": left_out, "metrics": metrics})

    @property
    def every(self) -> int:
        """The number of all items, including those outstanding or left out."""
        return self.total + self.outstanding + self.left_out

    @property
    def coverage(self) -> float | None:
        """The share of scored items among all, including those outstanding or left out; None without items.

        Items to which no metric applies are not counted.
        """
        due = self.every - self.inapplicable
        return self.scored / due if due else None

    @property
    def without_judgment(self) -> dict[str, int]:
        """The number of items without a judgment, by reason (left out, outstanding)."""
        counts = {"left_out": self.left_out} if self.left_out else {}
        return counts | ({"outstanding": self.outstanding} if self.outstanding else {})

    def with_calibrated(self, means: Mapping[str, float]) -> Summary:
        """Return the summary with the mean calibrated score of each metric, from ``means`` by metric."""
        metrics = {
            name: metric.model_copy(update={"calibrated": means.get(name)})
            for name, metric in self.metrics.items()
        }
        return self.model_copy(update={"metrics": metrics})

    @property
    def any_score(self) -> bool:
        """True if any metric of any item has a score."""
        return any(map(attrgetter("scored"), self.metrics.values()))

"""Sum up judgments one at a time: means with intervals and the number behind them, bounds for what is missing, cost.

A mean over scored items alone would hide the others, so each mean comes with two bounds: what it would be
if every missing value were 0 (worst case) or 1 (best case).
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter, not_
from typing import Self

from pydantic import BaseModel, Field

from conqret.data import Judgment, Measure, Status
from conqret.data.item import Frozen
from conqret.data.judgment import TopicKeys
from conqret.runs.session import SessionCounts
from conqret.stats.estimate import Estimate, mean_of_sums

SUMMED = (
    "recorded",
    "attempts",
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
    "cost_usd",
    "seconds",
)
"""What usage sums up of calls as it is."""


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


class Summary(BaseModel, frozen=True):
    """The summary of a run: counts of items, and a summary of each metric.

    ``partly`` counts the unscored and failed items with a score for some metrics. ``reasons`` counts the
    items with each reason, and ``examples`` has the most frequent detail of each, with an item. ``flagged``
    items contain prompt injections, and ``attacks`` has the first item of each kind. ``html`` counts further
    items with scripts of a web page. ``miscited`` items cite a document that they do not have.
    ``outstanding`` items have no judgment yet, because the run was stopped; ``left_out`` items were invalid.
    Neither are in ``total``, but both count as items without a score in each metric.
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


@dataclass
class _Tally:
    """Running sums of one metric (Welford's update for the deviation), and counts of its reasons, labels, methods."""

    total: int = 0
    scored: int = 0
    inapplicable: int = 0
    mean: float = 0.0
    squares: float = 0.0
    flipped: int | None = None
    reason: Counter[str] = field(default_factory=Counter)
    label: Counter[str] = field(default_factory=Counter)
    method: Counter[str] = field(default_factory=Counter)
    sums: array[float] = field(default_factory=lambda: array("d"))
    counts: array[float] = field(default_factory=lambda: array("d"))

    def add(self, measure: Measure, topic: int) -> None:
        """Count the measure of an item of this topic in."""
        applies = measure.status is not Status.INAPPLICABLE
        self.total += applies
        self.inapplicable += not applies
        if (value := measure.value) is not None:
            self.scored += 1
            step = value - self.mean
            self.mean += step / self.scored
            self.squares += step * (value - self.mean)
            lacking = [0.0] * (topic + 1 - len(self.sums))
            self.sums.extend(lacking)
            self.counts.extend(lacking)
            self.sums[topic] += value
            self.counts[topic] += 1
        for name in ("reason", "label", "method"):
            if (named := getattr(measure, name)) is not None:
                getattr(self, name)[named] += 1
        if measure.flipped is not None:
            self.flipped = (self.flipped or 0) + measure.flipped

    def summary(self, roots: Sequence[int] | None) -> MetricSummary:
        """The metric in numbers; ``roots`` has for each topic the one that stands for it, where that is another."""
        missing = self.total - self.scored
        whole = self.mean * self.scored
        sums, topics = self.sums, self.counts
        if roots is not None:
            sums, topics = _joined(sums, roots), _joined(topics, roots)
        interval = mean_of_sums(sums, topics)
        return MetricSummary(
            total=self.total,
            scored=self.scored,
            mean=self.mean if self.scored else None,
            low=interval.low,
            high=interval.high,
            no_interval=interval.reason,
            deviation=math.sqrt(self.squares / (self.scored - 1)) if self.scored > 1 else None,
            worst_case=whole / self.total if self.total else 0.0,
            best_case=(whole + missing) / self.total if self.total else 1.0,
            reasons=dict(sorted(self.reason.items())),
            inapplicable=self.inapplicable,
            flipped=self.flipped,
            labels=dict(sorted(self.label.items())),
            methods=dict(sorted(self.method.items())),
        )


def _joined(sums: array[float], roots: Sequence[int]) -> array[float]:
    """Sums by topic, each added to the one that stands for it; zeros where another one does."""
    joined = array("d", bytes(8 * len(sums)))
    for place, value in enumerate(sums):
        joined[roots[place]] += value
    return joined


@dataclass
class Summariser:
    """An accumulator that computes a summary from judgments one by one.

    Memory grows with the number of topics, by sixteen bytes for each metric, and by one number per item to
    recognize translations.
    """

    _topics: TopicKeys = field(default_factory=TopicKeys)
    _statuses: Counter[Status] = field(default_factory=Counter)
    _reasons: Counter[str] = field(default_factory=Counter)
    _details: Counter[tuple[str, str]] = field(default_factory=Counter)
    _named: dict[tuple[str, str], str] = field(default_factory=dict)
    _metrics: dict[str, _Tally] = field(default_factory=partial(defaultdict, _Tally))
    _usage: Counter[str] = field(default_factory=Counter)
    _attacks: dict[str, str] = field(default_factory=dict)
    _partly: int = 0
    _flagged: int = 0
    _html: int = 0
    _trimmed: int = 0
    _miscited: int = 0

    def add(self, judgment: Judgment) -> None:
        """Add one judgment to the counts."""
        self._statuses[judgment.status] += 1
        if judgment.status is not Status.SCORED:
            self._partly += bool(judgment.values)
        if judgment.reasons:
            self._reasons.update(dict.fromkeys(judgment.reasons.values(), 1))
            lost = [measure for measure in judgment.measures.values() if measure.reason and measure.detail]
            for named in dict.fromkeys((str(measure.reason), measure.detail) for measure in lost):
                self._details[named] += 1
                self._named.setdefault(named, judgment.item)
        if judgment.flags:
            addressed = judgment.addressed
            self._flagged += bool(addressed)
            self._html += not addressed
            for flag in addressed:
                self._attacks.setdefault(flag.kind, judgment.item)
        self._trimmed += bool(judgment.trims)
        self._miscited += bool(judgment.strays)
        topic = self._topics.add(judgment)
        for metric, measure in judgment.measures.items():
            self._metrics[metric].add(measure, topic)
        for call in judgment.trace.calls:
            self._usage["calls"] += call.attempts > 0
            self._usage["unpriced"] += call.cost_usd is None and call.finish_reason is not None
            for name in SUMMED:
                self._usage[name] += getattr(call, name) or 0

    def summary(self, session: SessionCounts | None = None) -> Summary:
        """Return the summary of the judgments added so far; ``session`` holds the request counts of this
        session.
        """
        roots = self._topics.roots()
        examples = dict[str, str]()
        for (reason, detail), _ in self._details.most_common():  # the commonest first
            examples.setdefault(reason, f"{self._named[reason, detail]}: {detail}")
        joined = None if roots == list(range(len(roots))) else roots
        metrics = dict[str, MetricSummary]()
        for metric, tally in self._metrics.items():
            metrics[metric] = tally.summary(joined)
        return Summary(
            total=sum(self._statuses.values()),
            scored=self._statuses[Status.SCORED],
            unscored=self._statuses[Status.UNSCORED],
            failed=self._statuses[Status.FAILED],
            partly=self._partly,
            reasons=dict(sorted(self._reasons.items())),
            examples=dict(sorted(examples.items())),
            metrics=metrics,
            usage=Usage(**{**dict.fromkeys(Usage.model_fields, 0), **self._usage}),
            flagged=self._flagged,
            attacks=self._attacks,
            html=self._html,
            trimmed=self._trimmed,
            miscited=self._miscited,
            session=session,
        )


Readers = Sequence[Callable[[Judgment], None]]
"""Whatever gets every judgment of a finished run once, in the order of the items."""


def summarise(
    judgments: Iterable[Judgment], session: SessionCounts | None = None, readers: Readers = ()
) -> Summary:
    """Return the summary of ``judgments``; each of ``readers`` is also called with every judgment."""
    summariser = Summariser()
    for judgment in judgments:
        for read in (summariser.add, *readers):
            read(judgment)
    return summariser.summary(session)


class Cost(Frozen):
    """The cost of a run: calls (to the model or a recording), tokens, US dollars and the model's seconds.

    ``usd`` is None where a price is unknown; ``item`` holds the means per item.
    """

    judgments: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None
    seconds: float
    item: Mapping[str, float | None]

    @classmethod
    def from_summary(cls, summary: Summary) -> Self:
        """Return the costs of a finished run."""
        used, total = summary.usage, summary.total
        calls = used.calls + used.recorded
        usd = None if used.unpriced else used.cost_usd
        return cls(
            judgments=total,
            calls=calls,
            prompt_tokens=used.prompt_tokens,
            completion_tokens=used.completion_tokens,
            usd=usd,
            seconds=used.seconds,
            item={
                "calls": calls / total if total else None,
                "tokens": (used.prompt_tokens + used.completion_tokens) / total if total else None,
                "usd": usd / total if usd is not None and total else None,
                "seconds": used.seconds / total if total else None,
            },
        )

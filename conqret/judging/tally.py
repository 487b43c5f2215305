"""Sum up judgments one at a time, for the summary of a run and for its page: memory grows with the judgments that are
shown in full, and by eight bytes for each score."""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import nsmallest
from itertools import filterfalse
from operator import itemgetter
from statistics import stdev

from conqret.data import Item, Judgment, Measure, Status
from conqret.data.digest import gathered
from conqret.data.judgment import TopicKeys
from conqret.judging.summary import CascadeCounts, MetricSummary, Summary, Usage
from conqret.runs.session import SessionCounts
from conqret.show import words
from conqret.show.table import Cell, Column, Table
from conqret.stats.estimate import Estimate, mean_of_sums
from conqret.text.language import NAMES

MAX_KINDS = 12
"""Values of a field of metadata that make groups; one with more names items rather than kinds of them."""
MAX_TOPICS = 40
"""Topics that are listed, those with the lowest means."""
LONGEST = 60
"""Characters of a value that makes a group."""


MAX_ITEMS = 200
"""Items that the page shows in full: more make it slow to open."""


COUNTED = (*Status, "partly", "flagged", "html", "trimmed", "miscited")
"""The counts of judgments in a summary."""


@dataclass
class _Scores:
    """The scores of one metric, one for each judgment (NaN: none), and the counts of what else it has."""

    values: array[float] = field(default_factory=lambda: array("d"))
    total: int = 0
    inapplicable: int = 0
    flipped: int | None = None
    reason: Counter[str] = field(default_factory=Counter)
    label: Counter[str] = field(default_factory=Counter)
    method: Counter[str] = field(default_factory=Counter)

    def add(self, measure: Measure, place: int) -> None:
        applies = measure.status is not Status.INAPPLICABLE
        self.total += applies
        self.inapplicable += not applies
        self.values.extend([math.nan] * (place - len(self.values)))
        self.values.append(math.nan if measure.value is None else measure.value)
        for name in ("reason", "label", "method"):
            if (named := getattr(measure, name)) is not None:
                getattr(self, name)[named] += 1
        if measure.flipped is not None:
            self.flipped = (self.flipped or 0) + measure.flipped


@dataclass
class Tally:
    """The judgments of a run, added one by one: all scores with their groups, and the counts of the summary.

    Items are grouped by topic, stance, language, and metadata fields with few values. The judgments that the
    report page shows in full are kept, too: those that need attention first, then others in file order.

    Args:
        max_items: the number of judgments shown in full.
        order: the number of each item in its file, from 1; needed only where judgments are not in that order.
        worst_of: the metric whose worst scores are shown before others; by default all are in file order.
        lower_is_better: True if lower scores of that metric are better.
    """

    max_items: int = MAX_ITEMS
    order: Mapping[str, int] = field(default_factory=dict)
    worst_of: str = ""
    lower_is_better: bool = False
    items: dict[str, int] = field(default_factory=dict)
    keys: TopicKeys = field(default_factory=TopicKeys)
    groups: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    kinds: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    _topic: list[int] = field(default_factory=list)
    _metrics: dict[str, _Scores] = field(default_factory=partial(defaultdict, _Scores))
    _kept: dict[str, tuple[bool, float, int, Judgment]] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)
    _reasons: Counter[str] = field(default_factory=Counter)
    _details: Counter[tuple[str, str]] = field(default_factory=Counter)
    _examples: dict[tuple[str, str], str] = field(default_factory=dict)
    _usage: Counter[str] = field(default_factory=Counter)
    _cascade: CascadeCounts | None = None
    _attacks: dict[str, str] = field(default_factory=dict)

    def add(self, judgment: Judgment) -> None:
        """Add one judgment: its scores, its groups, its counts, and itself if it is to be shown."""
        place = len(self._topic)
        self.items[judgment.item] = place
        self._topic.append(self.keys.add(judgment))
        language = NAMES.get(judgment.language, "cannot be told")
        titles = {"stance": words.stance(judgment.stance), "language": language, "topic": judgment.topic}
        for title, name in titles.items():
            self.groups.setdefault(title, {}).setdefault(name, []).append(place)
        for metric, measure in judgment.measures.items():
            self._metrics[metric].add(measure, place)
        number = self.order.get(judgment.item, len(self.order) + place + 1)
        addressed = judgment.addressed
        full = judgment.status in (Status.SCORED, Status.INAPPLICABLE) and not addressed
        value = judgment.value(self.worst_of)
        score = math.inf if value is None else -value if self.lower_is_better else value
        self._kept[judgment.item] = (full, score, number, judgment)
        if len(self._kept) > 2 * self.max_items:
            self._kept = {shown.item: self._kept[shown.item] for _, shown in self.shown()}
        self._counts.update(
            {
                judgment.status.value: 1,
                "partly": judgment.status is not Status.SCORED and bool(judgment.values),
                "flagged": bool(addressed),
                "html": bool(judgment.flags) and not addressed,
                "trimmed": bool(judgment.trims),
                "miscited": bool(judgment.strays),
            }
        )
        for flag in addressed:
            self._attacks.setdefault(flag.kind, judgment.item)
        self._reasons.update(dict.fromkeys(judgment.reasons.values(), 1))
        lost = dict[tuple[str, str], None]()
        for measure in judgment.measures.values():
            if measure.reason and measure.detail:
                lost[str(measure.reason), measure.detail] = None
        for named in lost:
            self._details[named] += 1
            self._examples.setdefault(named, judgment.item)
        if judgment.cascade is not None:
            self._cascade = (self._cascade or CascadeCounts()).plus(judgment)
        for call in judgment.trace.calls:
            self._usage["calls"] += call.attempts > 0
            self._usage["unpriced"] += call.cost_usd is None and call.finish_reason is not None
            for name in Usage.model_fields.keys() - {"calls", "unpriced"}:
                self._usage[name] += getattr(call, name) or 0

    def add_item(self, item: Item) -> None:
        """Add the metadata of one item to the groups: texts and numbers of at most :data:`LONGEST` characters."""
        for name, value in item.metadata.items():
            if isinstance(value, str | int) and len(value_text := str(value)) <= LONGEST:
                kinds = self.kinds.setdefault(name, {})
                if len(kinds) <= MAX_KINDS:
                    kinds.setdefault(value_text, []).append(item.id)

    def shown(self) -> list[tuple[int, Judgment]]:
        """Return the judgments to show in full, each after the number of its item."""
        first = nsmallest(self.max_items, self._kept.values(), key=itemgetter(0, 1, 2))
        return list(map(itemgetter(2, 3), first))

    def values(self, metric: str) -> list[float]:
        """Return the scores of a metric, without missing ones."""
        return list(filterfalse(math.isnan, self._metrics[metric].values)) if metric in self._metrics else []

    def mean(self, metric: str, places: Iterable[int] | None = None) -> Estimate:
        """Return the mean of a metric over the judgments at ``places`` (from 0, as added; None: all), with its interval
        over topics. Judgments without a score are left out; without any, or for an unknown metric, the mean is
        undefined."""
        values = self._metrics[metric].values if metric in self._metrics else ()
        sums: defaultdict[int, float] = defaultdict(float)
        counts: Counter[int] = Counter()
        roots = self.keys.roots()
        for place in range(len(values)) if places is None else places:
            if place < len(values) and not math.isnan(values[place]):
                topic = roots[self._topic[place]]
                sums[topic] += values[place]
                counts[topic] += 1
        return mean_of_sums(list(sums.values()), list(counts.values()))

    def summary(self, session: SessionCounts | None = None) -> Summary:
        """Return the summary of the judgments added so far; ``session`` holds the request counts of this
        session.
        """
        examples = dict[str, str]()
        for (reason, detail), _ in self._details.most_common():  # the commonest first
            examples.setdefault(reason, f"{self._examples[reason, detail]}: {detail}")
        metrics = dict[str, MetricSummary]()
        for metric, scores in self._metrics.items():
            values, mean = self.values(metric), self.mean(metric)
            sum_of_all, missing = math.fsum(values), scores.total - len(values)
            metrics[metric] = MetricSummary(
                total=scores.total,
                scored=len(values),
                mean=mean.value,
                low=mean.low,
                high=mean.high,
                no_interval=mean.reason,
                deviation=stdev(values) if len(values) > 1 else None,
                worst_case=sum_of_all / scores.total if scores.total else 0.0,
                best_case=(sum_of_all + missing) / scores.total if scores.total else 1.0,
                reasons=dict(sorted(scores.reason.items())),
                inapplicable=scores.inapplicable,
                flipped=scores.flipped,
                labels=dict(sorted(scores.label.items())),
                methods=dict(sorted(scores.method.items())),
            )
        return Summary(
            total=len(self._topic),
            reasons=dict(sorted(self._reasons.items())),
            examples=dict(sorted(examples.items())),
            metrics=metrics,
            usage=Usage(**{**dict.fromkeys(Usage.model_fields, 0), **self._usage}),
            attacks=self._attacks,
            cascade=self._cascade,
            session=session,
            **dict(zip(COUNTED, map(self._counts.__getitem__, COUNTED), strict=True)),
        )


def summarise(judgments: Iterable[Judgment]) -> Summary:
    """Return the summary of ``judgments``."""
    tally = Tally(max_items=0)
    for judgment in judgments:
        tally.add(judgment)
    return tally.summary()


def group_table(tally: Tally, metrics: Sequence[str]) -> Table:
    """Build a table with one row per group: the number of items and the means of ``metrics``.

    Groups of one item are left out, as the list of items has their scores. The table is empty where fewer than two
    groups remain.
    """
    rows: list[tuple[Cell, ...]] = []
    notes, intervals = [], False
    for title, groups in _groups(tally):
        shown = list(groups)
        if title == "topic" and len(shown) > MAX_TOPICS:
            shown = sorted(shown, key=lambda name: _first_mean(tally, metrics, groups[name]))[:MAX_TOPICS]
            notes.append(
                f"Of {words.count(len(groups))} topics the table lists the {MAX_TOPICS} with the lowest scores."
            )
        rows.append((title.capitalize(),))
        for name in shown:
            means = [tally.mean(metric, groups[name]) for metric in metrics]
            intervals = intervals or any(mean.low is not None for mean in means)
            # the table's note says once why there is no interval
            means = [mean if mean.value is None else replace(mean, reason="") for mean in means]
            rows.append((name, len(groups[name]), *means))
    if intervals:
        notes.insert(0, "In brackets: 95% intervals over topics, for groups of at least three topics.")
    return Table(
        "Groups", (Column("Group", "text"), "Items", *map(words.label, metrics)), rows, note=" ".join(notes)
    )


def _first_mean(tally: Tally, metrics: Iterable[str], places: Sequence[int]) -> float:
    """Return the mean of the first of ``metrics`` that has one at these places; infinite without any."""
    means = (tally.mean(metric, places).value for metric in metrics)
    return next((mean for mean in means if mean is not None), math.inf)


def _groups(tally: Tally) -> Iterator[tuple[str, dict[str, list[int]]]]:
    """Yield by what groups of items are divided (stance, language, topic, and kinds of metadata), and their places by
    the group's name. Groups of one item are left out, and so are divisions with fewer than two groups, and those that
    divide the items as one before."""
    if len(tally.items) < 4:
        return  # two groups of two need four items
    seen_groups: list[list[list[int]]] = []  # what divides the items alike is said once
    divisions = list(tally.groups.items())
    for title, members in tally.kinds.items():
        if len(members) <= MAX_KINDS:
            places = [
                (name, tally.items[item])
                for name, ids in members.items()
                for item in ids
                if item in tally.items
            ]
            divisions.append((title, gathered(places)))
    for title, groups in divisions:
        several = {name: places for name, places in groups.items() if len(places) > 1}
        if len(several) > 1 and list(several.values()) not in seen_groups:
            seen_groups.append(list(several.values()))
            yield title, several

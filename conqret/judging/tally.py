"""What the page says of all items together, gathered one judgment at a time: memory grows with those
that are shown in full, and by eight bytes for each score."""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from itertools import filterfalse
from operator import itemgetter

from conqret.data import Item, Judgment, Status
from conqret.data.judgment import TopicKeys
from conqret.judging.summary import Summary
from conqret.show import words
from conqret.show.table import Cell, Column, Table
from conqret.stats.estimate import Estimate, mean_of_sums

MAX_KINDS = 12
"""Values of a field of metadata that make groups; one with more names items rather than kinds of them."""
MAX_TOPICS = 40
"""Topics that are listed, those with the lowest means."""
LONGEST = 60
"""Characters of a value that makes a group."""


MAX_ITEMS = 200
"""Items that the page shows in full: more make it slow to open."""


@dataclass
class Tally:
    """The scores of all items with their groups, and the judgments that the report page shows in full.

    Items are grouped by topic, stance, language, and metadata fields with few values. Judgments that need
    attention are shown first, then others in file order.

    Args:
        max_items: the number of judgments shown in full.
        order: the number of each item in its file, from 1; needed only where judgments are not in that order.
        summary: the summary of the run if it is known already, else None.
    """

    max_items: int = MAX_ITEMS
    order: Mapping[str, int] = field(default_factory=dict)
    summary: Summary | None = None
    items: dict[str, int] = field(default_factory=dict)
    topics: list[str] = field(default_factory=list)
    keys: TopicKeys = field(default_factory=TopicKeys)
    stances: list[str] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    kinds: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)
    _values: dict[str, array[float]] = field(default_factory=dict)
    _count: int = 0
    _kept: dict[str, tuple[bool, int, Judgment]] = field(default_factory=dict)

    def add(self, judgment: Judgment) -> None:
        """Add one judgment: its scores, its groups, and itself if it is to be shown."""
        self._count += 1
        number = self.order.get(judgment.item, len(self.order) + self._count)
        full = judgment.status in (Status.SCORED, Status.INAPPLICABLE) and not judgment.addressed
        self._kept[judgment.item] = (full, number, judgment)
        if len(self._kept) > 2 * self.max_items:
            self._kept = {shown.item: self._kept[shown.item] for _, shown in self.shown()}
        place = len(self.items)
        new = self.items.setdefault(judgment.item, place) == place
        if new:
            self.keys.add(judgment)
            self.topics.append(self._names.setdefault(judgment.topic, judgment.topic))
            self.stances.append(self._names.setdefault(judgment.stance, judgment.stance))
            self.languages.append(words.language(judgment.language) or "cannot be told")
        for metric, measure in judgment.measures.items():
            if new:
                values = self._values.setdefault(metric, array("d"))
                values.extend([math.nan] * (place - len(values)))
                values.append(math.nan if measure.value is None else measure.value)

    def add_item(self, item: Item) -> None:
        """Add the metadata of one item to the groups."""
        for name, value in item.metadata.items():
            if isinstance(value, str | int) and len(value_text := str(value)) <= LONGEST:
                kinds = self.kinds.setdefault(name, {})
                if len(kinds) <= MAX_KINDS:
                    kinds.setdefault(value_text, []).append(item.id)

    def shown(self) -> list[tuple[int, Judgment]]:
        """Return the judgments to show in full, each after the number of its item."""
        first = nsmallest(self.max_items, self._kept.values(), key=itemgetter(0, 1))
        return list(map(itemgetter(1, 2), first))

    def values(self, metric: str) -> list[float]:
        """Return the scores of a metric, without missing ones."""
        return list(filterfalse(math.isnan, self._values.get(metric, ())))

    def mean(self, metric: str, places: Sequence[int] | None = None) -> Estimate:
        """Return the mean of a metric over the items at ``places`` (None: all), with its interval over
        topics.
        """
        values = self._values.get(metric, array("d"))
        wanted = range(len(values)) if places is None else [index for index in places if index < len(values)]
        joined = self.keys.joined
        sums: defaultdict[str, float] = defaultdict(float)
        counts: Counter[str] = Counter()
        for place in wanted:
            if not math.isnan(values[place]):
                topic = joined.get(self.topics[place], self.topics[place])
                sums[topic] += values[place]
                counts[topic] += 1
        return mean_of_sums(list(sums.values()), list(counts.values()))


def group_table(tally: Tally, metrics: Sequence[str]) -> Table:
    """Build a table with one row per group: the number of items and the means of ``metrics``.

    It is empty where all items belong to one group.
    """
    rows: list[tuple[Cell, ...]] = []
    notes, intervals = [], False
    for title, groups in _groups(tally):
        shown = list(groups)
        if title == "topic" and len(shown) > MAX_TOPICS:
            means_of = {
                name: [tally.mean(metric, groups[name]).value for metric in metrics] for name in shown
            }
            lowest = {
                name: next((value for value in means_of[name] if value is not None), math.inf)
                for name in shown
            }
            shown = sorted(shown, key=lowest.__getitem__)[:MAX_TOPICS]
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


def _groups(tally: Tally) -> Iterator[tuple[str, dict[str, list[int]]]]:
    seen_groups: list[list[list[int]]] = []  # what divides the items alike is said once
    by_name = {
        "stance": map(words.stance, tally.stances),
        "language": tally.languages,
        "topic": tally.topics,
    }
    for title, names in by_name.items():
        groups: dict[str, list[int]] = {}
        for place, name in enumerate(names):
            groups.setdefault(name, []).append(place)
        if len(groups) > 1:
            seen_groups.append(list(groups.values()))
            yield title, groups
    for title, members in tally.kinds.items():
        places = {
            name: [tally.items[identifier] for identifier in ids if identifier in tally.items]
            for name, ids in members.items()
        }
        judged = {name: group_places for name, group_places in places.items() if group_places}
        if len(members) <= MAX_KINDS and len(judged) > 1 and list(judged.values()) not in seen_groups:
            seen_groups.append(list(judged.values()))
            yield title, judged

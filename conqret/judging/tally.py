"""What the page says of all items together, gathered one judgment at a time: memory grows with those
that are shown in full, and by eight bytes for each score."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from heapq import nsmallest

from conqret.data import Judgment, Status
from conqret.judging.metric_groups import Kinds, Scores
from conqret.judging.summary import Summary

MAX_ITEMS = 200
"""Items that the page shows in full: more make it slow to open."""


def needs_attention(judgment: Judgment) -> bool:
    """Whether the page shows this judgment before others: no full score, or a text that addresses the judge."""
    return judgment.status is not Status.SCORED or bool(judgment.addressed)


@dataclass
class Tally:
    """Sums over all judgments, and those to show in full: first those that need attention, then in file order.

    Attributes:
        max_items: how many judgments are shown in full.
        order: the number of each item in its file, from 1; left out where judgments come in the order of the items.
        kinds: which items share a value of their metadata; whoever counts judgments adds all items.
        summary: the run in numbers, where whoever counts has them already; else they are taken from the run.
    """

    max_items: int = MAX_ITEMS
    order: Mapping[str, int] = field(default_factory=dict)
    summary: Summary | None = None
    scores: Scores = field(default_factory=Scores)
    kinds: Kinds = field(default_factory=Kinds)
    missing: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _count: int = 0
    _kept: dict[str, tuple[bool, int, Judgment]] = field(default_factory=dict)

    def add(self, judgment: Judgment) -> None:
        """Count one judgment in."""
        self.scores.add(judgment)
        self._keep(judgment)
        for metric, measure in judgment.measures.items():
            if measure.reason is not None:
                self.missing[measure.reason][metric] += 1

    def shown(self) -> list[tuple[int, Judgment]]:
        """The judgments to show in full, each with the number of its item."""
        return [(number, judgment) for _, number, judgment in self._first().values()]

    def _keep(self, judgment: Judgment) -> None:
        self._count += 1
        number = self.order.get(judgment.item, len(self.order) + self._count)
        self._kept[judgment.item] = (not needs_attention(judgment), number, judgment)
        if len(self._kept) > 2 * self.max_items:
            self._kept = self._first()

    def _first(self) -> dict[str, tuple[bool, int, Judgment]]:
        return dict(nsmallest(self.max_items, self._kept.items(), key=lambda pair: pair[1][:2]))

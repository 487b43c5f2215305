"""What the page says of all items together, gathered one judgment at a time: memory does not grow with them."""

from __future__ import annotations

from dataclasses import dataclass, field

from conqret.data import Judgment, Measure, Status
from conqret.judging.summary import Summariser

BINS = 10
"""Bins of a score distribution: [0, .1), [.1, .2), ... [.9, 1], the last one closed."""

RANKS = 40
"""Documents of an item that have a column of their own in the map of document relevance."""

DOCUMENT_MEASURES = {"rag-fine-grained": "context_relevance"}
"""Formats that rate each document by itself, and the metric whose parts are the documents in their order."""


def document_measure(judgment: Judgment) -> Measure | None:
    """The measure whose parts are the item's documents, if the format has one and it was scored."""
    measure = judgment.measures.get(DOCUMENT_MEASURES.get(judgment.format, ""))
    return measure if measure is not None and measure.parts else None


def bin_of(value: float) -> int:
    """The bin of a score in [0, 1]. The rounding keeps 3/5 + 1e-16 and 3/5 - 1e-16 together."""
    return min(int(round(value * BINS, 9)), BINS - 1)


def needs_attention(judgment: Judgment) -> bool:
    """Whether the page shows this judgment before others: no full score, or a text that addresses the judge."""
    return judgment.status is not Status.SCORED or bool(judgment.flags)


@dataclass
class Tally:
    """Sums over all judgments. ``urgent`` holds the ids of the items that are shown first."""

    summariser: Summariser = field(default_factory=Summariser)
    histograms: dict[str, list[int]] = field(default_factory=dict)
    rank_sums: list[float] = field(default_factory=list)
    rank_counts: list[int] = field(default_factory=list)
    missing: dict[str, dict[str, int]] = field(default_factory=dict)
    judged: set[str] = field(default_factory=set)
    urgent: set[str] = field(default_factory=set)

    def add(self, judgment: Judgment) -> None:
        """Count one judgment in."""
        self.summariser.add(judgment)
        self.judged.add(judgment.item)
        if needs_attention(judgment):
            self.urgent.add(judgment.item)
        for metric, measure in judgment.measures.items():
            bins = self.histograms.setdefault(metric, [0] * BINS)
            if measure.value is not None:
                bins[bin_of(measure.value)] += 1
            elif measure.reason is not None:
                reasons = self.missing.setdefault(measure.reason, {})
                reasons[metric] = reasons.get(metric, 0) + 1
        documents = document_measure(judgment)
        if documents is not None:
            self._add_ranks([part.value for part in documents.parts[:RANKS]])

    def rank_means(self) -> list[float | None]:
        """The mean relevance of the first, second, ... document over all items that have one."""
        return [total / n if n else None for total, n in zip(self.rank_sums, self.rank_counts, strict=True)]

    def _add_ranks(self, values: list[float | None]) -> None:
        while len(self.rank_sums) < len(values):
            self.rank_sums.append(0.0)
            self.rank_counts.append(0)
        for rank, value in enumerate(values):
            if value is not None:
                self.rank_sums[rank] += value
                self.rank_counts[rank] += 1

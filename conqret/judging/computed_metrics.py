"""Metrics of a judge that need no request of their own: computed from an item alone, or from its other metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from conqret.data import Item, Measure, Reason
from conqret.errors import first_line


@dataclass(frozen=True)
class ComputedMetrics:
    """Metrics that are computed from an item alone, without a model, and therefore always the same.

    - ``score(item)``: the measures, each in [0, 1]; a pure function; an exception makes them failed
    - ``needs``: the fields that the item must have; ``optional``: those used where the item has them
    - ``version``: part of the fingerprint; increase it with every change of the results
    - ``also``: as in :class:`~conqret.judging.judge_parts.JudgePrompt`
    """

    metrics: tuple[str, ...]
    needs: frozenset[str]
    score: Callable[[Item], Mapping[str, Measure]]
    optional: frozenset[str] = frozenset()
    version: int = 1
    also: Mapping[str, str] = field(default_factory=dict)
    against: frozenset[str] = field(default=frozenset(), init=False)

    @property
    def looked_at(self) -> frozenset[str]:
        """The fields of an item that affect the metrics: those that it must have, and optional ones."""
        return self.needs | self.optional

    def measures(self, item: Item) -> Mapping[str, Measure]:
        """Return a mapping from metric to its measure of an item; where the function raises, all are failed measures
        with the error as the reason.
        """
        try:
            return self.score(item)
        except Exception as error:  # noqa: BLE001 - a metric does not end the run
            lost = Measure.missing(Reason.JUDGE_FAILED, f"{type(error).__name__}: {first_line(error)}")
            return dict.fromkeys(self.metrics, lost)


@dataclass(frozen=True)
class CombinedMetrics:
    """Metrics that a pure function computes from the requested metrics of the same item, without a further
    request.

    - ``made_of``: a mapping from each combined metric to the rated metrics that it needs
    - ``score(item, measures)``: the measures of the combined metrics that this item has
    - ``rows``: True if the rated metrics are only rows of the combined ones, and not reported themselves
    - ``check(items)``: reads all items and returns warnings; raises where the items do not fit
    - ``columns``: further columns of the items that hold what they are judged by
    """

    made_of: Mapping[str, frozenset[str]]
    score: Callable[[Item, Mapping[str, Measure]], Mapping[str, Measure]]
    rows: bool = False
    check: Callable[[Iterable[Item]], Sequence[str]] = field(default=lambda items: ())
    columns: tuple[str, ...] = ()

"""A cascade of two judges: the first keeps the items that it is sure of, the last judges the others.

The rule comes from ``conqret judges abstain --against``; a judgment says which judge gave its scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from conqret.data import Judgment, Status, Trace
from conqret.data.item import Frozen
from conqret.data.judgment import CascadeStage
from conqret.errors import number
from conqret.judging.scales import PLACES, confidences
from conqret.show.words import money

ARROW = " → "
"""Stands between the two models of a cascade, where its model is named."""


class CascadeRule(Frozen):
    """The items that the first judge of a cascade keeps.

    It keeps an item if its confidence is at least ``threshold``: the lowest of ``metrics``, or, if ``together``, their
    mean. The confidences are those from ``source``. It kept the ``share`` of the items on which the rule was fitted.
    """

    source: str
    metrics: tuple[str, ...]
    together: bool
    threshold: float
    share: float

    def keeps(self, judgment: Judgment) -> bool:
        """Return True if the first judge keeps its scores: it is sure, or gave no response, which is a failure."""
        sure = item_confidence(judgment, self.source, self.metrics, together=self.together)
        return judgment.status is Status.FAILED or (sure is not None and sure >= self.threshold)

    def joined(self, first: Judgment, last: Judgment | None, **update: str) -> Judgment:
        """Return the judgment of the cascade: that of the last judge, or of the first if the last is None.

        The calls of both are in its trace, those of the first judge before those of the last. ``update`` names the
        cascade: its model and fingerprint.
        """
        given, calls = last or first, first.trace.calls
        stage = CascadeStage(
            model=given.model,
            escalated=last is not None,
            confidence=item_confidence(first, self.source, self.metrics, together=self.together),
            first_calls=len(calls),
        )
        trace = Trace(calls=calls if last is None else (*calls, *last.trace.calls))
        return given.model_copy(update={**update, "cascade": stage, "trace": trace})


def item_confidence(
    judgment: Judgment, source: str, metrics: Sequence[str], *, together: bool
) -> float | None:
    """Return the lowest confidence of a judgment in ``metrics``, or (``together``) their mean; None if one has none."""
    known = list[float]()
    for metric in metrics:
        measure = judgment.measures.get(metric)
        sure = None if measure is None or measure.value is None else confidences(measure).get(source)
        if sure is None:
            return None
        known.append(sure)
    return round(fmean(known), PLACES) if together else min(known)


class CascadeCounts(Frozen):
    """How many items each judge of a cascade gave its scores, and the dollars of both (None: a price is unknown)."""

    kept: int = 0
    escalated: int = 0
    first_usd: float | None = 0.0
    last_usd: float | None = 0.0

    def plus(self, judgment: Judgment) -> CascadeCounts:
        """Return the counts with one more judgment of the cascade; a failed one counts for neither judge."""
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
        """Return one line on the calls that are saved; ``model`` names both judges of the cascade."""
        first, _, last = model.partition(ARROW)
        every = self.kept + self.escalated
        line = f"{first} kept {self.kept:,} of {number(every, 'item')}"
        line += f", so {self.kept / max(every, 1):.0%} of the calls of {last} are saved"
        if self.first_usd is None and self.last_usd is None:
            return line
        return f"{line} (cost: {money(self.first_usd)} and {money(self.last_usd)})"


def _sum(cost: float | None, more: float | None) -> float | None:
    return None if cost is None or more is None else cost + more

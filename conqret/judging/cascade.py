"""A cascade of two judges: the first keeps the items that it is sure of, the last judges the others.

The rule comes from ``conqret judges abstain --against``; a judgment says which judge gave its scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from statistics import fmean
from typing import Any

from conqret.data import Item, Judgment, Status, Trace
from conqret.data.item import Frozen
from conqret.data.judgment import CascadeStage
from conqret.judging.instrument import Instrument, judge_item
from conqret.judging.judge_parts import digest
from conqret.judging.scales import PLACES, confidences
from conqret.judging.setup import Setup
from conqret.llm.client import Client


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
        """Return True if the first judge keeps its scores: it is sure, or gave no response, which is a
        failure. A judgment without a confidence is not kept."""
        sure = item_confidence(judgment, self.source, self.metrics, together=self.together)
        return judgment.status is Status.FAILED or (sure is not None and sure >= self.threshold)

    def setup(self, first: Setup, last: Setup) -> Setup:
        """Return the cascade of two judge configurations by this rule."""
        return CascadeSetup(*(getattr(first, field.name) for field in fields(Setup)), last=last, rule=self)

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


@dataclass(frozen=True, kw_only=True)
class CascadeSetup(Setup):
    """The configuration of a cascade: that of its first judge, with the ``last`` judge and the rule for both."""

    last: Setup
    rule: CascadeRule

    @cached_property
    def first(self) -> Setup:
        """The first judge by itself."""
        return Setup(*(getattr(self, field.name) for field in fields(Setup)))

    @property
    def judges(self) -> tuple[Setup, ...]:
        """Both judges; the last one has the share of items that it had where the rule was fitted."""
        return self.first, replace(self.last, share=1 - self.rule.share)

    @cached_property
    def identity(self) -> dict[str, Any]:
        """The identity of the first judge, with the rule and the identity of the last judge under
        ``cascade``.
        """
        rule = self.rule.model_dump(mode="json", exclude={"share"})
        return {**self.first.identity, "cascade": {**rule, "last judge": self.last.identity}}

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """The fingerprint of the cascade alone, without those of its formats."""
        return (self.fingerprint,)

    @cached_property
    def fingerprint(self) -> str:
        """The hash of the identity."""
        return digest(self.identity)

    def instrument(self, *clients: Client) -> Instrument:
        """Return the cascade as an :class:`Instrument`, from the open clients of its first and last judge (in this
        order). The last judge gets only items that the rule does not leave with the first."""
        first, last = self.first.instrument(clients[0]), self.last.instrument(clients[1])

        async def judged(item: Item) -> Judgment:
            by_first = await judge_item(item, first)
            by_last = None if self.rule.keeps(by_first) else await judge_item(item, last)
            return self.rule.joined(by_first, by_last, model=self.model, fingerprint=self.fingerprint)

        return replace(first, model=self.model, fingerprint=self.fingerprint, cascade=judged)

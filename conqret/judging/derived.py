"""Metrics that follow from another one, and cost no request of their own: reported where they are asked for by name."""

from __future__ import annotations

from collections.abc import Mapping

from conqret.data import Measure

COMPLEMENTS: Mapping[str, str] = {"hallucination": "groundedness"}
"""By its name, the metric whose complement it is: ``1 - value``. Lower is better."""


def complement(measure: Measure) -> Measure:
    """The measure of the complement. What was said for the value is kept; ratings and parts are the other metric's."""
    if measure.value is None:
        return measure
    return Measure(
        status=measure.status,
        value=1 - measure.value,
        majority=None if measure.majority is None else 1 - measure.majority,
        samples=tuple(None if value is None else 1 - value for value in measure.samples),
        confidence=measure.confidence,
        method=measure.method,
        explanation=measure.explanation,
        detail=measure.detail,
    )

"""Put what was said of two arguments in either order together.

Models favour a place (Zheng et al. 2023, section 3.3), so every comparison is asked in both orders. A
verdict that flips with the order says something about the place and nothing about the arguments: it is a
tie, and counted as a flip. Where one order has no answer there is no verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

from conqret.data import Item, Measure, Part, Reason, Status
from conqret.judging.judge_parts import SECOND
from conqret.judging.scales import PREFERENCE, mean_confidence, mean_of, mean_part

OTHER_ORDER = "(With the arguments swapped, so that 1 is the second:)"
"""Stands between the explanations of the two orders, which number the arguments differently."""

_MIRROR = {"first": "second", "second": "first", "tie": "tie"}


def swap_item(item: Item) -> Item:
    """The item with its two arguments in each other's place."""
    return item.model_copy(update={"argument": item.second_argument, "second_argument": item.argument})


def both_orders(measures: Mapping[str, Measure], swapped: Mapping[str, Measure]) -> dict[str, Measure]:
    """One set of measures from the answers in the given and in the swapped order (same metrics in both)."""
    paired = set(measures)
    combined = {}
    for metric, measure in measures.items():
        other = swapped[_counterpart(metric, paired)]
        combined[metric] = _combine(measure, mirrored(other) if other.label is not None else other)
    return combined


def mirrored(measure: Measure) -> Measure:
    """A preference as seen with the two arguments in each other's place."""
    return measure.model_copy(
        update={
            "label": _MIRROR[measure.label or "tie"],
            "value": None if measure.value is None else 1 - measure.value,
            "parts": tuple(
                part.model_copy(update={"label": _MIRROR[part.label]}) if part.label in _MIRROR else part
                for part in measure.parts
            ),
        }
    )


def _counterpart(metric: str, paired: set[str]) -> str:
    """The name under which the swapped answer holds what ``metric`` means in the given order."""
    other = metric.removeprefix(SECOND) if metric.startswith(SECOND) else SECOND + metric
    return other if other in paired else metric


def _combine(measure: Measure, other: Measure) -> Measure:
    if measure.value is None or other.value is None:
        return _missing(measure, other)
    parts = _join(measure.parts, other.parts)
    confidence = mean_confidence([measure, other])
    explanation = measure.explanation
    if other.explanation and other.explanation != measure.explanation:
        explanation = f"{measure.explanation} {OTHER_ORDER} {other.explanation}".strip()
    if measure.label is None or other.label is None:
        return measure.model_copy(
            update={
                "value": fmean((measure.value, other.value)),
                "raw": mean_of((measure.raw, other.raw)),
                "confidence": confidence,
                "explanation": explanation,
                "parts": parts,
            }
        )
    flipped = measure.label != other.label
    return Measure(
        status=Status.SCORED,
        value=PREFERENCE["tie"] if flipped else fmean((measure.value, other.value)),
        label="tie" if flipped else measure.label,
        flipped=flipped,
        method=measure.method if measure.method == other.method else "mixed",
        confidence=confidence,
        explanation=explanation,
        parts=parts,
    )


def _missing(measure: Measure, other: Measure) -> Measure:
    """Both orders missing: the first reason; one of them: unscored, with the reason of that one."""
    if measure.value is None and other.value is None:
        return measure
    lacking, which = (measure, "given") if measure.value is None else (other, "swapped")
    return Measure.missing(
        Reason.ONE_ORDER_ONLY, f"no answer in the {which} order: {lacking.reason} {lacking.detail}".rstrip()
    )


def _join(parts: tuple[Part, ...], other: tuple[Part, ...]) -> tuple[Part, ...]:
    """The parts of both orders; a part that both name (the same criterion, the same nugget) once."""
    twins = {part.id: part for part in other}
    joined = [_with_twin(part, twins.pop(part.id, None)) for part in parts]
    return (*joined, *twins.values())


def _with_twin(part: Part, twin: Part | None) -> Part:
    return (
        part if twin is None else mean_part([part, twin], part.label if part.label == twin.label else "tie")
    )

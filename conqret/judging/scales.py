"""Ratings on a scale as measures in [0, 1]; and several samples, or both orders of two arguments, as one.

Models favor a place (Zheng et al. 2023, section 3.3), so every comparison is requested in both orders. A verdict that
flips with the order says something about the place and nothing about the arguments: it is a tie, and counted as a
flip. Where one order has no answer there is no verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from statistics import fmean, median, pstdev
from typing import Any

from conqret.data import Item, Measure, Part, Reason, Status
from conqret.data.digest import gathered
from conqret.judging.judge_parts import SECOND

SOURCES = ("logprobs", "probabilities", "samples", "stated", "orders")
"""The sources of confidence, in the order in which one is taken by default."""
PLACES = 9
"""Decimals that are kept, so that no confidences are told apart by rounding alone."""


def confidences(measure: Measure) -> dict[str, float]:
    """Return the confidence in a measure, in [0, 1], by source.

    The sources are those of the measure, the agreement of its samples (``samples``: 1 - 2 standard
    deviations, at least 0) and that of both orders of the arguments (``orders``: 1 or 0).
    """
    by_source = dict(measure.confidence)
    samples = [value for value in measure.samples if value is not None]
    if len(samples) > 1:
        by_source["samples"] = max(0.0, round(1 - 2 * pstdev(samples), PLACES))
    if measure.flipped is not None:
        by_source["orders"] = float(not measure.flipped)
    return by_source


def with_confidence(measure: Measure, sure: Mapping[str, float]) -> Measure:
    """Return a scored measure with the confidences in ``sure`` added; an unscored measure is unchanged."""
    if not sure or measure.value is None:
        return measure
    return measure.model_copy(update={"confidence": {**measure.confidence, **sure}})


def mean_confidence(measures: Sequence[Measure]) -> dict[str, float]:
    """Return the mean confidence over several measures, for each source that all of them have."""
    shared = set.intersection(*(set(measure.confidence) for measure in measures))
    return {source: fmean(measure.confidence[source] for measure in measures) for source in sorted(shared)}


def mean_distribution(measured: Sequence[Measure | Part]) -> dict[str, float]:
    """Return the mean probability of each answer that all measures or parts have; empty where one has none.

    ``measured`` is not empty.
    """
    shared = set.intersection(*(set(one.distribution) for one in measured))
    return {
        label: fmean(one.distribution[label] for one in measured)
        for label in measured[0].distribution
        if label in shared
    }


@dataclass(frozen=True, slots=True)
class Scale:
    """A rating scale of the whole numbers from ``low`` to ``high``."""

    low: int
    high: int

    def unit(self, rating: float) -> float:
        """Return a rating as a score in [0, 1]: ``(rating - low) / (high - low)``."""
        return (rating - self.low) / (self.high - self.low)

    def rating(self, unit: float, up: float = 0.5) -> int:
        """Return the whole rating nearest to a score in [0, 1]; halves are rounded up.

        ``up`` in (0, 1) changes the rounding: a fraction of at least ``1 - up`` is rounded up.
        """
        return self.low + int((self.high - self.low) * min(max(unit, 0.0), 1.0) + up)

    def __str__(self) -> str:
        return f"{self.low} to {self.high}"


ZERO_TO_TEN = Scale(0, 10)
ZERO_TO_FIVE = Scale(0, 5)
ONE_TO_FIVE = Scale(1, 5)
ONE_TO_THREE = Scale(1, 3)

PREFERENCE = {"first": 1.0, "tie": 0.5, "second": 0.0}
"""The value of a preference: 1 where the first argument is the better one, 0 where the second is."""


def rated(scale: Scale, rating: float | None, explanation: str = "", *, method: str | None = None) -> Measure:
    """Return the measure of one rating on ``scale``.

    A rating of None gives a missing measure: the judge declares that it cannot judge.
    """
    if rating is None:
        return Measure.missing(Reason.CANNOT_JUDGE, explanation)
    return Measure(
        status=Status.SCORED, value=scale.unit(rating), raw=rating, explanation=explanation, method=method
    )


def mean_of(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are not None; None if there are none."""
    there = [value for value in values if value is not None]
    return fmean(there) if there else None


def mean_part(same: Sequence[Part], label: str | None) -> Part:
    """Combine repeated ratings of the same thing into one part, with the means of values and raw ratings.

    Everything else is that of the first; the part's label is ``label``.
    """
    means: dict[str, Any] = {
        "value": mean_of(part.value for part in same),
        "raw": mean_of(part.raw for part in same),
        "distribution": mean_distribution(same),
    }
    return same[0].model_copy(update={**means, "label": label})


def mean_of_parts(parts: Sequence[Part], explanation: str = "") -> Measure:
    """Return a measure with the mean value of ``parts`` (each must have one) and the mean of their raw
    ratings.
    """
    return Measure(
        status=Status.SCORED,
        value=fmean(map(attrgetter("value"), parts)),
        raw=mean_of(map(attrgetter("raw"), parts)),
        explanation=explanation,
        parts=tuple(parts),
    )


def preferred(
    label: str, explanation: str = "", parts: Sequence[Part] = (), *, slightly: bool = False
) -> Measure:
    """Return the measure of a preference: ``label`` is first, second or tie.

    ``slightly`` sets its value halfway between that side and a tie.
    """
    return Measure(
        status=Status.SCORED,
        value=(PREFERENCE[label] + PREFERENCE["tie"]) / 2 if slightly else PREFERENCE[label],
        label=label,
        explanation=explanation,
        parts=tuple(parts),
    )


def graded(scale: Scale, name: str, rating: int, explanation: str = "") -> Part:
    """Return the part of a measure for one rating on ``scale``; ``name`` is its id."""
    return Part(id=name, value=scale.unit(rating), raw=rating, explanation=explanation)


def preferred_mostly(parts: Sequence[Part], explanation: str = "") -> Measure:
    """Return the measure of the most frequent preference among the labels of ``parts``."""
    return preferred(most_frequent([part.label or "tie" for part in parts]), explanation, parts)


def most_frequent(labels: Sequence[str]) -> str:
    """Return the most frequent of first, second and tie; a tie where first and second are equally frequent.

    ``tie`` wins only where it is more frequent than either side.
    """
    return preferred_side(Counter(labels))


def majority(values: Sequence[float]) -> float:
    """Return the most frequent value; where several are equally frequent, their median."""
    counts = Counter(values)
    top = max(counts.values())
    return median(value for value, count in counts.items() if count == top)


def combine_samples(measures: Sequence[Measure]) -> Measure:
    """Combine the measures of several samples into one, with the mean of their values; samples without a
    value are left out.

    A single sample is returned unchanged. If no sample has a value, the result has the reason of the first.
    The label is the most frequent one, and parts of the same id are combined.
    """
    if len(measures) == 1:
        return measures[0]
    scored = [sample for sample in measures if sample.value is not None]
    values = [sample.value for sample in scored if sample.value is not None]
    if not values:
        return measures[0].model_copy(update={"samples": (None,) * len(measures)})
    labels = [sample.label for sample in scored if sample.label is not None]
    flips = [sample.flipped for sample in scored if sample.flipped is not None]
    methods = {sample.method for sample in scored}
    parts = gathered((part.id, part) for sample in scored for part in sample.parts)
    return Measure(
        status=scored[0].status,
        value=fmean(values),
        raw=mean_of(sample.raw for sample in scored),
        label=most_frequent(labels) if labels else None,
        flipped=any(flips) if flips else None,
        method=methods.pop() if len(methods) == 1 else "mixed",
        majority=majority(values),
        samples=tuple(sample.value for sample in measures),
        confidence=mean_confidence(scored),
        distribution=mean_distribution(scored),
        explanation=scored[0].explanation,
        parts=tuple(mean_part(same, _commonest(same)) for same in parts.values()),
        detail=""
        if len(scored) == len(measures)
        else f"{len(scored)} of {len(measures)} samples gave a value",
    )


def _commonest(parts: Iterable[Part]) -> str | None:
    counts = Counter(part.label for part in parts if part.label is not None)
    return max(counts, key=counts.__getitem__, default=None)


OTHER_ORDER = "(With the arguments swapped, so that 1 is the second:)"
"""Stands between the explanations of the two orders, which number the arguments differently."""


def preferred_side(distribution: Mapping[str, float]) -> str:
    """Return the likeliest of first, second and tie; a tie where first and second are equally likely."""
    first, second = distribution["first"], distribution["second"]
    if first == second or distribution["tie"] > max(first, second):
        return "tie"
    return "first" if first > second else "second"


_MIRROR = {"first": "second", "second": "first", "tie": "tie"}


def swap_item(item: Item) -> Item:
    """Return the item with its two arguments swapped."""
    return item.model_copy(update={"argument": item.second_argument, "second_argument": item.argument})


def both_orders(measures: Mapping[str, Measure], swapped: Mapping[str, Measure]) -> dict[str, Measure]:
    """Combine the measures of a comparison in the original order of two arguments with those in the swapped order.

    Preferences of the swapped order are turned round first. A metric of the second argument (its name begins with
    :data:`SECOND`) is paired with that of the first in the other order, because the arguments have changed places.
    ``swapped`` has all metrics of ``measures``; the result has the keys of ``measures``. A preference that flips with
    the order becomes a tie.
    """
    combined = {}
    for metric, measure in measures.items():
        counterpart = metric.removeprefix(SECOND) if metric.startswith(SECOND) else SECOND + metric
        other = swapped[counterpart if counterpart in measures else metric]
        combined[metric] = _combine(measure, mirrored(other) if other.label is not None else other)
    return combined


def _mirror(shares: Mapping[str, float]) -> dict[str, float]:
    return {_MIRROR[label]: share for label, share in shares.items()}


def mirrored(measure: Measure) -> Measure:
    """Return a preference measure for the two arguments in swapped order.

    The label first becomes second and vice versa, and the value becomes 1 - value.
    """
    return measure.model_copy(
        update={
            "distribution": _mirror(measure.distribution),
            "label": _MIRROR[measure.label or "tie"],
            "value": None if measure.value is None else 1 - measure.value,
            "parts": tuple(
                part.model_copy(
                    update={"label": _MIRROR[part.label], "distribution": _mirror(part.distribution)}
                )
                if part.label in _MIRROR
                else part
                for part in measure.parts
            ),
        }
    )


def _combine(measure: Measure, other: Measure) -> Measure:
    if measure.value is None or other.value is None:
        return _missing(measure, other)
    parts = _join(measure.parts, other.parts)
    confidence = mean_confidence([measure, other])
    shares = mean_distribution([measure, other])
    explanation = measure.explanation
    if other.explanation and other.explanation != measure.explanation:
        explanation = f"{measure.explanation} {OTHER_ORDER} {other.explanation}".strip()
    if measure.label is None or other.label is None:
        return measure.model_copy(
            update={
                "value": fmean((measure.value, other.value)),
                "raw": mean_of((measure.raw, other.raw)),
                "confidence": confidence,
                "distribution": shares,
                "explanation": explanation,
                "parts": parts,
            }
        )
    flipped = measure.label != other.label
    label = "tie" if flipped else measure.label
    return Measure(
        status=Status.SCORED,
        value=PREFERENCE["tie"] if flipped and not shares else fmean((measure.value, other.value)),
        label=preferred_side(shares) if shares else label,
        distribution=shares,
        flipped=flipped,
        method=measure.method if measure.method == other.method else "mixed",
        confidence=confidence,
        explanation=explanation,
        parts=parts,
    )


def _missing(measure: Measure, other: Measure) -> Measure:
    """Return the measure where at least one order has no value. If both lack one, it is the original order's measure
    with its reason; else an unscored measure (ONE_ORDER_ONLY) whose detail names the order that lacks it and why."""
    if measure.value is None and other.value is None:
        return measure
    lacking, which = (measure, "given") if measure.value is None else (other, "swapped")
    return Measure.missing(
        Reason.ONE_ORDER_ONLY, f"no answer in the {which} order: {lacking.reason} {lacking.detail}".rstrip()
    )


def _join(parts: tuple[Part, ...], other: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return the parts of both orders. A part that both have (the same criterion or nugget, by its id) occurs once,
    with the mean of both; two different labels become a tie."""
    twins = {part.id: part for part in other}
    joined = []
    for part in parts:
        twin = twins.pop(part.id, None)
        same = (
            part
            if twin is None
            else mean_part([part, twin], part.label if part.label == twin.label else "tie")
        )
        joined.append(same)
    return (*joined, *twins.values())

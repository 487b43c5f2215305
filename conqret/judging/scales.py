"""Rating scales, and the way from a rating to a score in [0, 1]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from conqret.data import Measure, Part, Reason, Status


@dataclass(frozen=True, slots=True)
class Scale:
    """Whole numbers from ``low`` to ``high``. ``unit(x) = (x - low) / (high - low)``."""

    low: int
    high: int

    def unit(self, rating: float) -> float:
        """The rating as a score in [0, 1]."""
        return (rating - self.low) / (self.high - self.low)

    def rating(self, unit: float, up: float = 0.5) -> int:
        """The whole rating nearest to a score in [0, 1]; halves go up. With another ``up`` in (0, 1) it goes up from
        ``1 - up`` between two ratings on."""
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
    """The measure of one rating on ``scale``; None is what the judge says cannot be judged."""
    if rating is None:
        return Measure.missing(Reason.CANNOT_JUDGE, explanation)
    return Measure(
        status=Status.SCORED, value=scale.unit(rating), raw=rating, explanation=explanation, method=method
    )


def mean_of(values: Iterable[float | None]) -> float | None:
    """The mean of the values that there are; None where there is none."""
    there = [value for value in values if value is not None]
    return fmean(there) if there else None


def mean_part(same: Sequence[Part], label: str | None) -> Part:
    """One part from what was said of the same thing several times: the means of values and raw ratings."""
    means = {"value": mean_of(one.value for one in same), "raw": mean_of(one.raw for one in same)}
    return same[0].model_copy(update={**means, "label": label})


def share(parts: Sequence[Part], explanation: str = "") -> Measure:
    """The mean of the values of ``parts`` (which all have one), with the mean of their raw ratings."""
    return Measure(
        status=Status.SCORED,
        value=fmean(part.value for part in parts if part.value is not None),
        raw=mean_of(part.raw for part in parts),
        explanation=explanation,
        parts=tuple(parts),
    )


def preferred(
    label: str, explanation: str = "", parts: Sequence[Part] = (), *, slightly: bool = False
) -> Measure:
    """The measure of a preference: ``label`` is first, second or tie; ``slightly`` puts it halfway to a tie."""
    return Measure(
        status=Status.SCORED,
        value=(PREFERENCE[label] + PREFERENCE["tie"]) / 2 if slightly else PREFERENCE[label],
        label=label,
        explanation=explanation,
        parts=tuple(parts),
    )


def graded(scale: Scale, name: str, rating: int, explanation: str = "") -> Part:
    """The part of a measure that one rating on ``scale`` makes."""
    return Part(id=name, value=scale.unit(rating), raw=rating, explanation=explanation)


def preferred_mostly(parts: Sequence[Part], explanation: str = "") -> Measure:
    """The measure of the most frequent preference among ``parts``, which all have one as their label."""
    return preferred(most_frequent([part.label or "tie" for part in parts]), explanation, parts)


def most_frequent(labels: Sequence[str]) -> str:
    """The most frequent of first, second and tie; a tie where first and second are equally frequent.

    ``tie`` wins only where it is more frequent than either side.
    """
    counts = Counter(labels)
    first, second, tie = counts["first"], counts["second"], counts["tie"]
    if first == second or tie > max(first, second):
        return "tie"
    return "first" if first > second else "second"

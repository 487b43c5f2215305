"""The card's small figures, as numbers for SVG attributes, each with the sentence that says the same."""

from __future__ import annotations

from dataclasses import dataclass

from conqret.reliability.bias.table import BiasRow
from conqret.reliability.sensitivity.curves import Curve
from conqret.stats.estimate import Estimate

WIDTH = 200
"""Units across an interval."""
LOWEST = -0.25
"""The left end of the axis of alpha; what lies further down is drawn at the edge."""
CURVE_WIDTH, CURVE_HEIGHT, MARGIN = 160, 56, 6


@dataclass(frozen=True, slots=True)
class Whisker:
    """An interval with its value, in units of the figure; None where there is none. ``zero`` is where 0 lies."""

    value: float | None
    low: float | None
    high: float | None
    zero: float
    description: str


@dataclass(frozen=True, slots=True)
class Line:
    """A curve: ``points`` for a polyline, ``band`` for the polygon of its intervals, and its dots."""

    points: str
    band: str
    dots: tuple[tuple[float, float], ...]
    description: str


def agreement_figure(estimate: Estimate) -> Whisker:
    """Alpha between :data:`LOWEST` and 1."""
    return _whisker((estimate.value, estimate.low, estimate.high), LOWEST, 1.0, f"alpha {estimate}")


def bias_figure(row: BiasRow, widest: float) -> Whisker:
    """An effect between minus and plus ``widest`` (above 0)."""
    effect = row.effect
    if effect is None:
        return _whisker((None, None, None), -widest, widest, "effect no value")
    return _whisker((effect.value, effect.low, effect.high), -widest, widest, f"effect {effect.value:+.3f}")


def _whisker(
    ends: tuple[float | None, float | None, float | None], left: float, right: float, description: str
) -> Whisker:
    """Value, low and high between two ends of an axis; what lies further out is drawn at the edge."""

    def x(value: float | None) -> float | None:
        return (
            None
            if value is None
            else round(WIDTH * (min(max(value, left), right) - left) / (right - left), 2)
        )

    value, low, high = map(x, ends)
    return Whisker(value, low, high, x(0.0) or 0.0, description)


def curve_figure(row: Curve) -> Line:
    """Means over levels in [0, 1], levels at their own distances."""
    top = max(point.level for point in row.points) or 1.0

    def at(level: float, value: float) -> tuple[float, float]:
        x = MARGIN + (CURVE_WIDTH - 2 * MARGIN) * level / top
        y = MARGIN + (CURVE_HEIGHT - 2 * MARGIN) * (1 - value)
        return round(x, 2), round(y, 2)

    dots = tuple(at(point.level, point.mean) for point in row.points)
    ends = [
        (one.level, one.low, one.high) for one in row.points if one.low is not None and one.high is not None
    ]
    upper = [at(level, high) for level, _, high in ends]
    lower = [at(level, low) for level, low, _ in reversed(ends)]
    said = ", ".join(f"{point.mean:.2f} at {point.level:g}" for point in row.points)
    return Line(_path(dots), _path([*upper, *lower]), dots, f"Means {said}.")


def _path(points: tuple[tuple[float, float], ...] | list[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)

"""The geometry of the page's small figures, as numbers for SVG attributes (styles cannot be inlined there).

Each figure brings the sentence that says the same for those who do not see it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from conqret.report import words
from conqret.report.cells import level
from conqret.report.tally import BINS

WIDTH, HEIGHT, GAP = 240, 64, 3
_MISSING_WIDTH = 22


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle in the units of its figure, with the number that it stands for."""

    x: float
    y: float
    width: float
    height: float
    count: int
    level: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """Scores of one metric: bars for the bins, one set apart for what is missing, a tick at the mean."""

    bars: tuple[Bar, ...]
    missing: Bar | None
    mean: float | None
    axis: float
    description: str


@dataclass(frozen=True, slots=True)
class Share:
    """One segment of a bar that adds up to the whole; ``x`` and ``width`` are percentages."""

    name: str
    label: str
    count: int
    x: float
    width: float


def histogram(bins: Sequence[int], missing: int, mean: float | None) -> Histogram:
    """Bars as high as their bins; the tallest of bins and missing fills the figure."""
    axis = WIDTH - (_MISSING_WIDTH + 4 * GAP if missing else 0)
    top = max([*bins, missing, 1])
    step = axis / BINS
    bars = tuple(
        _bar(index * step + GAP / 2, step - GAP, count, top, level((index + 0.5) / BINS))
        for index, count in enumerate(bins)
        if count
    )
    return Histogram(
        bars=bars,
        missing=_bar(WIDTH - _MISSING_WIDTH, _MISSING_WIDTH, missing, top, 0) if missing else None,
        mean=None if mean is None else round(mean * axis, 2),
        axis=axis,
        description=_describe(bins, missing),
    )


def shares(counts: Mapping[str, int], labels: Mapping[str, str]) -> tuple[Share, ...]:
    """Segments in the order of ``labels`` (others behind), without the empty ones."""
    total = sum(counts.values())
    names = [name for name in dict.fromkeys([*labels, *counts]) if counts.get(name)]
    widths = [100 * counts[name] / total for name in names]
    return tuple(
        Share(name, labels.get(name, name), counts[name], round(x, 3), round(width, 3))
        for name, x, width in zip(names, accumulate(widths, initial=0.0), widths, strict=False)
    )


def _bar(x: float, width: float, count: int, top: int, step: int) -> Bar:
    height = max(HEIGHT * count / top, 1.5)
    return Bar(round(x, 2), round(HEIGHT - height, 2), round(width, 2), round(height, 2), count, step)


def _describe(bins: Sequence[int], missing: int) -> str:
    parts = [
        f"{words.count(count)} from {index / BINS:.1f} to {(index + 1) / BINS:.1f}"
        for index, count in enumerate(bins)
        if count
    ]
    if missing:
        parts.append(f"{words.count(missing)} without a score")
    return "Items by score: " + (", ".join(parts) if parts else "none") + "."

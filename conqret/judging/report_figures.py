"""The geometry of the page's small figures, as numbers for SVG attributes (styles cannot be inlined there).

Each figure brings the sentence that says the same for those who do not see it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from conqret.show import words
from conqret.show.score_cells import level

WIDTH, HEIGHT, GAP = 240, 64, 3
BINS = 10
"""Bins of a score distribution: [0, .1), [.1, .2), ... [.9, 1], the last one closed."""
STEP = 0.05
"""Scores that are nowhere closer than this, as those of one rating are, have a bar each, over the score itself."""
_MISSING_WIDTH = 22
_DIGIT = 6


@dataclass(frozen=True, slots=True)
class FigureBar:
    """A rectangle in the units of its figure, with the number that it stands for, and where that is written."""

    x: float
    y: float
    width: float
    height: float
    count: int
    level: int

    @property
    def middle(self) -> float:
        """Halfway along the rectangle."""
        return round(self.x + self.width / 2, 2)


@dataclass(frozen=True, slots=True)
class Histogram:
    """Scores of one metric: bars, one set apart for what is missing, and the places of the mean, of the ``other`` mean
    beside it, and of 0 and 1. ``counted`` are the bars over which there is room for their numbers."""

    bars: tuple[FigureBar, ...]
    counted: tuple[FigureBar, ...]
    missing: FigureBar | None
    mean: float | None
    other: float | None
    ends: tuple[float, float]
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


def bin_of(value: float) -> int:
    """The bin of a score in [0, 1]. The rounding keeps 3/5 + 1e-16 and 3/5 - 1e-16 together."""
    return min(int(round(value * BINS, 9)), BINS - 1)


def histogram(
    values: Sequence[float], missing: int, mean: float | None, other: float | None = None
) -> Histogram:
    """A bar for each score where these are few and fixed, else for each bin; the tallest of bars and missing fills the
    figure."""
    axis = WIDTH - (_MISSING_WIDTH + 4 * GAP if missing else 0)
    unit = axis / (BINS + 1)  # a bar at 0 or 1 is as wide as any

    def place(value: float) -> float:
        return (value * BINS + 0.5) * unit

    scores = Counter(round(value, 9) for value in values)
    apart = min((right - left for left, right in pairwise(sorted(scores))), default=1.0)
    if fixed := apart >= STEP - 1e-9:
        counts = {(score, score): count for score, count in scores.items()}
    else:
        bins = Counter(map(bin_of, values))
        counts = {(index / BINS, (index + 1) / BINS): count for index, count in bins.items()}
    counts = dict(sorted(counts.items()))
    top = max([*counts.values(), missing, 1])
    width = unit * min(apart * BINS, 1.0) if fixed else unit
    bars = tuple(
        _bar(place((low + high) / 2) - (width - GAP) / 2, width - GAP, count, top, level((low + high) / 2))
        for (low, high), count in counts.items()
    )
    lost = _bar(WIDTH - _MISSING_WIDTH, _MISSING_WIDTH, missing, top, 0) if missing else None
    room = len(words.count(top)) * _DIGIT <= width
    return Histogram(
        bars=bars,
        counted=tuple(bar for bar in (*bars, *filter(None, [lost])) if room or bar.count == top),
        missing=lost,
        mean=None if mean is None else round(place(mean), 2),
        other=None if other is None else round(place(other), 2),
        ends=(round(place(0), 2), round(place(1), 2)),
        axis=axis,
        description=_describe(counts, missing),
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


def _bar(x: float, width: float, count: int, top: int, step: int) -> FigureBar:
    height = max(HEIGHT * count / top, 1.5)
    return FigureBar(round(x, 2), round(HEIGHT - height, 2), round(width, 2), round(height, 2), count, step)


def _describe(counts: Mapping[tuple[float, float], int], missing: int) -> str:
    parts = [
        f"{words.count(count)} "
        + (f"at {words.score(low)}" if low == high else f"from {low:.1f} to {high:.1f}")
        for (low, high), count in counts.items()
    ]
    if missing:
        parts.append(f"{words.count(missing)} without a score")
    return "Items by score: " + (", ".join(parts) if parts else "none") + "."

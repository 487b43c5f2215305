"""Several dimensions of the same items, of which the true alphas are known: how often intervals that are to hold at
once do, how often those of partially pooled alphas hold, and how far these and alphas themselves lie from the truth.

Each dimension has a judge of its own noise: alike ones, ones that differ, or one that is all but blind among alike
ones. In every other sample worths, errors and biases of topics correlate between dimensions by .6.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from simulated_intervals import (
    HEAVY,
    ITEMS,
    NOISE,
    TOPIC_BIAS,
    TOPIC_SHARE,
    UNBALANCED,
    UNLIKE,
    Numbers,
    steps,
)

from conqret.stats.agreement import alphas
from conqret.stats.resampling import leave_one_out
from conqret.stats.simultaneous import partially_pooled, simultaneous_intervals

MOST = 15
NOISES: dict[str, NDArray[np.float64]] = {
    "alike": np.full(MOST, NOISE),
    "different": 0.3 * 5 ** (np.arange(MOST) / (MOST - 1)),
    "one unlike": np.array([3.0, *[NOISE] * (MOST - 1)]),
}
"""The judge's noise on each dimension; true alphas are about .58, .4 to .7, and one of .1 to .2."""
NUMBERS = (3, 8, 15)
CORRELATED = 0.6


def tables(
    rng: np.random.Generator, kind: str, topics: int, balanced: bool, noises: Numbers, correlation: float
) -> tuple[Numbers, NDArray[np.intp]]:
    """Labels and scores of each dimension (dimensions by two by items), and the topic of each item."""
    many, harsh = len(noises), kind == "harsh"

    def mixed(rows: int, heavy: bool = False) -> tuple[Numbers, Numbers]:
        shape = (rows, many + 1)
        drawn = rng.standard_t(HEAVY, shape) / HEAVY**0.5 if heavy else rng.normal(size=shape)
        both = correlation**0.5 * drawn[:, :1] + (1 - correlation) ** 0.5 * drawn[:, 1:]
        return both, drawn[:, 0]

    topic_worth, common = mixed(topics, harsh)
    tied = np.clip(np.round(ITEMS * np.exp(0.6 * common)), 1, max(UNBALANCED)).astype(int)
    uneven = tied if harsh else rng.choice(UNBALANCED, size=topics)
    which = np.repeat(np.arange(topics), np.full(topics, ITEMS) if balanced else uneven)
    items = len(which)
    worth = topic_worth[which] * TOPIC_SHARE**0.5 + mixed(items)[0] * (1 - TOPIC_SHARE) ** 0.5
    unlike = np.exp(rng.normal(size=topics) * UNLIKE - UNLIKE**2 / 2)[which, None] if harsh else 1.0

    def rated(noise: Numbers | float) -> Numbers:
        return steps(kind, worth + mixed(items)[0] * noise * unlike + (mixed(topics)[0] * TOPIC_BIAS)[which])

    return np.stack([rated(NOISE).T, rated(noises).T], axis=1), which


@cache
def true_alphas(kind: str, pattern: str, balanced: bool, correlation: float) -> Numbers:
    """Alphas in 12,000 topics; dimensions that are alike have one."""
    rng = np.random.default_rng(10**6)
    drawn = [tables(rng, kind, 3000, balanced, NOISES[pattern], correlation)[0] for _ in range(4)]
    values = np.array([[one.value for one in alphas(table, "ordinal")] for table in drawn]).mean(axis=0)
    same = NOISES[pattern] == NOISE
    return np.where(same, values[same].mean() if same.any() else 0.0, values)


def together(kind: str, topics: int, balanced: bool, seed: int) -> dict[str, list[Any] | None]:
    """Of one sample of each pattern, and some of its dimensions: whether all simultaneous intervals hold, the median of
    their widths, whether all intervals of single alphas hold, which of the pooled ones do (none: they are too few),
    squared errors of alphas and of pooled ones, and by how much the highest of either is too high. None where a
    dimension has no interval."""
    found: dict[str, list[Any] | None] = {}
    for place, (pattern, noises) in enumerate(NOISES.items()):
        rng = np.random.default_rng([seed, topics, balanced, place, 11])
        correlation = CORRELATED if seed % 2 else 0.0
        table, which = tables(rng, kind, topics, balanced, noises, correlation)
        every = alphas(table, "ordinal", leave_one_out(which.tolist()))
        truth = true_alphas(kind, pattern, balanced, correlation)
        for number in NUMBERS:
            some = np.unique(np.round(np.linspace(0, MOST - 1, number)).astype(int))
            estimates, true = [every[one] for one in some], truth[some]
            at_once, pooled = simultaneous_intervals(estimates), partially_pooled(estimates)
            own = [estimate.estimate() for estimate in estimates]
            name = f"{number} {pattern}"
            if any(one.low is None for one in at_once):
                found[name] = None
                continue

            def held(intervals: list[Any], true: Numbers = true) -> list[bool]:
                return [
                    bool(one.low <= value <= one.high) for one, value in zip(intervals, true, strict=True)
                ]

            def away(intervals: list[Any], true: Numbers = true) -> Numbers:
                return np.array([one.value for one in intervals]) - true

            raw = away(own)
            close = away(pooled) if pooled[0].value is not None else raw
            found[name] = [
                all(held(at_once)),
                float(np.median([one.high - one.low for one in at_once])),
                all(held(own)),
                held(pooled) if pooled[0].value is not None else [],
                float((raw**2).mean()),
                float((close**2).mean()),
                float(raw[np.argmax(raw + true)]),
                float(close[np.argmax(close + true)]),
            ]
    return found


def simultaneous_table(cells: list[dict[str, list[Any]]], wanted: float) -> Iterator[str]:
    """How often all simultaneous intervals hold, and their median width; below it how often all intervals of single
    alphas do. ``cells`` are the samples of the columns."""
    for name in (f"{number} {pattern}" for pattern in NOISES for number in NUMBERS):
        marks = []
        for cell in cells:
            drawn = [one for one in cell.get(name, []) if one is not None]
            if not drawn:
                marks.append("–")
                continue
            share, own = (float(np.mean([one[place] for one in drawn])) for place in (0, 2))
            width = float(np.median([one[1] for one in drawn]))
            low = share < wanted - 2 * (wanted * (1 - wanted) / len(drawn)) ** 0.5
            marks.append(f"{'**' * low}{share:.3f}{'**' * low} / {width:.2f} ({own:.2f})")
        yield f"| {name} | {' | '.join(marks)} |"


def pooled_table(cells: list[dict[str, list[Any]]], wanted: float) -> Iterator[str]:
    """How often intervals of pooled alphas hold, over dimensions and on the one on which they do least, the mean
    squared error as a share of that of the alphas, and by how much the highest alpha and the highest pooled are too
    high."""
    for name in (f"{number} {pattern}" for pattern in NOISES for number in NUMBERS):
        marks = []
        for cell in cells:
            drawn = [one for one in cell.get(name, []) if one is not None and one[3]]
            if not drawn:
                marks.append("–")
                continue
            held = np.array([one[3] for one in drawn], dtype=float)
            share, least = float(held.mean()), float(held.mean(axis=0).min())
            raw, close, best, lower = (float(np.mean([one[place] for one in drawn])) for place in range(4, 8))
            low = share < wanted - 2 * float(held.mean(axis=1).std()) / len(drawn) ** 0.5
            marks.append(
                f"{'**' * low}{share:.3f}{'**' * low}, {least:.2f} / {close / raw:.2f} / {best:+.2f}, {lower:+.2f}"
            )
        if any(mark != "–" for mark in marks):
            yield f"| {name} | {' | '.join(marks)} |"

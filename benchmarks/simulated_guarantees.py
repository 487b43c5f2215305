"""Made-up ratings for what conqret promises of labels: corrected means where items were drawn with unequal
probabilities, and the errors of scores that are kept.

The ratings are those of ``simulated_intervals.py``, in both families. Items are drawn for labeling with the higher a
probability, the further two judges are apart and the higher the first one's score; that distance is also the confidence
by which scores are kept.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from simulated_intervals import POSITIVE, World, made

from conqret.stats.estimate import Estimate
from conqret.stats.prediction_powered import prediction_powered_mean
from conqret.stats.selective import risk_coverage, trusted_from
from conqret.stats.weighted_prediction import DrawnItems, weighted_difference, weighted_mean

Numbers = NDArray[np.float64]
Row = tuple[float | None, float | None, float | None]

FAMILIES = {"even": "five labels", "skewed": "five labels, the upper ones rare", "harsh": "second family"}
"""The kinds of ratings, in the order of the tables."""
PREFIX = "guarantees: "
"""Before the name of a kind, where its cell is kept."""
MEANS = ("mean", "mean, labels alone", "mean, not weighted", "difference")
"""Intervals; the third is not printed, and shows what weights are for."""
ERROR = 0.2
POPULATION = 6_000
"""Topics that stand for all, where scores are kept."""
WRONG = "wrong among what is kept, on average"
KEPT = {"average": "kept with `--bound average`", "t": "kept with `--bound t`"}
SHARES: dict[str, float | None] = {
    WRONG: ERROR,
    **dict.fromkeys(KEPT.values()),
}
"""What is counted, and at most how much it may be."""


def guaranteed(kind: str, topics: int, balanced: bool, seed: int) -> dict[str, Row | float | None]:
    """Every row of one sample: an interval, or a share."""
    rng = np.random.default_rng([seed, topics, balanced, *kind.encode()])
    world = made(rng, topics, balanced, kind)
    found: dict[str, Row | float | None] = {
        name: (estimate.value, estimate.low, estimate.high)
        for name, estimate in _means(world, kind, rng).items()
    }
    for bound, name in KEPT.items():
        threshold = _threshold(world, bound)
        error, found[name] = _kept(kind, balanced, threshold)
        if bound == "average":
            found[WRONG] = error
    return found


def true_means(kind: str, balanced: bool) -> dict[str, float]:
    """What each interval estimates."""
    world = _everything(kind, balanced)
    people = world.people[0]
    mean = float(((people - 1) / _steps(kind)).mean())
    return {
        **dict.fromkeys(MEANS, mean),
        "difference": 0.0,
    }


def _steps(kind: str) -> int:
    return 3 if kind == "harsh" else 4


def _positive(kind: str) -> int:
    return 2 if kind == "harsh" else POSITIVE - 1 if kind == "skewed" else POSITIVE


def _means(world: World, kind: str, rng: np.random.Generator) -> dict[str, Estimate]:
    apart = np.abs(world.judge - world.other)
    chances = np.clip(0.1 + 0.15 * apart + 0.1 * (world.judge - 1), 0.1, 1.0)
    sides = []
    for people, judge in zip(world.people, (world.judge, world.other), strict=True):
        some = rng.random(len(judge)) < chances
        unit = ((people - 1) / _steps(kind), (judge - 1) / _steps(kind))
        sides.append(DrawnItems(np.where(some, unit[0], np.nan), unit[1], np.where(some, chances, np.nan)))
    names, (first, second) = world.names, sides
    known = first.labelled
    mean = weighted_mean(first, names, scale="share")
    nothing = Estimate(None)
    plain = nothing
    if known.any():
        plain = prediction_powered_mean(
            first.labels[known], first.judged[known], first.judged[~known],
            clusters=world.topics[known].tolist(), unlabelled_clusters=world.topics[~known].tolist(), scale="share",
        ).corrected  # fmt: skip
    difference = weighted_difference(first, second, names).corrected
    return dict(zip(MEANS, (mean.corrected, mean.labels, plain, difference), strict=True))


def _confidence(world: World) -> Numbers:
    return np.asarray(1 - np.abs(world.judge - world.other) / 4)


def _wrong(world: World) -> NDArray[np.bool_]:
    return np.asarray(np.abs(world.judge - world.people[0]) > 1)


def _threshold(world: World, bound: str) -> float | None:
    everything = np.ones(len(world.judge), dtype=bool)
    curve = risk_coverage(
        _confidence(world), everything, _wrong(world), world.names,
        error=ERROR, delta=0.05, bound=bound,  # type: ignore[arg-type]
    )  # fmt: skip
    return trusted_from(curve)


@cache
def _everything(kind: str, balanced: bool) -> World:
    return made(np.random.default_rng(0), POPULATION, balanced, kind)


@cache
def _kept(kind: str, balanced: bool, threshold: float | None) -> tuple[float, float]:
    """The errors among what the threshold keeps of all topics, and the share that it keeps."""
    if threshold is None:
        return 0.0, 0.0
    world = _everything(kind, balanced)
    kept = _confidence(world) >= threshold
    return float(_wrong(world)[kept].mean()), float(kept.mean())

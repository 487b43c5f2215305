"""Strengths from comparisons of pairs: Bradley and Terry's model with Davidson's ties, graded answers and a position.

A comparison shows two items of one group (a topic), one first. Its ``outcome`` is what the first is given: 1, 0.75
(slightly better), 0.5 (a tie), 0.25 or 0. With strengths s and ``eta = s_first - s_second + position``,

``P(outcome = y) proportional to exp(y * eta + weight(y))``

where the weights of 0 and 1 are 0 and those of 0.25 and 0.75 are equal. With 0 and 1 alone this is Bradley and Terry
(1952), with 0.5 it is Davidson (1970), with all five the adjacent-categories model of Agresti (1992). Position, weights
and the standard deviation of the strengths are the same in all groups. Of several judges each has its own position and
weights.

Priors: strengths ~ Normal(0, spread), log spread ~ Normal(0, 1.5) on a grid, position ~ Normal(0, 1), weights ~
Normal(0, 2). For each spread the posterior of strengths and position is a normal one by expectation propagation (Minka
2001), with the weights at their mode; the spreads are averaged by their marginal likelihood. (Laplace's approximation
takes strengths for more alike than they are where each item has a few comparisons: its intervals cover less.) So the
interval of an item that always wins is wide and finite. How far above the others it is, only the prior says: such items
are called unbounded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtr

from conqret.errors import DeclarationError
from conqret.stats.estimate import CONFIDENCE, Estimate
from conqret.stats.strength_posterior import NormalPosterior, PairOutcomes, StrengthPosterior

SPREADS = (0.25, 0.4, 0.63, 1.0, 1.6, 2.5, 4.0, 6.3, 10.0, 16.0)
"""The standard deviations of strengths over which the posterior is averaged, evenly spaced on the log
scale.
"""
MAX_NARROWER, NARROW, STEPS = 2, 1.5, (-2.0, -1.0, 0.0, 1.0, 2.0)
"""How often narrower ones are taken, the distance in posterior standard deviations above which they are, and where."""
SPREAD_SD = 1.5
"""The standard deviation of the normal prior of the log spread."""
NEGLIGIBLE = 1e-3
"""A spread with a smaller posterior probability is left out."""

MAX_ITEMS, MOST_CELLS = 1000, 10_000_000
"""The most items of a group, and the most cells of all covariances (groups, each padded to the largest, by
items by items), with which strengths are estimated: they take some 2 GB.
"""

Bound = Literal["", "above", "below"]


@dataclass(frozen=True)
class JudgeStrength:
    """The estimated parameters of one judge: its position effect, and its weights of the middle outcomes.

    ``position`` is what being shown first adds to the log-odds of winning. ``weights`` maps each outcome
    between 0 and 1 to its log weight.
    """

    position: Estimate
    weights: dict[float, float]


@dataclass(frozen=True)
class ComparedStrengths:
    """The strengths of items estimated from pairwise comparisons, as arrays of groups by items.

    - Arrays are padded to the largest group; ``sizes`` are the numbers of items.
    - ``strengths`` are posterior means minus their group's mean, ``errors`` posterior standard deviations.
    - ``low`` and ``high`` are the ends of the intervals.
    - ``covariances`` (groups by items by items) are averages of those at a known spread.
    - ``position`` is what being shown first adds to the log-odds of winning.
    - ``spread`` is the posterior mean of the standard deviation of strengths; ``spreads`` has the probability
    of each value.
    - ``weights`` maps each middle outcome that occurs to its log weight.
    - ``judges`` has the estimates of each judge; ``position`` and ``weights`` are means over them.
    - ``systems`` are mean strengths of systems minus the mean of all, with groups as a sample of groups, in
    the order of their numbers; empty if no systems were given.
    """

    sizes: tuple[int, ...]
    strengths: NDArray[np.float64]
    errors: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    covariances: NDArray[np.float64]
    position: Estimate
    spread: float
    spreads: dict[float, float]
    weights: dict[float, float]
    judges: tuple[JudgeStrength, ...]
    systems: tuple[Estimate, ...]

    def group(self, number: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the strengths and the standard errors of the items of group ``number``."""
        size = self.sizes[number]
        return self.strengths[number, :size], self.errors[number, :size]

    def reliability(self, groups: Sequence[int] | None = None) -> float | None:
        """Return the scale separation reliability of the ``groups`` (default: all), or None where strengths
        do not vary.

        It is ``var / (var + mean squared error)``: the share of the variance of strengths within groups that
        is not error. Errors are those at a known spread, because uncertainty about the spread scales all
        strengths alike.
        """
        chosen = range(len(self.sizes)) if groups is None else groups
        between = error = 0.0
        for number in chosen:
            strengths, _ = self.group(number)
            if len(strengths) > 1:
                between += float(np.square(strengths).sum())
                error += float(np.trace(self.covariances[number]))
        return between / (between + error) if between + error > 0 else None


def check_sizes(sizes: Sequence[int]) -> None:
    """Raise DeclarationError if groups of these sizes are too large for strengths to be estimated."""
    largest = max(sizes, default=0)
    if largest > MAX_ITEMS:
        raise DeclarationError(
            f"a group has {largest} items; at most {MAX_ITEMS} are compared with each other"
        )
    if len(sizes) * largest**2 > MOST_CELLS:
        raise DeclarationError(
            f"{len(sizes)} groups, the largest of {largest} items, take too much memory: with a group of {largest} "
            f"items there may be {MOST_CELLS // largest**2 - 1} others; put the largest groups into a run of their own"
        )


def compared_strengths(
    outcomes: PairOutcomes,
    *,
    confidence: float = CONFIDENCE,
    systems: ArrayLike | None = None,
) -> ComparedStrengths:
    """Estimate the strengths of items from the comparisons in ``outcomes``.

    Args:
        outcomes: the comparisons.
        confidence: the confidence level of all intervals.
        systems: the number of each item's system, from 0 up, or -1 for none (groups by items, padded to the
            largest group). Items of one system are expected to have similar strengths.

    Raises:
        DeclarationError: a group is too large.
    """
    check_sizes(outcomes.sizes)
    posterior = StrengthPosterior(outcomes, _of_systems(outcomes.sizes, systems))
    found = _parts(posterior, SPREADS)
    shares = _shares(found)
    share = np.array(list(shares.values()))
    parts = [found[spread] for spread in shares]

    def mixed(values: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = np.tensordot(share, np.array(values), axes=1)
        return found

    def estimates(mapping: NDArray[np.float64], counts: Sequence[int] = ()) -> tuple[Estimate, ...]:
        """Return estimates with intervals of linear combinations of what the groups share; ``counts`` are their numbers
        of comparisons (none: all). Without comparisons they are undefined."""
        means = np.array([mapping @ part.shared for part in parts])
        variances = np.array([np.diag(mapping @ part.shared_covariance @ mapping.T) for part in parts])
        if not len(outcomes.outcome):
            return (Estimate(None, reason="there are no comparisons"),) * len(mapping)
        ends = _ends(share, means, np.sqrt(np.maximum(variances, 0)), confidence)
        values = share @ means
        return tuple(
            Estimate(float(value), float(low), float(high), int(count))
            for value, low, high, count in zip(
                values, *ends, counts or [len(outcomes.outcome)] * len(mapping), strict=True
            )
        )

    means = np.array([part.strengths for part in parts])
    mean = mixed([part.strengths for part in parts])
    covariance = mixed([part.covariances for part in parts])
    deviations = np.array([np.sqrt(np.einsum("tii->ti", part.covariances)) for part in parts])
    errors = np.sqrt(
        np.einsum("tii->ti", covariance) + np.einsum("k,kti->ti", share, np.square(means - mean))
    )
    low, high = _ends(share, means, deviations, confidence)
    judges = posterior.judges
    units = np.eye(posterior.normal)
    positions = estimates(units[:judges], np.bincount(posterior.judge, minlength=judges).tolist())
    averaged = estimates(units[:judges].mean(axis=0, keepdims=True))[0]
    weights = mixed([part.weights for part in parts])
    of_systems = units[judges:]
    return ComparedStrengths(
        tuple(outcomes.sizes),
        mean,
        errors,
        low,
        high,
        covariance,
        averaged,
        sum(spread * each for spread, each in shares.items()),
        shares,
        {outcome: float(weights[:, place].mean()) for outcome, place in posterior.places.items()},
        tuple(
            JudgeStrength(
                position,
                {outcome: float(weights[number, place]) for outcome, place in posterior.places.items()},
            )
            for number, position in enumerate(positions)
        ),
        estimates(of_systems - of_systems.mean(axis=0)) if len(of_systems) else (),
    )


def _parts(posterior: StrengthPosterior, spreads: Sequence[float]) -> dict[float, NormalPosterior]:
    """Return the posterior of the strengths for each spread of a grid, from its middle outwards until the density is
    negligible. If the density is narrower than the grid, it is that of finer grids around the most likely spread."""
    ordered = sorted(spreads)
    middle = len(ordered) // 2
    parts: dict[float, NormalPosterior] = {}
    best, start = -math.inf, None
    for further in (ordered[middle:], ordered[:middle][::-1]):
        start = None
        for spread in further:
            start = posterior.mode(spread, start)
            parts[spread] = posterior.normal_approximation(start)
            value = _log_share(spread, parts[spread])
            if value < best + math.log(NEGLIGIBLE):
                break
            best = max(best, value)
    for _ in range(MAX_NARROWER):
        near = _narrower(parts)
        if not near:
            break
        parts = {}
        for spread in near:
            start = posterior.mode(spread, start)
            parts[spread] = posterior.normal_approximation(start)
    return parts


def _narrower(parts: Mapping[float, NormalPosterior]) -> list[float]:
    """Return spreads around the most likely one, by the parabola through the logarithm of the density at the highest
    three; none if the present ones are close enough and reach far enough, or there are fewer than three."""
    ordered = sorted(parts)
    if len(ordered) < 3:
        return []
    values = [_log_share(spread, parts[spread]) for spread in ordered]
    top = min(max(values.index(max(values)), 1), len(ordered) - 2)
    (x, y, z), (p, q, r) = (
        [math.log(spread) for spread in ordered[top - 1 : top + 2]],
        values[top - 1 : top + 2],
    )
    rise, later = (q - p) / (y - x), (r - q) / (z - y)
    bend = (later - rise) / (z - x)
    if bend >= 0:
        return []
    deviation = (-2 * bend) ** -0.5
    middle = min(max((x + y) / 2 - rise / (2 * bend), x), z)
    if max(y - x, z - y) < NARROW * deviation and (len(ordered) > 5 or x < middle < z):
        return []
    return [math.exp(middle + step * deviation) for step in STEPS]


def _log_share(spread: float, part: NormalPosterior) -> float:
    """The logarithm of the posterior density of a spread, up to a constant."""
    return part.evidence - 0.5 * (math.log(spread) / SPREAD_SD) ** 2


def _shares(parts: Mapping[float, NormalPosterior]) -> dict[float, float]:
    """The posterior probability of each spread that has one to speak of: its density, as their logarithms are at equal
    distances."""
    logs = {spread: _log_share(spread, part) for spread, part in parts.items()}
    best = max(logs.values())
    shares = {spread: math.exp(value - best) for spread, value in sorted(logs.items())}
    total = sum(shares.values())
    kept = {spread: share for spread, share in shares.items() if share >= NEGLIGIBLE * total}
    total = sum(kept.values())
    return {spread: share / total for spread, share in kept.items()}


def _of_systems(sizes: Sequence[int], systems: ArrayLike | None) -> NDArray[np.float64] | None:
    """Return an array of groups by items by systems, 1 where an item is of a system; None without systems. Places
    beyond a group's size are 0."""
    if systems is None:
        return None
    there = np.arange(max(sizes)) < np.asarray(sizes)[:, None]
    numbers = np.where(there, np.asarray(systems, dtype=int), -1)
    return np.stack([numbers == number for number in range(int(numbers.max()) + 1)], axis=2).astype(float)


def outcome_variance(eta: NDArray[np.float64], weights: dict[float, float]) -> NDArray[np.float64]:
    """Return the variance of an outcome at each log-odds in ``eta``, given the log weights of the middle
    outcomes.

    This is the information that a comparison with these odds gives about the difference of two strengths.
    """
    values = np.array([0.0, 1.0, *weights])
    logs = eta[..., None] * values + np.array([0.0, 0.0, *weights.values()])
    logs -= logs.max(axis=-1, keepdims=True)
    probabilities = np.exp(logs)
    probabilities /= probabilities.sum(axis=-1, keepdims=True)
    mean = probabilities @ values
    return np.asarray(probabilities @ np.square(values) - np.square(mean))


def bounds(outcomes: PairOutcomes) -> list[list[Bound]]:
    """Return for each item of each group whether its maximum likelihood strength is unbounded: ``above``,
    ``below`` or empty.

    An item is ``above`` if it, alone or with others, lost no point to the items outside that set. It is
    ``below`` if that set won no point from the others. An item without a comparison counts as ``above``.
    Strengths are finite if each item can be reached from every other one by steps in which points were won
    (Ford 1957).
    """
    found: list[list[Bound]] = []
    for number, size in enumerate(outcomes.sizes):
        mine = outcomes.group == number
        first, second, outcome = outcomes.first[mine], outcomes.second[mine], outcomes.outcome[mine]
        # a step from a to b: b got something when it met a
        start = np.concatenate([first[outcome < 1], second[outcome > 0]])
        end = np.concatenate([second[outcome < 1], first[outcome > 0]])
        steps = coo_array((np.ones(len(start)), (start, end)), shape=(size, size))
        count, part = connected_components(steps, connection="strong")
        if count == 1:
            found.append([""] * size)
            continue
        left, entered = set(part[start[part[start] != part[end]]]), set(part[end[part[start] != part[end]]])
        found.append(
            [
                "above" if mine not in left else "below" if mine not in entered else ""
                for mine in part.tolist()
            ]
        )
    return found


def _ends(
    share: NDArray[np.float64], means: NDArray[np.float64], deviations: NDArray[np.float64], confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both ends of the interval of a mixture of normals, by bisection; the first axis of ``means`` and
    ``deviations`` are its components, of which ``share`` has the weights."""
    sd = np.maximum(deviations, 1e-12)

    def quantile(probability: float) -> NDArray[np.float64]:
        low, high = (means - 8 * sd).min(axis=0), (means + 8 * sd).max(axis=0)
        for _ in range(40):
            middle = (low + high) / 2
            below = np.tensordot(share, ndtr((middle - means) / sd), axes=1) < probability
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.asarray((low + high) / 2)

    return quantile((1 - confidence) / 2), quantile((1 + confidence) / 2)

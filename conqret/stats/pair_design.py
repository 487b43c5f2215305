"""The design of pairwise comparisons: all pairs, random pairs with each item equally often, or those that
are expected to reduce rank errors most.

Pairs come in rounds of about half a comparison an item. Of a pair that has been compared, the other order is
left; which item stands first is otherwise decided so that each stands first as often as second.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from conqret.stats.comparative_judgment import ComparedStrengths, outcome_variance
from conqret.stats.strength_posterior import normal_nodes

NODES = 9
"""The points at which the information of a comparison is integrated over the posterior of the difference."""

WIDE, SURE = 1.2, 0.8
"""Pairs are chosen adaptively once the spread of the strengths is at least ``WIDE`` with a posterior
probability of ``SURE``.
"""

Pair = tuple[int, int]
"""The places (from 0) of the item shown first, and of the second."""


class GroupPairs:
    """The design of comparisons within one group of ``size`` items: which pair is compared next.

    ``both_orders`` compares each pair in both orders, one after the other. The design depends on ``seed`` and
    on the pairs that were registered with :meth:`take`, so a resumed run continues it.
    """

    def __init__(self, size: int, seed: Sequence[int], *, both_orders: bool = False) -> None:
        self.size, self.both_orders = size, both_orders
        self._seed = tuple(seed)
        rng = np.random.default_rng(seed)
        self.asked: list[Pair] = []
        self._made = np.zeros((size, size), dtype=int)
        self._balance = np.zeros(size, dtype=int)
        rng.permutation(size)  # is not used: a seed gives the random pairs that were recorded with it
        once = _matchings(rng, size)
        self._every = [*once, *_shuffled(rng, once)]

    def take(self, first: int, second: int) -> None:
        """Register a pair (places from 0) as compared, ``first`` shown first."""
        self.asked.append((first, second))
        self._made[first, second] += 1
        self._balance[first] += 1
        self._balance[second] -= 1

    def at_random(self, count: int) -> list[Pair]:
        """Return and register the next ``count`` pairs of a random design in which all items are compared
        equally often.

        Every pair comes once, then once more in the other order.
        """
        half = len(self._every) // 2
        wanted = [*self._left(self._every[:half], 1), *self._left(self._every[half:], 2)]
        return self._ordered(wanted[:count])

    def informative(self, count: int, strengths: ComparedStrengths, group: int) -> list[Pair]:
        """Return and register the next ``count`` pairs that are expected to reduce rank errors most.

        Pairs are chosen one after the other, each as if those before it were answered. They are random as
        long as the strengths may differ little (:data:`WIDE`). Fewer are returned if no more are left.
        ``group`` is the number of this group in ``strengths``.

        An error e of the strengths causes rank errors ``L e``, with L the graph Laplacian of the densities of
        differences at 0. A comparison of i and j with information w reduces the covariance C to ``C - c c' w
        / (1 + w v)``, with ``c = C (e_i - e_j)`` and v the variance of their difference. So squared rank
        errors shrink by ``|L c|^2 w / (1 + w v)``.
        """
        if sum(share for spread, share in strengths.spreads.items() if spread >= WIDE) < SURE:
            return self.at_random(count)
        chosen: list[Pair] = []
        size = self.size
        means = strengths.strengths[group, :size]
        covariance = strengths.covariances[group, :size, :size].copy()
        apart = means[:, None] - means[None, :]
        variances = _of_differences(covariance)
        information = _mean_information(apart, variances, strengths)
        density = np.exp(-np.square(apart) / (2 * variances)) / np.sqrt(variances)
        np.fill_diagonal(density, 0.0)
        moved = (np.diag(density.sum(axis=1)) - density) @ covariance
        products = moved.T @ moved
        degrees = np.zeros(size, dtype=int)
        most = -(-2 * count // size) + 1
        for _ in range(count):
            variances = _of_differences(covariance)
            gain = _of_differences(products) * information / (1 + information * variances)
            free = (self._made + self._made.T) < (1 if self.both_orders else 2)
            free &= ~np.eye(size, dtype=bool)
            free &= (degrees < most)[:, None] & (degrees < most)[None, :]
            if not free.any():
                break
            gain = np.where(free, gain, -np.inf)
            best = np.argwhere(np.triu(gain >= gain.max() * (1 - 1e-9)))
            # a tie is broken by the number of pairs before it, not by a state: a run that goes on does as one unstopped
            tie = np.random.default_rng([*self._seed, len(self.asked)]).integers(len(best))
            one, other = best[int(tie)].tolist()
            chosen += self._ordered([(one, other)])
            degrees[[one, other]] += 1
            weight = float(information[one, other])
            factor = weight / (1 + weight * float(variances[one, other]))
            column = covariance[:, one] - covariance[:, other]
            turned = moved[:, one] - moved[:, other]
            crossed = np.outer(turned @ moved, column) * factor
            products += float(turned @ turned) * factor**2 * np.outer(column, column) - crossed - crossed.T
            moved -= np.outer(turned, column) * factor
            covariance -= np.outer(column, column) * factor
        return chosen

    def _left(self, matchings: Sequence[Sequence[Pair]], times: int) -> list[Pair]:
        """The pairs that were compared less than so many times, in either order."""
        return [
            (one, other)
            for matching in matchings
            for one, other in matching
            if self._made[one, other] + self._made[other, one] < times
        ]

    def _ordered(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Take the pairs, and return each in the order in which its items are shown, so that every item is first about
        as often as second. Pairs that were compared in both orders are left out; with ``both_orders`` each is returned
        twice."""
        ordered: list[Pair] = []
        for one, other in pairs:
            if self._made[one, other] and self._made[other, one]:
                continue
            if self._made[one, other] or self._made[other, one]:
                swap = bool(self._made[one, other])
            else:
                tilt = self._balance[one] - self._balance[other]
                swap = bool(tilt > 0 or (tilt == 0 and (one + other + len(self.asked)) % 2))
            first, second = (other, one) if swap else (one, other)
            self.take(first, second)
            ordered.append((first, second))
            if self.both_orders and not self._made[second, first]:
                self.take(second, first)
                ordered.append((second, first))
        return ordered


def _of_differences(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """The variance of each difference of two."""
    variances = np.diagonal(covariance)
    return np.maximum(variances[:, None] + variances[None, :] - 2 * covariance, 1e-12)


def _mean_information(
    apart: NDArray[np.float64], variances: NDArray[np.float64], strengths: ComparedStrengths
) -> NDArray[np.float64]:
    """Return the expected information of a comparison of each pair (items by items), averaged over both orders and over
    the normal distribution of the difference of strengths, with means ``apart`` and ``variances``."""
    nodes, weights = normal_nodes(NODES)
    deviations, position = np.sqrt(variances), strengths.position.value or 0.0
    information = np.zeros(apart.shape)
    for node, weight in zip(nodes, weights, strict=True):
        information += weight * outcome_variance(apart + deviations * node + position, strengths.weights)
    return (information + information.T) / 2


def _matchings(rng: np.random.Generator, size: int) -> list[list[Pair]]:
    """Return rounds of pairs of places, in random order, in which each item meets one other (with an odd number, one
    rests) and each pair occurs once: the circle method."""
    places = rng.permutation(size).tolist()
    seats = size if size % 2 == 0 else size + 1
    turning = seats - 1
    rounds: list[list[Pair]] = []
    for number in range(turning):
        pairs = [(turning, number)]
        pairs += [((number + step) % turning, (number - step) % turning) for step in range(1, seats // 2)]
        rounds.append([(places[one], places[other]) for one, other in pairs if max(one, other) < size])
    return _shuffled(rng, rounds)


def _shuffled(rng: np.random.Generator, rounds: list[list[Pair]]) -> list[list[Pair]]:
    return [rounds[place] for place in rng.permutation(len(rounds)).tolist()]


def round_sizes(size: int, comparisons: float | None, *, both_orders: bool = False) -> list[int]:
    """Return the number of pairs in each round for a group of ``size`` items.

    Each item is compared ``comparisons`` times on average (None: every pair once, in one round). A round has
    about half a comparison per item, and at least one pair. Without ``both_orders`` a pair can come twice,
    once in each order; with it, each pair counts as two comparisons of both items.
    """
    every = size * (size - 1) // 2
    if comparisons is None:
        return [every]
    total = min(
        max(1, round(size * comparisons / (4 if both_orders else 2))), every * (1 if both_orders else 2)
    )
    each = max(1, size // 2)
    return [min(each, total - start) for start in range(0, total, each)]

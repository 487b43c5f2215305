"""The posterior of the strengths behind comparisons, for a known spread of theirs, by expectation propagation.

The model stands in :mod:`conqret.stats.comparative_judgment`. What all groups share is normal too, and part of the
joint posterior: the position of each judge, and the mean of each system. The weights of ties and slight preferences,
which differ between judges, are at their mode.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

OUTCOMES = (0.0, 0.25, 0.5, 0.75, 1.0)
POSITION_SD, WEIGHT_SD, SYSTEM_SD = 1.0, 2.0, 3.0
"""Standard deviations of the normal priors of positions, weights, and the means of systems."""
SYSTEM_SHARE = 0.5
"""The standard deviation of the systems' prior is at least this share of the spread of the strengths."""
MAX_STEPS, TOLERANCE, LONGEST_STEP = 60, 1e-6, 3.0
"""The most steps of Newton's method, which finds the mode, the change at which it ends, and the length of
a step at most.
"""
MIN_PRECISION = 1e-10
MAX_PASSES, ENOUGH, DAMPED, NODES = 60, 1e-4, 0.8, 24
"""Of expectation propagation: passes over all comparisons, the change of a precision at which they end, the share of a
change that is made, and points at which a comparison's likelihood is integrated (Gauss and Hermite)."""


@cache
def normal_nodes(count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ``count`` nodes and weights of Gauss-Hermite quadrature over the standard normal distribution."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(count)
    return nodes, weights / weights.sum()


@dataclass(frozen=True)
class PairOutcomes:
    """The outcomes of comparisons between items, within groups of ``sizes`` items.

    Each comparison has the number of its ``group``, and the places in it of the items shown ``first`` and
    ``second``. It has the ``outcome`` for the first item, and the number of the ``judge`` (None: one judge
    made all).
    """

    sizes: Sequence[int]
    group: NDArray[np.intp]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    outcome: NDArray[np.float64]
    judge: NDArray[np.intp] | None = None

    @classmethod
    def from_rows(
        cls,
        sizes: Sequence[int],
        group: ArrayLike,
        first: ArrayLike,
        second: ArrayLike,
        outcome: ArrayLike,
        judge: ArrayLike | None = None,
    ) -> PairOutcomes:
        """Return the outcomes from any sequences, converted to arrays."""
        groups, firsts, seconds = (np.asarray(values, dtype=np.intp) for values in (group, first, second))
        judges = None if judge is None else np.asarray(judge, dtype=np.intp)
        return cls(tuple(sizes), groups, firsts, seconds, np.asarray(outcome, dtype=float), judges)

    @property
    def judges(self) -> int:
        """The number of judges."""
        return 1 if self.judge is None or not len(self.judge) else int(self.judge.max()) + 1

    @property
    def by_judge(self) -> NDArray[np.intp]:
        """The number of the judge of each comparison."""
        return np.zeros(len(self.group), dtype=np.intp) if self.judge is None else self.judge


@dataclass(frozen=True)
class Mode:
    """The maximum of the posterior density for one ``spread`` of strengths.

    ``strengths`` are those of items, apart from the mean of their system. ``shared`` are the parameters that
    all groups share: position effects, means of systems, then the weights of each judge.
    """

    spread: float
    strengths: NDArray[np.float64]
    shared: NDArray[np.float64]


@dataclass(frozen=True)
class NormalPosterior:
    """The normal approximation of the posterior for one spread of strengths.

    ``evidence`` is its log marginal likelihood. ``shared`` are position effects and means of systems, with
    ``shared_covariance``. ``weights`` are the log weights of middle outcomes (judges by weights).
    """

    evidence: float
    strengths: NDArray[np.float64]
    covariances: NDArray[np.float64]
    shared: NDArray[np.float64]
    shared_covariance: NDArray[np.float64]
    weights: NDArray[np.float64]


@dataclass(frozen=True)
class _Joint:
    """A joint normal distribution: strengths by groups, what is shared, and between them."""

    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]
    across: NDArray[np.float64]
    shared: NDArray[np.float64]
    shared_covariance: NDArray[np.float64]
    log_determinant: float


@dataclass(frozen=True)
class _Tilted:
    """Of each comparison: precision (``left``) and mean (``cavity``) of its log-odds without it, its likelihood there
    (``mass``), mean and variance with it."""

    left: NDArray[np.float64]
    cavity: NDArray[np.float64]
    mass: NDArray[np.float64]
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]


class StrengthPosterior:
    """The posterior of item strengths and of the parameters that groups share, given the ``outcomes``.

    ``systems`` (groups by items by systems) is 1 where an item is of a system; the mean of the system is
    added to the item's strength.
    """

    def __init__(self, outcomes: PairOutcomes, systems: NDArray[np.float64] | None = None) -> None:
        self.data = outcomes
        self.size = max(outcomes.sizes)
        self.judges = outcomes.judges
        self.judge = outcomes.by_judge
        occurring = {float(value) for value in np.unique(outcomes.outcome)}
        values = [0.0, 1.0]
        self.places: dict[float, int] = {}
        middle = [pair for pair in ((0.5,), (0.25, 0.75)) if occurring & set(pair)]
        for number, pair in enumerate(middle):
            for value in pair:
                values.append(value)
                self.places[value] = number
        self.middle = len(middle)
        # the statistics of each outcome: its value (for eta), then an indicator for each weight
        self.statistics = np.zeros((len(values), 1 + self.middle))
        self.statistics[:, 0] = values
        for row, value in enumerate(values):
            if value in self.places:
                self.statistics[row, 1 + self.places[value]] = 1.0
        row_of = {value: row for row, value in enumerate(values)}
        self.rows = np.array([row_of[float(value)] for value in outcomes.outcome], dtype=np.intp)
        self.observed = self.statistics[self.rows] if len(self.rows) else np.zeros((0, 1 + self.middle))
        self.systems = np.zeros((len(outcomes.sizes), self.size, 0)) if systems is None else systems
        count = self.systems.shape[2]
        self.normal = self.judges + count
        """How many shared parameters are normal in the posterior."""
        sds = [POSITION_SD] * self.judges + [SYSTEM_SD] * count + [WEIGHT_SD] * (self.judges * self.middle)
        self.prior = 1 / np.square(sds)
        """The precision of what is shared; that of systems as :meth:`_prior_at` has it."""
        self._sites: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
        self.design = np.zeros((len(self.judge), self.normal))
        self.design[np.arange(len(self.judge)), self.judge] = 1.0
        self.design[:, self.judges :] = (
            self.systems[outcomes.group, outcomes.first] - self.systems[outcomes.group, outcomes.second]
        )

    def _prior_at(self, spread: float) -> None:
        """Set the prior of systems for a spread: their means may differ half as much as the items of one."""
        self.prior[self.judges : self.normal] = 1 / max(SYSTEM_SD, SYSTEM_SHARE * spread) ** 2

    def _log_weights(self, shared: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of each comparison the log weight of each outcome, as its judge has them."""
        weights = shared[self.normal :].reshape(self.judges, self.middle)
        found: NDArray[np.float64] = weights[self.judge] @ self.statistics[:, 1:].T
        return found

    def _differences(self, strengths: NDArray[np.float64]) -> NDArray[np.float64]:
        data = self.data
        return strengths[data.group, data.first] - strengths[data.group, data.second]

    def _terms(
        self, strengths: NDArray[np.float64], shared: NDArray[np.float64], spread: float
    ) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """Return the log posterior density up to a constant, each comparison's statistics minus their expected values,
        and the covariances of these statistics."""
        eta = self._differences(strengths) + self.design @ shared[: self.normal]
        logs = eta[:, None] * self.statistics[:, 0] + self._log_weights(shared)
        top = logs.max(axis=1, keepdims=True) if len(eta) else np.zeros((0, 1))
        normal = top[:, 0] + np.log(np.exp(logs - top).sum(axis=1))
        probabilities = np.exp(logs - normal[:, None])
        expected = probabilities @ self.statistics
        squares = np.einsum("rp,rq->rpq", self.statistics, self.statistics)
        covariances = np.einsum("mr,rpq->mpq", probabilities, squares) - np.einsum(
            "mp,mq->mpq", expected, expected
        )
        likelihood = float((logs[np.arange(len(eta)), self.rows] - normal).sum())
        density = likelihood - 0.5 * float(np.square(strengths).sum()) / spread**2
        density -= 0.5 * float(self.prior @ np.square(shared))
        return density, self.observed - expected, covariances

    def _parts(self) -> NDArray[np.float64]:
        """Of each comparison how its statistics move with what is shared: comparisons by statistics by parameters."""
        parts = np.zeros((len(self.judge), 1 + self.middle, len(self.prior)))
        parts[:, 0, : self.normal] = self.design
        every = np.arange(len(self.judge))
        for number in range(self.middle):
            parts[every, 1 + number, self.normal + self.judge * self.middle + number] = 1.0
        return parts

    def _within(self, precision: NDArray[np.float64], spread: float) -> NDArray[np.float64]:
        """Return the precision matrix of the strengths of each group, prior included, where the log-odds of each
        comparison has this ``precision``."""
        data, size = self.data, self.size
        within = np.zeros((len(data.sizes), size, size))
        np.add.at(within, (data.group, data.first, data.second), -precision)
        np.add.at(within, (data.group, data.second, data.first), -precision)
        places = np.arange(size)
        within[:, places, places] = -within.sum(axis=2) + 1 / spread**2
        return within

    def _by_item(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """What each comparison says of its log-odds, summed up for each item: of the first, less that of the second."""
        data = self.data
        found = np.zeros((len(data.sizes), self.size, *values.shape[1:]))
        np.add.at(found, (data.group, data.first), values)
        np.add.at(found, (data.group, data.second), -values)
        return found

    def mode(self, spread: float, start: Mode | None) -> Mode:
        """Return the posterior mode for this ``spread`` of strengths, by Newton's method from ``start``
        (None: from 0).
        """
        data = self.data
        self._prior_at(spread)
        strengths = np.zeros((len(data.sizes), self.size)) if start is None else start.strengths
        shared = np.zeros(len(self.prior)) if start is None else start.shared
        parts = self._parts()
        density, surplus, covariances = self._terms(strengths, shared, spread)
        for _ in range(MAX_STEPS):
            slope = self._by_item(surplus[:, 0]) - strengths / spread**2
            slope_shared = np.einsum("mp,mps->s", surplus, parts) - self.prior * shared
            within = self._within(covariances[:, 0, 0], spread)
            moved = np.einsum("mpq,mqs->mps", covariances, parts)
            across = self._by_item(moved[:, 0])
            own = np.einsum("mps,mpt->st", parts, moved) + np.diag(self.prior)
            solved = np.linalg.solve(within, np.concatenate([across, slope[:, :, None]], axis=2))
            schur = own - np.einsum("tnp,tnq->pq", across, solved[:, :, :-1])
            step_shared = np.linalg.solve(
                schur, slope_shared - np.einsum("tnp,tn->p", across, solved[:, :, -1])
            )
            step = solved[:, :, -1] - solved[:, :, :-1] @ step_shared
            longest = max(float(np.abs(step).max()), float(np.abs(step_shared).max()))
            factor = min(1.0, LONGEST_STEP / longest) if longest else 1.0
            while True:
                tried = strengths + factor * step, shared + factor * step_shared
                terms = self._terms(*tried, spread)
                if terms[0] >= density - 1e-10 or factor < 1e-4:
                    break
                factor /= 2
            (strengths, shared), (density, surplus, covariances) = tried, terms
            if longest * factor < TOLERANCE:
                break
        return Mode(spread, strengths, shared)

    def normal_approximation(self, mode: Mode) -> NormalPosterior:
        """Return the normal approximation of the posterior of strengths and shared effects, for the spread of
        ``mode``, by expectation propagation, with its log marginal likelihood (``evidence``).

        Strengths are relative to their group's mean. The weights of middle outcomes are fixed at the mode. The
        propagation starts where the previous call ended.
        """
        groups, size = len(self.data.sizes), self.size
        self._prior_at(mode.spread)
        log_weights = self._log_weights(mode.shared)
        eta = self._differences(mode.strengths) + self.design @ mode.shared[: self.normal]
        _, surplus, covariances = self._terms(mode.strengths, mode.shared, mode.spread)
        # from the sites of the last spread, or as Laplace has them
        precision, shift = self._sites or (covariances[:, 0, 0], surplus[:, 0] + covariances[:, 0, 0] * eta)
        joint = self._joint(precision, shift, mode.spread)
        tilted = self._tilted(joint, precision, shift, log_weights)
        for _ in range(MAX_PASSES):
            new_precision = np.maximum(1 / tilted.variance - tilted.left, MIN_PRECISION)
            new_shift = tilted.mean * (tilted.left + new_precision) - tilted.cavity * tilted.left
            change = float(np.abs(new_precision - precision).max(initial=0.0))
            precision = precision + DAMPED * (new_precision - precision)
            shift = shift + DAMPED * (new_shift - shift)
            joint = self._joint(precision, shift, mode.spread)
            tilted = self._tilted(joint, precision, shift, log_weights)
            if change < ENOUGH:
                break
        self._sites = precision, shift
        centre, _ = self._log_odds(joint)
        evidence = -0.5 * joint.log_determinant - groups * size * math.log(mode.spread)
        evidence += 0.5 * float(np.log(self.prior[: self.normal]).sum())
        left = tilted.left
        evidence += 0.5 * float(shift @ centre)
        evidence += float(
            (
                np.log(tilted.mass)
                + 0.5 * np.log1p(precision / left)
                + 0.5 * np.square(tilted.cavity) * left
                - 0.5 * np.square(tilted.cavity * left + shift) / (left + precision)
            ).sum()
        )
        weights = mode.shared[self.normal :].reshape(self.judges, self.middle)
        evidence -= 0.5 * float(self.prior[self.normal :] @ np.square(mode.shared[self.normal :]))
        strengths, spreads = self._whole(joint)
        return NormalPosterior(evidence, strengths, spreads, joint.shared, joint.shared_covariance, weights)

    def _tilted(
        self,
        joint: _Joint,
        precision: NDArray[np.float64],
        shift: NDArray[np.float64],
        log_weights: NDArray[np.float64],
    ) -> _Tilted:
        """Return the distribution of each comparison's log-odds without its site, and with its likelihood in place of
        the site."""
        values = self.statistics[:, 0]
        nodes, node_weights = normal_nodes(NODES)
        centre, variance = self._log_odds(joint)
        left = np.maximum(1 / variance - precision, MIN_PRECISION)  # above 0, but for rounding
        cavity = (centre / variance - shift) / left
        points = cavity + nodes[:, None] / np.sqrt(
            left
        )  # nodes by comparisons, which go fast along the last axis
        logs = [value * points + log_weights[:, row] for row, value in enumerate(values)]
        top = np.maximum.reduce(logs)
        densities = [np.exp(each - top) for each in logs]
        total = sum(densities[1:], densities[0])
        likelihood = np.choose(self.rows, densities) / total * node_weights[:, None]
        mass = likelihood.sum(axis=0)
        likelihood /= mass
        mean = (likelihood * points).sum(axis=0)
        return _Tilted(
            left, cavity, mass, mean, (likelihood * np.square(points)).sum(axis=0) - np.square(mean)
        )

    def _whole(self, joint: _Joint) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Means and covariances of the strengths with their systems' means, less the mean of their group."""
        systems, own = self.systems, slice(self.judges, None)
        mean = joint.mean + systems @ joint.shared[own]
        half = np.einsum("tnk,tmk->tnm", systems, joint.across[:, :, own])
        covariance = joint.covariance + half + half.transpose(0, 2, 1)
        covariance += np.einsum(
            "tnk,kl,tml->tnm", systems, joint.shared_covariance[own, own], systems, optimize=True
        )
        sizes = np.asarray(self.data.sizes)
        there = (np.arange(self.size) < sizes[:, None]).astype(float)
        centring = there[:, :, None] * (np.eye(self.size) - there[:, None, :] / sizes[:, None, None])
        return np.einsum("tij,tj->ti", centring, mean), np.einsum(
            "tij,tjk,tlk->til", centring, covariance, centring, optimize=True
        )

    def _log_odds(self, joint: _Joint) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Of each comparison the mean and the variance of its log-odds."""
        data, design = self.data, self.design
        group, first, second = data.group, data.first, data.second
        centre = self._differences(joint.mean) + design @ joint.shared
        places = np.arange(self.size)
        variances = joint.covariance[:, places, places]
        own = variances[group, first] + variances[group, second] - 2 * joint.covariance[group, first, second]
        across = joint.across[group, first] - joint.across[group, second]
        through = design @ joint.shared_covariance
        return centre, own + 2 * (across * design).sum(axis=1) + (through * design).sum(axis=1)

    def _joint(self, precision: NDArray[np.float64], shift: NDArray[np.float64], spread: float) -> _Joint:
        """Return the joint posterior where the likelihood of each comparison is replaced by a normal site of this
        precision and shift (precision times mean)."""
        design = self.design
        inverse = np.linalg.inv(within := self._within(precision, spread))
        across = self._by_item(precision[:, None] * design)
        own = np.einsum("m,ms,mt->st", precision, design, design) + np.diag(self.prior[: self.normal])
        linear = self._by_item(shift)
        solved = inverse @ across
        schur = own - np.einsum("tnp,tnq->pq", across, solved)
        shared_covariance = np.linalg.inv(schur)
        shared = shared_covariance @ (shift @ design - np.einsum("tnp,tn->p", solved, linear))
        between = -solved @ shared_covariance
        return _Joint(
            np.einsum("tij,tj->ti", inverse, linear) - solved @ shared,
            inverse - between @ solved.transpose(0, 2, 1),
            between,
            shared,
            shared_covariance,
            float(np.linalg.slogdet(within)[1].sum()) + float(np.linalg.slogdet(schur)[1]),
        )

"""The posterior of the strengths behind comparisons, for a known spread of theirs, by expectation propagation.

The model stands in :mod:`conqret.stats.comparative_judgment`. What all groups share is normal too, and part of the
joint posterior: the position of each judge, and the slope of each covariate of items (a rating, a system). The weights
of ties and slight preferences, which differ between judges, are at their mode.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

OUTCOMES = (0.0, 0.25, 0.5, 0.75, 1.0)
POSITION_SD, WEIGHT_SD, SLOPE_SD = 1.0, 2.0, 3.0
"""Standard deviations of the normal priors of positions, weights, and slopes of covariates with a standard deviation of
1."""
SLOPE_SHARE = 0.5
"""Of the spread of the strengths: what the standard deviation of the slopes' prior is at least."""
DISCRIMINATION_SDS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
DISCRIMINATION_SCALE = 0.7
"""Standard deviations of the logarithms of the judges' discriminations, with a prior of ``exp(-(sd / scale)^2 / 2)``.
"""
MOST_APART = 3.0
"""The longest step of the logarithms from the mean that is tried."""
MOST_STEPS, TOLERANCE, LONGEST_STEP = 60, 1e-6, 3.0
"""Of Newton's method, which finds the mode."""
LEAST_PRECISION = 1e-10
MOST_PASSES, ENOUGH, DAMPED, NODES = 60, 1e-4, 0.8, 24
"""Of expectation propagation: passes over all comparisons, the change of a precision at which they end, the share of a
change that is made, and points at which a comparison's likelihood is integrated (Gauss and Hermite)."""


@cache
def normal_nodes(count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points and weights by which a function is averaged over the standard normal distribution."""
    import numpy as np

    nodes, weights = np.polynomial.hermite_e.hermegauss(count)
    return nodes, weights / weights.sum()


@dataclass(frozen=True)
class PairOutcomes:
    """Comparisons within groups of ``sizes`` items: in each the group's number, the places of the item shown first and
    of the second in their group, the outcome, and the number of the judge (None: one judge made all).

    Raises:
        DeclarationError: an outcome is none, an item meets itself or is none of its group, or there is not one judge
            for each comparison.
    """

    sizes: Sequence[int]
    group: NDArray[np.intp]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    outcome: NDArray[np.float64]
    judge: NDArray[np.intp] | None = None

    @classmethod
    def of(
        cls,
        sizes: Sequence[int],
        group: ArrayLike,
        first: ArrayLike,
        second: ArrayLike,
        outcome: ArrayLike,
        judge: ArrayLike | None = None,
    ) -> PairOutcomes:
        """The comparisons of any sequences."""
        import numpy as np

        groups, firsts, seconds = (np.asarray(values, dtype=np.intp) for values in (group, first, second))
        judges = None if judge is None else np.asarray(judge, dtype=np.intp)
        return cls(tuple(sizes), groups, firsts, seconds, np.asarray(outcome, dtype=float), judges)

    def __post_init__(self) -> None:
        import numpy as np

        if not set(np.unique(self.outcome)) <= set(OUTCOMES):
            raise DeclarationError(
                f"an outcome must be one of {', '.join(map(str, OUTCOMES))}, not {self.outcome.tolist()[:5]}"
            )
        count = np.asarray(self.sizes, dtype=int)[self.group] if len(self.group) else np.zeros(0, dtype=int)
        if (self.first == self.second).any() or (np.maximum(self.first, self.second) >= count).any():
            raise DeclarationError("a comparison must be between two items of one group")
        if self.judge is not None and (len(self.judge) != len(self.group) or self.judge.min(initial=0) < 0):
            raise DeclarationError("each comparison needs the number of its judge, at least 0")

    @property
    def judges(self) -> int:
        """How many judges there are."""
        return 1 if self.judge is None or not len(self.judge) else int(self.judge.max()) + 1

    @property
    def by_judge(self) -> NDArray[np.intp]:
        """The number of the judge of each comparison."""
        import numpy as np

        return np.zeros(len(self.group), dtype=np.intp) if self.judge is None else self.judge


@dataclass(frozen=True)
class Mode:
    """Where the posterior is highest for a ``spread``: ``strengths`` (their part that no covariate explains), and
    ``shared`` by all groups: positions, slopes, then the weights of each judge."""

    spread: float
    strengths: NDArray[np.float64]
    shared: NDArray[np.float64]


@dataclass(frozen=True)
class NormalPosterior:
    """The posterior for one spread. ``shared`` are positions and slopes, ``shared_covariance`` theirs, ``weights`` and
    ``weight_variances`` are judges by weights. Of each comparison ``expected``, ``variance`` and ``fourth`` are mean
    and central moments of its outcome as the others foresee it. ``slope`` is that of the evidence by the logarithm of
    each judge's discrimination."""

    evidence: float
    strengths: NDArray[np.float64]
    covariances: NDArray[np.float64]
    shared: NDArray[np.float64]
    shared_covariance: NDArray[np.float64]
    weights: NDArray[np.float64]
    weight_variances: NDArray[np.float64]
    expected: NDArray[np.float64]
    variance: NDArray[np.float64]
    fourth: NDArray[np.float64]
    slope: NDArray[np.float64]


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
    (``mass``), mean and variance with it, the expected ``surplus`` of the outcome, that times the log-odds
    (``turned``), and the probabilities of the outcomes without it (``chances``)."""

    left: NDArray[np.float64]
    cavity: NDArray[np.float64]
    mass: NDArray[np.float64]
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]
    surplus: NDArray[np.float64]
    turned: NDArray[np.float64]
    chances: NDArray[np.float64]


class StrengthPosterior:
    """The posterior of strengths and of what groups share. ``covariates`` (groups by items by covariates) are added to
    the strengths, each with a slope. ``discriminations`` say by how much each judge tells items apart; the strengths
    are on the scale of a judge whose discrimination is 1."""

    def __init__(self, outcomes: PairOutcomes, covariates: NDArray[np.float64] | None = None) -> None:
        import numpy as np

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
        if covariates is None:
            covariates = np.zeros((len(outcomes.sizes), self.size, 0))
        self.covariates = covariates
        self.apart = covariates[outcomes.group, outcomes.first] - covariates[outcomes.group, outcomes.second]
        """By how much the items of each comparison differ in each covariate."""
        slopes = covariates.shape[2]
        self.normal = self.judges + slopes
        """How many shared parameters are normal in the posterior."""
        sds = [POSITION_SD] * self.judges + [SLOPE_SD] * slopes + [WEIGHT_SD] * (self.judges * self.middle)
        self.prior = 1 / np.square(sds)
        """The precision of what is shared; that of slopes as :meth:`_prior_at` has it."""
        self._sites: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
        self.discriminations = np.ones(self.judges)

    @property
    def discriminations(self) -> NDArray[np.float64]:
        """Of each judge, by how much it tells items apart."""
        return self._discriminations

    @discriminations.setter
    def discriminations(self, values: NDArray[np.float64]) -> None:
        import numpy as np

        self._discriminations = values
        self.scale = values[self.judge]
        self.design = np.zeros((len(self.judge), self.normal))
        self.design[np.arange(len(self.judge)), self.judge] = 1.0
        self.design[:, self.judges :] = self.scale[:, None] * self.apart

    def _prior_at(self, spread: float) -> None:
        """Set the prior of slopes for a spread: what covariates explain may be half as wide as what they do not."""
        self.prior[self.judges : self.normal] = 1 / max(SLOPE_SD, SLOPE_SHARE * spread) ** 2

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
        """The log posterior density, the surplus of each comparison's statistics and their covariances."""
        import numpy as np

        eta = self.scale * self._differences(strengths) + self.design @ shared[: self.normal]
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
        import numpy as np

        parts = np.zeros((len(self.judge), 1 + self.middle, len(self.prior)))
        parts[:, 0, : self.normal] = self.design
        every = np.arange(len(self.judge))
        for number in range(self.middle):
            parts[every, 1 + number, self.normal + self.judge * self.middle + number] = 1.0
        return parts

    def _within(self, precision: NDArray[np.float64], spread: float) -> NDArray[np.float64]:
        """The precision of the strengths of each group, where each comparison has so much of its log-odds."""
        import numpy as np

        data, size = self.data, self.size
        within = np.zeros((len(data.sizes), size, size))
        weight = precision * np.square(self.scale)
        np.add.at(within, (data.group, data.first, data.second), -weight)
        np.add.at(within, (data.group, data.second, data.first), -weight)
        places = np.arange(size)
        within[:, places, places] = -within.sum(axis=2) + 1 / spread**2
        return within

    def _by_item(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """What each comparison says of its log-odds, summed up for each item: of the first, less that of the second."""
        import numpy as np

        data = self.data
        found = np.zeros((len(data.sizes), self.size, *values.shape[1:]))
        scaled = values * self.scale.reshape(-1, *[1] * (values.ndim - 1))
        np.add.at(found, (data.group, data.first), scaled)
        np.add.at(found, (data.group, data.second), -scaled)
        return found

    def mode(self, spread: float, start: Mode | None) -> Mode:
        """Where the posterior is highest (Newton's method: it is concave)."""
        import numpy as np

        data = self.data
        self._prior_at(spread)
        strengths = np.zeros((len(data.sizes), self.size)) if start is None else start.strengths
        shared = np.zeros(len(self.prior)) if start is None else start.shared
        parts = self._parts()
        density, surplus, covariances = self._terms(strengths, shared, spread)
        for _ in range(MOST_STEPS):
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

    def around(self, mode: Mode) -> NormalPosterior:
        """The normal posterior of strengths, positions and slopes by expectation propagation, with the weights as they
        are at the mode. Strengths hold what covariates explain of them, less their group's mean."""
        import numpy as np

        groups, size = len(self.data.sizes), self.size
        self._prior_at(mode.spread)
        log_weights = self._log_weights(mode.shared)
        eta = self.scale * self._differences(mode.strengths) + self.design @ mode.shared[: self.normal]
        _, surplus, covariances = self._terms(mode.strengths, mode.shared, mode.spread)
        # from the sites of the last spread, or as Laplace has them
        precision, shift = self._sites or (
            covariances[:, 0, 0],
            surplus[:, 0] + covariances[:, 0, 0] * eta,
        )
        joint = self._joint(precision, shift, mode.spread)
        tilted = self._tilted(joint, precision, shift, log_weights)
        for _ in range(MOST_PASSES):
            new_precision = np.maximum(1 / tilted.variance - tilted.left, LEAST_PRECISION)
            new_shift = tilted.mean * (tilted.left + new_precision) - tilted.cavity * tilted.left
            change = float(np.abs(new_precision - precision).max(initial=0.0))
            precision = precision + DAMPED * (new_precision - precision)
            shift = shift + DAMPED * (new_shift - shift)
            joint = self._joint(precision, shift, mode.spread)
            tilted = self._tilted(joint, precision, shift, log_weights)
            if change < ENOUGH:
                break
        self._sites = precision, shift
        centre, variance, moved = self._log_odds(joint)
        evidence = -0.5 * joint.log_determinant - groups * size * math.log(mode.spread)
        evidence += 0.5 * float(np.log(self.prior[: self.normal]).sum())
        left = tilted.left
        evidence += 0.5 * float(shift @ centre)
        evidence += float(
            (
                np.log(tilted.mass) + 0.5 * np.log1p(precision / left) + 0.5 * np.square(tilted.cavity) * left
                - 0.5 * np.square(tilted.cavity * left + shift) / (left + precision)
            ).sum()
        )  # fmt: skip
        weights = mode.shared[self.normal :].reshape(self.judges, self.middle)
        evidence -= 0.5 * float(self.prior[self.normal :] @ np.square(mode.shared[self.normal :]))
        information = np.zeros((self.judges, self.middle))
        np.add.at(information, self.judge, np.diagonal(covariances[:, 1:, 1:], axis1=1, axis2=2))
        # the part of the log-odds that grows with the discrimination, where these are known
        positions = joint.shared[self.judge]
        grown = centre - positions
        slope = np.zeros(self.judges)
        np.add.at(
            slope,
            self.judge,
            tilted.surplus * grown + moved / variance * (tilted.turned - tilted.surplus * centre),
        )
        strengths, spreads = self._whole(joint)
        chances, values = tilted.chances, self.statistics[:, 0]
        expected = chances @ values
        away = values - expected[:, None]
        return NormalPosterior(
            evidence,
            strengths,
            spreads,
            joint.shared,
            joint.shared_covariance,
            weights,
            1 / (information + 1 / WEIGHT_SD**2),
            expected,
            (chances * away**2).sum(axis=1),
            (chances * away**4).sum(axis=1),
            slope,
        )

    def _tilted(
        self,
        joint: _Joint,
        precision: NDArray[np.float64],
        shift: NDArray[np.float64],
        log_weights: NDArray[np.float64],
    ) -> _Tilted:
        """The log-odds of each comparison without its site, and with its likelihood in the place of the site."""
        import numpy as np

        values = self.statistics[:, 0]
        nodes, node_weights = normal_nodes(NODES)
        centre, variance, _ = self._log_odds(joint)
        left = np.maximum(1 / variance - precision, LEAST_PRECISION)  # above 0, but for rounding
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
        expected = sum(value * each for value, each in zip(values, densities, strict=True)) / total
        surplus = likelihood * (self.data.outcome - expected)
        return _Tilted(
            left,
            cavity,
            mass,
            mean,
            (likelihood * np.square(points)).sum(axis=0) - np.square(mean),
            surplus.sum(axis=0),
            (surplus * points).sum(axis=0),
            np.stack([node_weights @ (each / total) for each in densities], axis=1),
        )

    def _whole(self, joint: _Joint) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Means and covariances of the strengths with what covariates explain, less the mean of their group."""
        import numpy as np

        covariates, slopes = self.covariates, slice(self.judges, None)
        mean = joint.mean + covariates @ joint.shared[slopes]
        covariance = joint.covariance
        if covariates.shape[2]:
            half = np.einsum("tnk,tmk->tnm", covariates, joint.across[:, :, slopes])
            covariance = covariance + half + half.transpose(0, 2, 1)
            covariance += np.einsum(
                "tnk,kl,tml->tnm",
                covariates,
                joint.shared_covariance[slopes, slopes],
                covariates,
                optimize=True,
            )
        sizes = np.asarray(self.data.sizes)
        there = (np.arange(self.size) < sizes[:, None]).astype(float)
        centring = there[:, :, None] * (np.eye(self.size) - there[:, None, :] / sizes[:, None, None])
        return np.einsum("tij,tj->ti", centring, mean), np.einsum(
            "tij,tjk,tlk->til", centring, covariance, centring, optimize=True
        )

    def _log_odds(
        self, joint: _Joint
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Of each comparison the mean and the variance of its log-odds, and their covariance with the part that grows
        with the discrimination."""
        import numpy as np

        data, design = self.data, self.design
        group, first, second = data.group, data.first, data.second
        centre = self.scale * self._differences(joint.mean) + design @ joint.shared
        places = np.arange(self.size)
        variances = joint.covariance[:, places, places]
        own = variances[group, first] + variances[group, second] - 2 * joint.covariance[group, first, second]
        own = np.square(self.scale) * own
        across = self.scale[:, None] * (joint.across[group, first] - joint.across[group, second])
        through = design @ joint.shared_covariance
        variance = own + 2 * (across * design).sum(axis=1) + (through * design).sum(axis=1)
        every = np.arange(len(self.judge))
        position = across[every, self.judge] + through[every, self.judge]
        return centre, variance, variance - position

    def _joint(self, precision: NDArray[np.float64], shift: NDArray[np.float64], spread: float) -> _Joint:
        """The normal distribution that sites of this precision and shift make."""
        import numpy as np

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

    def fit_discriminations(self, spread: float) -> NDArray[np.float64]:
        """Set the discriminations to what the evidence at a ``spread`` says, with a mean of 1; the covariance of their
        logarithms.

        The logarithms less their mean are Normal(0, t), and t is any of :data:`DISCRIMINATION_SDS`, large ones less:
        judges that are alike are taken for alike, and of judges that differ none is drawn towards the others. Where the
        evidence is highest it is taken as normal."""
        import numpy as np
        from scipy.optimize import minimize

        count = self.judges
        basis = np.linalg.svd(np.eye(count) - 1 / count)[0][:, : count - 1]
        mode = self.mode(spread, None)
        widest = max(DISCRIMINATION_SDS)

        def discriminations(logs: NDArray[np.float64]) -> NDArray[np.float64]:
            values = np.exp(basis @ logs)
            return np.asarray(values / values.mean())

        def slope(logs: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            self.discriminations = discriminations(logs)
            part = self.around(mode)
            return part.evidence, basis.T @ (part.slope - self.discriminations / count * part.slope.sum())

        def against(logs: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            evidence, rise = slope(logs)
            return 0.5 * float(logs @ logs) / widest**2 - evidence, logs / widest**2 - rise

        logs = np.zeros(count - 1)
        for _ in range(2):  # the weights of ties move a little with the discriminations
            logs = minimize(
                against, logs, jac=True, method="L-BFGS-B",
                bounds=[(-MOST_APART, MOST_APART)] * len(logs), options={"gtol": 0.05, "ftol": 1e-6},
            ).x  # fmt: skip
            self.discriminations = discriminations(logs)
            mode = self.mode(spread, mode)
        step, rise = 0.05, slope(logs)[1]
        steps = step * np.eye(count - 1)
        bends = np.array([(slope(logs - each)[1] - slope(logs + each)[1]) / (2 * step) for each in steps])
        values, vectors = np.linalg.eigh((bends + bends.T) / 2)
        information = (vectors * np.maximum(values, 0.0)) @ vectors.T
        linear = information @ logs + rise
        covariances = [np.linalg.inv(information + np.eye(count - 1) / sd**2) for sd in DISCRIMINATION_SDS]
        evidence = np.array(
            [
                0.5 * linear @ covariance @ linear + 0.5 * np.linalg.slogdet(covariance / sd**2)[1]
                + math.log(sd) - 0.5 * (sd / DISCRIMINATION_SCALE) ** 2
                for sd, covariance in zip(DISCRIMINATION_SDS, covariances, strict=True)
            ]
        )  # fmt: skip
        share = np.exp(evidence - evidence.max())
        share /= share.sum()
        means = np.array([covariance @ linear for covariance in covariances])
        mean = share @ means
        away = means - mean
        covariance = np.tensordot(share, np.array(covariances), axes=1) + (away.T * share) @ away
        self.discriminations = discriminations(mean)
        scaled = (np.eye(count) - self.discriminations / count) @ basis
        found: NDArray[np.float64] = scaled @ covariance @ scaled.T
        return found

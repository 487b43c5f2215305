"""Strengths from comparisons of pairs: Bradley and Terry's model with Davidson's ties, graded answers and a position.

A comparison shows two items of one group (a topic), one first. Its ``outcome`` is what the first is given: 1, 0.75
(slightly better), 0.5 (a tie), 0.25 or 0. With strengths s and ``eta = s_first - s_second + position``,

``P(outcome = y) proportional to exp(y * eta + weight(y))``

where the weights of 0 and 1 are 0 and those of 0.25 and 0.75 are equal. With 0 and 1 alone this is Bradley and Terry
(1952), with 0.5 it is Davidson (1970), with all five the adjacent-categories model of Agresti (1992). Position, weights
and the standard deviation of the strengths are the same in all groups.

Priors: strengths ~ Normal(0, spread), spread ~ half-Normal(3) on a grid, position ~ Normal(0, 1), weights ~ Normal(0,
2). For each spread the posterior of strengths and position is a normal one by expectation propagation (Minka 2001),
with the weights at their mode; the spreads are averaged by their marginal likelihood. (Laplace's approximation takes
strengths for more alike than they are where each item has a few comparisons: its intervals cover less.) So the interval
of an item that always wins is wide and finite. How far above the others it is, only the prior says: such items are
called unbounded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from conqret.errors import DeclarationError
from conqret.stats.estimate import CONFIDENCE, Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

OUTCOMES = (0.0, 0.25, 0.5, 0.75, 1.0)
SPREADS = (0.25, 0.4, 0.63, 1.0, 1.6, 2.5, 4.0, 6.3, 10.0)
"""Standard deviations of the strengths over which the posterior is averaged, at equal distances of their logarithms."""
SPREAD_SCALE, POSITION_SD, WEIGHT_SD = 3.0, 1.0, 2.0
MOST_STEPS, TOLERANCE, LONGEST_STEP = 60, 1e-6, 3.0
"""Of Newton's method, which finds the mode."""
MOST_PASSES, ENOUGH, DAMPED, NODES = 60, 1e-4, 0.8, 24
"""Of expectation propagation: passes over all comparisons, the change of a precision at which they end, the share of a
change that is made, and points at which a comparison's likelihood is integrated (Gauss and Hermite)."""
NEGLIGIBLE = 1e-3
"""Share of the posterior below which a spread is left out."""

MOST_ITEMS, MOST_CELLS = 1000, 10_000_000
"""Items of one group, and cells of all covariances (groups, each padded to the largest, by items by items), up to which
strengths are estimated: these take some 2 GB."""

Bound = Literal["", "above", "below"]


@dataclass(frozen=True)
class PairOutcomes:
    """Comparisons within groups of ``sizes`` items: in each the group's number, the places of the item shown first and
    of the second in their group, and the outcome.

    Raises:
        DeclarationError: an outcome is none, or an item meets itself or is none of its group.
    """

    sizes: Sequence[int]
    group: NDArray[np.intp]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    outcome: NDArray[np.float64]

    @classmethod
    def of(
        cls, sizes: Sequence[int], group: ArrayLike, first: ArrayLike, second: ArrayLike, outcome: ArrayLike
    ) -> PairOutcomes:
        """The comparisons of any sequences."""
        import numpy as np

        groups, firsts, seconds = (np.asarray(values, dtype=np.intp) for values in (group, first, second))
        return cls(tuple(sizes), groups, firsts, seconds, np.asarray(outcome, dtype=float))

    def __post_init__(self) -> None:
        import numpy as np

        if not set(np.unique(self.outcome)) <= set(OUTCOMES):
            raise DeclarationError(
                f"an outcome is one of {', '.join(map(str, OUTCOMES))}, not {self.outcome.tolist()[:5]}"
            )
        count = np.asarray(self.sizes, dtype=int)[self.group] if len(self.group) else np.zeros(0, dtype=int)
        if (self.first == self.second).any() or (np.maximum(self.first, self.second) >= count).any():
            raise DeclarationError("a comparison is of two items of one group")


@dataclass(frozen=True)
class ComparedStrengths:
    """What comparisons say. All arrays are padded to the largest group: groups by items.

    ``strengths`` are posterior means less their group's mean, ``errors`` posterior standard deviations, ``low`` and
    ``high`` the ends of the intervals, ``covariances`` (groups by items by items) those at a known spread, averaged.
    ``position`` is what standing first adds to the log-odds, ``spread`` the standard deviation of the strengths
    (posterior mean), ``weights`` the log weights of the middle outcomes that occur.
    """

    sizes: tuple[int, ...]
    strengths: NDArray[np.float64]
    errors: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    covariances: NDArray[np.float64]
    position: Estimate
    spread: float
    weights: dict[float, float]

    def group(self, number: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The strengths of a group's items, and their standard errors."""
        size = self.sizes[number]
        return self.strengths[number, :size], self.errors[number, :size]

    def reliability(self, groups: Sequence[int] | None = None) -> float | None:
        """Scale separation reliability: the share of the estimates' variance within groups that is of true strengths,
        ``var / (var + mean squared error)`` of posterior means (all groups, or these). Errors are those at a known
        spread: what is unknown of it stretches all strengths alike. None without variance."""
        import numpy as np

        chosen = range(len(self.sizes)) if groups is None else groups
        between = error = 0.0
        for number in chosen:
            strengths, _ = self.group(number)
            if len(strengths) > 1:
                between += float(np.square(strengths).sum())
                error += float(np.trace(self.covariances[number]))
        return between / (between + error) if between + error > 0 else None


def check_sizes(sizes: Sequence[int]) -> None:
    """Raise DeclarationError where groups of so many items are too large for strengths to be estimated."""
    largest = max(sizes, default=0)
    if largest > MOST_ITEMS:
        raise DeclarationError(
            f"a group has {largest} items; at most {MOST_ITEMS} are compared with each other"
        )
    if len(sizes) * largest**2 > MOST_CELLS:
        raise DeclarationError(
            f"{len(sizes)} groups, the largest of {largest} items, take too much memory: beside a group of {largest} "
            f"items there may be {MOST_CELLS // largest**2 - 1} others; hold the largest in a run of their own"
        )


def compared_strengths(
    outcomes: PairOutcomes, *, confidence: float = CONFIDENCE, spreads: Sequence[float] = SPREADS
) -> ComparedStrengths:
    """Estimate the strengths behind ``outcomes``; one spread in ``spreads`` is one that is known.

    Raises:
        DeclarationError: there is no group, groups are too large, or a spread is not above 0.
    """
    import numpy as np

    if not outcomes.sizes or min(spreads) <= 0:
        raise DeclarationError("strengths need a group of items and spreads above 0")
    check_sizes(outcomes.sizes)
    posterior = _Posterior(outcomes)
    parts, start = [], None
    for spread in spreads:
        start = posterior.mode(spread, start)
        parts.append(posterior.around(start))
    evidence = np.array([part.evidence for part in parts])
    evidence += [math.log(spread) - 0.5 * (spread / SPREAD_SCALE) ** 2 for spread in spreads]
    share = np.exp(evidence - evidence.max())
    share /= share.sum()
    kept = [number for number, value in enumerate(share) if value >= NEGLIGIBLE]
    share = share[kept] / share[kept].sum()
    parts = [parts[number] for number in kept]
    means = np.array([part.strengths for part in parts])
    mean = np.einsum("k,ktn->tn", share, means)
    away = means - mean
    covariance = np.einsum("k,ktij->tij", share, np.array([part.covariances for part in parts]))
    errors = np.sqrt(np.einsum("tii->ti", covariance) + np.einsum("k,kti->ti", share, np.square(away)))
    deviations = np.array([np.sqrt(np.einsum("tii->ti", part.covariances)) for part in parts])
    low, high = _ends(share, means, deviations, confidence)
    shared = np.array([part.shared for part in parts])
    shared_sd = np.sqrt(np.array([part.shared_variances for part in parts]))
    position_low, position_high = _ends(share, shared[:, :1], shared_sd[:, :1], confidence)
    value = float(share @ shared[:, 0])
    position = Estimate(value, float(position_low[0]), float(position_high[0]), len(outcomes.outcome))
    if not len(outcomes.outcome):
        position = Estimate(None, reason="there are no comparisons")
    return ComparedStrengths(
        tuple(outcomes.sizes), mean, errors, low, high, covariance, position,
        float(share @ np.array(spreads)[kept]),
        {outcome: float(share @ shared[:, place]) for outcome, place in posterior.places.items()},
    )  # fmt: skip


def outcome_variance(eta: NDArray[np.float64], weights: dict[float, float]) -> NDArray[np.float64]:
    """The variance of an outcome at log-odds ``eta``: what a comparison there tells of the difference."""
    import numpy as np

    values = np.array([0.0, 1.0, *weights])
    logs = eta[..., None] * values + np.array([0.0, 0.0, *weights.values()])
    logs -= logs.max(axis=-1, keepdims=True)
    probabilities = np.exp(logs)
    probabilities /= probabilities.sum(axis=-1, keepdims=True)
    mean = probabilities @ values
    return np.asarray(probabilities @ np.square(values) - np.square(mean))


def bounds(outcomes: PairOutcomes) -> list[list[Bound]]:
    """For each group's items whether only the prior bounds them: those that, alone or with others, have got all there
    was from all others whom they met (``above``), or nothing (``below``). An item that met nobody is bounded by
    nothing, and is called ``above``, too, if the rest is not. By Ford (1957): the strengths that are most likely are
    finite where each item can be reached from each other by steps from one to another that got something from it."""
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

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


@dataclass(frozen=True, slots=True)
class TripleCounts:
    """Triples of items of which all three pairs were compared and none is tied, and how many go round in a circle. Of
    verdicts by chance a quarter does."""

    triples: int
    circular: int

    CHANCE = 0.25

    @property
    def share(self) -> float | None:
        """The share that goes in a circle; None where there are no triples."""
        return self.circular / self.triples if self.triples else None


def intransitive_triples(outcomes: PairOutcomes) -> TripleCounts:
    """Count the triples: of each pair the mean outcome of all its comparisons counts."""
    import numpy as np

    triples = circular = 0
    for number, size in enumerate(outcomes.sizes):
        mine = outcomes.group == number
        margin = np.zeros((size, size))
        np.add.at(margin, (outcomes.first[mine], outcomes.second[mine]), outcomes.outcome[mine] - 0.5)
        margin = margin - margin.T
        beats = (margin > 1e-9).astype(float)
        met = beats + beats.T
        whole = round(float(np.trace(met @ met @ met)) / 6)
        triples += whole
        circular += round(float(np.trace(beats @ beats @ beats)) / 3)
    return TripleCounts(triples, circular)


@dataclass(frozen=True)
class _Mode:
    spread: float
    strengths: NDArray[np.float64]
    shared: NDArray[np.float64]


@dataclass(frozen=True)
class _Part:
    evidence: float
    strengths: NDArray[np.float64]
    covariances: NDArray[np.float64]
    shared: NDArray[np.float64]
    shared_variances: NDArray[np.float64]


class _Posterior:
    """The posterior of strengths and of what groups share (position first, then weights), for a known spread."""

    def __init__(self, outcomes: PairOutcomes) -> None:
        import numpy as np

        self.data = outcomes
        self.size = max(outcomes.sizes)
        occurring = {float(value) for value in np.unique(outcomes.outcome)}
        values = [0.0, 1.0]
        self.places: dict[float, int] = {}
        middle = [pair for pair in ((0.5,), (0.25, 0.75)) if occurring & set(pair)]
        for number, pair in enumerate(middle):
            for value in pair:
                values.append(value)
                self.places[value] = number + 1
        self.count = 1 + len(middle)
        # the statistics of each outcome: its value (for eta), then an indicator for each weight
        self.statistics = np.zeros((len(values), self.count))
        self.statistics[:, 0] = values
        for row, value in enumerate(values):
            if value in self.places:
                self.statistics[row, self.places[value]] = 1.0
        row_of = {value: row for row, value in enumerate(values)}
        rows = np.array([row_of[float(value)] for value in outcomes.outcome], dtype=np.intp)
        self.observed = self.statistics[rows] if len(rows) else np.zeros((0, self.count))
        self.prior = 1 / np.square([POSITION_SD, *[WEIGHT_SD] * len(middle)])

    def _terms(
        self, strengths: NDArray[np.float64], shared: NDArray[np.float64], spread: float
    ) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """The log posterior density, the surplus of each comparison's statistics and their covariances."""
        import numpy as np

        data = self.data
        eta = strengths[data.group, data.first] - strengths[data.group, data.second] + shared[0]
        logs = eta[:, None] * self.statistics[:, 0] + self.statistics[:, 1:] @ shared[1:]
        top = logs.max(axis=1, keepdims=True) if len(eta) else np.zeros((0, 1))
        normal = top[:, 0] + np.log(np.exp(logs - top).sum(axis=1))
        probabilities = np.exp(logs - normal[:, None])
        expected = probabilities @ self.statistics
        squares = np.einsum("rp,rq->rpq", self.statistics, self.statistics)
        covariances = np.einsum("mr,rpq->mpq", probabilities, squares) - np.einsum(
            "mp,mq->mpq", expected, expected
        )
        likelihood = float((eta * self.observed[:, 0] + self.observed[:, 1:] @ shared[1:] - normal).sum())
        density = likelihood - 0.5 * float(np.square(strengths).sum()) / spread**2
        density -= 0.5 * float(self.prior @ np.square(shared))
        return density, self.observed - expected, covariances

    def _information(
        self, covariances: NDArray[np.float64], spread: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """The blocks of the observed information: groups by items by items, groups by items by shared, shared."""
        import numpy as np

        data, size, groups = self.data, self.size, len(self.data.sizes)
        within = np.zeros((groups, size, size))
        variance = covariances[:, 0, 0]
        np.add.at(within, (data.group, data.first, data.second), -variance)
        np.add.at(within, (data.group, data.second, data.first), -variance)
        places = np.arange(size)
        within[:, places, places] = -within.sum(axis=2) + 1 / spread**2
        across = np.zeros((groups, size, self.count))
        np.add.at(across, (data.group, data.first), covariances[:, 0])
        np.add.at(across, (data.group, data.second), -covariances[:, 0])
        return within, across, covariances.sum(axis=0) + np.diag(self.prior)

    def mode(self, spread: float, start: _Mode | None) -> _Mode:
        """Where the posterior is highest (Newton's method: it is concave), and the evidence for the spread."""
        import numpy as np

        data = self.data
        strengths = np.zeros((len(data.sizes), self.size)) if start is None else start.strengths
        shared = np.zeros(self.count) if start is None else start.shared
        density, surplus, covariances = self._terms(strengths, shared, spread)
        for _ in range(MOST_STEPS):
            slope = -strengths / spread**2
            np.add.at(slope, (data.group, data.first), surplus[:, 0])
            np.add.at(slope, (data.group, data.second), -surplus[:, 0])
            slope_shared = surplus.sum(axis=0) - self.prior * shared
            within, across, own = self._information(covariances, spread)
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
        return _Mode(spread, strengths, shared)

    def around(self, mode: _Mode) -> _Part:
        """The normal posterior of strengths and position by expectation propagation, with the weights as they are at
        the mode; its evidence takes the place of the mode's. Strengths are less their group's mean."""
        import numpy as np

        data, groups, size = self.data, len(self.data.sizes), self.size
        values, log_weights = self.statistics[:, 0], self.statistics[:, 1:] @ mode.shared[1:]
        nodes, node_weights = np.polynomial.hermite_e.hermegauss(NODES)
        node_weights = node_weights / node_weights.sum()
        eta = (
            mode.strengths[data.group, data.first] - mode.strengths[data.group, data.second] + mode.shared[0]
        )
        _, surplus, covariances = self._terms(mode.strengths, mode.shared, mode.spread)
        precision = covariances[:, 0, 0]
        shift = surplus[:, 0] + precision * eta  # sites as Laplace has them, to start from
        places = np.arange(size)
        group, first, second = data.group, data.first, data.second
        mass = cavity_mean = cavity_variance = left = np.ones(len(eta))
        for _ in range(MOST_PASSES):
            mean, covariance, across, mean_position, variance_position, log_determinant = self._joint(
                precision, shift, mode.spread
            )
            variances = covariance[:, places, places]
            centre = mean[group, first] - mean[group, second] + mean_position
            variance = (
                variances[group, first] + variances[group, second] - 2 * covariance[group, first, second]
                + variance_position + 2 * (across[group, first] - across[group, second])
            )  # fmt: skip
            left = 1 / variance - precision
            cavity_variance = 1 / left
            cavity_mean = cavity_variance * (centre / variance - shift)
            points = cavity_mean[:, None] + np.sqrt(cavity_variance)[:, None] * nodes
            logs = points[:, :, None] * values + log_weights
            top = logs.max(axis=2)
            normal = top + np.log(np.exp(logs - top[:, :, None]).sum(axis=2))
            own = self.observed[:, 0, None] * points + (self.observed[:, 1:] @ mode.shared[1:])[:, None]
            likelihood = np.exp(own - normal) * node_weights
            mass = likelihood.sum(axis=1)
            tilted = (likelihood * points).sum(axis=1) / mass
            tilted_variance = (likelihood * np.square(points)).sum(axis=1) / mass - np.square(tilted)
            new_precision = np.maximum(1 / tilted_variance - left, 1e-10)
            new_shift = tilted * (left + new_precision) - cavity_mean * left
            change = float(np.abs(new_precision - precision).max(initial=0.0))
            precision = precision + DAMPED * (new_precision - precision)
            shift = shift + DAMPED * (new_shift - shift)
            if change < ENOUGH:
                break
        mean, covariance, across, mean_position, variance_position, log_determinant = self._joint(
            precision, shift, mode.spread
        )
        evidence = (
            -0.5 * log_determinant - groups * size * math.log(mode.spread) + 0.5 * math.log(self.prior[0])
        )
        if len(eta):
            centre = mean[data.group, data.first] - mean[data.group, data.second] + mean_position
            evidence += 0.5 * float(shift @ centre)
            evidence += float(
                (
                    np.log(mass) + 0.5 * np.log1p(precision * cavity_variance) + 0.5 * np.square(cavity_mean) * left
                    - 0.5 * np.square(cavity_mean * left + shift) / (left + precision)
                ).sum()
            )  # fmt: skip
        evidence -= 0.5 * float(self.prior[1:] @ np.square(mode.shared[1:]))
        sizes = np.asarray(data.sizes)
        there = (places < sizes[:, None]).astype(float)
        centring = there[:, :, None] * (np.eye(size) - there[:, None, :] / sizes[:, None, None])
        weight_variances = 1 / (covariances[:, 1:, 1:].sum(axis=0).diagonal() + self.prior[1:])
        return _Part(
            evidence,
            np.einsum("tij,tj->ti", centring, mean),
            np.einsum("tij,tjk,tlk->til", centring, covariance, centring, optimize=True),
            np.concatenate([[mean_position], mode.shared[1:]]),
            np.concatenate([[variance_position], weight_variances]),
        )

    def _joint(
        self, precision: NDArray[np.float64], shift: NDArray[np.float64], spread: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float, float, float]:
        """The normal distribution that sites of this precision and shift make: mean and covariance of the strengths,
        their covariance with the position, its mean and variance, and the log determinant of the precision."""
        import numpy as np

        padded = np.zeros((len(precision), self.count, self.count))
        padded[:, 0, 0] = precision
        within, across, own = self._information(padded, spread)
        across, own_position = across[:, :, 0], float(own[0, 0])
        linear = np.zeros(within.shape[:2])
        np.add.at(linear, (self.data.group, self.data.first), shift)
        np.add.at(linear, (self.data.group, self.data.second), -shift)
        inverse = np.linalg.inv(within)
        solved = np.einsum("tij,tj->ti", inverse, across)
        schur = own_position - float((across * solved).sum())
        position = (float(shift.sum()) - float((solved * linear).sum())) / schur
        mean = np.einsum("tij,tj->ti", inverse, linear) - solved * position
        covariance = inverse + solved[:, :, None] * solved[:, None, :] / schur
        log_determinant = float(np.linalg.slogdet(within)[1].sum()) + math.log(schur)
        return mean, covariance, -solved / schur, position, 1 / schur, log_determinant


def _ends(
    share: NDArray[np.float64], means: NDArray[np.float64], deviations: NDArray[np.float64], confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ends of the interval of a mixture of normals (the first axis), by bisection."""
    import numpy as np
    from scipy.special import ndtr

    sd = np.maximum(deviations, 1e-12)

    def quantile(probability: float) -> NDArray[np.float64]:
        low, high = (means - 8 * sd).min(axis=0), (means + 8 * sd).max(axis=0)
        for _ in range(60):
            middle = (low + high) / 2
            below = np.tensordot(share, ndtr((middle - means) / sd), axes=1) < probability
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.asarray((low + high) / 2)

    return quantile((1 - confidence) / 2), quantile((1 + confidence) / 2)

"""Tournaments of which the true strengths are known: how reliable they are after so many comparisons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from conqret.errors import DeclarationError
from conqret.stats.comparative_judgment import ComparedStrengths, compared_strengths
from conqret.stats.pair_design import GroupPairs, round_sizes
from conqret.stats.strength_posterior import PairOutcomes

MOST_SPREAD = 10.0
"""The largest spread of strengths: those over which the estimate of a tournament averages reach further."""


@dataclass(frozen=True, slots=True)
class SimulatedJudge:
    """A judge that compares by strengths with the standard deviation ``spread`` (log-odds): ``position`` is by how much
    more than half the first of two equals gets, ``ties`` the share of ties between equals."""

    spread: float = 2.0
    position: float = 0.0
    ties: float = 0.0

    def __post_init__(self) -> None:
        for name, value, within, wanted in (
            ("spread", self.spread, 0 <= self.spread <= MOST_SPREAD, f"from 0 to {MOST_SPREAD:g}"),
            ("position", self.position, -0.5 < self.position < 0.5, "between -0.5 and 0.5"),
            ("ties", self.ties, 0 <= self.ties < 1, "from 0 to below 1"),
        ):
            if not within:
                raise DeclarationError(f"{name} is {value:g}, but it must be {wanted}")

    @property
    def position_effect(self) -> float:
        """What standing first adds to the log-odds."""
        return math.log((0.5 + self.position) / (0.5 - self.position))

    def outcomes(self, differences: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        """What it says of pairs whose strengths differ so much."""
        eta = differences + self.position_effect
        weight = 2 * self.ties / (1 - self.ties)  # between equals a tie against a win and a loss
        parts = np.stack([np.exp(-eta / 2), np.full_like(eta, weight), np.exp(eta / 2)])
        ends = (parts / parts.sum(axis=0)).cumsum(axis=0)
        return np.asarray((rng.random(len(eta)) >= ends[:2]).sum(axis=0) / 2)


@dataclass(frozen=True, slots=True)
class TournamentQuality:
    """After so many ``comparisons`` an item: the ``reliability`` as it is printed, the squared correlation of estimated
    and true strengths within groups (``true_reliability``), the mean rank correlation in a group (None where strengths
    do not differ), and the share of intervals that hold the true strength."""

    comparisons: float
    reliability: float
    true_reliability: float
    rank_correlation: float | None
    coverage: float


def simulated_tournament(
    judge: SimulatedJudge, groups: int, size: int, comparisons: float, design: str, rng: np.random.Generator
) -> list[TournamentQuality]:
    """Hold one tournament of ``groups`` with ``size`` items each; its quality after each round. ``comparisons`` are
    those of an item."""
    truth = rng.normal(0, judge.spread, (groups, size))
    truth -= truth.mean(axis=1, keepdims=True)
    pairs = [GroupPairs(size, [int(rng.integers(2**32))]) for _ in range(groups)]
    wanted = None if design == "exhaustive" else comparisons
    made = np.zeros((4, 0))

    def estimated() -> ComparedStrengths:
        return compared_strengths(PairOutcomes.of([size] * groups, *made))

    fit = estimated()
    qualities = []
    for count in round_sizes(size, wanted):
        rows = [
            (number, *pair)
            for number, each in enumerate(pairs)
            for pair in (
                each.informative(count, fit, number) if design == "adaptive" else each.at_random(count)
            )
        ]
        new = np.array(rows).T
        differences = truth[new[0], new[1]] - truth[new[0], new[2]]
        made = np.hstack([made, [*new, judge.outcomes(differences, rng)]])
        fit = estimated()
        qualities.append(_quality(fit, truth, 2 * made.shape[1] / (groups * size)))
    return qualities


def _quality(fit: ComparedStrengths, truth: NDArray[np.float64], comparisons: float) -> TournamentQuality:

    def correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
        return float(np.corrcoef(one.ravel(), other.ravel())[0, 1]) if np.ptp(one) and np.ptp(other) else 0.0

    ranks = [
        correlation(rankdata(fit.strengths[number]), rankdata(truth[number])) for number in range(len(truth))
    ]
    return TournamentQuality(
        comparisons,
        fit.reliability() or 0.0,
        correlation(fit.strengths, truth) ** 2,
        sum(ranks) / len(ranks) if np.ptp(truth) else None,
        float(((fit.low <= truth) & (truth <= fit.high)).mean()),
    )


def mean_quality(qualities: Sequence[TournamentQuality]) -> TournamentQuality:
    """The means of several tournaments after as many comparisons."""
    count = len(qualities)
    ranks = [each.rank_correlation for each in qualities if each.rank_correlation is not None]
    return TournamentQuality(
        sum(each.comparisons for each in qualities) / count,
        sum(each.reliability for each in qualities) / count,
        sum(each.true_reliability for each in qualities) / count,
        sum(ranks) / len(ranks) if ranks else None,
        sum(each.coverage for each in qualities) / count,
    )

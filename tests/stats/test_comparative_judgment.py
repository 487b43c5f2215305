"""Strengths from comparisons: against an independent optimum, exact integrals, and designs of pairs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from conqret.errors import DeclarationError
from conqret.stats.comparative_judgment import (
    MAX_ITEMS,
    SPREAD_SD,
    SPREADS,
    bounds,
    check_sizes,
    compared_strengths,
    outcome_variance,
)
from conqret.stats.pair_design import GroupPairs, round_sizes
from conqret.stats.strength_posterior import PairOutcomes, StrengthPosterior

GRADED = PairOutcomes.from_rows(
    [4, 3],
    [0, 0, 0, 0, 0, 0, 1, 1, 1],
    [0, 1, 2, 0, 1, 3, 0, 1, 2],
    [1, 2, 3, 2, 3, 0, 1, 2, 0],
    [1, 0.75, 0.5, 1, 0, 0.25, 1, 0.75, 0.5],
)


def test_mode_is_that_of_a_general_optimiser() -> None:
    def minus_density(x: np.ndarray) -> float:
        strengths, position, slight, tie = x[:7], x[7], x[8], x[9]
        places = GRADED.group * 4 + GRADED.first, GRADED.group * 4 + GRADED.second
        eta = strengths[places[0]] - strengths[places[1]] + position
        weights = {0.0: 0.0, 0.25: slight, 0.5: tie, 0.75: slight, 1.0: 0.0}
        logs = np.array([[value * e + weight for value, weight in weights.items()] for e in eta])
        chosen = [list(weights).index(value) for value in GRADED.outcome]
        likelihood = (logs[np.arange(len(eta)), chosen] - np.log(np.exp(logs).sum(axis=1))).sum()
        prior = (strengths**2).sum() / 1.5**2 + position**2 + (slight**2 + tie**2) / 4
        return float(prior / 2 - likelihood)

    best = minimize(minus_density, np.zeros(10), method="BFGS", options={"gtol": 1e-9}).x
    mode = StrengthPosterior(GRADED).mode(1.5, None)
    assert np.concatenate([mode.strengths[0], mode.strengths[1, :3]]) == pytest.approx(best[:7], abs=1e-5)
    assert mode.shared == pytest.approx(np.array([best[7], best[9], best[8]]), abs=1e-5)


def test_posterior_over_all_spreads_is_the_exact_one() -> None:
    """By importance sampling: draws from the prior, weighted by their likelihood."""
    first, second = [0, 1, 0, 0, 1, 2, 2], [1, 2, 2, 1, 2, 0, 1]
    group, outcome = [0, 0, 0, 1, 1, 1, 0], [1, 1, 1, 0, 1, 0, 0]
    fit = compared_strengths(PairOutcomes.from_rows([3, 3], group, first, second, outcome))
    rng = np.random.default_rng(1)
    count = 200_000
    share = np.exp(-0.5 * np.square(np.log(SPREADS) / SPREAD_SD))
    spread = rng.choice(SPREADS, size=count, p=share / share.sum())
    strengths = rng.normal(size=(count, 2, 3)) * spread[:, None, None]
    position = rng.normal(size=count)
    likelihood = np.ones(count)
    for topic, one, other, won in zip(group, first, second, outcome, strict=True):
        eta = strengths[:, topic, one] - strengths[:, topic, other] + position
        likelihood /= 1 + np.exp(-eta if won else eta)
    likelihood /= likelihood.sum()
    strengths -= strengths.mean(axis=2, keepdims=True)
    mean = np.einsum("s,stn->tn", likelihood, strengths)
    error = np.einsum("s,stn->tn", likelihood, np.square(strengths - mean)) ** 0.5
    assert np.abs((fit.strengths - mean) / error).max() < 0.07
    assert fit.errors == pytest.approx(error, rel=0.08)
    assert fit.spread == pytest.approx(float(likelihood @ spread), rel=0.06)
    assert fit.position.value == pytest.approx(float(likelihood @ position), abs=0.03)
    for each, probability in fit.spreads.items():
        assert probability == pytest.approx(float(likelihood @ (spread == each)), abs=0.02)


def test_ties_are_those_of_davidson() -> None:
    eta, log_tie = np.array([0.7]), {0.5: np.log(0.8)}
    first, second = np.exp(0.7), 1.0
    tie = 0.8 * np.sqrt(first * second)
    total = first + second + tie
    mean = (first + tie / 2) / total
    assert outcome_variance(eta, log_tie)[0] == pytest.approx((first + tie / 4) / total - mean**2)


def test_an_item_that_always_wins_is_unbounded() -> None:
    outcomes = PairOutcomes.from_rows([4], [0] * 4, [0, 0, 1, 2], [1, 2, 2, 3], [1, 1, 0.5, 1])
    assert bounds(outcomes) == [["above", "", "", "below"]]
    fit = compared_strengths(outcomes)
    assert np.isfinite(fit.high).all()
    assert fit.high[0, 0] - fit.strengths[0, 0] > 1
    circle = PairOutcomes.from_rows([3], [0] * 3, [0, 1, 2], [1, 2, 0], [1, 1, 1])
    assert bounds(circle) == [["", "", ""]]


def test_groups_that_are_too_large_are_refused() -> None:
    check_sizes([20] * 5000)
    check_sizes([400, *[2] * 50])
    for sizes in ([400, *[2] * 500], [MAX_ITEMS + 1]):
        with pytest.raises(DeclarationError):
            check_sizes(sizes)
        with pytest.raises(DeclarationError):
            compared_strengths(PairOutcomes.from_rows(sizes, [], [], [], []))


@pytest.mark.parametrize(("size", "both_orders"), [(2, True), (7, False), (8, True), (20, False)])
def test_random_pairs_have_equal_degree_and_balanced_places(size: int, both_orders: bool) -> None:
    pairs = GroupPairs(size, [13], both_orders=both_orders)
    count = sum(round_sizes(size, 2, both_orders=both_orders))
    chosen = pairs.at_random(count)
    assert len(set(chosen)) == len(chosen)
    met = np.bincount(np.array(chosen).ravel(), minlength=size)
    assert met.max() - met.min() <= (2 if both_orders else 1) * (1 + size % 2)
    balance = [
        sum(first == item for first, _ in chosen) - sum(item == second for _, second in chosen)
        for item in range(size)
    ]
    assert max(map(abs, balance)) <= 2
    every = GroupPairs(size, [13]).at_random(sum(round_sizes(size, None)))
    assert len({frozenset(pair) for pair in every}) == len(every) == size * (size - 1) // 2


def _compared(
    seed: int, *, comparisons: int = 4, spread: float = 2.0, groups: int = 9
) -> tuple[np.ndarray, PairOutcomes]:
    """Strengths of eight items a group, and what a judge says of them."""
    rng = np.random.default_rng(seed)
    strengths = rng.normal(0, spread, (groups, 8))
    strengths -= strengths.mean(axis=1, keepdims=True)
    group, first, second = np.array(
        [
            (group, *pair)
            for group in range(groups)
            for pair in GroupPairs(8, [seed, group]).at_random(4 * comparisons)
        ]
    ).T
    eta = strengths[group, first] - strengths[group, second]
    won = rng.random(len(eta)) < 1 / (1 + np.exp(-eta))
    return strengths, PairOutcomes.from_rows([8] * groups, group, first, second, won.astype(float))


def test_judges_have_positions_of_their_own() -> None:
    """Of one judge the first always wins, of another the second: together there is no position."""
    rows = [(group, *pair) for group in range(9) for pair in GroupPairs(8, [2, group]).at_random(16)]
    group, first, second = np.array([*rows, *rows]).T
    judge = np.repeat([0, 1], len(rows))
    fit = compared_strengths(PairOutcomes.from_rows([8] * 9, group, first, second, 1.0 - judge, judge))
    one, other = (each.position for each in fit.judges)
    assert one.low > 1 > -1 > other.high
    assert fit.position.value == pytest.approx(0, abs=0.1)
    assert (one.n, other.n) == (len(rows), len(rows))


def test_pairs_are_random_until_strengths_are_sure_to_differ() -> None:
    nothing = compared_strengths(PairOutcomes.from_rows([8], [], [], [], []))
    assert GroupPairs(8, [5]).informative(4, nothing, 0) == GroupPairs(8, [5]).at_random(4)
    _, alike = _compared(7, spread=0.1, groups=4)
    fit = compared_strengths(alike)
    assert GroupPairs(8, [5]).informative(4, fit, 0) == GroupPairs(8, [5]).at_random(4)
    _, clear = _compared(7, spread=4.0, groups=4)
    fit = compared_strengths(clear)
    assert GroupPairs(8, [5]).informative(4, fit, 0) != GroupPairs(8, [5]).at_random(4)

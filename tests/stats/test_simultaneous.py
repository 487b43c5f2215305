"""Several statistics looked at together: pooling against an independent integral and published figures, moderated
errors, and intervals that hold at once."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import digamma, polygamma

from conqret.stats import simultaneous
from conqret.stats.agreement import alphas
from conqret.stats.estimate import JackknifedEstimate, without_value
from conqret.stats.resampling import leave_one_out
from conqret.stats.simultaneous import (
    ALIKE,
    FEWEST_POOLED,
    LIMIT,
    UNLIKE,
    moderated,
    partially_pooled,
    shrunk,
    simultaneous_intervals,
)

SCHOOLS = np.array([28.0, 8, -3, 7, -1, 1, 18, 12]), np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
"""Eight schools: effects and errors (Rubin 1981; Gelman et al., Bayesian Data Analysis, table 5.2)."""


def coefficients(count=8, topics=10, *, seed=3, items=5, level="ordinal"):
    """Alphas of judge and label that leave out the same topics."""
    rng = np.random.default_rng(seed)
    worth = rng.normal(size=(count, topics * items))
    noise = np.linspace(0.4, 1.2, count)[:, None]
    seen = [np.round(3 + worth + noise * rng.normal(size=worth.shape)) for _ in range(2)]
    return alphas(np.stack(seen, axis=1), level, leave_one_out(np.repeat(range(topics), items).tolist()))


def test_eight_schools_are_as_in_the_book():
    """Gelman et al., table 5.3, has the medians 10, 8, 7, 8, 5, 6, 10 and 8 of 200 draws, tau uniform."""
    mean, deviation = shrunk(*SCHOOLS, spread=1000.0, grid=60_000)
    assert mean == pytest.approx([10, 8, 7, 8, 5, 6, 10, 8], abs=1.5)
    assert mean == pytest.approx([11.4, 7.9, 6.1, 7.6, 5.1, 6.1, 10.7, 8.5], abs=0.06)
    assert deviation == pytest.approx([8.3, 6.3, 7.8, 6.5, 6.4, 6.7, 6.8, 7.9], abs=0.06)


@pytest.mark.parametrize("correlation", [0.0, 0.6])
def test_pooling_is_the_integral_over_mean_and_spread(correlation):
    """The posterior by the formula of a conditional normal distribution, for each mean and tau on a grid of both."""
    values, errors = np.array([0.2, 0.9, 0.5, 0.6, -0.1]), np.array([0.3, 0.2, 0.4, 0.25, 0.35])
    within = correlation * np.outer(errors, errors) + (1 - correlation) * np.diag(errors**2)
    grid, weights, means, squares = 60, [], [], []
    for tau in (np.arange(grid) + 0.5) * 1.5 / grid:
        whole = within + tau**2 * np.eye(5)
        gain = tau**2 * np.linalg.inv(whole)
        mu = np.linspace(-3, 4, 701)[:, None]
        away = (values - mu) @ np.linalg.inv(whole)
        density = stats.halfnorm.pdf(tau, scale=0.5) * np.linalg.det(whole) ** -0.5
        weights.extend(density * np.exp(-(away * (values - mu)).sum(axis=1) / 2))
        means.extend(mu + (values - mu) @ gain.T)
        squares.extend(np.diag(tau**2 * np.eye(5) - gain * tau**2) + np.square(means[-701:]))
    weights = np.array(weights) / np.sum(weights)
    mean = weights @ np.array(means)
    found, deviation = shrunk(values, errors, correlation)
    assert found == pytest.approx(mean, abs=1e-6)
    assert deviation == pytest.approx(np.sqrt(weights @ np.array(squares) - mean**2), abs=1e-6)


def test_errors_are_moderated_as_by_limma():
    """Smyth (2004), section 6.2, with scipy's digamma and trigamma and a root instead of halving."""
    squares, freedom = np.array([0.01, 0.2, 0.03, 0.9, 0.05, 0.3]), np.array([7.0, 5, 7, 6, 7, 4])
    logs = np.log(squares) - digamma(freedom / 2) + np.log(freedom / 2)
    beyond = logs.var(ddof=1) - polygamma(1, freedom / 2).mean()
    found, own = moderated(squares, freedom)
    prior = own - freedom
    assert np.ptp(prior) == pytest.approx(0)
    assert polygamma(1, prior[0] / 2) == pytest.approx(beyond)
    common = np.exp(logs.mean() + digamma(prior[0] / 2) - np.log(prior[0] / 2))
    assert found == pytest.approx((prior * common + freedom * squares) / own)


def test_errors_that_differ_by_chance_alone_have_the_freedom_of_all():
    squares = np.array([0.1, 0.11, 0.09])
    found, freedom = moderated(squares, np.full(3, 7.0))
    assert freedom == pytest.approx(21)
    common = np.exp(np.log(squares).mean() - digamma(3.5) + np.log(3.5))
    assert found == pytest.approx((14 * common + 7 * squares) / 21)


def test_simultaneous_intervals_are_at_sidaks_level():
    estimates = coefficients()
    found = simultaneous_intervals(estimates)
    for estimate, one in zip(estimates, found, strict=True):
        assert one.value == pytest.approx(estimate.value)
        assert one.low < estimate.value < one.high
    alone = simultaneous_intervals(estimates, 0.95 ** (1 / 8))
    looser = simultaneous_intervals(estimates, 0.95**8)
    assert all(a.low < b.low and b.high < a.high for a, b in zip(alone, found, strict=True))
    assert all(a.low > b.low and b.high > a.high for a, b in zip(looser, found, strict=True))
    half = np.arctanh([one.high for one in found]) - np.arctanh([one.low for one in found])
    errors = simultaneous._on_fisher_scale(estimates)
    reach = stats.t.isf((1 - 0.95 ** (1 / 8)) / 2, errors.freedom) * errors.errors
    assert half == pytest.approx(2 * reach)


def test_pooled_values_lie_closer_together_and_within_an_error():
    estimates = coefficients()
    found = partially_pooled(estimates)
    raw = np.arctanh([estimate.value for estimate in estimates])
    pooled = np.arctanh([one.value for one in found])
    assert 0 < np.ptp(pooled) < np.ptp(raw)
    assert (np.abs(pooled - raw) <= LIMIT * simultaneous._on_fisher_scale(estimates).errors + 1e-9).all()


def test_one_that_is_unlike_the_others_moves_by_no_more_than_the_limit():
    estimates = coefficients(seed=4)
    rng = np.random.default_rng(0)
    pair = rng.integers(1, 6, size=(1, 2, 50))
    (chance,) = alphas(pair, "ordinal", leave_one_out(np.repeat(range(10), 5).tolist()))
    together = [*estimates, chance]
    errors = simultaneous._on_fisher_scale(together)
    moved = np.arctanh(partially_pooled(together)[-1].value) - np.arctanh(chance.value)
    assert moved == pytest.approx(LIMIT * errors.errors[-1])


def test_who_has_no_interval_has_none_here_and_does_not_count():
    estimates = coefficients()
    none, few = (
        without_value("nothing here"),
        JackknifedEstimate(0.5, np.array([0.4, 0.6]), np.ones(2, dtype=bool), 10, scale="correlation"),
    )
    found = simultaneous_intervals([*estimates, none, few])
    assert [str(one) for one in found[:8]] == [str(one) for one in simultaneous_intervals(estimates)]
    assert (found[8].value, found[9].low) == (None, None)
    pooled = partially_pooled([*estimates, none, few])
    assert (pooled[8].value, pooled[8].reason) == (None, "nothing here")
    assert pooled[9].value is None
    assert [str(one) for one in pooled[:8]] == [str(one) for one in partially_pooled(estimates)]


def test_far_more_items_are_neither_pooled_nor_moderated():
    estimates, (large,) = coefficients(), coefficients(1, items=5 * round(2 * ALIKE))
    found = partially_pooled([*estimates, large])
    assert found[-1].reason == UNLIKE
    assert [one.value for one in found[:-1]] == [one.value for one in partially_pooled(estimates)]
    errors = simultaneous._on_fisher_scale([*estimates, large])
    assert errors.errors[-1] == pytest.approx(large.error / (1 - large.value**2))
    assert errors.freedom[-1] == large.freedom_of_t


def test_few_are_not_pooled():
    estimates = coefficients(FEWEST_POOLED - 1)
    assert {one.value for one in partially_pooled(estimates)} == {None}
    assert simultaneous_intervals(estimates[:1]) == [estimates[0].estimate()]


def test_they_hold_at_once_and_pooling_is_closer_on_average():
    """200 samples of ten topics and twelve dimensions: each interval alone holds in 95%, all of them in half."""
    rng, topics, dimensions, samples = np.random.default_rng(5), 10, 12, 200
    true = np.linspace(0.3, 0.6, dimensions)
    held = alone = covered = 0
    raw_error = pooled_error = 0.0
    for _ in range(samples):
        drawn = rng.normal(size=(dimensions, topics)) * 0.5 + np.arctanh(true)[:, None]
        without = (drawn.sum(axis=1, keepdims=True) - drawn) / (topics - 1)
        estimates = [
            JackknifedEstimate(
                float(np.tanh(row.mean())),
                np.tanh(left),
                np.ones(topics, dtype=bool),
                50,
                scale="correlation",
            )
            for row, left in zip(drawn, without, strict=True)
        ]
        ends = [(one.low, one.high) for one in simultaneous_intervals(estimates)]
        held += all(low <= value <= high for (low, high), value in zip(ends, true, strict=True))
        own = [estimate.estimate() for estimate in estimates]
        alone += all(one.low <= value <= one.high for one, value in zip(own, true, strict=True))
        pooled = partially_pooled(estimates)
        covered += sum(one.low <= value <= one.high for one, value in zip(pooled, true, strict=True))
        raw_error += sum((one.value - value) ** 2 for one, value in zip(own, true, strict=True))
        pooled_error += sum((one.value - value) ** 2 for one, value in zip(pooled, true, strict=True))
    assert alone / samples < 0.75
    assert held / samples > 0.93 - 2 * (0.93 * 0.07 / samples) ** 0.5
    assert covered / samples / dimensions > 0.93
    assert pooled_error < 0.75 * raw_error


def test_what_has_no_place_on_fishers_scale_stays_out():
    estimates = coefficients()
    low = JackknifedEstimate(
        -1.2, np.linspace(-1.3, -1.1, 10), np.ones(10, dtype=bool), 50, scale="correlation"
    )
    assert low.estimate().low is not None
    found = simultaneous_intervals([*estimates, low])
    assert (found[-1].value, found[-1].low, found[-1].reason) == (-1.2, None, simultaneous.AT_END)
    assert [str(one) for one in found[:-1]] == [str(one) for one in simultaneous_intervals(estimates)]
    pooled = partially_pooled([*estimates, low])[-1]
    assert pooled.value is None
    assert pooled.reason in simultaneous.AT_END

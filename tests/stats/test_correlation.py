"""Correlations as in scipy, without each cluster, and of one rater with the mean of the others."""

import numpy as np
import pytest
from scipy import stats
from scipy.stats import spearmanr

from conqret.stats.correlation import NO_RATER, kendall, one_against_others, pearson, spearman
from conqret.stats.jackknife import JackknifedEstimate
from conqret.stats.resampling import leave_one_out

SCIPY = {pearson: stats.pearsonr, spearman: stats.spearmanr, kendall: stats.kendalltau}


@pytest.mark.parametrize("ours", SCIPY)
def test_equal_to_scipy_as_whole_and_without_each_cluster(ours):
    rng = np.random.default_rng(3)
    n = 50
    x = rng.integers(0, 4, n).astype(float)
    y = np.round(x + rng.normal(size=n), 1)
    cluster = rng.integers(0, 7, n)
    found = ours(x, y, leave_one_out(cluster.tolist()))
    assert found.value == pytest.approx(SCIPY[ours](x, y).statistic)
    without = np.array([SCIPY[ours](x[cluster != out], y[cluster != out]).statistic for out in range(7)])
    wanted = JackknifedEstimate(
        found.value, without, np.ones(7, dtype=bool), n, scale="correlation"
    ).estimate()
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))


@pytest.mark.parametrize("ours", SCIPY)
def test_a_constant_has_no_correlation(ours):
    assert ours([1, 1, 1], [1, 2, 3]).value is None
    assert "vary" in ours([1, 1, 1], [1, 2, 3]).reason


def test_pearson_far_from_zero():
    x = np.array([1e8, 1e8 + 1, 1e8 + 2, 1e8 + 3])
    assert pearson(x, [1, 2, 3, 4.5]).value == pytest.approx(
        stats.pearsonr(x - 1e8, [1, 2, 3, 4.5]).statistic
    )


def test_means_that_only_rounding_moves_are_constant():
    assert pearson([0, 1, 2], [0.3, 0.1 + 0.2, 0.3]).value is None
    assert pearson([0, 1, 2], [1e-13, 2e-13, 3e-13]).value == pytest.approx(1)


def rated(rng: np.random.Generator, topics: int, each: int, raters: int, noise: float) -> np.ndarray:
    """Ratings from 1 to 5: worth and noise in steps, topics differ."""
    worth = np.repeat(rng.normal(0, 0.55, topics), each) + rng.normal(0, 0.85, topics * each)
    return np.clip(np.round(3 + worth + rng.normal(0, noise, (raters, topics * each))), 1, 5)


def test_it_is_the_mean_of_spearmans_over_raters_with_enough_units():
    rng = np.random.default_rng(1)
    table = rated(rng, 10, 4, 5, 1.0)
    table[0, 19:] = np.nan  # nineteen units: too few
    table[1, :15] = np.nan
    each = [
        spearmanr(
            row[~np.isnan(row)], np.nanmean(np.delete(table, place, 0), axis=0)[~np.isnan(row)]
        ).statistic
        for place, row in enumerate(table)
    ]
    topics = np.repeat(range(10), 4).tolist()
    found = one_against_others(table, leave_one_out(topics))
    assert found.value == pytest.approx(np.mean(each[1:]))
    assert found.n == 4
    assert found.low < found.value < found.high
    assert one_against_others(table[:, :15]).reason == NO_RATER


def test_a_rater_of_few_topics_takes_no_interval_from_the_others():
    """Without one of the topics this rater's labels do not vary; the mean over the others stands there."""
    rng = np.random.default_rng(2)
    table = rated(rng, 8, 20, 3, 1.0)
    table[2, 40:] = np.nan
    table[2, 20:40] = 3.0
    found = one_against_others(table, leave_one_out(np.repeat(range(8), 20).tolist()))
    assert found.n == 3
    assert found.low is not None

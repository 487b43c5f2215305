"""Means from sums are those of all values, with the same intervals."""

from __future__ import annotations

from dataclasses import astuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from conqret.errors import DeclarationError
from conqret.stats.classification import accuracy
from conqret.stats.estimate import mean_of_sums, undefined
from conqret.stats.resampling import leave_one_out, mean_interval

CLUSTERS = st.lists(st.lists(st.sampled_from((0.0, 0.2, 0.5, 0.9, 1.0)), max_size=6), min_size=1, max_size=8)


@settings(max_examples=25, deadline=None)
@given(CLUSTERS.filter(any))
def test_sums_give_the_interval_of_the_values(clusters: list[list[float]]) -> None:
    names = [place for place, cluster in enumerate(clusters) for _ in cluster]
    expected = mean_interval([value for cluster in clusters for value in cluster], names, scale="share")
    found = mean_of_sums([sum(cluster) for cluster in clusters], [len(cluster) for cluster in clusters])
    assert astuple(found) == pytest.approx(astuple(expected), abs=1e-9)


def test_nothing_has_no_mean() -> None:
    assert mean_of_sums([], []).reason == mean_of_sums([0.0], [0]).reason == "nothing was scored"
    assert mean_interval([], [], reason="nobody was asked") == undefined("nobody was asked")
    with pytest.raises(DeclarationError, match="at least one"):
        mean_interval([])


def test_a_share_that_all_clusters_agree_on_has_the_interval_of_clopper_and_pearson() -> None:
    clusters = [name for name in "abcdefgh" for _ in range(3)]
    for value, side in ((0.0, "low"), (1.0, "high")):
        found = mean_interval([value] * len(clusters), clusters, scale="share")
        exact = stats.binomtest(int(8 * value), 8).proportion_ci(method="exact")
        assert (found.low, found.high) == pytest.approx((exact.low, exact.high))
        assert getattr(found, side) == value
        assert (
            mean_interval([value] * len(clusters), clusters).low is None
        )  # no share, so nothing is known of it
        assert (
            accuracy([1.0] * 23 + [0.0], [value] * 23 + [1 - value], leave_one_out(clusters)).low == found.low
        )
    assert mean_interval([1.0, 1.0], ["a", "b"], scale="share").low is None  # two clusters say nothing

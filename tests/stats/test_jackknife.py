"""Jackknife-t intervals and tests: by hand, against closed forms and scipy, and where there is none."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from conqret.stats.agreement import alphas, krippendorff_alpha
from conqret.stats.classification import accuracy
from conqret.stats.correlation import spearman
from conqret.stats.effects import holm
from conqret.stats.estimate import mean_of_sums
from conqret.stats.jackknife import JackknifedEstimate, freedom_by_size
from conqret.stats.resampling import MAX_CLUSTERS, leave_one_out, mean, mean_interval, snapped


def test_clusters_of_one_size_are_students_interval_of_their_means():
    values = np.random.default_rng(2).normal(size=(9, 5))
    found = mean_interval(values.ravel(), np.repeat(np.arange(9), 5).tolist(), confidence=0.9)
    means = values.mean(axis=1)
    assert (found.low, found.high) == pytest.approx(stats.t.interval(0.9, 8, means.mean(), stats.sem(means)))


def test_clusters_of_unequal_sizes_leave_fewer_degrees_of_freedom():
    """24^2 / (10^2 + 6^2 + 4^2 + 2^2 + 1 + 1) - 1 = 2.6 for six clusters, and five for six of one size."""
    assert freedom_by_size(np.array([10.0, 6, 4, 2, 1, 1])) == pytest.approx(24**2 / 158 - 1)
    assert freedom_by_size(np.full(6, 4.0)) == 5
    sizes = [10, 6, 4, 2, 1, 1]
    values, topics = np.random.default_rng(5).normal(size=24), np.repeat(np.arange(6), sizes)
    without = np.array([values[topics != one].mean() for one in range(6)])
    error = np.sqrt(5 / 6 * ((without - without.mean()) ** 2).sum())
    found = mean_interval(values, topics.tolist())
    assert found.high - found.value == pytest.approx(stats.t.ppf(0.975, 24**2 / 158 - 1) * error)
    t = values.mean() / error
    assert mean(values, topics.tolist()).p() == pytest.approx(2 * stats.t.sf(abs(t), 24**2 / 158 - 1))


def test_a_share_stays_between_0_and_1_and_its_interval_is_that_of_the_odds():
    values = np.repeat([1.0, 0.0, 1.0, 0.0, 1.0, 1.0], [19, 1, 18, 2, 17, 3])
    topics = np.repeat(["a", "b", "c"], 20).tolist()
    found = mean_interval(values, topics, scale="share")
    shares = np.array([(54 - one + 3) / 60 for one in (0, 0, 0)])
    assert found.value == pytest.approx(shares[0])
    assert 0 < found.low < found.value < found.high < 1
    odds = np.log([found.low / (1 - found.low), found.high / (1 - found.high)])
    assert odds.mean() == pytest.approx(np.log(found.value / (1 - found.value)))


def test_a_correlation_takes_fewer_degrees_of_freedom_where_one_cluster_makes_up_its_error():
    """Satterthwaite's, from the unbiased kurtosis: by hand, on Fisher's scale."""
    one = np.array([0.50, 0.52, 0.49, 0.51, 0.50, 0.48, 0.51, 0.20])
    found = JackknifedEstimate(0.5, one, np.full(8, True), 80, scale="correlation").estimate()
    freedom = 2 * 8 / (stats.kurtosis(one, bias=False) + 3 - 5 / 7)
    error = np.sqrt(7 / 8 * ((one - one.mean()) ** 2).sum()) / (1 - 0.5**2)
    ends = np.tanh(np.arctanh(0.5) + np.array([-1, 1]) * stats.t.ppf(0.975, max(freedom, 2)) * error)
    assert freedom < 2.1
    assert (found.low, found.high) == pytest.approx(tuple(ends))
    alike = JackknifedEstimate(
        0.5, np.linspace(0.4, 0.6, 8), np.full(8, True), 80, scale="correlation"
    ).estimate()
    error = np.sqrt(7 / 8 * ((np.linspace(0.4, 0.6, 8) - 0.5) ** 2).sum()) / 0.75
    assert np.arctanh(alike.high) - np.arctanh(0.5) == pytest.approx(stats.t.ppf(0.975, 7) * error)


def test_a_variance_whose_interval_lies_below_0_has_none():
    def estimated(middle):
        without = np.linspace(middle - 0.001, middle + 0.001, 8)
        return JackknifedEstimate(middle, without, np.full(8, True), 80, scale="variance").estimate()

    far = estimated(-0.1)
    assert (far.value, far.low, far.high) == (-0.1, None, None)
    assert "below 0" in far.reason
    near = estimated(-0.001)
    assert near.low == 0 < near.high


def test_means_between_two_ends_stay_there_and_those_of_counts_above_0():
    points, topics = [2, 2, 2, 1, 2, 2, 2, 2, 2, 0, 2, 2], [*"aabbccddeeff"]
    assert mean_interval(points, topics).high > 2
    between = mean_interval(points, topics, ends=(0, 2))
    share = mean_interval([point / 2 for point in points], topics, scale="share")
    assert (between.low, between.value, between.high) == (2 * share.low, 2 * share.value, 2 * share.high)
    assert between.high < 2
    assert mean_interval([4, 1, 9], scale="plain").low < 0
    assert 0 < mean_interval([4, 1, 9], scale="variance").low < 14 / 3
    assert mean_interval([2, 0, 0, 2], scale="variance").low >= 0


@pytest.mark.parametrize(
    ("values", "clusters", "why"),
    [
        ([0.4], ["a"], "one cluster only"),
        ([0.4, 0.5], ["a", "b"], "2 clusters, and 3 are needed"),
        ([0.4, 0.4, 0.4], ["a", "b", "c"], "no variation between topics"),
    ],
)
def test_where_there_is_none_it_says_why(values, clusters, why):
    found = mean_interval(values, clusters)
    assert (found.low, found.high) == (None, None)
    assert why in found.reason


def test_what_hangs_on_one_cluster_has_no_interval():
    topics = np.repeat(np.arange(6), 6).tolist()
    people = np.array([0] * 30 + [1] * 6)
    judge = np.arange(36) % 2
    found = spearman(people, judge, leave_one_out(topics))
    assert found.value is not None
    assert found.low is None
    assert "without 1 of the 6 topics" in found.reason


def test_clusters_in_which_nothing_counts_take_no_part():
    table = np.array([[1, 2, 1, 2, 1, np.nan, np.nan], [1, 2, 2, 2, 1, 3, 1]])
    (found,) = alphas(table[None], "nominal", leave_one_out(list("abcdefg")))
    (less,) = alphas(table[None, :, :5], "nominal", leave_one_out(list("abcde")))
    assert (found.clusters, found.estimate()) == (5, less.estimate())


def test_many_clusters_are_left_out_in_groups():
    values = np.random.default_rng(3).normal(size=3_000)
    resamples = leave_one_out(range(3_000))
    assert resamples.clusters == MAX_CLUSTERS
    found, whole = mean_interval(values), stats.t.interval(0.95, 2_999, values.mean(), stats.sem(values))
    assert found.high - found.low == pytest.approx(whole[1] - whole[0], rel=0.1)


def test_values_that_rounding_tells_apart_are_the_same():
    third = 5 / 3
    assert len(np.unique(snapped([third, np.nextafter(third, 0), np.nextafter(third, 9)]))) == 1
    assert np.isnan(snapped([np.nan, 1.0])[0])
    assert snapped([1.0, 1.0 + 1e-6]).tolist() == [1.0, 1.0 + 1e-6]
    assert snapped([1e9, 1e9 + 1]).tolist() == [1e9, 1e9 + 1]
    near = krippendorff_alpha([[0, 1, 2, 1], [0, 1, 1, 2]], "interval")
    assert krippendorff_alpha(1e9 + np.array([[0, 1, 2, 1], [0, 1, 1, 2]]), "interval") == pytest.approx(near)


CLUSTERS = st.lists(st.lists(st.sampled_from((0.0, 0.2, 0.5, 0.9, 1.0)), max_size=6), min_size=1, max_size=8)


@settings(max_examples=25, deadline=None)
@given(CLUSTERS.filter(any))
def test_sums_give_the_interval_of_the_values(clusters: list[list[float]]) -> None:
    names = [place for place, cluster in enumerate(clusters) for _ in cluster]
    expected = mean_interval([value for cluster in clusters for value in cluster], names, scale="share")
    found = mean_of_sums([sum(cluster) for cluster in clusters], [len(cluster) for cluster in clusters])
    assert astuple(found) == pytest.approx(astuple(expected), abs=1e-9)


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


def test_equal_differences_have_no_t():
    assert mean([0.0] * 6).p() == 1.0
    assert mean([0.2] * 6).p() == 2 / 2**6  # of 64 patterns of signs, two are as far from 0


@pytest.mark.parametrize("topics", [1, 3, 5])
def test_nothing_is_tested_below_six_topics(topics):
    """Whatever asks for a test: two-sided, one-sided, or of equivalence."""
    few = mean([0.2, 0.3, 0.25, 0.2, 0.3][:topics])
    assert (few.p(), few.above(), few.equivalent(1.0)) == (None, None, None)
    six = mean([0.2, 0.3, 0.25, 0.2, 0.3, 0.25])
    assert six.p() < 0.001
    assert six.above() < 0.001
    assert six.equivalent(1.0) < 0.001


def test_holm_by_hand():
    # Sorted: .005 x 4, .01 x 3, .03 x 2, .04 x 1; the last may not fall below the one before it.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []

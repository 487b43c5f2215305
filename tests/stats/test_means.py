"""Means from sums are those of all values, with the same intervals."""

from __future__ import annotations

from dataclasses import astuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conqret.errors import DeclarationError
from conqret.stats import mean_interval
from conqret.stats.estimate import mean_of_sums, undefined

CLUSTERS = st.lists(st.lists(st.sampled_from((0.0, 0.2, 0.5, 0.9, 1.0)), max_size=6), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(CLUSTERS.filter(any))
def test_sums_give_the_interval_of_the_values(clusters: list[list[float]]) -> None:
    names = [place for place, cluster in enumerate(clusters) for _ in cluster]
    expected = mean_interval([value for cluster in clusters for value in cluster], names, scale="share")
    found = mean_of_sums([sum(cluster) for cluster in clusters], [len(cluster) for cluster in clusters])
    assert astuple(found) == pytest.approx(astuple(expected), abs=1e-9)


def test_nothing_has_no_mean() -> None:
    assert mean_of_sums([], []).reason == mean_of_sums([0.0], [0]).reason == "nothing was scored"
    assert mean_interval([], [], reason="nobody was asked") == undefined("nobody was asked")
    with pytest.raises(DeclarationError, match="one at least"):
        mean_interval([])

"""Bootstrap intervals: seeded, by cluster, and as wide as theory says."""

import numpy as np
import pytest

from conqret.errors import DeclarationError
from conqret.stats import bootstrap_interval


def rng():
    return np.random.default_rng(7)


def test_the_same_seed_gives_the_same_interval():
    values = np.linspace(0, 1, 30)
    assert bootstrap_interval(values, rng()) == bootstrap_interval(values, rng())


def test_as_wide_as_the_normal_approximation():
    values = np.random.default_rng(1).normal(size=400)
    found = bootstrap_interval(values, rng())
    half = 1.96 * values.std() / 20
    assert found.value == pytest.approx(values.mean())
    assert found.low == pytest.approx(values.mean() - half, abs=0.015)
    assert found.high == pytest.approx(values.mean() + half, abs=0.015)


def test_clusters_are_drawn_whole():
    # Two clusters of equal values: every resample has 0, 1 or 2 of each, so its mean is 0, 1/2 or 1.
    found = bootstrap_interval([0.0] * 50 + [1.0] * 50, rng(), clusters=["a"] * 50 + ["b"] * 50)
    assert (found.value, found.low, found.high) == (0.5, 0.0, 1.0)
    # Without clusters the same hundred values say much more.
    assert bootstrap_interval([0.0] * 50 + [1.0] * 50, rng()).low > 0.35


def test_large_clusters_weigh_more():
    found = bootstrap_interval([1.0, 0.0, 0.0, 0.0], rng(), clusters=["a", "b", "b", "b"])
    assert found.value == 0.25


def test_one_value_is_its_own_interval():
    found = bootstrap_interval([0.4], rng())
    assert (found.value, found.low, found.high) == (0.4, 0.4, 0.4)
    assert str(found) == "0.400 [0.400, 0.400]"


@pytest.mark.parametrize(
    ("values", "options"),
    [
        ([], {}),
        ([float("inf")], {}),
        ([1.0], {"clusters": ["a", "b"]}),
        ([1.0], {"resamples": 0}),
        ([1.0], {"confidence": 1}),
    ],
)
def test_what_cannot_be_drawn_from(values, options):
    with pytest.raises(DeclarationError):
        bootstrap_interval(values, rng(), **options)

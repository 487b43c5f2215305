import numpy as np
import pytest

from conqret.errors import DeclarationError
from conqret.stats.curve_tests import slope_bounds


def test_the_slope_lies_between_the_two_regressions():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=20_000)
    x, y = truth + rng.normal(size=20_000), 0.5 * truth + 0.5 * rng.normal(size=20_000)
    # var(x) = 2, var(y) = .5, cov = .5
    assert slope_bounds(x, y) == pytest.approx((0.25, 1.0), abs=0.03)
    assert slope_bounds(truth, 3 + 2 * truth) == pytest.approx((2, 2))


def test_where_nothing_is_known_of_it():
    assert slope_bounds([1, 1, 1], [0, 1, 2]) == (0, 0)
    assert slope_bounds([0, 1, 2], [2, 1, 0]) is None
    assert slope_bounds([0, 1, 2], [1, 1, 1]) is None
    for wrong in (([], []), ([1], [1, 2])):
        with pytest.raises(DeclarationError, match="two series"):
            slope_bounds(*wrong)

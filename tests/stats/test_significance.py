"""Paired t-tests and Holm's correction, against hand-worked values and scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from conqret.errors import DeclarationError
from conqret.stats import holm, paired_t_test


def test_by_hand():
    # d = 1, 2, 3: mean 2, sd 1, t = 2 / (1 / sqrt 3) = 3.4641
    found = paired_t_test([2.0, 4.0, 6.0], [1.0, 2.0, 3.0])
    assert (found.difference, found.n) == (2.0, 3)
    assert found.t == pytest.approx(3.4641016)
    assert found.p == pytest.approx(0.0741799)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=3, max_size=40))
def test_as_scipy(pairs):
    a, b = map(np.array, zip(*pairs, strict=True))
    found = paired_t_test(a, b)
    if np.std(a - b) > 1e-6:
        expected = stats.ttest_rel(a, b)
        assert found.t == pytest.approx(expected.statistic, rel=1e-6, abs=1e-9)
        assert found.p == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-12)
    assert 0 <= found.p <= 1


def test_equal_differences_have_no_t():
    assert paired_t_test([1, 1], [1, 1]).p == 1.0
    found = paired_t_test([0.3, 0.4], [0.1, 0.2])
    assert (found.p, found.t) == (0.5, float("inf"))  # of four patterns of signs, two are as far from 0


@pytest.mark.parametrize("pair", [([1.0], [2.0]), ([1, 2], [1, 2, 3]), ([1, float("nan")], [1, 2])])
def test_what_cannot_be_tested(pair):
    with pytest.raises(DeclarationError):
        paired_t_test(*pair)


def test_holm_by_hand():
    # Sorted: .005 x 4, .01 x 3, .03 x 2, .04 x 1; the last may not fall below the one before it.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []
    with pytest.raises(DeclarationError):
        holm([1.2])


@given(st.lists(st.floats(0, 1), max_size=10))
def test_holm_is_monotone_and_between_raw_and_bonferroni(p_values):
    adjusted = holm(p_values)
    for raw, p in zip(p_values, adjusted, strict=True):
        assert raw <= p <= min(1.0, raw * len(p_values)) or p == pytest.approx(max(adjusted))
    order = np.argsort(p_values, kind="stable")
    assert all(a <= b for a, b in zip(np.array(adjusted)[order], np.array(adjusted)[order][1:], strict=False))

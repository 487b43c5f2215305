"""Tests over topics and Holm's correction, against hand-worked values and scipy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from conqret.errors import DeclarationError
from conqret.stats.effects import holm
from conqret.stats.resampling import mean


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=6, max_size=40))
def test_as_scipy(differences):
    p = mean(differences).p()
    assert 0 <= p <= 1
    if np.std(differences) > 1e-6:
        assert p == pytest.approx(stats.ttest_1samp(differences, 0).pvalue, rel=1e-6, abs=1e-12)


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
    with pytest.raises(DeclarationError):
        holm([1.2])

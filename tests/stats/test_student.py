"""Student's t against scipy's."""

import pytest

from conqret.stats.student import quantile, within


@pytest.mark.parametrize("df", [1, 2, 3, 4, 7, 10, 29, 100, 2001])
def test_both_ways_are_scipys(df: int) -> None:
    special = pytest.importorskip("scipy.special")
    for t in (0.0, 0.3, 1.0, 2.5, 12.0):
        assert within(t, df) == pytest.approx(1 - 2 * special.stdtr(df, -t), abs=1e-12)
    for confidence in (0.01, 0.5, 0.9, 0.95, 0.999):
        assert quantile(df, confidence) == pytest.approx(special.stdtrit(df, (1 + confidence) / 2), rel=1e-9)

"""Student's t against scipy's."""

import pytest
from scipy import special

from conqret.stats.estimate import t_quantile, t_tail


@pytest.mark.parametrize("df", [1, 1.27, 2.6, 7, 29, 2001])
def test_both_ways_are_scipys(df: float) -> None:
    for t in (0.0, 0.001, 0.3, 1.0, 2.5, 12.0, 1e4):
        assert t_tail(t, df) == pytest.approx(2 * special.stdtr(df, -t), rel=1e-9)
    for confidence in (0.01, 0.5, 0.9, 0.95, 0.999):
        assert t_quantile(df, confidence) == pytest.approx(
            special.stdtrit(df, (1 + confidence) / 2), rel=1e-9
        )
    assert t_tail(float("inf"), df) == 0

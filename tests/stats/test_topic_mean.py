"""The mean over topics is that of statsmodels' random-effects meta-analysis, and covers where topics are unequal."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from conqret.errors import DeclarationError
from conqret.stats.effects import topic_mean
from conqret.stats.estimate import UNVARIED


def sample(seed: int, topics: int = 8, gap: float = 0.1) -> tuple[list[float], list[int]]:
    rng = np.random.default_rng(seed)
    which = np.repeat(np.arange(topics), rng.choice((1, 2, 3, 5, 8, 12), size=topics))
    values = gap + (rng.normal(size=topics) * 0.1)[which] + rng.normal(size=len(which)) * 0.18
    return values.tolist(), which.tolist()


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 5])
def test_equal_to_statsmodels(seed: int) -> None:
    """Of seed 4 their iteration ends at 0, where the variance between topics should be .008."""
    from statsmodels.stats.meta_analysis import combine_effects

    values, topics = sample(seed)
    data, which = np.array(values), np.array(topics)
    sizes = np.bincount(which)
    means = np.bincount(which, weights=data) / sizes
    within = ((data - means[which]) ** 2).sum() / (len(data) - len(sizes))
    theirs = combine_effects(means, within / sizes, method_re="iterated", use_t=True, atol=1e-12)
    found = topic_mean(values, topics)
    assert found.between == pytest.approx(theirs.tau2, abs=1e-8)
    assert found.estimate.value == pytest.approx(theirs.mean_effect_re)
    low, high = theirs.conf_int(use_t=True)[3]
    assert (found.estimate.low, found.estimate.high) == pytest.approx((low, high), abs=1e-6)
    assert found.p is not None
    assert found.p == pytest.approx(
        2 * stats.t.sf(abs(theirs.mean_effect_re) / theirs.sd_eff_w_re_hksj, len(sizes) - 1), rel=1e-4
    )


def test_the_variance_between_topics_gives_the_squares_that_are_expected() -> None:
    values, topics = sample(4)
    data, which = np.array(values), np.array(topics)
    sizes = np.bincount(which)
    means = np.bincount(which, weights=data) / sizes
    within = ((data - means[which]) ** 2).sum() / (len(data) - len(sizes))
    found = topic_mean(values, topics)
    weights = 1 / (found.between + within / sizes)
    centre = (weights * means).sum() / weights.sum()
    assert centre == pytest.approx(found.estimate.value)
    assert (weights * (means - centre) ** 2).sum() == pytest.approx(len(sizes) - 1)


def test_ends_and_faults() -> None:
    assert topic_mean([0.1, 0.3], ["a", "b"]).estimate.low is None
    assert topic_mean([0.2] * 6, list("abcabc")).estimate.reason == UNVARIED
    alone = topic_mean([0.1, 0.3, 0.2, 0.5, 0.1, 0.4], list("abcdef"))
    assert alone.p == pytest.approx(stats.ttest_1samp([0.1, 0.3, 0.2, 0.5, 0.1, 0.4], 0).pvalue)
    with pytest.raises(DeclarationError):
        topic_mean([], [])

"""The condition of a verdict: p-values under skew, the topics that it rests on, and what is said of them."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from conqret.show.condition_words import condition_cell, condition_note
from conqret.stats.resampling import mean
from conqret.stats.skewed_tails import EVEN, GRID, UNEVEN, skewed_p
from conqret.stats.verdict_condition import Claim, of_difference, rarest, verdict_condition, weakest


@pytest.mark.parametrize("topics", [6, 8, 20])
def test_the_tails_are_those_of_exponential_effects(topics):
    """By scipy's t, with effects of a mean of 0: within four standard errors of 20,000 samples."""
    effects = np.random.default_rng(topics).exponential(size=(20_000, topics)) - 1
    t = stats.ttest_1samp(effects, 0.0, axis=1).statistic
    for place, limit in enumerate(GRID[:6]):
        for seen, tail in (
            ((t < -limit).mean(), EVEN[topics][0][place]),
            ((abs(t) > limit).mean(), EVEN[topics][1][place]),
        ):
            assert seen == pytest.approx(tail, abs=4 * (tail * (1 - tail) / len(t)) ** 0.5)


def test_tails_fall_with_t_and_with_topics():
    for table in (EVEN, UNEVEN):
        rows = [row for _, row in sorted(table.items())]
        assert all(list(side) == sorted(side, reverse=True) for row in rows for side in row)
        assert all(more[0][2] > less[0][2] for more, less in pairwise(rows))
    between = skewed_p(2.2, 8, 8.0, two_sided=True)
    assert EVEN[8][1][2] < between < EVEN[8][1][1]
    assert skewed_p(2.5, 8, 8.0, two_sided=True) == pytest.approx(EVEN[8][1][2])
    assert skewed_p(2.5, 11, 11.0, two_sided=False) == pytest.approx(EVEN[8][0][2])
    assert skewed_p(2.5, 12, 8.0, two_sided=False) == pytest.approx(UNEVEN[12][0][2])
    assert skewed_p(2.5, 20, 9.0, two_sided=False) == pytest.approx(UNEVEN[8][0][2])
    assert skewed_p(1.0, 8, 8.0, two_sided=False) == 1.0
    assert skewed_p(99.0, 8, 8.0, two_sided=False) == pytest.approx(EVEN[8][0][-1])


@pytest.mark.parametrize("seed", range(20))
def test_the_topics_that_a_verdict_rests_on_are_those_without_which_a_t_test_finds_nothing(seed):
    rng = np.random.default_rng(seed)
    values = 0.9 + rng.normal(size=9)
    names = [f"t{place}" for place in range(9)]
    condition = of_difference(mean(values, names), names)
    if stats.ttest_1samp(values, 0).pvalue >= 0.05:
        assert condition is None
        return
    left = [stats.ttest_1samp(np.delete(values, place), 0).pvalue for place in range(9)]
    assert condition is not None
    assert condition.rests_on == tuple(name for name, p in zip(names, left, strict=True) if p >= 0.05)


def test_a_correction_leaves_less_room_and_a_larger_p():
    values = [0.5, 0.8, 0.3, 0.9, 0.6, 0.2, 0.7, 0.4]
    alone, corrected = (of_difference(mean(values), range(8), corrected=p) for p in (None, 0.03))
    assert alone is not None
    assert corrected is not None
    p = mean(values).p()
    assert alone.rests_on == ()
    assert corrected.p_if_skewed == pytest.approx(min(1.0, alone.p_if_skewed * 0.03 / p))
    assert not corrected.holds_if_skewed
    assert of_difference(mean(values), range(8), corrected=0.06) is None


def test_where_nothing_varies_the_p_value_is_that_of_equal_signs():
    condition = of_difference(mean([0.2] * 12), range(12))
    assert condition is not None
    assert condition.p_if_skewed == pytest.approx(2 * 0.5**12)
    assert condition.rests_on == ()


def test_a_verdict_that_takes_several_claims_is_as_weak_as_the_weakest():
    firm, weak = (
        mean([1.0, 1.1, 0.9, 1.0, 1.2, 0.8, 1.1, 0.9]),
        mean([0.9, 0.1, 0.7, 1.2, 0.0, 1.5, 0.3, 0.8]),
    )
    conditions = [verdict_condition([Claim(estimate)], range(8)) for estimate in (firm, weak)]
    both = verdict_condition([Claim(firm), Claim(weak)], range(8))
    assert both == weakest(conditions)
    assert both.p_if_skewed == conditions[1].p_if_skewed > conditions[0].p_if_skewed
    assert weakest([conditions[0], None]) is None
    assert verdict_condition([], range(8)) is None
    assert verdict_condition([Claim(mean([1.0, 2.0, 3.0]))]) is None  # no test below six topics


def test_kinds_of_topics_may_be_missing():
    assert rarest(8) == pytest.approx(1 - 0.05 ** (1 / 8))
    assert (1 - rarest(20)) ** 20 == pytest.approx(0.05)


def test_what_is_said_of_it():
    values = [0.02, 0.03, 0.01, 0.2, -0.01, 0.09, 0.01, 0.05]
    names = [f"topic {place} " + "x" * 60 for place in range(8)]
    condition = verdict_condition([Claim(mean(values, names))], names)
    said = condition_cell(condition)
    assert said.startswith("may not hold for skewed topic effects (p = 0.")
    assert "“topic 5 xxx" in said
    assert "x" * 41 not in said
    note = condition_note([condition, None])
    assert "31%" in note
    assert "8 topics" in note
    assert "“Is lost if” " in note
    assert (condition_cell(None), condition_note([None])) == ("", "")

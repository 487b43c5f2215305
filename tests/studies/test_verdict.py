"""Verdicts on curves: each way to pass and to fail, nothing below six topics, and how often they err."""

import numpy as np
import pytest

from conqret.perturb import Direction
from conqret.stats.curve_tests import respond
from conqret.studies.sensitivity.curves import alarms, corrected, judge_response
from conqret.studies.sensitivity.result import INVARIANT

LEVELS = (0, 25, 50, 100)
TOPICS = np.repeat(np.arange(12), 2).tolist()


def response(shifts, *, spread=0.05, seed=0, topics=TOPICS):
    """Items whose scores move by ``shifts`` from level to level, with noise of topics and items."""
    rng = np.random.default_rng(seed)
    names = np.unique(topics, return_inverse=True)[1]
    noise = spread * (
        rng.normal(size=(names.max() + 1, len(LEVELS)))[names] + rng.normal(size=(len(topics), len(LEVELS)))
    )
    return respond((0.5 + np.asarray(shifts) + noise).tolist(), LEVELS, topics)


def verdict(found, expected):
    (p_values,) = corrected([found], [expected]) if expected in INVARIANT else ([],)
    return judge_response(found, expected, p_values)[:2]


@pytest.mark.parametrize(
    ("shifts", "expected", "wanted", "why"),
    [
        ([0, -0.1, -0.2, -0.3], Direction.FALL, "yes", "falls by 0."),
        ([0, 0.1, 0.2, 0.3], Direction.RISE, "yes", "rises by 0."),
        ([0, -0.2, -0.05, -0.3], Direction.FALL, "no", "it rises by 0."),
        ([0, 0.1, 0.2, 0.3], Direction.FALL, "no", "it rises by 0."),
        ([0, -0.1, -0.2, -0.3], Direction.UNCHANGED, "no", "moves by -0."),
        ([0, -0.1, -0.2, -0.3], Direction.NO_RISE, "yes", "does not rise"),
        ([0, 0.1, 0.2, 0.3], Direction.NO_RISE, "no", "moves by +0."),
    ],
)
def test_what_is_clear(shifts, expected, wanted, why):
    found = verdict(response(shifts), expected)
    assert found[0] == wanted
    assert why in found[1]


def test_a_trend_without_spread_is_as_sure_as_its_topics_are_many():
    """Every topic falls by the same: the p-value is that of as many equal signs, never 0."""
    found = respond([[0.8, 0.6, 0.4, 0.2]] * 6, LEVELS, list(range(6)))
    assert verdict(found, Direction.FALL) == ("yes", "falls by 0.600 from first to last (trend, p = 0.016)")


def test_standing_still_is_shown_and_not_assumed():
    assert verdict(response([0, 0, 0, 0], spread=0.01), Direction.UNCHANGED) == (
        "yes",
        "does not change (within 0.05)",
    )
    said, why = verdict(response([0, 0, 0, 0], spread=0.2), Direction.UNCHANGED)
    assert (said, why[:23]) == ("inconclusive", "may have moved by up to")
    assert verdict(response([0, 0, 0, 0], spread=0.01), Direction.FALL) == (
        "no",
        "it does not change (within 0.05)",
    )
    assert verdict(response([0, 0, -0.02, -0.04], spread=0.2), Direction.FALL)[0] == "inconclusive"


@pytest.mark.parametrize("expected", [Direction.FALL, Direction.UNCHANGED])
def test_five_topics_are_too_few(expected):
    found = response([0, -0.1, -0.2, -0.3], topics=np.repeat(np.arange(5), 4).tolist())
    assert verdict(found, expected) == ("inconclusive", "5 topics: at least 6 are needed for a verdict")


def test_verdicts_err_as_seldom_as_they_say():
    """Pure noise: no trend in more than 5%, and any alarm among six curves in no more than 5% of the runs."""
    fell = raised = 0
    for seed in range(47):
        curves = [response([0, 0, 0, 0], spread=0.1, seed=1_000 * seed + number) for number in range(6)]
        fell += judge_response(curves[0], Direction.FALL)[0] == "yes"
        raised += any(map(alarms, corrected(curves, [Direction.UNCHANGED] * 6)))
    assert fell <= 4
    assert raised <= 4

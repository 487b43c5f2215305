import numpy as np
import pytest

from conqret.errors import DeclarationError
from conqret.stats.missingness import missing_by_group, missing_by_value


def test_groups_by_hand():
    # One group is missing whole, the other not at all: V = 1.
    found = missing_by_group(
        "topic", [True] * 8 + [False] * 8, ["a"] * 8 + ["b"] * 8, np.random.default_rng(0)
    )
    assert found.effect == pytest.approx(1)
    assert found.p < 0.01
    assert found.missing == 8


def test_no_alarm_where_missing_is_random():
    rng = np.random.default_rng(0)
    groups = list(range(10)) * 8
    alarms = sum(
        missing_by_group("topic", list(rng.random(80) < 0.2), groups, rng, permutations=200).p < 0.05
        for _ in range(200)
    )
    assert alarms / 200 <= 0.085


RNG = np.random.default_rng(0)


def test_values():
    found = missing_by_value("length", [False] * 6 + [True] * 6, range(12), RNG)
    assert (found.effect, found.missing) == (1, 6)
    assert found.p < 0.01
    assert (
        missing_by_value("length", [False, True, True], [np.nan, 1, 2], RNG).reason == "everything is missing"
    )


def test_topics_that_fail_whole_say_nothing_of_values_that_topics_share():
    """Whole topics are missing, and lengths are alike within a topic: each topic is one witness, not five."""
    alarms = plain = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        topics = np.repeat(np.arange(12), 5)
        lost, length = (rng.random(12) < 0.3)[topics], rng.normal(size=12)[topics] + 0.1 * rng.normal(size=60)
        alarms += (missing_by_value("length", lost, length, rng, topics.tolist()).p or 1) < 0.05
        if seed < 15:
            plain += (missing_by_value("length", lost, length, rng).p or 1) < 0.05
    assert alarms <= 10
    assert plain > 4


@pytest.mark.parametrize(
    ("missing", "values", "reason"),
    [
        ([False, False], [1, 2], "nothing is missing"),
        ([True, True], [1, 2], "everything is missing"),
        ([True, False], [1, 1], "the values do not vary"),
        ([True], [np.nan], "no item has a value"),
        ([True, False], [1, 2], "2 topics: at least 6 are needed for a test"),
    ],
)
def test_degenerate(missing, values, reason):
    assert missing_by_value("x", missing, values, RNG).reason == reason


def test_wrong_calls():
    with pytest.raises(DeclarationError, match="groups"):
        missing_by_group("topic", [True], ["a", "b"], np.random.default_rng(0))
    with pytest.raises(DeclarationError, match="values"):
        missing_by_value("x", [True], [1, 2], RNG)
    assert (
        missing_by_group("topic", [True, False], ["a", "a"], np.random.default_rng(0)).reason
        == "there is one group only"
    )

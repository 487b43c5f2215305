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


def test_values():
    found = missing_by_value("length", [False, False, True, True], [1, 2, 3, 4])
    assert found.effect == 1
    assert missing_by_value("length", [False, True, True], [np.nan, 1, 2]).reason == "everything is missing"


@pytest.mark.parametrize(
    ("missing", "values", "reason"),
    [
        ([False, False], [1, 2], "nothing is missing"),
        ([True, True], [1, 2], "everything is missing"),
        ([True, False], [1, 1], "the values do not vary"),
        ([True], [np.nan], "no item has a value"),
    ],
)
def test_degenerate(missing, values, reason):
    assert missing_by_value("x", missing, values).reason == reason


def test_wrong_calls():
    with pytest.raises(DeclarationError, match="groups"):
        missing_by_group("topic", [True], ["a", "b"], np.random.default_rng(0))
    with pytest.raises(DeclarationError, match="values"):
        missing_by_value("x", [True], [1, 2])
    assert (
        missing_by_group("topic", [True, False], ["a", "a"], np.random.default_rng(0)).reason
        == "there is one group only"
    )

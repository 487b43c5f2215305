"""``conqret debate``: what people type and see."""

import json

import pytest


def test_payoffs_show_the_thresholds_of_both_instructions(cli):
    done = cli("debate", "payoffs")
    assert done.code == 0
    for seen in ("0.571", "0.667", "0.712", "0.815", "60 %", "85 %", "48.0 *", "60.0 *"):
        assert seen in done.out
    found = json.loads(cli("debate", "payoffs", "--instruction", "simple", "--json").out)
    assert [one["instruction"] for one in found] == ["simple"]
    assert found[0]["wins_from_percent"]["completely confident"] == 70


def test_bonuses_of_ones_own_have_thresholds_of_their_own(cli):
    found = json.loads(cli("debate", "payoffs", "--bonuses=1,1,1,0.5,0,0,-1", "--json").out)
    # at one half abstaining and answering slightly earn 0.50 alike, and then answering always earns more
    assert found[0]["pays_from"] == {"slightly confident": 0.5}


@pytest.mark.parametrize(
    ("bonuses", "message"),
    [
        ("1,2", "7 points, and 2 bonuses"),
        ("1,2,3,a,5,6,7", "seven numbers such as"),
        ("nan,2,3,4,5,6,7", "seven numbers such as"),
        ("1e999999999,2,3,4,5,6,7", "seven numbers such as"),
    ],
)
def test_bonuses_that_cannot_be_used_are_refused(cli, bonuses, message):
    done = cli("debate", "payoffs", f"--bonuses={bonuses}")
    assert (done.code, done.out) == (2, "")
    assert message in done.err

"""``conqret judges power planted`` and ``conqret judges power bias``: what they print, for people and for machines."""

import json
from pathlib import Path

import pytest

ITEMS = Path(__file__).parents[2] / "fixtures/demo/items.jsonl"
QUICK = ("--simulations", "20", "--probe", "position", "--probe", "length")


def test_a_selftest_says_what_would_be_found(cli, tmp_path):
    page = tmp_path / "planted.html"
    done = cli("judges", "power", "planted", ITEMS, "--format", "direct", "--size", "0.3", *QUICK, "-o", page)
    assert done.code == 0
    text = " ".join(done.out.split())
    assert "at least 80% of runs: position (100%)" in text
    assert "conqret</b> power" in page.read_text(encoding="utf-8")
    assert "24 items, 12 topics. A bias of 0.3 was planted for one probe after another" in text
    assert "a place wins 80%" in text
    assert "False alarms" in text
    found = json.loads(
        cli("judges", "power", "planted", ITEMS, "--format", "direct", "--size", "0.3", *QUICK, "--json").out
    )
    place, length = found["rows"]
    assert (place["probe"], place["metric"], place["found"]) == ("position", "preference", 1.0)
    assert length["probe"] == "length"


def test_a_plan_says_how_many_topics_a_bias_takes(cli):
    asked = ("judges", "power", "bias", "--topics", "5,12", "--items", "2", "--size", "0.3", *QUICK)
    few, more = json.loads(cli(*asked, "--json").out)
    assert (few["topics"], more["topics"], more["items"]) == (5, 12, 2)
    assert few["rows"][0]["found"] == 0 < more["rows"][0]["found"]
    shown = cli(*asked)
    assert "How often a bias of 0.3 is found (a place wins 80%)" in shown.out
    assert "Below six topics there is no alarm." in " ".join(shown.out.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("judges", "power", "planted", ITEMS, "--size", "0.7"), "a size must lie above 0"),
        (("judges", "power", "planted", ITEMS, "--probe", "lenght"), "length"),
        (("judges", "power", "planted", "nothing.jsonl"), "nothing.jsonl"),
        (("judges", "power", "bias", "--topics", "few"), "--topics"),
        (
            ("judges", "power", "bias", "--topics", "8", "--items", "2", "--probe", "stance"),
            "no probe fits these items",
        ),
    ],
)
def test_what_cannot_be_simulated_is_said(cli, arguments, words):
    done = cli(*arguments)
    assert done.code == 2
    assert words in done.err

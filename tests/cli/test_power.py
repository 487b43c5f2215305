"""``conqret power``: plans from assumptions and from a pilot, as a table and a picture."""

import json
from pathlib import Path

import pytest

from tests.reliability.cards import write_gold

ROOT = Path(__file__).parents[2]
QUICK = ("--topics", "8,4", "--items", "2", "--simulations", "20")


def test_a_plan_from_assumptions(cli, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "power.svg"
    done = cli("power", "difference", *QUICK, "--shift", "0.5", "--svg", picture)
    assert done.code == 0
    assert "below six topics there is no verdict" in done.out
    assert picture.read_bytes().startswith(b"<?xml")
    again = cli("power", "curve", *QUICK, "--shift", "0.5", "--json")
    first, second = json.loads(again.out)
    assert (first["topics"], first["power"]) == (8, 1.0)
    assert second["power"] is None
    assert first["half_width"] < second["half_width"]


def test_a_plan_from_a_pilot(cli, tmp_path):
    run = tmp_path / "run"
    judged = cli(
        "judge", ROOT / "fixtures/demo/items.jsonl", "-f", "listwise", "--metric", "clarity", "-o", run, "-q"
    )
    assert judged.code == 0
    labels = write_gold(tmp_path / "labels.csv", people=2)
    asked = ("power", "agreement", "--dimension", "clarity", "--pilot", run, "--labels", labels, *QUICK)
    planned = cli(*asked, "--scale", "1:3", "--json")
    assert planned.code == 0
    assert "24 items of 12 topics" in planned.err
    assert [one["topics"] for one in json.loads(planned.out)] == [8, 4]
    unscaled = cli(*asked)
    assert unscaled.code == 2
    assert "--scale" in unscaled.err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--topics", "x"), "--topics is a list of whole numbers"),
        (("--topics", "inf"), "--topics is a list of whole numbers"),
        (("--items", "0"), "--items is a list of whole numbers"),
        (("--alpha", "1"), "inside (-1, 1)"),
        (("--pilot", "runs/x"), "--pilot and --labels go together"),
    ],
)
def test_what_cannot_be_planned(cli, tmp_path, more, message):
    done = cli("power", "agreement", *more, "--svg", tmp_path / "x.svg")
    assert done.code == 2
    assert message in " ".join(done.err.split())
    assert not (tmp_path / "x.svg").exists()

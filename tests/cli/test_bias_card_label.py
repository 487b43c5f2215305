"""``conqret bias``, the card of ``conqret validate``, ``conqret judge --card`` and ``conqret labels sample``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.cli.score_files import lines
from tests.contract.items import demo
from tests.judging.runs import write_items
from tests.studies.cards import write_gold


def test_from_judge_to_card_and_back(cli: Cli, tmp_path: Path) -> None:
    few = write_items(tmp_path / "items.jsonl", demo()[:8])
    labels = write_gold(tmp_path / "labels.csv", people=2)
    judge = ("--format", "rag-fine-grained", "--model", "offline")
    assert cli("judge", few, *judge, "-o", tmp_path / "run", "-q").code == 0
    done = cli("bias", few, *judge, "--probe", "length", "-o", tmp_path / "bias")
    assert done.code == 0, done.err
    assert done.out.startswith("No bias detected by 1 probe (8 items")
    validate = f"validate {tmp_path}/run --labels {labels} --scale 1:3 --bias {tmp_path}/bias"
    done = cli(*validate.split(), "-o", tmp_path / "card")
    assert done.code == 0, done.err
    assert {"card.html", "card.md", "card.json"} <= {path.name for path in (tmp_path / "card").iterdir()}
    card = tmp_path / "card" / "card.json"
    judged = json.loads(card.read_text(encoding="utf-8"))["run"]["created"]
    fits = cli("judge", few, *judge, "-o", tmp_path / "again", "--card", card)
    assert "the judge card describes this judge: same fingerprint" in fits.err
    assert f"behavior last checked on {judged[:10]}" in fits.err
    stale = cli("judge", few, *judge, "-o", tmp_path / "more", "--samples", "2", "--card", card)
    assert (stale.code, "samples: 2, and 1 on the card" in stale.err) == (0, True)


def test_a_gate_holds_a_judge_of_ones_own(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_judge_of_a_gate.py").write_text("def first(item):\n    return 'first'\n", "utf-8")
    rows = [
        {"topic": f"Ban {n % 6}?", "argument": f"Yes, as {n}.", "second_argument": f"No, as {n + 9}."}
        for n in range(12)
    ]
    pairs = lines(tmp_path / "pairs.jsonl", rows)
    asked = ("bias", pairs, "--judge", "own_judge_of_a_gate:first", "--probe", "position", "-o", "bias")
    done = cli(*asked, "--require", "alarms == 0", "--require", "first_place >= 0.5")
    assert done.code == 1
    assert "ALARM position first place won 100%, 100% of verdicts flip" in " ".join(done.out.split())
    assert "not met: alarms == 0 (1.000)" in done.err
    assert cli(*asked).code == 0
    assert cli(*asked, "--require", "flip_rate == 1").code == 0
    assert cli(*asked, "--require", "effect[length] < 1").code == 1  # it was not probed, so it has no value


def test_the_list_of_probes_on_the_screen_and_as_json(cli: Cli) -> None:
    assert "bandwagon  only where it is named: --probe bandwagon" in cli("bias", "--list").out
    rows = {entry["name"]: entry["default"] for entry in json.loads(cli("bias", "--list", "--json").out)}
    assert (rows["position"], rows["yes-bias"]) == (True, False)
    refused = cli("bias")
    assert (refused.code, "name a file of items" in refused.err) == (2, True)

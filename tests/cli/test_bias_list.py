"""``conqret bias --list``: which probes there are, before anything is asked."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

DEMO = Path(__file__).parents[2] / "fixtures" / "demo" / "items.jsonl"


def test_the_list_on_the_screen_and_as_json(cli: Cli) -> None:
    shown = cli("bias", "--list")
    assert "bandwagon  only where it is named: --probe bandwagon" in shown.out
    rows = {entry["name"]: entry for entry in json.loads(cli("bias", "--list", "--json").out)}
    assert rows["position"]["default"]
    assert not rows["yes-bias"]["default"]
    refused = cli("bias")
    assert refused.code == 2
    assert "name a file of items" in refused.err


def test_a_judge_of_length_alone_raises_the_alarm_of_length_alone(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "only_length_of_a_test.py").write_text(
        "def rate(item):\n    return min(1.0, len(item['argument']) / 5000)\n", encoding="utf-8"
    )
    args = ("bias", DEMO, "--judge", "only_length_of_a_test:rate", "--metric", "overall-quality")
    probes = [word for name in ("length", "authority", "injection") for word in ("--probe", name)]
    try:
        done = cli(*args, *probes, "--require", "alarms == 0", "--json")
    finally:
        sys.modules.pop("only_length_of_a_test", None)
    assert done.code == 1
    rows = json.loads(done.out)["rows"]
    assert {row["probe"]: row["verdict"] for row in rows if row["primary"]} == {
        "length": "alarm",
        "authority": "clear",
        "injection": "clear",
    }

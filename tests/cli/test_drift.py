"""``conqret judges drift`` and ``conqret judges power drift``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.contract.items import demo
from tests.judging.runs import write_items

JUDGE = """
import os, random
rng = random.Random(os.environ["SEED"])
def grade(item):
    return min(1, max(0, len(item["argument"]) % 50 / 60 + rng.gauss(0, .01) - float(os.environ["STRICT"])))
"""


def test_a_cron_line_from_its_first_day_to_an_alarm(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "watched_judge.py").write_text(JUDGE)
    items = write_items(tmp_path / "anchors.jsonl", demo()[::2])
    line = (
        "judges",
        "drift",
        items,
        "--judge",
        "watched_judge:grade",
        "--metric",
        "overall_quality",
        "-o",
        "kept",
        "--baseline",
        2,
    )
    codes = []
    for day in range(1, 5):
        monkeypatch.setenv("SEED", str(day))
        monkeypatch.setenv("STRICT", "0.15" if day == 4 else "0")
        done = cli(*line, "--wave", f"2026-01-0{day}", "--junit", "drift.xml")
        codes.append(done.code)
        assert max(map(len, done.out.splitlines())) <= 80, done.out
    assert codes == [0, 0, 0, 1]
    assert "ALARM     overall quality, severity: more severe, first alarm on" in done.out
    assert "12 requests sent now" in done.err
    assert 'failures="1"' in (tmp_path / "drift.xml").read_text()
    assert "<svg" in (tmp_path / "kept" / "drift.html").read_text()
    again = cli(*line, "--wave", "2026-01-04", "--dry-run", "--json")
    assert json.loads(again.out)["calls"] == 12
    again = cli(*line, "--wave", "2026-01-04")
    assert again.code == 1
    assert "0 requests sent now" in again.err
    read = cli(
        "judges", "drift", "kept", "--json", "--baseline", 2, "--require", "severity[overall-quality] > -0.02"
    )
    assert read.code == 1
    assert "not met: severity[overall-quality] > -0.02" in read.err
    found = json.loads(read.out)
    assert [one["met"] for one in found.pop("requirements")] == [False]
    assert found == json.loads((tmp_path / "kept" / "drift.json").read_text())
    since = cli("judges", "drift", "kept", "--since", "2026-01-04", "--page", "new.md")
    assert since.code == 0
    assert "1 of 3 waves of the baseline" in since.out
    assert "Has the judge drifted?" in (tmp_path / "new.md").read_text()


def test_what_cannot_be_watched(cli: Cli, tmp_path: Path) -> None:
    items = write_items(tmp_path / "anchors.jsonl", demo())
    few = write_items(tmp_path / "few.jsonl", demo()[:4])
    for arguments, message in (
        ((items,), "give the folder of the waves with -o"),
        ((items, items, "-o", tmp_path / "kept"), "one file of anchors is judged"),
        ((items, "-o", tmp_path / "kept", "--judge", "a:b", "--format", "direct"), "has no format"),
        ((tmp_path, "--page", "drift.pdf"), "ends in .pdf"),
        ((tmp_path, "--require", "alarm == 0"), "did you mean 'alarms'"),
        ((tmp_path / "nowhere",), "there is no such folder"),
        ((tmp_path,), "there is no judged run"),
        ((tmp_path, "--rate", "2"), "a rate of false alarms must lie in"),
        ((items, "-o", tmp_path / "kept", "--baseline", "20"), "it needs at least one wave of baseline"),
        ((few, "-o", tmp_path / "kept"), "a time series of 2 topics cannot be charted"),
    ):  # fmt: skip
        done = cli("judges", "drift", *arguments)
        assert done.code == 2
        assert message in done.err
    assert not (tmp_path / "kept").exists()


def test_a_plan(cli: Cli) -> None:
    done = cli("judges", "power", "drift", "--topics", "12", "--items", "5", "--json")
    (cell,) = json.loads(done.out)
    assert cell["found"] > 0.9
    assert cell["false_alarms"] <= 0.05
    assert "A shift of 0.05 after 10 of 20 waves" in cli("judges", "power", "drift", "--topics", "12").out
    assert "not after 2" in cli("judges", "power", "drift", "--after", 2).err

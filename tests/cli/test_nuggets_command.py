"""``conqret judge --nuggets``: banks and assignments on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conqret.judging.recorded_call import recorded_call
from tests.cli.conftest import Cli
from tests.judging.test_nuggets import FIRST, MANY, SECOND, TEXT, ZOOS, assignments
from tests.server import FaultServer


def items(tmp_path: Path, *names: str) -> Path:
    file = tmp_path / "items.jsonl"
    rows = [
        {"id": name, "topic": ZOOS, "argument": f"{TEXT} {name}", "metadata": {"qid": "7"}} for name in names
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def bank(tmp_path: Path, topic: str = "7") -> Path:
    file = tmp_path / "banks.jsonl"
    listed = [nugget.model_dump(exclude_none=True) for nugget in MANY]
    file.write_text(json.dumps({"qid": topic, "nuggets": listed}) + "\n")
    return file


def test_a_systems_measures_are_means_over_topics(cli: Cli, tmp_path: Path) -> None:
    """The second topic: all (0 + 1) / 2, vital 0 / 1, weighted (0 + .5) / (1 + .5) = 1 / 3, so that the means are
    all (.6 + .5) / 2, vital (.5 + 0) / 2, weighted (.5625 + .3333) / 2, sub-narratives (.625 + .5) / 2."""
    typed = ("judge", assignments(tmp_path, FIRST, SECOND), "--format", "nugget-assignments")
    done = cli(*typed, "-o", tmp_path / "run", "--json")
    assert done.code == 0, done.err
    means = {name: metric["mean"] for name, metric in json.loads(done.out)["metrics"].items()}
    assert means == {
        "all_score": pytest.approx(0.55),
        "strict_all_score": pytest.approx((0.4 + 0.5) / 2),
        "vital_score": pytest.approx(0.25),
        "strict_vital_score": pytest.approx(1 / 6),
        "weighted_score": pytest.approx((0.5625 + 1 / 3) / 2),
        "strict_weighted_score": pytest.approx((0.375 + 1 / 3) / 2),
        "sub_narrative_coverage": pytest.approx((0.625 + 0.5) / 2),
    }
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (record["model"], record["items_layout"]) == ("no-model", "AutoNuggetizer assignments")


def test_a_bank_is_judged_over_http_and_replayed(cli: Cli, tmp_path: Path) -> None:
    source, banks = items(tmp_path, "a", "b"), bank(tmp_path)
    with FaultServer(answer=None, length=10) as server:
        judge = ("judge", source, "--nuggets", banks, "--model", "openai/m", "--api-base", server.url)
        cost = cli(*judge, "--dry-run", "--json")
        assert cost.code == 0, cost.err
        assert json.loads(cost.out)["calls"] == 6
        assert not server.requests
        done = cli(*judge, "-o", tmp_path / "run", "--json")
    requests = len(server.requests)
    assert requests >= 6
    summary = json.loads(done.out)
    assert summary["unscored"] == 2, "the last three of 23 were asked about, and ten were answered"
    again = cli(
        "judge", source, "--nuggets", banks, "--replay", tmp_path / "run", "-o", tmp_path / "again", "--json"
    )
    assert json.loads(again.out)["reasons"] == summary["reasons"]
    assert len(server.requests) == requests
    call = recorded_call(tmp_path / "run" / "recordings.sqlite")
    assert (call.format, call.model) == ("nuggets", "openai/m")


def test_items_without_nuggets(cli: Cli, tmp_path: Path) -> None:
    source = items(tmp_path, "a")
    done = cli("judge", source, "--format", "nuggets", "-o", tmp_path / "run")
    assert done.code == 2
    assert f"{source}:1 [nuggets]" in done.err
    assert "--nuggets" in done.err
    assert not (tmp_path / "run").exists()

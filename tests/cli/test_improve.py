"""``conqret judges improve`` as it is typed: its price, what it prints and writes, batches, and what it refuses."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import conqret
from conqret.io.labels import read_labels
from conqret.judging.judge_folder import JudgeFolder
from conqret.prompts import Library
from tests.cli.conftest import Cli
from tests.server import FaultServer
from tests.studies.improving import CRITERION, rule_model, write_case

PRICED = ("--model", "openai/judge", "--input-price", "1", "--output-price", "2")


def command(folder: Path, *more: object) -> tuple[object, ...]:
    items, labels = write_case(folder, "length", topics=9)
    return ("judges", "improve", items, "--labels", labels, "--scale", "1:5", "--criterion", CRITERION, *more)


def test_a_dry_run_counts_what_will_be_asked_and_a_budget_stops_it_until_the_same_command_goes_on(
    cli: Cli, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with FaultServer(answer=rule_model) as server:
        given = command(tmp_path, *PRICED, "--api-base", server.url, "-o", out)
        dry = cli(*given, "--dry-run", "--json")
        assert dry.code == 0, dry.err
        assert server.requests == []
        assert not out.exists()
        facts = json.loads(dry.out)
        assert facts["calls"] == 45 + 7 + 2 * 3 * 45
        stopped = cli(*given, "--budget-usd", "0.02")
        assert stopped.code == 2
        assert "run the same command to continue" in stopped.err
        assert not (out / "summary.json").exists()
        assert 0 < len(server.requests) < 45
        done = cli(*given, "--json")
        assert done.code == 0, done.err
        asked = len(server.requests)
        assert 45 + 7 < asked <= facts["calls"]  # what is alike is asked once
        result = json.loads(done.out)
        again = cli(*given)
        assert len(server.requests) == asked
    assert (result["measured"], result["items"], result["topics"]) == ("cross-fitted", 45, 9)
    assert "gain over (a)" in again.out
    assert {"prompts", "calibration.json"} & {place.name for place in out.iterdir()}


def test_the_command_that_uses_it_asks_for_the_judge_that_was_measured(cli: Cli, tmp_path: Path) -> None:
    """With all that was said of how it judges, and the parts of prompts that were the user's own."""
    items, labels = write_case(tmp_path, "length", topics=9)
    mine = tmp_path / "mine"
    mine.mkdir()
    for name in ("_blocks.j2", "criteria.j2", "_quality.j2"):
        (mine / name).write_text(Library().source(name).replace("material", "matter"))
    with FaultServer(answer=rule_model) as server:
        judging = {"criteria": [CRITERION], "prompts": mine, "samples": 2, "temperature": 0.5}
        judging |= {"relevant_from": 2, "conversation": "whole", "max_tokens": 900}
        model = {"model": "openai/judge", "api_base": server.url, "api_key": "k"}
        how: dict[str, Any] = {**judging, **model, "output": tmp_path / "out"}
        result = conqret.improve(items, read_labels(labels, scales=["1:5"]), **how)
        assert result.final.variant == "wording"
        kept = sorted(place.name for place in (tmp_path / "out" / "prompts").iterdir())
        assert kept == ["_blocks.j2", "criteria.j2"]
        _, *words = shlex.split(result.command(str(tmp_path / "out")).replace("NEW.jsonl", str(items)))
        used = cli(*words, "--api-base", server.url, "-o", tmp_path / "used")
    assert used.code == 0, used.err
    assert JudgeFolder(tmp_path / "used").record().fingerprint == result.improved_fingerprint

"""A run that a broken server spoilt is healed by the same command at a healthy one, and pays once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.runs.killed import ROOT, Forks
from tests.server import FaultPlan, FaultServer

DEMO = ROOT / "fixtures" / "demo" / "items.jsonl"
COUNT = 12  # below the number from which on failures stop a run
RUBBISH = FaultPlan(always="bad_schema")


def some(folder: Path, count: int = COUNT) -> Path:
    """The first items of the demo."""
    path = folder / "items.jsonl"
    path.write_bytes(b"".join(DEMO.read_bytes().splitlines(keepends=True)[:count]))
    return path


def scored(folder: Path) -> int:
    return int(json.loads((folder / "summary.json").read_text())["scored"])


def command(server: FaultServer, out: Path, *more: object) -> tuple[object, ...]:
    items = some(out.parent)
    judge = ("judge", items, "--format", "direct", "--metric", "groundedness", "--model", "openai/m")
    return (*judge, "--api-base", server.url, "-o", out, *more)


def spoilt(forks: Forks, out: Path, *more: object) -> None:
    with FaultServer(RUBBISH) as broken:
        assert forks.run(*command(broken, out, *more)) == 1
    assert scored(out) == 0


def test_the_same_command_heals_a_spoilt_run(forks: Forks, tmp_path: Path) -> None:
    out, errors = tmp_path / "run", tmp_path / "errors"
    spoilt(forks, out)
    with FaultServer() as healthy:
        forks.start(*command(healthy, out), err=errors)
        assert forks.end() == 0
        assert len(healthy.requests) == COUNT
        assert scored(out) == COUNT
        assert f"{COUNT} invalid responses of an earlier run requested again" in errors.read_text()
        assert forks.run(*command(healthy, out)) == 0
        assert len(healthy.requests) == COUNT  # nothing is left to be healed
        assert forks.run("judge", tmp_path / "items.jsonl", "--replay", out, "-o", tmp_path / "replayed") == 0
    assert scored(tmp_path / "replayed") == COUNT


def test_no_more_than_once_a_run_and_not_where_it_is_not_wanted(forks: Forks, tmp_path: Path) -> None:
    spoilt(forks, tmp_path / "run")
    with FaultServer(RUBBISH) as broken:
        assert forks.run(*command(broken, tmp_path / "run", "--no-retry-unscored")) == 1
        assert not broken.requests
        assert forks.run(*command(broken, tmp_path / "run")) == 1
        first = len(broken.requests)
        assert COUNT <= first <= 3 * COUNT  # each with its re-prompts, as in the first run
    assert scored(tmp_path / "run") == 0


def test_a_replay_never_sends(forks: Forks, tmp_path: Path) -> None:
    spoilt(forks, tmp_path / "run")
    with FaultServer() as healthy:
        words = command(healthy, tmp_path / "again", "--replay", tmp_path / "run")
        assert forks.run(*words) == 1
        assert not healthy.requests


def test_a_provider_that_is_away_takes_nothing_away(forks: Forks, tmp_path: Path) -> None:
    spoilt(forks, tmp_path / "run")
    before = json.loads((tmp_path / "run" / "summary.json").read_text())["reasons"]
    with FaultServer(FaultPlan(always="server_error")) as away:
        assert forks.run(*command(away, tmp_path / "run", "--timeout", 2)) == 1
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["reasons"] == before


@pytest.mark.parametrize("study", ["bias", "sensitivity"])
def test_studies_are_healed_as_well(forks: Forks, tmp_path: Path, study: str) -> None:
    what = ("--probe", "length") if study == "bias" else ("--perturb", "irrelevant:0,50")
    words = (
        study, some(tmp_path, 4), "--format", "direct", *what, "--model", "openai/m",
        "-o", tmp_path / "run",
    )  # fmt: skip
    with FaultServer(RUBBISH) as broken:
        assert forks.run(*words, "--api-base", broken.url) == 1
    with FaultServer() as healthy:
        assert forks.run(*words, "--api-base", healthy.url) == 0
        assert healthy.requests

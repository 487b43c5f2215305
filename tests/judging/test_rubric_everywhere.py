"""A rubric wherever a judge is taken: each the way in which its user asks for it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.contract.items import DEMO
from tests.judging.test_criterion_everywhere import LABELS, read
from tests.judging.test_rubric import RUBRIC, TOML
from tests.runs.killed import Forks
from tests.server import FaultServer

SCORES = ["rubric_score", "vital_score", "axis_evidence", "axis_style"]
METRICS = [*SCORES, "sourced", "clarity", "it_insults_somebody"]
MODEL = ("--model", "openai/m")


@pytest.fixture
def rubric(tmp_path: Path) -> Path:
    file = tmp_path / "rubric.toml"
    file.write_text(TOML)
    return file


@pytest.fixture
def by_topic(tmp_path: Path) -> Path:
    """A rubric for each topic of the demo."""
    topics = dict.fromkeys(json.loads(line)["topic"] for line in DEMO.read_text().splitlines())
    criteria = [one.plain() for one in RUBRIC]
    rows = [{"topic": topic, "rubrics": criteria[: 1 + place % 3]} for place, topic in enumerate(topics)]
    file = tmp_path / "rubrics.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    return file


def test_from_the_command_to_the_card(forks: Forks, tmp_path: Path, rubric: Path) -> None:
    run, out = tmp_path / "run", tmp_path / "out"
    with FaultServer() as server:
        asked = ("judge", DEMO, "--rubric", rubric, *MODEL, "--api-base", server.url)
        assert forks.run(*asked, "-o", run, "--require", "rubric_score >= 0") == 0
        assert len(server.requests) == 24
    summary = read(run / "summary.json")
    assert list(summary["metrics"]) == METRICS
    page = (run / "report.html").read_text()
    assert "It names a source" in page
    assert "weights above 0" in page  # how the scores come about
    assert forks.run("judge", DEMO, "--replay", run, "-o", tmp_path / "again") == 0
    assert read(tmp_path / "again" / "summary.json")["metrics"] == summary["metrics"]
    assert forks.run("validate", run, "--labels", LABELS, "-o", tmp_path / "card") == 0
    assert list(read(tmp_path / "card" / "validation.json")["dimensions"]) == ["clarity"]
    assert "weight 3" in (tmp_path / "card" / "card.md").read_text()
    forks.start("runs", "methods", run, out=out)
    assert forks.end() == 0
    assert "It names a source" in out.read_text()


def test_a_rubric_for_each_topic(forks: Forks, tmp_path: Path, by_topic: Path) -> None:
    run, out = tmp_path / "run", tmp_path / "out"
    with FaultServer() as server:
        asked = ("judge", DEMO, "--rubric", by_topic, *MODEL, "--api-base", server.url, "-o", run)
        assert forks.run(*asked) == 0
        assert len(server.requests) == 24
        assert forks.run(*asked) == 0
        assert len(server.requests) == 24  # what is scored is kept
    assert list(read(run / "summary.json")["metrics"]) == SCORES
    first = json.loads((run / "items.jsonl").read_text().splitlines()[0])["id"]
    forks.start("runs", "show", run, first, out=out)
    assert forks.end() == 0
    assert re.search(r"^It names a source +(?:not )?met +3, vital", out.read_text(), re.M)
    assert forks.run("judge", DEMO, "--replay", run, "-o", tmp_path / "again") == 0
    assert read(tmp_path / "again" / "summary.json")["scored"] == 24

"""A rubric wherever a judge is taken: each the way in which its user asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.items import DEMO
from tests.judging.test_criterion_everywhere import LABELS, read
from tests.judging.test_rubric import TOML
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

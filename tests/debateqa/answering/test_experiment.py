"""DebateQA's section 5 from one file: a benchmark, answers, scores, ranks and their page, whole but small."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("pyterrier", reason="the extra retrieval is not installed: pyterrier is missing")

from conqret.cli.commands import find
from scripts.experiment_steps import experiment
from tests.commands import options_of
from tests.needed import Needed

Needed("torch", reason="the extra perplexity is not installed: torch is missing")

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = sorted((ROOT / "fixtures" / "answers").glob("*.toml"))
SMALL = """
questions = "./few.jsonl"
corpus = "./corpus"
references = "{out}/benchmark/benchmark.jsonl"
[dedupe]
quiet = true
[curate]
quiet = true
[answer]
quiet = true
[perspective-diversity]
backbone = "{out}/tiny"
[variants.none]
strategy = "none"
[variants.react]
strategy = "react"
index = "./corpus"
searches = 2
[variants.trusted]
strategy = "rag"
index = "./corpus"
trusted = "standard"
"""
pytestmark = pytest.mark.usefixtures("one_thread")


def test_from_questions_to_ranks_and_a_page(tmp_path, capsys):
    from fixtures.tiny_model import tiny_model

    lines = (ROOT / "fixtures" / "questions.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "few.jsonl").write_text("".join(lines[4:6] + lines[4:5]).replace('"homework"', '"twin"', 1))
    (tmp_path / "corpus").mkdir()
    shutil.copy(ROOT / "fixtures" / "corpus" / "documents.jsonl", tmp_path / "corpus")
    out = tmp_path / "out"
    tiny_model(tmp_path / "corpus", out / "tiny", 1)
    plan = tomllib.loads((ROOT / "fixtures" / "answers" / "offline.toml").read_text(encoding="utf-8"))
    steps = json.dumps([step for step in plan["steps"] if not step.startswith("python")])
    (tmp_path / "small.toml").write_text(f"steps = {steps}\n{SMALL}")
    experiment(tmp_path / "small.toml", out)
    said = capsys.readouterr().out
    assert "Ranks by both metrics" in said
    asked = [json.loads(line)["id"] for line in (out / "benchmark" / "benchmark.jsonl").open()]
    assert len(asked) == 2  # the twin went
    for name in ("none", "react", "trusted"):
        rows = [json.loads(line) for line in (out / "answers" / name / "answers.jsonl").open()]
        assert [row["id"] for row in rows] == asked
    page = (out / "report.html").read_text(encoding="utf-8")
    for table in ("Ranks", "How each answers", "Metrics and measuring models"):
        assert table in page
    assert all(f">{name}<" in page for name in ("none", "react", "trusted"))


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_the_shipped_files_name_options_that_there_are(file):
    command, _ = find(["debateqa", "answer"])
    known = {name.lstrip("-") for argument in options_of(command) for name in argument.names}
    plan = tomllib.loads(file.read_text(encoding="utf-8"))
    assert len(plan["variants"]) >= 3
    for one in plan["variants"].values():
        assert set(one) <= known

"""AutoJudge's commands of docs/adapters.md, as they stand there, on reports that are made here."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from scripts.docs_check.pages import ROOT, heading, steps
from tests.adapters.reports import REQUESTS, SAID, TOPICS, reports, stop_words

PAGE = ROOT / "docs" / "adapters.md"
SECTIONS = ("TREC AutoJudge", "Judges as rankers of systems")


@pytest.fixture
def folder(tmp_path):
    """A folder with what AutoJudge's starter kit gives: reports, requests and a reference with a head."""
    if not all(map(find_spec, ("autojudge_base", "autojudge_evaluate"))):
        pytest.skip("the extra autojudge is not installed")
    (tmp_path / "runs" / "repgen").mkdir(parents=True)
    for place, rows in {
        "runs/repgen/all.jsonl": reports(),
        "reports.jsonl": reports(),
        "requests.jsonl": REQUESTS,
    }.items():
        (tmp_path / place).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    truth = [
        f"{system} {topic} GRADE 0.{place}"
        for place, system in enumerate(SAID, 3)
        for topic in (*TOPICS, "all")
    ]
    (tmp_path / "truth.txt").write_text(
        "\n".join(["run_id query_id measure value", *truth]), encoding="utf-8"
    )
    stop_words(tmp_path)
    return tmp_path


def test_the_commands_of_the_page(folder):
    written = [
        step.text
        for step in steps(PAGE)
        if step.kind == "bash" and heading(PAGE, step.line) in SECTIONS and not step.text.startswith("pip ")
    ]
    script = "\n".join(side for side in written if "fixtures/" not in side)  # those need nothing of AutoJudge
    assert script.count("auto-judge run ") == 1
    here = Path(sys.executable).parent
    surroundings = {
        "PATH": f"{here}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "NLTK_DATA": str(folder / "nltk"),
    }
    done = subprocess.run(
        ["bash", "-euc", script],
        cwd=folder,
        env=os.environ | surroundings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert {line.split()[0] for line in (folder / "out" / "direct.eval.txt").read_text().splitlines()} >= {
        "alpha"
    }
    assert len((folder / "meta.jsonl").read_text().splitlines()) > 10
    assert "Kendall" in done.stdout

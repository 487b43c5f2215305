"""What people type next: a run's items, the beginning of an id, a pipe into head, arguments that were just written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import conqret
from tests.cli.conftest import Cli
from tests.cli.test_batched_commands import of_corpus
from tests.runs.killed import ROOT

ITEMS = ROOT / "fixtures" / "demo" / "items.jsonl"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "first"
    conqret.judge(ITEMS, format="direct", output=out)
    return out


def test_show_without_an_item_lists_them(cli: Cli, run: Path) -> None:
    done = cli("runs", "show", run)
    assert done.code == 0
    assert "zoos-pro" in done.out
    assert "24 of 24 items" in done.out
    listed = json.loads(cli("runs", "show", run, "--json").out)
    assert [one["item"] for one in listed][:1] == ["animal-testing-pro"]
    assert {one["status"] for one in listed} == {"scored"}


def test_a_pipe_that_closes_costs_no_file(run: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    words = ("runs", "diff", run, run, "-o", page)
    reading, writing = os.pipe()
    os.close(reading)  # as head does once it has its lines
    try:
        done = subprocess.run(
            [sys.executable, "-m", "conqret", *map(str, words)],
            cwd=ROOT,
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=120,
        )
    finally:
        os.close(writing)
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr
    assert page.is_file()


def test_the_folder_of_written_arguments_is_judged(cli: Cli, tmp_path: Path) -> None:
    assert cli(*of_corpus(tmp_path), "-o", tmp_path / "args").code == 0
    done = cli("judge", tmp_path / "args", "--format", "direct", "-o", tmp_path / "judged")
    assert done.code == 0
    assert json.loads((tmp_path / "judged" / "summary.json").read_text())["scored"] > 0

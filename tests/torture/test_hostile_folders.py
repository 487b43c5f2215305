"""A stranger's run folder with links that lead out of it, and files that hold something else."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import conqret
from tests.cli.conftest import Cli
from tests.cli.conftest import cli as cli
from tests.runs.killed import ROOT

ITEMS, LABELS = ROOT / "fixtures/demo/items.jsonl", ROOT / "fixtures/demo/labels.jsonl"
FILES = ("items.jsonl", "judgments.jsonl", "run.json", "summary.json", "scores.parquet", "recordings.sqlite")
READS: tuple[tuple[object, ...], ...] = (
    ("runs", "show", "{run}", "voting-age-pro"),
    ("runs", "report", "{run}"),
    ("runs", "methods", "{run}"),
    ("runs", "diff", "{mine}", "{run}"),
    ("validate", "{run}", "--labels", LABELS),
    ("judges", "compare", "{mine}", "{run}", "--labels", LABELS),
    ("judges", "jury", "{mine}", "{run}", "-o", "{new}"),
    ("runs", "list", "{run}"),
)
"""Every command that reads a run whose files were damaged or taken away; in ``make test`` a few."""
LONG = "CONQRET_TORTURE" in os.environ
CONTENTS = (b"nope\n", b"null\n", b"{}\n", b"\xff\x00\n", b"[" * 100_000)


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("runs") / "mine"
    conqret.judge(ITEMS, format="direct", output=run)
    return run


@pytest.fixture
def theirs(mine: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(mine, tmp_path / "theirs"))


def words(command: tuple[object, ...], mine: Path, run: Path) -> list[str]:
    return [str(word).format(mine=mine, run=run, new=run.parent / "new") for word in command]


@pytest.mark.parametrize("command", READS if LONG else READS[:3], ids=lambda command: " ".join(command[:2]))
@pytest.mark.parametrize("file", FILES if LONG else FILES[:1])
def test_files_that_hold_something_else_are_named(
    cli: Cli, mine: Path, theirs: Path, file: str, command: tuple[object, ...]
) -> None:
    for content in CONTENTS if LONG else CONTENTS[:2]:
        (theirs / file).write_bytes(content)
        done = cli(*words(command, mine, theirs))  # which fails where a traceback is printed
        assert done.code in (0, 1, 2)
        assert done.code != 2 or "error: " in done.err


def test_items_that_are_none_end_with_their_line(cli: Cli, mine: Path, theirs: Path) -> None:
    lines = (theirs / "items.jsonl").read_bytes().splitlines(keepends=True)
    (theirs / "items.jsonl").write_bytes(b"".join([*lines[:3], b"nope\n", *lines[4:]]))
    done = cli("runs", "diff", mine, theirs)
    assert done.code == 2
    assert "items.jsonl:4 is not an item" in done.err


LINKED = ("judgments.jsonl", "items.jsonl", "recordings.sqlite", ".lock", "report.html", "asked")


@pytest.mark.parametrize("begun", [True, False], ids=["a run", "without a record"])
@pytest.mark.parametrize("file", LINKED if LONG else LINKED[::2])
def test_nothing_is_written_through_a_link(
    cli: Cli, mine: Path, tmp_path: Path, file: str, begun: bool
) -> None:
    run, target = tmp_path / "run", tmp_path / "precious"
    if begun:
        shutil.copytree(mine, run)
        (run / file).unlink(missing_ok=True)
    else:
        run.mkdir()
    target.mkdir() if file == "asked" else target.write_bytes(b"precious\n")
    (run / file).symlink_to(target)
    done = cli("judge", ITEMS, "--format", "direct", "-o", run, "-q")
    assert done.code == 2
    assert "leads out of the folder" in done.err or "no run but other files" in done.err
    assert list(target.iterdir()) == [] if file == "asked" else target.read_bytes() == b"precious\n"
    if begun:
        assert cli("runs", "report", run).code == 2
        assert cli("runs", "show", run).code == 2


def test_labels_are_not_written_through_a_link(cli: Cli, theirs: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").write_bytes(b"precious\n")
    study = tmp_path / "study"
    study.mkdir()
    (study / ".lock").symlink_to(tmp_path / "precious")
    done = cli("labels", "collect", theirs, "--annotators", "anna,ben", "-o", study, "--port", 0)
    assert done.code == 2
    assert "leads out of the folder" in done.err
    assert (tmp_path / "precious").read_bytes() == b"precious\n"

"""``conqret runs``: nothing that was answered is lost, whatever is listed, merged or pruned."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

import conqret
from conqret.io.safe_files import only_writer
from conqret.llm.recordings import Recordings
from conqret.llm.request import Completion
from conqret.serve.view_app import listed
from tests.cli.conftest import Cli
from tests.contract.items import demo
from tests.judging.runs import write_items
from tests.llm.test_recordings import LABELS


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judged")
    items = write_items(folder / "items.jsonl", demo()[:3])
    for name, form in (("first", "direct"), ("inner/second", "rag-direct")):
        conqret.judge(items, format=form, output=folder / "runs" / name)
    return folder


@pytest.fixture
def runs(judged: Path, tmp_path: Path) -> Path:
    """A copy of items and runs, to change."""
    shutil.copytree(judged, tmp_path, dirs_exist_ok=True)
    return tmp_path / "runs"


def answers(store: Path) -> dict[str, str]:
    with Recordings.open_for_replay(store) as recordings:
        return {one.key: one.completion.text for one in recordings.recorded()}


def test_runs_are_listed_with_what_they_are(cli: Cli, runs: Path) -> None:
    record = json.loads((runs / "first" / "run.json").read_text())
    (runs / "begun").mkdir()
    (runs / "begun" / "run.json").write_text(json.dumps(record))
    (runs / "broken").mkdir()
    (runs / "broken" / "run.json").write_text("{")
    summary = runs / "first" / "summary.json"
    summary.write_text(json.dumps(json.loads(summary.read_text()) | {"outstanding": 2}))
    (runs / "inner" / "second" / "recordings.sqlite").write_bytes(b"x" * 5000)
    found = {Path(entry["path"]).name: entry for entry in json.loads(cli("runs", "list", runs, "--json").out)}
    assert list(found) == ["begun", "broken", "first", "second"]
    states = ["not finished", "its record cannot be read", "2 outstanding", "finished"]
    assert [one["state"] for one in found.values()] == states
    assert [one["answers"] for one in found.values()] == [0, None, 12, None]
    assert found["first"]["size"] == sum(file.stat().st_size for file in (runs / "first").iterdir())
    shown = cli("runs", "list", runs).out
    assert len(shown.splitlines()) == 4  # a line each, however long
    assert re.search(r"/first +2 outstanding .* [KM]B +judge: direct, offline, items.jsonl", shown)
    assert "finished, recordings corrupt" in shown
    assert cli("runs", "list", runs / "first").out.splitlines()[-1] == "12 answers"


def test_a_run_whose_judgments_failed_is_listed_as_that(cli: Cli, tmp_path: Path) -> None:
    items, other = (write_items(tmp_path / f"{n}.jsonl", demo()[n : n + 3]) for n in (0, 3))
    assert cli("judge", other, "-f", "direct", "-o", tmp_path / "other", "-q").code == 0
    run = tmp_path / "runs" / "none"
    assert cli("judge", items, "--replay", tmp_path / "other", "-f", "direct", "-o", run, "-q").code == 2
    shown = cli("runs", "list", tmp_path / "runs").out
    assert "finished, 3 failed" in " ".join(shown.split())
    (found,) = json.loads(cli("runs", "list", tmp_path / "runs", "--json").out)
    assert (found["state"], found["lost"]) == ("finished", "3 failed")
    assert listed(tmp_path / "runs")[0].done == "3 of 3 items, 3 failed"


def test_merged_answers_serve_all_runs_and_the_first_one_stays(cli: Cli, runs: Path, tmp_path: Path) -> None:
    store = tmp_path / "shared" / "answers.sqlite"
    first, second = answers(runs / "first"), answers(runs / "inner" / "second")
    into = ("runs", "recordings", "import")
    assert f"{len(first | second)} answers added to {store}" in cli(*into, runs, store).out
    assert answers(store) == first | second
    with Recordings(tmp_path / "other.sqlite") as other:
        other.put(next(iter(first)), Completion("another"), **LABELS)
        other.put("new", Completion("new"), **LABELS)
        other.export_jsonl(tmp_path / "other.jsonl")
    assert "1 answer added" in cli(*into, runs / "first", tmp_path / "other.jsonl", store).out
    assert answers(store) == first | second | {"new": "new"}
    for sources in ([tmp_path / "none"], [tmp_path / "shared"], [runs, tmp_path / "items.jsonl"]):
        assert cli(*into, *sources, tmp_path / "fresh.sqlite").code == 2
    assert not (tmp_path / "fresh.sqlite").exists()


def test_nothing_goes_that_is_nowhere_else(cli: Cli, runs: Path, tmp_path: Path) -> None:
    store = tmp_path / "answers.sqlite"
    assert "there is nothing to remove" in cli("runs", "prune", runs).out
    cli("runs", "recordings", "import", runs / "first", store)
    begun = runs / "begun"
    begun.mkdir()
    (begun / "run.json").write_bytes((runs / "first" / "run.json").read_bytes())
    (runs / "first" / ".scores.parquet.0123abcd.part").write_bytes(b"x")
    (runs / "first" / "notes.part").write_bytes(b"mine")
    listed = cli("runs", "prune", runs, "--store", store)
    assert (listed.code, "3 places; --yes removes them" in listed.out) == (0, True)
    assert begun.exists()
    with only_writer(begun):
        done = cli("runs", "prune", runs, "--store", store, "--yes")
    assert (done.code, "another process is writing" in done.err) == (1, True)
    assert cli("runs", "prune", runs, "--yes").code == 0
    assert not begun.exists()
    assert (
        sorted(file.name for file in (runs / "first").iterdir())
        == ".lock items.jsonl judgments.jsonl notes.part report.html run.json scores.parquet summary.json".split()
    )
    assert answers(runs / "inner" / "second")  # only there
    judge = ("judge", tmp_path / "items.jsonl", "-f", "direct", "-o", runs / "first", "--recordings", store)
    assert cli(*judge, "-q").code == 0

"""``conqret judge --require``, what it writes for a build, and what items must have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.contract.items import demo
from tests.judging.runs import write_items


@pytest.fixture
def items(tmp_path: Path) -> Path:
    return write_items(tmp_path / "items.jsonl", demo()[:4])


def test_what_is_required_of_means_decides_the_exit_code(cli: Cli, items: Path, tmp_path: Path) -> None:
    def required(*conditions: str, json: bool = False) -> Any:
        options = [part for condition in conditions for part in ("--require", condition)]
        files = ("--junit", tmp_path / "junit.xml", "--markdown", tmp_path / "build.md")
        asked = ("judge", items, "-f", "direct", "--metric", "groundedness", "-o", tmp_path / "r", "-q")
        return cli(*asked, *files, *options, *["--json"] * json)

    done = required("groundedness >= 0", "groundedness.worst_case >= 0", "coverage >= 1")
    assert done.code == 0
    assert done.err.splitlines()[-1] == "met: coverage >= 1 (1.000)"
    assert ("4 items: 4 scored" in done.out, "─" in done.out) == (True, False)  # quiet: no table
    assert 'tests="4" failures="0"' in (tmp_path / "junit.xml").read_text()
    done = required("groundedness > 1")
    assert done.code == 1
    assert "not met: groundedness > 1" in done.err
    assert 'name="groundedness &gt; 1">\n    <failure' in (tmp_path / "junit.xml").read_text()
    assert "\n| groundedness > 1 | **not met** | " in (tmp_path / "build.md").read_text()
    (found,) = json.loads(required("groundedness > 1", json=True).out)["requirements"]
    assert (found["requirement"], found["met"], bool(found["items"])) == ("groundedness > 1", False, True)
    done = required("groundedness.low >= 0")  # of too few topics there is no interval
    assert (done.code, "groundedness.low >= 0 (none, no interval: 2 clusters" in done.err) == (1, True), (
        done.err
    )
    for wrong, words in (
        ("support > 1", "there is no metric to require 'support': here it is 'groundedness'"),
        ("groundedness.worst >= 0", "there is no end 'worst' of groundedness: did you mean 'worst_case'"),
        ("coverage.low >= 0", "coverage has no interval"),
    ):
        done = required(wrong)
        assert (done.code, words in done.err) == (2, True), done.err


def test_what_no_item_allows_cannot_be_required(cli: Cli, tmp_path: Path) -> None:
    rows = [item.model_copy(update={"second_argument": None}) for item in demo()[:4]]
    items = write_items(tmp_path / "items.jsonl", rows)
    done = cli("judge", items, "-f", "direct", "-o", tmp_path / "r", "--require", "preference >= 0.5")
    assert done.code == 2
    assert "there is no metric to require 'preference' of these items" in done.err
    assert not (tmp_path / "r" / "judgments.jsonl").exists()


def test_items_that_were_left_out_count_where_something_is_required(cli: Cli, tmp_path: Path) -> None:
    path = write_items(
        tmp_path / "items.jsonl", [*demo()[:3], demo()[3].model_copy(update={"documents": ()})]
    )
    asked = ("judge", path, "-f", "direct", "--metric", "groundedness", "--skip-invalid", "-q")
    done = cli(*asked, "-o", tmp_path / "r", "--require", "coverage >= 0.95", "--json")
    assert done.code == 1
    assert "not met: coverage >= 0.95 (0.750)" in done.err
    summary = json.loads(done.out)
    found = summary["metrics"]["groundedness"]
    assert (summary["total"], summary["left_out"]) == (3, 1)
    assert found["worst_case"] == pytest.approx(0.75 * found["mean"])
    assert found["best_case"] == pytest.approx(0.75 * found["mean"] + 0.25)
    done = cli(*asked, "-o", tmp_path / "r", "--require", "groundedness.worst_case >= 0")
    assert f"groundedness.worst_case >= 0 ({found['worst_case']:.3f})" in done.err
    assert "4 items: 3 scored, 0 unscored, 0 failed, 1 left out, because of faults" in done.out  # though -q


def test_a_folder_is_no_file_for_a_build(cli: Cli, items: Path, tmp_path: Path) -> None:
    done = cli("judge", items, "-f", "direct", "-o", tmp_path / "r", "--junit", tmp_path)
    assert (done.code, "is a directory" in done.err.replace("\n", " ")) == (2, True)
    assert not (tmp_path / "r").exists()


def test_items_without_any_reference_are_refused_before_the_first_call(cli: Cli, tmp_path: Path) -> None:
    items = tmp_path / "items.jsonl"
    rows = [{"topic": "What is it?", "argument": f"It is {number}."} for number in range(2)]
    items.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    done = cli("judge", items, "--format", "answer-correctness", "-o", tmp_path / "run")
    assert done.code == 2
    assert f"{items}:1, 2 [reference] is missing" in done.err
    assert not (tmp_path / "run" / "judgments.jsonl").exists()

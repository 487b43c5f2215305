"""Formats that hold items against a reference, and a metric that follows from another one, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Cli
from tests.contract.items import DEMO


def test_items_without_any_reference_are_refused_before_the_first_call(cli: Cli, tmp_path: Path) -> None:
    items = tmp_path / "items.jsonl"
    rows = [{"topic": "What is it?", "argument": f"It is {number}."} for number in range(2)]
    items.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    done = cli("judge", items, "--format", "answer-correctness", "-o", tmp_path / "run")
    assert done.code == 2
    assert f"{items}:1, 2 [reference] is missing" in done.err
    assert not (tmp_path / "run" / "judgments.jsonl").exists()


def test_hallucination_can_be_required_and_says_which_way_is_better(cli: Cli, tmp_path: Path) -> None:
    done = cli(
        *f"judge {DEMO} --format direct --metric hallucination -o {tmp_path}/run --require".split(),
        "hallucination <= 1",
    )
    assert done.code == 0, done.err
    assert "lower is better" in done.out
    assert "lower is better" in (tmp_path / "run" / "report.html").read_text()

"""What commands do by a plan, public functions do from Python: offline, into a folder, where the same call goes on."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import conqret
from conqret.studies.power.sample_sizes import PlanSettings, SamplePlan

DEBATES = Path(__file__).parents[2] / "fixtures" / "two_turn_debates.jsonl"


def lines(file: Path, *rows: dict[str, Any]) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def test_the_settings_of_planning_are_its_fields() -> None:
    assert [*PlanSettings.__annotations__] == [field.name for field in fields(SamplePlan)]
    pytest.importorskip("scipy")
    found = conqret.power_difference(shift=0.2, sd=0.1, topics=[8], items=[2], simulations=20)
    assert [(cell.topics, cell.items, cell.power) for cell in found.cells] == [(8, 2, 1.0)]


def test_debates_are_held_filtered_and_made_training_data(tmp_path: Path) -> None:
    topics = lines(tmp_path / "topics.jsonl", {"id": "t1", "topic": "Zoos should be closed"})
    out = tmp_path / "held"
    held = conqret.hold_debates(topics, rounds=1, arguments=1, output=out)
    assert held.summary.finished == 1
    assert {"debates.jsonl", "statements.jsonl", "report.html"} <= {one.name for one in out.iterdir()}
    again = conqret.hold_debates(topics, rounds=1, arguments=1, output=out)
    assert (again.session.sent, again.summary) == (0, held.summary)
    passed = conqret.filter_statements(out / "statements.jsonl", output=tmp_path / "filtered")
    assert len(passed.found.kept) + len(passed.found.dropped) == held.summary.statements
    kept = lines(tmp_path / "kept.jsonl", *passed.found.kept)
    data = conqret.debate_training_data(kept, test_share=0.0)
    assert len(data.train) % 2 == 0


def test_recordings_are_exported_and_read_in(tmp_path: Path) -> None:
    conqret.judge(DEBATES.parent / "demo" / "items.jsonl", format="direct", output=tmp_path / "run")
    done = conqret.export_recordings(tmp_path / "run", tmp_path / "out.jsonl")
    assert conqret.import_recordings(tmp_path / "out.jsonl", tmp_path / "store.sqlite") == done.answers
    (found,) = conqret.list_runs(tmp_path)
    assert found.path == tmp_path / "run"
    page = conqret.report_run(found.path, tmp_path / "page.html")
    assert page.files == (tmp_path / "page.html",)

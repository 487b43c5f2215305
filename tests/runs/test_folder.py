"""A run directory: who may begin, go on and begin afresh in it, and what is said to whom who may not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from conqret.errors import DeclarationError
from conqret.io.safe_files import InFolder
from conqret.runs.run_folder import LAYOUT, RunFolder, RunRecord


class Record(RunRecord):
    SAME: ClassVar[Mapping[str, str]] = {"model": "model", "items": "items"}

    kind: str = "walk"
    model: str = "m"
    items: str = "i"
    timeout: float = 1.0

    def __str__(self) -> str:
        return f"a walk with {self.model}"


@dataclass(frozen=True)
class Walk(RunFolder[Record]):
    COMMAND: ClassVar[str] = "conqret walk"
    BEGINS: ClassVar[tuple[str, ...]] = ("items.jsonl",)

    steps_file = InFolder("steps.jsonl")
    pages = InFolder("pages")


@dataclass(frozen=True)
class Swim(RunFolder[RunRecord]):
    COMMAND: ClassVar[str] = "conqret swim"


@pytest.fixture
def walk(tmp_path: Path) -> Walk:
    return Walk(tmp_path / "walk")


def begin(folder: Walk, record: Record | None = None, *, overwrite: bool = False) -> None:
    def items() -> None:
        assert not folder.record_file.exists()
        (folder.path / "items.jsonl").write_text("one\n")

    with folder.claimed(record or Record(), overwrite=overwrite, begin=items):
        pass


def test_another_run_is_refused_and_says_what_differs(walk: Walk) -> None:
    assert not walk.holds_another(Record(model="other"))
    begin(walk)
    before = walk.record_file.read_bytes()
    with pytest.raises(DeclarationError) as caught:
        begin(walk, Record(model="other"))
    said = str(caught.value)
    assert "contains another run (a walk with m). What differs: model. Give" in said
    assert "--overwrite to start over in this one (its recordings are kept)" in said
    with pytest.raises(DeclarationError, match="What differs: model, items"):
        begin(walk, Record(model="other", items="others"))
    assert walk.record_file.read_bytes() == before
    assert walk.holds_another(Record(model="other"))


def test_overwrite_takes_away_what_was_made_and_keeps_the_recordings(walk: Walk) -> None:
    begin(walk)
    walk.steps_file.write_text("step\n")
    walk.pages.mkdir()
    (walk.pages / "one.svg").write_text("one")
    (walk.path / "notes.txt").write_text("mine")
    walk.recordings_file.write_bytes(b"answers")
    begin(walk, Record(model="other"), overwrite=True)
    assert walk.record().model == "other"
    names = {path.name for path in walk.path.iterdir()}
    assert {"notes.txt", "recordings.sqlite", "items.jsonl", "run.json"} <= names
    assert not names & {"steps.jsonl", "pages"}


def test_a_folder_of_another_kind_is_refused_even_to_be_overwritten(walk: Walk) -> None:
    begin(walk)
    swim = Swim(walk.path)
    for overwrite in (False, True):
        with pytest.raises(DeclarationError, match=r"contains a run of another kind \(walk\)"):
            swim.check(RunRecord(kind="swim"), overwrite=overwrite)
    with pytest.raises(DeclarationError, match="give the folder of a run of conqret swim"):
        swim.record()


@pytest.mark.parametrize("name", ["notes.txt", "generations.jsonl"])
def test_a_folder_with_other_files_is_refused(walk: Walk, name: str) -> None:
    walk.path.mkdir()
    (walk.path / name).write_text("mine")
    with pytest.raises(DeclarationError, match=f"contains no run but other files .{name}."):
        begin(walk, overwrite=True)
    assert [path.name for path in walk.path.iterdir() if not path.name.startswith(".")] == [name]


def test_what_a_killed_run_left_before_its_record_does_not_disturb(walk: Walk) -> None:
    walk.path.mkdir()
    for name in ("items.jsonl", "recordings.sqlite", "recordings.sqlite-wal", "run.json.x.part"):
        (walk.path / name).write_text("")
    begin(walk)
    assert walk.record().model == "m"


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"format": "direct"}, "another version of conqret.*its recordings are still good"),
        ({"layout": LAYOUT + 1, "kind": "walk"}, "update conqret to read it"),
        ({"layout": LAYOUT, "kind": "walk", "model": 3}, "run.json cannot be read"),
    ],
)
def test_records_that_cannot_be_read_say_why(walk: Walk, record: object, said: str) -> None:
    walk.path.mkdir()
    walk.record_file.write_text(json.dumps(record))
    with pytest.raises(DeclarationError, match=said):
        walk.record()
    walk.record_file.write_text("{")
    with pytest.raises(DeclarationError, match="cannot be read"):
        walk.record()


def test_a_folder_is_written_by_one_at_a_time(walk: Walk) -> None:
    with walk.claimed(Record()), pytest.raises(DeclarationError, match="another process"):
        begin(walk)
    begin(walk)

"""A damaged store: no altered answer is ever used, nothing ends in a traceback, and what can be read is kept."""

import contextlib
import random
import shutil
import sqlite3
from pathlib import Path

import pytest

from conqret.errors import ConqretError
from conqret.llm.recordings import Recordings
from conqret.llm.request import Completion
from conqret.runs.shared_recordings import export_recordings, import_recordings
from tests.llm.test_recordings import LABELS
from tests.torture.effort import times

ANSWERS = {f"key-{number:03}": Completion("é" * (number * 97) or "x", cost_usd=0.5) for number in range(120)}
"""From one that shares its page with many to one that takes six."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "recordings.sqlite"
    with Recordings(path) as store:
        for key, answer in ANSWERS.items():
            store.put(key, answer, **LABELS | {"item": key})
    return path


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(whole, tmp_path / "recordings.sqlite"))


def change(path: Path, statement: str) -> None:
    with sqlite3.connect(path) as db:
        db.execute(statement)
    db.close()


def read_all(path: Path) -> dict[str, Completion]:
    with Recordings(path) as store:
        found = {key: store.get(key) for key in ANSWERS}
    return {key: answer for key, answer in found.items() if answer is not None}


def test_a_flipped_bit_makes_an_answer_one_to_be_asked_again(
    copy: Path, caplog: pytest.LogCaptureFixture
) -> None:
    change(copy, "UPDATE recordings SET completion = replace(completion, '0.5', '0.1') WHERE key = 'key-007'")
    with Recordings(copy) as store:
        assert store.get("key-007") is None
        assert store.get("key-008") == ANSWERS["key-008"]
        assert store.export_jsonl(copy.with_name("export.jsonl")) == 119
        assert store.corrupt == 1
        assert store.put("key-007", Completion("again"), **LABELS) == Completion("again")
        assert store.get("key-007") == Completion("again")
    assert caplog.text.count("a corrupt recording is not used: rag of item key-007, sample 0") == 1


def test_no_flipped_bit_alters_an_answer_or_ends_in_a_traceback(copy: Path) -> None:
    whole, rng, kept = copy.read_bytes(), random.Random(0), list[int]()
    for flip in range(times(10, 1_000)):
        data = bytearray(whole)
        data[rng.randrange(100 if flip % 5 == 0 else len(data))] ^= 1 << rng.randrange(8)
        for file in copy.parent.glob("*"):
            file.unlink()
        copy.write_bytes(data)
        with contextlib.suppress(ConqretError):
            assert read_all(copy).items() <= ANSWERS.items()
        saved = copy.with_name("saved.jsonl")
        try:
            export_recordings(copy, saved)
        except ConqretError:
            continue  # what the header says is lost
        import_recordings(saved, copy.with_name("new.sqlite"))
        kept.append(len(found := read_all(copy.with_name("new.sqlite"))))
        assert found.items() <= ANSWERS.items()
    assert len(kept) >= 0.8 * times(10, 1_000)
    assert sum(kept) / len(kept) >= 110

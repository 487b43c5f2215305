"""Files that are made to fill memory, to never end, or to fell a reader: a sentence with the place instead."""

from __future__ import annotations

import contextlib
import sqlite3
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from conqret.errors import ConqretError, DeclarationError, FaultsError
from conqret.experiments.reading import read_experiment
from conqret.io import limits, open_items
from conqret.io.labels import read_labels
from conqret.io.rubric_files import rubrics_of
from conqret.judging.judge_folder import JudgeFolder
from conqret.labels.page_messages import page_messages
from conqret.llm.recordings import Recordings, checksum
from conqret.llm.request import Completion
from tests.torture.effort import times

DEEP = "[" * 100_000
SOON = 10.0
"""Seconds; each of these took minutes, or all memory."""


def archive(path: Path, text: str = '{"a-overall-quality": "1"}', packed: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", packed) as made:
        made.writestr("novices/group1-member1.json", text)
    return path


def patched(path: Path, local: int, central: int, value: bytes) -> Path:
    """The archive with other bytes at these places of the headers of its one member."""
    data = bytearray(path.read_bytes())
    for start, place in ((data.index(b"PK\x03\x04"), local), (data.index(b"PK\x01\x02"), central)):
        data[start + place : start + place + len(value)] = value
    path.write_bytes(data)
    return path


def said(call: Callable[[], object]) -> str:
    began = time.process_time()  # what it computes, however busy the machine is
    with pytest.raises(ConqretError) as found:
        call()
    assert time.process_time() - began < SOON
    return str(found.value)


def text_file(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_json_that_is_nested_too_deeply_is_a_fault_with_its_place(tmp_path: Path) -> None:
    items = text_file(tmp_path / "items.jsonl", f'{{"topic": "T?"}}\n{{"topic": {DEEP}\n')
    assert "items.jsonl:2 is JSON that cannot be used: the lists" in said(lambda: open_items(items).check())
    whole = text_file(tmp_path / "items.json", DEEP)
    assert "nested too deeply" in said(lambda: open_items(whole).check())
    cell = text_file(tmp_path / "items.csv", f'topic,documents\nT?,"{DEEP}"\n')
    assert "items.csv:2 [documents]" in said(lambda: open_items(cell).check())
    novices = archive(tmp_path / "novices.zip", DEEP)
    assert "novices.zip!group1-member1.json cannot be read (the lists" in said(lambda: read_labels(novices))
    experiment = text_file(tmp_path / "experiment.toml", f"name = {DEEP}")
    assert "experiment.toml is not valid TOML" in said(lambda: read_experiment(experiment))
    (tmp_path / "run").mkdir()
    text_file(tmp_path / "run" / "run.json", DEEP)
    assert "run.json cannot be read" in said(lambda: JudgeFolder(tmp_path / "run").record())
    exported = text_file(tmp_path / "export.jsonl", f'{{"key": {DEEP}\n')
    assert "export.jsonl:1" in said(lambda: Recordings.open_for_replay(exported))


def test_an_integer_of_thousands_of_digits_is_a_fault_of_its_file(tmp_path: Path) -> None:
    digits = "9" * 10_000
    rubric = text_file(tmp_path / "rubric.toml", f'[[criteria]]\nquestion = "Clear?"\npoints = {digits}\n')
    experiment = text_file(tmp_path / "experiment.toml", f'name = "x"\nlanguage = "de"\nseed = {digits}\n')
    for path, read in (
        (rubric, rubrics_of),
        (experiment, read_experiment),
        (experiment, lambda path: page_messages(str(path))),
    ):
        assert f"{path.name} is not valid" in said(lambda path=path, read=read: read(path))


def test_a_rubric_of_too_many_criteria_is_refused_soon(tmp_path: Path) -> None:
    rubric = text_file(tmp_path / "rubric.toml", '[[criteria]]\nquestion = "Clear?"\n' * 3_000)
    assert "more than 500" in said(lambda: rubrics_of(rubric))


def test_a_recorded_answer_that_is_nested_too_deeply_is_damaged(tmp_path: Path) -> None:
    with Recordings(tmp_path / "store.sqlite") as store:
        store.put("k", Completion("x"), ask="a", item="i", model="m", params={}, sample=0)
        store.db.execute("UPDATE recordings SET completion = ?", (DEEP,))
        row = store.db.execute(
            "SELECT key, completion, ask, item, model, params, sample, created FROM recordings"
        )
        store.db.execute("UPDATE recordings SET checksum = ?", (checksum(list(row.fetchone())),))
        assert store.get("k") is None
        assert store.corrupt == 1


def test_members_that_lie_or_are_locked_are_named(tmp_path: Path) -> None:
    locked = patched(archive(tmp_path / "locked.zip"), 6, 8, b"\x01\x00")
    assert "locked.zip!group1-member1.json cannot be read" in said(lambda: read_labels(locked))
    small = patched(archive(tmp_path / "small.zip", " " * 3_000_000), 22, 24, (5).to_bytes(4, "little"))
    assert "small.zip!group1-member1.json cannot be read" in said(lambda: read_labels(small))
    large = archive(tmp_path / "large.zip", " " * (65 << 20))
    assert "group1-member1.json is larger than 64 MiB" in said(lambda: read_labels(large))
    huge = patched(archive(tmp_path / "huge.zip"), 22, 24, (3 * 10**6).to_bytes(4, "little"))
    read_labels(huge)  # it holds less than it says


def test_a_parquet_cell_that_unpacks_to_gigabytes_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, cell = tmp_path / "a.parquet", "x" * 9_000_000
    pl.DataFrame({"topic": ["T?", "U?"], "documents": [["short"], [cell]]}).write_parquet(path)
    assert path.stat().st_size < 100_000
    monkeypatch.setenv("CONQRET_MAX_LINE", str(4 * 2**20))
    told = said(lambda: open_items(path).check())
    assert "a.parquet:1 its rows 1 to 2 unpack to more than 4 MiB each" in told
    assert "CONQRET_MAX_LINE=8388608" in told
    monkeypatch.delenv("CONQRET_MAX_LINE")
    assert open_items(path).check().count == 2


def test_no_flipped_byte_in_the_headers_of_parquet_ends_in_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"topic": [f"T{n}?" for n in range(50)], "argument": ["x"] * 50}).write_parquet(path)
    whole = path.read_bytes()
    for at in range(len(whole) - times(60, len(whole)), len(whole)):
        for flip in (0xFF, 0x80, 0x01):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ flip]) + whole[at + 1 :])
            with contextlib.suppress(FaultsError):
                open_items(path).check()


@pytest.mark.parametrize(
    "made",
    [
        "CREATE VIEW recordings AS WITH RECURSIVE n(key) AS (SELECT 1 UNION ALL SELECT key + 1 FROM n) SELECT key, "
        "1 AS completion, 1 AS ask, 1 AS item, 1 AS model, 1 AS params, 1 AS sample, 1 AS created, 1 AS checksum "
        "FROM n;",
        "CREATE TABLE recordings (key, completion, ask, item, model, params, sample, created, checksum);"
        "CREATE TRIGGER t AFTER INSERT ON recordings BEGIN DELETE FROM recordings; END;",
    ],
)
def test_a_database_that_is_no_store_is_refused(tmp_path: Path, made: str) -> None:
    path = tmp_path / "store.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(made + f"PRAGMA application_id = {0x436F6E51}; PRAGMA user_version = 2;")
    db.close()
    for call in (lambda: Recordings(path), lambda: Recordings.open_for_replay(path)):
        assert "this SQLite file contains no recordings in conqret's format" in said(call)


def test_blobs_and_endless_rows_in_a_store_are_damaged_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.sqlite"
    with Recordings(path) as store:
        for key in ("blob", "null", "long", "sound"):
            store.put(key, Completion("x"), ask="a", item="i", model="m", params={}, sample=0)
        blobs = ", ".join(
            f"{name} = x'00ff1b5b'" for name in ("completion", "ask", "item", "model", "created")
        )
        store.db.execute(f"UPDATE recordings SET {blobs} WHERE key = 'blob'")
        store.db.execute("UPDATE recordings SET sample = 'none', checksum = NULL WHERE key = 'null'")
        store.db.execute("UPDATE recordings SET completion = zeroblob(3000000) WHERE key = 'long'")
        assert [store.get(key) is None for key in ("blob", "null", "sound")] == [True, True, False]
        assert len([*store.recorded()]) == 1
    monkeypatch.setenv("CONQRET_MAX_ANSWER", "250000")
    with Recordings(path) as store:
        assert "too big" in said(lambda: store.get("long"))
        assert store.get("sound") is not None


def test_each_limit_can_be_raised_and_nothing_else_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in limits.LIMITS:
        monkeypatch.setenv(limit.variable, "12345")
        assert limit.most == 12345
        assert f"{limit.variable}=24690" in limit.remedy
    for wrong in ("much", "0", "1e9", "1" * 40):
        monkeypatch.setenv(limits.LINE.variable, wrong)
        with pytest.raises(DeclarationError, match=limits.LINE.variable):
            _ = limits.LINE.most

"""A damaged store: no altered answer is ever used, nothing ends in a traceback, and what can be read is kept."""

import random
import shutil
import sqlite3
from pathlib import Path

import pytest

from conqret.errors import ConqretError, DeclarationError
from conqret.llm.recordings import Recordings
from conqret.llm.request import Completion
from conqret.llm.salvage import StoreCheck, check_store, salvage
from conqret.llm.store_file import DamagedStoreError
from tests.llm.test_recordings import LABELS
from tests.torture.effort import times

ANSWERS = {f"key-{number:03}": Completion("é" * (number * 97) or "x", cost_usd=0.5) for number in range(120)}
"""From one that shares its page with many to one that takes six."""

FLIPS = 40


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
        assert store.stats().answers == 119
        assert store.stats().damaged == 1
        assert store.export_jsonl(copy.with_name("export.jsonl")) == 119
        assert store.put("key-007", Completion("again"), **LABELS) == Completion("again")
        assert store.get("key-007") == Completion("again")
    assert (
        caplog.text.count("a corrupt recording is not used: rag of item key-007, sample 0 (key key-007)") == 1
    )
    assert check_store(copy).whole
    with sqlite3.connect(copy) as db:
        assert [key for (key,) in db.execute("SELECT key FROM damaged")] == ["key-007"]


def test_what_is_damaged_is_named_and_set_aside(copy: Path) -> None:
    change(copy, "UPDATE recordings SET completion = x'ff00', sample = 'two' WHERE key = 'key-007'")
    change(copy, "UPDATE recordings SET params = '{}' WHERE key = 'key-009'")
    found = check_store(copy)
    assert (found.answers, found.whole, found.repaired) == (118, False, False)
    assert [name.split(",")[0] for name in found.damaged] == ["rag of item key-007", "rag of item key-009"]
    mended = check_store(copy, repair=True)
    assert (mended.answers, mended.damaged, mended.whole) == (118, found.damaged, True)
    assert check_store(copy) == StoreCheck(str(copy), 118)


@pytest.mark.parametrize("flip", range(FLIPS))
def test_no_flipped_bit_alters_an_answer_or_ends_in_a_traceback(copy: Path, flip: int) -> None:
    rng = random.Random(flip)
    data = bytearray(copy.read_bytes())
    place = rng.randrange(100 if flip % 5 == 0 else len(data))
    data[place] ^= 1 << rng.randrange(8)
    copy.write_bytes(data)
    for attempt in (lambda: read_all(copy), lambda: check_store(copy).answers):
        try:
            found = attempt()
        except ConqretError:
            continue
        assert isinstance(found, int) or found.items() <= ANSWERS.items()
    mended = check_store(copy, repair=True)
    assert mended.whole
    assert mended.answers >= 90  # a page that lists the others, or one with many short answers, may be lost
    assert read_all(copy).items() <= ANSWERS.items()
    assert len(read_all(copy)) == mended.answers
    assert check_store(copy).whole


def test_what_is_no_database_any_more_is_made_anew(copy: Path) -> None:
    data = bytearray(copy.read_bytes())
    data[: 4096 * 3] = b"\xff" * 4096 * 3
    copy.write_bytes(data[: len(data) // 2])
    with pytest.raises(DeclarationError, match="recordings check"):
        Recordings(copy)
    found = check_store(copy)
    assert 30 < found.answers < 120
    mended = check_store(copy, repair=True)
    assert mended.kept == str(copy) + ".damaged"
    assert Path(mended.kept).read_bytes() == data[: len(data) // 2]
    assert len(read_all(copy)) == found.answers
    assert read_all(copy).items() <= ANSWERS.items()
    shutil.copy(mended.kept, copy)
    assert check_store(copy, repair=True).kept == str(copy) + ".damaged-2"


def test_what_stands_in_the_log_alone_is_read(tmp_path: Path) -> None:
    with Recordings(tmp_path / "store.sqlite") as store:
        store._db.execute("PRAGMA wal_autocheckpoint = 0")
        for key, answer in ANSWERS.items():
            store.put(key, answer, **LABELS)
        for ending in ("", "-wal"):  # as after a kill
            shutil.copy(f"{store.path}{ending}", tmp_path / f"killed.sqlite{ending}")
    killed = tmp_path / "killed.sqlite"
    killed.write_bytes(b"no database")
    assert {one.key: one.completion for one in salvage(killed)} == ANSWERS
    check_store(killed, repair=True)
    assert read_all(killed) == ANSWERS


def test_a_store_without_checksums_gets_them(copy: Path) -> None:
    change(copy, "DROP TABLE damaged")
    change(copy, "ALTER TABLE recordings DROP COLUMN checksum")
    change(copy, "PRAGMA user_version = 1")
    with pytest.raises(DeclarationError, match="check --repair"):
        Recordings.open_for_replay(copy)
    assert read_all(copy) == ANSWERS
    Recordings.open_for_replay(copy).close()


@pytest.mark.parametrize("text", [b"", b"topic,stance\n" * 900, bytes(range(256)) * 64, b"\x0d" * 20_000])
def test_what_never_was_a_store_is_left_alone(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "other.csv"
    path.write_bytes(text)
    for repair in (False, True):
        with pytest.raises(DeclarationError, match=r"No response can be recovered|is empty"):
            check_store(path, repair=repair)
    assert path.read_bytes() == text
    assert [file.name for file in tmp_path.iterdir()] == ["other.csv"]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store all of whose answers stand in the log, as after a kill."""
    folder = tmp_path_factory.mktemp("killed")
    with Recordings(folder / "live.sqlite") as store:
        store._db.execute("PRAGMA wal_autocheckpoint = 0")
        for key, answer in ANSWERS.items():
            store.put(key, answer, **LABELS)
        for ending in ("", "-wal"):
            shutil.copy(f"{store.path}{ending}", folder / f"store.sqlite{ending}")
    return folder / "store.sqlite"


@pytest.mark.parametrize("flip", range(times(4, 200)))
def test_a_flipped_bit_in_the_log_loses_no_answer_in_silence(killed: Path, tmp_path: Path, flip: int) -> None:
    """SQLite reads a log up to the first frame that is damaged, and drops the answers after it."""
    path, log = tmp_path / killed.name, tmp_path / f"{killed.name}-wal"
    shutil.copy(killed, path)
    rng, data = random.Random(flip), bytearray(killed.with_name(log.name).read_bytes())
    data[rng.randrange(len(data) - 3 * 4120)] ^= 1 << rng.randrange(8)
    log.write_bytes(data)
    with pytest.raises(DamagedStoreError, match="its journal"):
        Recordings(path)
    mended = check_store(path, repair=True)
    assert mended.answers >= 100
    assert read_all(path).items() <= ANSWERS.items()
    assert len(read_all(path)) == mended.answers

"""A damaged file of labels: no label is ever altered, and whoever opens it is told of its backup."""

from __future__ import annotations

import contextlib
import random
import shutil
from pathlib import Path

import pytest

from conqret.errors import ConqretError
from conqret.labels.answer_ledger import Ledger
from conqret.labels.database import BACKUP, FILE, CorruptLabelsError
from tests.labels.studies import begun
from tests.torture.effort import times

PEOPLE = ("anna", "ben", "carl")
ITEMS = 4
FLIPS = times(60, 3_000)


def labels_in(folder: Path) -> list[tuple[str, str, str, str, str]]:
    with contextlib.closing(Ledger(folder)) as ledger:
        return [
            (one.annotator.pseudonym, one.screen.item, one.answers["overall_quality"], one.comment, one.at)
            for one in ledger.finished_answers()
        ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study with labels and a backup."""
    folder = tmp_path / "labels"
    with contextlib.closing(begun(folder, ITEMS, PEOPLE)) as ledger:
        for name in PEOPLE[:2]:
            person = ledger.annotator(name)
            for place in range(ITEMS - 1):
                turn = ledger.next(person)
                assert turn is not None
                ledger.answer(person, turn, {"overall_quality": str(place + 1)}, f"{name}'s {place}", 0)
        ledger.check_and_back_up()
    return folder


def test_an_altered_label_is_refused_and_the_backup_gives_it_back(folder: Path) -> None:
    meant, data = labels_in(folder), (folder / FILE).read_bytes()
    assert data.count(b'"2"}anna\'s 1') == 1
    (folder / FILE).write_bytes(data.replace(b'"2"}anna\'s 1', b'"3"}anna\'s 1'))
    with pytest.raises(CorruptLabelsError, match=rf"is corrupt \(1 row\); its last backup is .*{BACKUP}"):
        begun(folder, ITEMS, PEOPLE)
    (folder / FILE).unlink()
    for opened in (Ledger, lambda place: begun(place, ITEMS, PEOPLE)):  # nothing is begun anew over a backup
        with pytest.raises(CorruptLabelsError, match=rf"copy {BACKUP} to {FILE}"):
            opened(folder)
    shutil.copy(folder / BACKUP, folder / FILE)
    begun(folder, ITEMS, PEOPLE).close()
    assert labels_in(folder) == meant


def test_a_backup_keeps_nobody_who_was_deleted(folder: Path) -> None:
    with contextlib.closing(Ledger(folder)) as ledger:
        ledger.forget(ledger.annotator("anna"))
    assert all(b"anna" not in file.read_bytes() for file in folder.iterdir() if file.is_file())


def test_no_flipped_bit_alters_a_label_or_ends_in_a_traceback(folder: Path) -> None:
    rng, meant, data = random.Random(1), labels_in(folder), (folder / FILE).read_bytes()
    for flip in range(FLIPS):
        bad = bytearray(data)
        bad[rng.randrange(100 if flip % 6 == 0 else len(data))] ^= 1 << rng.randrange(8)
        for name in (FILE, f"{FILE}-wal", f"{FILE}-shm"):
            (folder / name).unlink(missing_ok=True)
        (folder / FILE).write_bytes(bad)
        with contextlib.suppress(ConqretError):
            assert labels_in(folder) == meant

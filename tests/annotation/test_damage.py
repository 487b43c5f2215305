"""A damaged file of labels: no label is ever altered, nothing ends in a traceback, and what is sound is kept."""

from __future__ import annotations

import contextlib
import random
import shutil
import sqlite3
from pathlib import Path

import pytest

from conqret.errors import ConqretError, DeclarationError
from conqret.labels.answer_ledger import Ledger
from conqret.labels.database import DamagedLabelsError
from conqret.labels.repair import check_labels, copied
from tests.annotation.studies import begun
from tests.torture.effort import times

PEOPLE = ("anna", "ben", "carl")
ITEMS = 8
FLIPS = times(60, 3_000)
Labels = dict[tuple[str, str], tuple[str, str, str]]


def labels_of(ledger: Ledger) -> Labels:
    return {
        (record.person.pseudonym, record.screen.item): (
            record.answers["overall_quality"],
            record.comment,
            record.at,
        )
        for record in ledger.given()
    }


def labels_in(folder: Path) -> Labels:
    with contextlib.closing(Ledger(folder)) as ledger:
        return labels_of(ledger)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that is nearly over: answers, two of them changed, two decisions, and somebody dropped."""
    folder = tmp_path_factory.mktemp("whole")
    ledger = begun(folder, ITEMS, PEOPLE)
    for name in PEOPLE[:2]:
        person = ledger.person(name)
        for place in range(ITEMS - 1):
            turn = ledger.next(person)
            assert turn is not None
            ledger.answer(person, turn, {"overall_quality": str(place % 5 + 1)}, f"{name}'s {place}", 0)
        ledger.answer(person, turn, {"overall_quality": "1"}, f"{name} on second thoughts", 1)
    ledger.decide(1, {"overall_quality": "2"}, "", "Ada")
    ledger.decide(1, {"overall_quality": "3"}, "", "Ada")
    ledger.set_state(ledger.person("carl"), "dropped", "too fast")
    ledger.close()
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "labels"))


@pytest.fixture(scope="module")
def meant(whole: Path) -> Labels:
    return labels_in(whole)


def changed(folder: Path, old: bytes, new: bytes) -> None:
    """Change what stands once in the file."""
    file = folder / "labels.sqlite"
    data = file.read_bytes()
    assert (data.count(old), len(old)) == (1, len(new))
    file.write_bytes(data.replace(old, new))


def again(folder: Path) -> Ledger:
    """The study as the command opens it that serves it."""
    return begun(folder, ITEMS, PEOPLE)


def test_an_altered_label_is_named_and_asked_again(folder: Path, meant: Labels, tmp_path: Path) -> None:
    changed(folder, b'"2"}anna\'s 1', b'"3"}anna\'s 1')
    (item,) = (item for (_, item), one in meant.items() if one[1] == "anna's 1")
    with pytest.raises(
        DamagedLabelsError, match=r"labels.sqlite is corrupt \(1 row\): `conqret labels check"
    ):
        Ledger(folder)
    with pytest.raises(DamagedLabelsError):
        again(folder)
    rest = {unit: one for unit, one in meant.items() if unit != ("p01", item)}
    (tmp_path / "copy").mkdir()
    assert copied(folder, tmp_path / "copy") == [f"the answer of p01 to {item}"]
    assert labels_in(tmp_path / "copy") == rest
    found = check_labels(folder)
    assert (found.labels, found.lost, found.whole) == (13, (f"the answer of p01 to {item}",), False)
    mended = check_labels(folder, repair=True)
    assert (mended.lost, mended.whole, mended.kept) == (found.lost, True, f"{folder}/labels.sqlite.damaged")
    assert (folder / "labels.sqlite").stat().st_mode & 0o077 == 0
    assert labels_in(folder) == rest
    assert check_labels(folder).whole
    with contextlib.closing(again(folder)) as ledger:
        turn = ledger.begun(ledger.person("anna"))
        assert turn is not None
        assert turn.screen.item == item


def test_an_earlier_answer_never_takes_the_place_of_a_lost_one(folder: Path, meant: Labels) -> None:
    changed(folder, b"anna on second thoughts", b"anna on second-thoughts")
    (item,) = (item for (_, item), one in meant.items() if one[1].startswith("anna on"))
    assert check_labels(folder, repair=True).lost == (f"the answer of p01 to {item}",)
    assert labels_in(folder) == {unit: one for unit, one in meant.items() if unit != ("p01", item)}


def test_a_lost_earlier_answer_is_named_and_the_label_counts(folder: Path, meant: Labels) -> None:
    changed(folder, b"anna's 6", b"anna's 7")
    (lost,) = check_labels(folder, repair=True).lost
    assert lost.startswith("an earlier answer of p01 to ")
    assert labels_in(folder) == meant


def test_what_the_items_give_is_made_anew_by_the_command_that_serves_them(
    folder: Path, meant: Labels, caplog: pytest.LogCaptureFixture
) -> None:
    file = folder / "labels.sqlite"
    data = bytearray(file.read_bytes())
    for place in (data.index(b"In year 3 the number") + 3, data.index(b'{"task":"rating"') + 20):
        data[place] ^= 1
    file.write_bytes(data)
    with pytest.raises(DeclarationError, match="or run the command that started the study"):
        check_labels(folder)
    with contextlib.closing(again(folder)) as ledger:
        assert labels_of(ledger) == meant
        assert ledger.wanted() == (14, 16)
    assert "without loss of labels" in caplog.text
    assert (folder / "labels.sqlite.damaged").read_bytes() == data


def test_a_copy_gives_back_what_is_lost(folder: Path, meant: Labels, tmp_path: Path) -> None:
    with contextlib.closing(again(folder)) as ledger:
        ledger.backup(tmp_path / "copy.sqlite")
        ben = ledger.person("ben")
        turn = ledger.next(ben)
        assert turn is not None
        ledger.answer(ben, turn, {"overall_quality": "5"}, "after the copy", 0)
        newer = labels_of(ledger)
    assert len(newer) == len(meant) + 1
    changed(folder, b"anna's 1", b"anna's 2")
    changed(folder, b"In year 3 the", b"In year 4 the")
    mended = check_labels(folder, repair=True, backup=tmp_path / "copy.sqlite")
    assert mended.lost == ()
    assert labels_in(folder) == newer
    assert not check_labels(folder, repair=True, backup=tmp_path / "copy.sqlite").repaired  # it is whole
    (folder / "labels.sqlite").unlink()
    assert check_labels(folder, repair=True, backup=tmp_path / "copy.sqlite").labels == len(meant)
    begun(tmp_path / "other", 2, PEOPLE).close()
    changed(folder, b"anna's 1", b"anna's 2")
    with pytest.raises(DeclarationError, match="another study"):
        check_labels(folder, repair=True, backup=tmp_path / "other" / "labels.sqlite")


def test_a_copy_brings_nobody_back_who_was_deleted(folder: Path, tmp_path: Path) -> None:
    with contextlib.closing(again(folder)) as ledger:
        ledger.backup(tmp_path / "copy.sqlite")
        ledger.forget(ledger.person("anna"))
    changed(folder, b"ben's 1", b"ben's 2")
    assert check_labels(folder, repair=True, backup=tmp_path / "copy.sqlite").lost == ()
    assert {name for name, _ in labels_in(folder)} == {"p02"}
    assert b"anna" not in (folder / "labels.sqlite").read_bytes()


def test_what_no_longer_says_what_it_is_is_read_from_a_copy_of_the_study(folder: Path, meant: Labels) -> None:
    data = (folder / "labels.sqlite").read_bytes()
    (folder / "labels.sqlite").write_bytes(b"\xff" * 4096 + data[4096:])
    with pytest.raises(DeclarationError, match="conqret labels check"):
        Ledger(folder)
    assert check_labels(folder, repair=True).lost == ()
    assert labels_in(folder) == meant
    (folder / "labels.sqlite").write_bytes(b"nothing of a study" * 1000)
    with pytest.raises(DeclarationError, match="--backup FILE"):
        check_labels(folder, repair=True)


def test_a_damaged_journal_is_not_read_in_half(tmp_path: Path) -> None:
    ledger = begun(tmp_path / "live", ITEMS, PEOPLE)
    anna = ledger.person("anna")
    for place in range(4):
        turn = ledger.next(anna)
        assert turn is not None
        ledger.answer(anna, turn, {"overall_quality": "4"}, f"remark {place}", 0)
    meant = labels_of(ledger)
    for place in range(3):  # killed while people answered
        folder = tmp_path / f"killed-{place}"
        shutil.copytree(tmp_path / "live", folder)
        if place:
            journal = folder / "labels.sqlite-wal"
            data = bytearray(journal.read_bytes())
            data[data.index(b"remark 1") if place == 1 else 20] ^= 4
            journal.write_bytes(data)
            with pytest.raises(DamagedLabelsError, match="its journal"):
                Ledger(folder)
            if place == 1:
                assert (
                    check_labels(folder, repair=True).lost == ()
                )  # other pages of the journal hold the row, too
                assert check_labels(folder).labels == 4
        else:
            assert labels_in(folder) == meant
    ledger.close()


def test_a_row_that_was_damaged_while_it_is_served_gets_no_sound_checksum(folder: Path) -> None:
    with contextlib.closing(again(folder)) as ledger:
        anna = ledger.person("anna")
        turn = ledger.turn(anna, 1)
        assert turn is not None
        with contextlib.closing(sqlite3.connect(folder / "labels.sqlite")) as disk, disk:
            disk.create_function("checksum", -1, lambda *content: "0" * 16, deterministic=True)
            (trigger,) = disk.execute("SELECT sql FROM sqlite_master WHERE name = 'turns_sound'").fetchone()
            disk.execute("DROP TRIGGER turns_sound")
            disk.execute("UPDATE turns SET shown = shown + 1 WHERE number = 1")
            disk.execute(trigger)
        with pytest.raises(DamagedLabelsError, match="a row of turns is damaged"):
            ledger.answer(anna, turn, {"overall_quality": "5"}, "", turn.revision)
    (lost,) = check_labels(folder).lost
    assert lost.startswith("a screen that an annotator was given (number 1, answered at 20")


@pytest.mark.parametrize("part", range(6))
def test_no_flipped_bit_alters_a_label_or_ends_in_a_traceback(
    whole: Path, meant: Labels, tmp_path: Path, part: int
) -> None:
    rng = random.Random(part)
    data = (whole / "labels.sqlite").read_bytes()
    folder = tmp_path / "labels"
    for flip in range(FLIPS // 6):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        bad = bytearray(data)
        bad[rng.randrange(100 if flip % 6 == 0 else len(data))] ^= 1 << rng.randrange(8)
        (folder / "labels.sqlite").write_bytes(bad)
        with contextlib.suppress(ConqretError):
            assert labels_in(folder) == meant
            continue
        with contextlib.suppress(ConqretError), contextlib.closing(again(folder)) as ledger:
            assert labels_of(ledger) == meant
            continue
        lost = check_labels(folder, repair=True).lost
        kept = labels_in(folder)
        assert kept.items() <= meant.items()
        assert len(kept) >= len(meant) - 1 or len(lost) >= len(meant) - len(kept), lost

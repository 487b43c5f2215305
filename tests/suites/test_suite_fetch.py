"""Files of a suite come whole or not at all: cut off, changed, too large, not there, without network."""

from __future__ import annotations

import gzip
from dataclasses import replace

import pytest

from conqret.errors import DeclarationError
from conqret.suites.suite import SuiteFile
from conqret.suites.suite_fetch import fetch_suite, needed_copy
from tests.suites import small
from tests.suites.mirror import Mirror

PLACE = "owner/name/v1/data/pairs.csv"


@pytest.fixture
def target(tmp_path):
    return tmp_path / "fetched" / "small" / "pairs.csv"


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    monkeypatch.setattr("conqret.suites.suite_fetch.PAUSE", 0.0)


def unknown():
    """The suite, whose authors published no digest."""
    suite = small.suite()
    return replace(suite, files=(replace(suite.files[0], sha256="", size=None),))


def test_what_is_fetched_is_checked_and_found(target):
    told = []
    with Mirror({PLACE: small.table()}) as mirror:
        fetched = fetch_suite(small.suite(), mirror=mirror.url, on_bytes=lambda *all_of: told.append(all_of))
        again = fetch_suite(small.suite(), mirror=mirror.url)
    assert target.read_bytes() == small.table()
    assert (fetched.fetched, fetched.kept) == (("pairs.csv",), ())
    assert (again.fetched, again.kept) == ((), ("pairs.csv",))
    assert told[-1] == ("pairs.csv", len(small.table()), len(small.table()))
    assert needed_copy(small.suite()).fetched


def test_a_download_that_breaks_off_is_tried_again(target):
    with Mirror({PLACE: small.table()}, cut=[100, 300]) as mirror:
        fetch_suite(small.suite(), mirror=mirror.url)
    assert target.read_bytes() == small.table()
    target.unlink()
    with (
        Mirror({PLACE: small.table()}, cut=[100, 100, 100]) as mirror,
        pytest.raises(DeclarationError, match=r"Run the command again, or put\n  .*pairs.csv from "),
    ):
        fetch_suite(small.suite(), mirror=mirror.url)
    assert list(target.parent.glob("*pairs*")) == []
    with pytest.raises(DeclarationError) as told:
        fetch_suite(small.suite(), mirror="http://127.0.0.1:9")
    assert f"{target} from " in str(told.value)
    assert small.suite().files[0].sha256 in str(told.value)


@pytest.mark.parametrize("content", [small.table().replace(b"first", b"First", 1), small.table()[:-1], b""])
def test_other_bytes_are_refused_and_not_kept(target, content):
    with Mirror({PLACE: content}) as mirror, pytest.raises(DeclarationError) as told:
        fetch_suite(small.suite(), mirror=mirror.url)
    assert "pairs.csv" in str(told.value)
    assert not target.exists()


def test_a_file_that_is_not_there_is_told_with_its_place(target):
    with Mirror({}) as mirror, pytest.raises(DeclarationError, match="does not exist \\(HTTP 404\\)"):
        fetch_suite(small.suite(), mirror=mirror.url)
    with Mirror({PLACE: small.table()}, statuses=[503, 429]) as mirror:
        fetch_suite(small.suite(), mirror=mirror.url)
    assert target.exists()


def test_files_that_no_command_can_fetch_are_told_with_their_places(target):
    suite = small.suite()
    by_hand = replace(suite, files=(SuiteFile("pairs.csv", optional=True, note="the authors' page"),))
    with pytest.raises(DeclarationError, match="no command can fetch") as told:
        fetch_suite(by_hand)
    assert f"{target} from the authors' page" in str(told.value)
    assert not target.parent.exists()


def test_a_layout_that_moved_is_told_with_file_and_field(target):
    moved = small.table().replace(b"better", b"winner", 1)
    with (
        Mirror({PLACE: moved}) as mirror,
        pytest.raises(DeclarationError, match=r"pairs.csv:1 \[better\] is missing"),
    ):
        fetch_suite(unknown(), mirror=mirror.url)
    with Mirror({PLACE: small.table()}) as mirror:  # the faulty file does not stay
        fetch_suite(unknown(), mirror=mirror.url)
    assert target.read_bytes() == small.table()


@pytest.mark.parametrize(
    ("suite", "endless", "limit"),
    [(small.suite, True, 100_000), (unknown, True, 100_000), (unknown, False, 1000)],
)
def test_what_is_larger_than_it_may_be_is_not_taken_in(target, monkeypatch, suite, endless, limit):
    monkeypatch.setenv("CONQRET_MAX_UNPACKED", str(limit))
    message = "is larger than" if suite is small.suite else "CONQRET_MAX_UNPACKED"
    with (
        Mirror({PLACE: small.table()}, endless=endless) as mirror,
        pytest.raises(DeclarationError, match=message),
    ):
        fetch_suite(suite(), mirror=mirror.url)
    assert list(target.parent.glob("pairs*")) == []


def test_fewer_items_than_are_published_are_told(target):
    with Mirror({PLACE: small.table(3)}) as mirror, pytest.raises(DeclarationError, match="24 of 40 items"):
        fetch_suite(unknown(), mirror=mirror.url)


def test_a_local_copy_is_checked_and_copied(target, tmp_path):
    source = small.write(tmp_path / "elsewhere")
    packed = tmp_path / "packed"
    packed.mkdir()
    (packed / "pairs.csv.gz").write_bytes(gzip.compress(small.table()))
    fetch_suite(small.suite(), source=packed)
    assert needed_copy(small.suite()).digests() == {"pairs.csv": small.suite().files[0].sha256}
    (source / "pairs.csv").write_bytes(small.table(2))
    target.with_name("pairs.csv.gz").unlink()
    with pytest.raises(DeclarationError, match="is not the published file"):
        fetch_suite(small.suite(), source=source)
    assert not target.exists()


def test_a_fetched_file_that_changed_or_was_cut_is_told(target, tmp_path):
    fetch_suite(small.suite(), source=small.write(tmp_path / "elsewhere"))
    target.write_bytes(small.table()[:-5])
    with pytest.raises(DeclarationError, match="has changed since it was fetched"):
        list(needed_copy(small.suite()).changed())
    target.unlink()
    target.with_name("pairs.csv.gz").write_bytes(gzip.compress(small.table())[:-20])
    with pytest.raises(DeclarationError, match="is corrupt or was cut off"):
        list(needed_copy(small.suite()).changed())
    with Mirror({PLACE: small.table()}) as mirror:
        fetch_suite(small.suite(), mirror=mirror.url)
    assert target.read_bytes() == small.table()

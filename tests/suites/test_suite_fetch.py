"""Files of a suite come whole or not at all: cut off, too large, not there, of another layout, without network."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conqret.errors import DeclarationError
from conqret.suites.suite import SuiteFile
from conqret.suites.suite_fetch import fetch_suite, local_copy
from tests.suites import small
from tests.suites.mirror import mirrored

PLACE = "owner/name/v1/data/pairs.csv"


@pytest.fixture
def target(tmp_path, monkeypatch):
    monkeypatch.setattr("conqret.suites.suite_fetch.PAUSE", 0.0)
    return tmp_path / "fetched" / "small" / "pairs.csv"


@pytest.fixture
def fetch(monkeypatch):
    """Fetches the small suite from a mirror that has this content."""

    def fetched(content, **more):
        with mirrored({} if content is None else {PLACE: content}, **more) as mirror:
            monkeypatch.setenv("CONQRET_SUITES_MIRROR", mirror.url)
            return fetch_suite(small.suite())

    return fetched


def test_a_download_that_breaks_off_is_tried_again(target, fetch, monkeypatch):
    fetch(small.table(), cut=(100, 300))
    assert target.read_bytes() == small.table()
    assert local_copy(small.suite()) == target.parent
    target.unlink()
    with pytest.raises(DeclarationError, match=r"Run the command again, or put\n  .*pairs.csv from "):
        fetch(small.table(), cut=(100, 100, 100))
    assert list(target.parent.glob("*pairs*")) == []
    monkeypatch.setenv("CONQRET_SUITES_MIRROR", "http://127.0.0.1:9")
    with pytest.raises(DeclarationError, match="cannot be fetched"):
        fetch_suite(small.suite())


def test_a_file_that_is_not_there_is_told_with_its_place(target, fetch):
    with pytest.raises(DeclarationError, match="does not exist \\(HTTP 404\\)"):
        fetch(None)
    fetch(small.table(), statuses=(503, 429))
    assert target.exists()


def test_files_that_no_command_can_fetch_are_told_with_their_places(target):
    by_hand = SuiteFile("pairs.csv", optional=True, note="the authors' page")
    with pytest.raises(DeclarationError, match="no command can fetch") as told:
        fetch_suite(replace(small.suite(), files=(by_hand,)))
    assert f"{target} from the authors' page" in str(told.value)
    assert not target.parent.exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (small.table().replace(b"better", b"winner", 1), r"\[better\] is missing"),
        (small.table(3), "24 of 40 items"),
    ],
)
def test_a_faulty_file_is_told_and_does_not_stay(target, fetch, content, message):
    with pytest.raises(DeclarationError, match=message):
        fetch(content)
    fetch(small.table())
    assert target.read_bytes() == small.table()


def test_what_is_larger_than_it_may_be_is_not_taken_in(target, fetch, monkeypatch):
    monkeypatch.setenv("CONQRET_MAX_UNPACKED", "100000")
    with pytest.raises(DeclarationError, match="CONQRET_MAX_UNPACKED"):
        fetch(small.table(), endless=True)
    assert list(target.parent.glob("pairs*")) == []

"""A disk that is full while people label: they are told so on the page, what they typed stays there, and nothing that
was confirmed is lost."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from conqret.labels.answer_ledger import Ledger
from conqret.labels.database import LabelFileError
from conqret.labels.study_access import ADJUDICATE, NOT_SAVED, Links
from tests.labels.debates import begun_writing
from tests.labels.studies import begun
from tests.web.test_adjudicating import client
from tests.web.test_annotating import Browser, Study


def fill(ledger: Ledger, *, full: bool = True) -> None:
    """Let the file grow no more, or grow again."""
    (pages,) = ledger._database._connection.execute("PRAGMA page_count").fetchone()
    ledger._database._connection.execute(f"PRAGMA max_page_count = {pages if full else 2**30}")


def used_up(ledger: Ledger, name: str) -> None:
    """Fill what is left of the pages that are there."""
    fill(ledger)
    with contextlib.suppress(LabelFileError):
        while True:
            ledger.set_state(ledger.annotator(name), "active", "x" * 3_000)


async def test_what_was_typed_on_a_screen_stays_there(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with contextlib.closing(begun(tmp_path, 3, ("anna", "ben"))) as ledger:
        study = Study(ledger, tmp_path)
        ben = study.browser()
        where = await ben.begin(study.link("ben"))
        used_up(ledger, "ben")
        said = {"q:overall_quality": "3", "comment": "x" * 5_000}
        assert (await ben.send(where, **said)).status_code == 507
        assert NOT_SAVED in ben.page
        assert 'value="3" required checked' in ben.page
        assert said["comment"] in ben.page
        assert list(ledger.finished_answers()) == []
        assert "is the disk full? Make room" in caplog.text
        fill(ledger, full=False)
        assert (await ben.send(where, **said)).status_code == 200
        assert [record.comment for record in ledger.finished_answers()] == [said["comment"]]


async def test_what_was_written_in_a_debate_stays_there(tmp_path: Path) -> None:
    with contextlib.closing(begun_writing(tmp_path)) as ledger:
        study = Study(ledger, tmp_path)
        ann = study.browser()
        where = await ann.begin(study.link("ann"))
        used_up(ledger, "bob")
        written = {"text": "against it " * 400}
        assert (await ann.send(where, **written, keep="1")).status_code == 507
        assert NOT_SAVED in ann.page
        assert written["text"].strip() in ann.page
        fill(ledger, full=False)
        assert (await ann.send(where, **written, keep="1")).status_code == 200
        assert len(list(ledger.finished_answers())) == 1


async def test_a_decision_stays_there(tmp_path: Path) -> None:
    with contextlib.closing(begun(tmp_path, 1, ("anna", "ben"))) as ledger:
        for name, value in (("anna", "1"), ("ben", "4")):
            turn = ledger.next(ledger.annotator(name))
            assert turn is not None
            ledger.answer(ledger.annotator(name), turn, {"overall_quality": value}, "", 0)
        ada, root = Browser(client(ledger, tmp_path)), f"/adjudicate/{Links(tmp_path).to(ADJUDICATE)}"
        await ada.get(f"{root}/1")
        used_up(ledger, "ben")
        said = {"q:overall_quality": "2", "comment": "x" * 5_000}
        assert (await ada.send(f"{root}/1", **said)).status_code == 507
        assert said["comment"] in ada.page
        fill(ledger, full=False)
        assert (await ada.send(f"{root}/1", **said)).status_code == 200
        assert len(list(ledger.finals())) == 1

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


async def stays_until_there_is_room(browser: Browser, where: str, ledger: Ledger, **fields: str) -> None:
    """What is sent while the disk is full is told so and stays on the page, and is taken as soon as there is room."""
    used_up(ledger, ledger.annotators()[-1].name)
    assert (await browser.send(where, **fields)).status_code == 507
    assert NOT_SAVED in browser.page
    assert max(fields.values(), key=len).strip() in browser.page
    fill(ledger, full=False)
    assert (await browser.send(where, **fields)).status_code == 200


async def test_what_was_typed_on_a_screen_stays_there(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with contextlib.closing(begun(tmp_path, 3, ("anna", "ben"))) as ledger:
        study = Study(ledger, tmp_path)
        ben = study.browser()
        where = await ben.begin(study.link("ben"))
        said = {"q:overall_quality": "3", "comment": "x" * 5_000}
        await stays_until_there_is_room(ben, where, ledger, **said)
        assert "is the disk full? Make room" in caplog.text
        assert [record.comment for record in ledger.finished_answers()] == [said["comment"]]


async def test_what_was_written_in_a_debate_stays_there(tmp_path: Path) -> None:
    with contextlib.closing(begun_writing(tmp_path)) as ledger:
        study = Study(ledger, tmp_path)
        ann = study.browser()
        where = await ann.begin(study.link("ann"))
        await stays_until_there_is_room(ann, where, ledger, text="against it " * 400, keep="1")
        assert len(list(ledger.finished_answers())) == 1


async def test_a_decision_stays_there(tmp_path: Path) -> None:
    with contextlib.closing(begun(tmp_path, 1, ("anna", "ben"))) as ledger:
        for name, value in (("anna", "1"), ("ben", "4")):
            turn = ledger.next(ledger.annotator(name))
            assert turn is not None
            ledger.answer(ledger.annotator(name), turn, {"overall_quality": value}, "", 0)
        ada, root = Browser(client(ledger, tmp_path)), f"/adjudicate/{Links(tmp_path).to(ADJUDICATE)}"
        await ada.get(f"{root}/1")
        said = {"q:overall_quality": "2", "comment": "x" * 5_000}
        await stays_until_there_is_room(ada, f"{root}/1", ledger, **said)
        assert len(list(ledger.finals())) == 1

"""Judges, writers and somebody who decides, in a real browser on the pages that the commands serve: what they meant is
in the export, and the page sends what the slider shows when the time is up."""

from __future__ import annotations

import contextlib
import csv
import json
from pathlib import Path

from conqret.debate.two_turn.judge_answers import LIMIT_SECONDS
from conqret.debate.two_turn.two_turn_files import read_two_turn
from conqret.labels.answer_ledger import Ledger
from tests.cli.conftest import Cli
from tests.labels.debates import DEBATES
from tests.labels.studies import begun
from tests.show.chromium import Chromium, Page
from tests.web.annotators import come_in, until
from tests.web.commands import started


def press(page: Page, button: str) -> None:
    """Press a button, and wait for the next page."""
    page.js(f"window.old = true; document.querySelector('{button}').focus()")
    page.press("Enter")
    until(page, "window.old !== true")


def test_snippets_are_lit_and_the_page_sends_when_the_time_is_up(browser: Chromium, tmp_path: Path) -> None:
    study = tmp_path / "study"
    with (
        started(
            "labels", "collect", DEBATES, "--task", "debate", "--annotators", "ann", "-o", study
        ) as server,
        contextlib.closing(Ledger(study)) as ledger,
    ):
        page = browser.apart()
        come_in(page, server.links["ann"])
        until(page, "document.querySelector('button[name=start]')")
        press(page, "button[name=start]")
        page.js("document.querySelector('.snippet a').click()")
        until(page, "document.querySelector('.quoted.lit')")
        snippet = page.js("document.querySelector('.snippet a').textContent.split(') ').slice(1).join(') ')")
        lit = page.js("[...document.querySelectorAll('.quoted.lit')].map((one) => one.textContent).join('')")
        assert lit == snippet
        with ledger._database.change() as connection:  # as if most of the time were over
            connection.execute("UPDATE turns SET started = started - ?", (LIMIT_SECONDS - 2,))
        page.js("setTimeout(() => location.reload())")
        until(page, "document.querySelector('#clock.last')")
        page.js("document.querySelector('#slider').focus()")
        page.press("ArrowLeft", "ArrowLeft")
        assert page.js("document.querySelector('#slider').ariaValueText") == "moderately confident: A"
        until(page, "document.querySelector('button[name=start]')")
        page.close()
        assert [dict(record.answers) for record in ledger.finished_answers()] == [{"slider": "-2"}]


MARK = """
(() => {
  const words = document.createTreeWalker(document.querySelector('#passage .words'), NodeFilter.SHOW_TEXT);
  let text = words.nextNode();
  while (text.data.trim().length < 12) text = words.nextNode();
  document.getSelection().setBaseAndExtent(text, 0, text, Math.min(text.data.length, 30));
})()
"""


def test_writers_mark_snippets_in_the_passage(browser: Chromium, tmp_path: Path) -> None:
    words = ("labels", "collect", DEBATES, "--task", "write", "--annotators", "gil,hal", "-o", tmp_path)
    with started(*words) as server, contextlib.closing(Ledger(tmp_path)) as ledger:
        page = browser.apart()
        come_in(page, server.links["gil"])
        until(page, "document.querySelector('#snippet')")
        page.js(MARK)
        until(page, "document.querySelector('#snippet').value")
        press(page, "button[name=add]")
        until(page, "document.querySelector('button[name=remove]')")
        page.js("document.querySelector('#text').focus()")
        page.write("This says otherwise (#1).")
        press(page, "button[name=keep]")
        assert not page.complaints, page.complaints
        page.close()
        (record,) = ledger.finished_answers()
        question = next(one for one in read_two_turn(DEBATES) if one.id == record.screen.item)
    (snippet,) = json.loads(record.answers["snippets"])
    assert snippet in question.passage
    assert record.answers["text"] == "This says otherwise (#1)."


def test_who_decides_where_people_differ_is_in_the_export(
    browser: Chromium, cli: Cli, tmp_path: Path
) -> None:
    labels = tmp_path / "labels"
    with contextlib.closing(begun(labels, 2, ("anna", "ben"))) as ledger:
        for name, value in (("anna", "1"), ("ben", "4")):
            person = ledger.annotator(name)
            while (turn := ledger.next(person)) is not None:
                ledger.answer(person, turn, {"overall_quality": value}, "", turn.revision)
    with started("labels", "adjudicate", labels, "--by", "Ada") as server:
        page = browser.apart()
        page.go(server.links["for Ada alone"])
        page.js("setTimeout(() => document.querySelector('a.button').click())")
        for left in (1, 0):
            until(page, "document.querySelector('#questions fieldset.now')")
            page.press("3")
            page.js("window.old = true")
            page.press("Enter")
            until(page, "window.old !== true")
            assert ("#questions" in page.js("document.body.innerHTML")) or not left
        assert page.js("document.body.innerText").count("by Ada") == 2
        assert not page.complaints, page.complaints
        page.close()
    assert cli("labels", "export", labels, "--final", "-o", tmp_path / "final.csv").code == 0
    with (tmp_path / "final.csv").open(newline="") as file:
        assert [(row["item"], row["value"]) for row in csv.DictReader(file)] == [
            ("item-0", "3"),
            ("item-1", "3"),
        ]

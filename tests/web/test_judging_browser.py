"""Judges, writers and somebody who decides, in a real browser on the pages that the commands serve: what they meant is
in the export, and the page sends what the slider shows when the time is up."""

from __future__ import annotations

import contextlib
import csv
from pathlib import Path

from conqret.debate.two_turn.judge_answers import LIMIT_SECONDS
from conqret.debate.two_turn.two_turn_files import read_two_turn
from conqret.labels.answer_ledger import Ledger
from tests.cli.conftest import Cli
from tests.labels.debates import DEBATES
from tests.labels.studies import begun
from tests.show.chromium import Chromium
from tests.web.annotators import until
from tests.web.commands import started
from tests.web.debate_study import Judge, judged, lost, wrote


def test_what_judges_meant_is_in_the_export(browser: Chromium, tmp_path: Path) -> None:
    people = judged(browser, tmp_path, ("ann",))
    assert [len(annotator.said) for annotator in people] == [8]
    assert lost(tmp_path, people) == 0


def test_snippets_are_lit_and_the_page_sends_when_the_time_is_up(browser: Chromium, tmp_path: Path) -> None:
    study = tmp_path / "study"
    with (
        started(
            "labels", "collect", DEBATES, "--task", "debate", "--annotators", "ann", "-o", study
        ) as server,
        contextlib.closing(Ledger(study)) as ledger,
    ):
        page = browser.apart()
        ann = Judge("ann", page, ledger)
        ann.come(server.links["ann"])
        ann.begin()
        page.js("document.querySelector('.snippet a').click()")
        ann.wait("document.querySelector('.quoted.lit')")
        snippet = page.js("document.querySelector('.snippet a').textContent.split(') ').slice(1).join(') ')")
        lit = page.js("[...document.querySelectorAll('.quoted.lit')].map((one) => one.textContent).join('')")
        assert lit == snippet
        with ledger._database.change() as connection:  # as if most of the time were over
            connection.execute("UPDATE turns SET started = started - ?", (LIMIT_SECONDS - 2,))
        page.js("setTimeout(() => location.reload())")
        ann.wait("document.querySelector('#clock.last')")
        ann.slide(-2)
        assert page.js("document.querySelector('#slider').ariaValueText") == "moderately confident: A"
        ann.wait("document.querySelector('button[name=start]')")
        page.close()
        assert [dict(record.answers) for record in ledger.given()] == [{"slider": "-2"}]


def test_writers_mark_snippets_in_the_passage(browser: Chromium, tmp_path: Path) -> None:
    for one in read_two_turn(wrote(browser, tmp_path)):
        for side in one.sides:
            assert side.counter is not None
            assert len(side.counter.snippets) == 1
            assert side.counter.text.startswith("This says otherwise (#1)")


def test_who_decides_where_people_differ_is_in_the_export(
    browser: Chromium, cli: Cli, tmp_path: Path
) -> None:
    labels = tmp_path / "labels"
    with contextlib.closing(begun(labels, 2, ("anna", "ben"))) as ledger:
        for name, value in (("anna", "1"), ("ben", "4")):
            person = ledger.person(name)
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

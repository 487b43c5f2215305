"""Debates judged in Arabic in a real browser: the pages are in the language, and what was meant is in the export."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

from conqret.debate.two_turn.slider_answers import read_slider_answers
from conqret.labels.answer_ledger import Ledger
from conqret.labels.page_messages import PageMessages, known_texts, page_messages
from tests.cli.conftest import Cli
from tests.labels.debates import DEBATES
from tests.show.chromium import Chromium, Page
from tests.web.annotators import come_in, until
from tests.web.commands import started

ENGLISH = [text for text in known_texts()["texts"] if len(text) > 15]


def is_in(page: Page, messages: PageMessages) -> None:
    """The page is in this language: no English words of the list stand on it, and none is a bare placeholder."""
    assert page.js("[document.documentElement.lang, document.documentElement.dir]") == [
        messages.language,
        messages.direction,
    ]
    shown = page.js("document.body.innerText")
    assert not re.search(r"\{\w+\}", shown)
    fixed = [re.split(r"\{\w+\}", text) for text in ENGLISH]
    assert not [parts for parts in fixed if (longest := max(parts, key=len)) in shown and len(longest) > 15]
    wide = page.js("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0


def pressed(page: Page, button: str) -> None:
    page.js(f"window.old = true; document.querySelector({button!r}).click()")
    until(page, "window.old !== true")


def test_debates_are_judged(browser: Chromium, cli: Cli, tmp_path: Path) -> None:
    page, messages, study = browser.apart(width=390, height=844), page_messages("ar"), tmp_path / "study"
    with (
        started(
            *("labels", "collect", DEBATES, "--task", "debate", "--annotators", "ann"),
            *("--page-language", "ar", "-o", study),
        ) as server,
        contextlib.closing(Ledger(study)) as ledger,
    ):
        page.go(server.links["ann"])
        until(page, "document.querySelector('button.main')")
        is_in(page, messages)
        come_in(page, server.links["ann"])
        meant: dict[tuple[str, str], int] = {}
        told = 0
        while True:
            until(
                page, "location.pathname == '/next' || document.querySelector('button[name=start], a.button')"
            )
            is_in(page, messages)
            if page.js("location.pathname") == "/next":
                break
            if page.js("document.querySelector('a.button') !== null"):
                told += 1
                pressed(page, "a.button")
                continue
            turn = ledger.turn(ledger.annotator("ann"), int(page.js("location.pathname").rpartition("/")[2]))
            assert turn is not None
            point = 2 if not meant else len(meant) % 7 - 3
            meant[turn.screen.item, turn.screen.part] = point
            pressed(page, "button[name=start]")
            until(page, "document.querySelector('#slider')")
            is_in(page, messages)
            page.js(f"slider.value = {point}; slider.dispatchEvent(new Event('input'))")
            if point == 2:
                assert page.js("said.textContent") == f"{messages.plain('moderately confident')}: B"
            pressed(page, "#answer button.main")
        assert told == len(meant) / 2
        assert page.js("document.querySelector('table') !== null")
        page.go(server.links["for you only, the progress"])
        until(page, "document.querySelector('table')")
        is_in(page, messages)
    assert not page.complaints, page.complaints
    page.close()
    assert cli("labels", "export", study, "-o", tmp_path / "answers.csv").code == 0
    rows = read_slider_answers(tmp_path / "answers.csv")
    assert {(row.question, str(row.turn)): row.slider for row in rows} == meant

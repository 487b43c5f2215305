"""Debates judged, counter-arguments written and disputes decided in the language of those who do it, in a real browser,
on the servers that the commands start."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest

from conqret.labels.answer_ledger import Ledger
from conqret.labels.page_messages import PageMessages, known_texts, page_messages
from tests.labels.debates import DEBATES
from tests.show.chromium import Chromium, Page
from tests.web.annotators import come_in, until
from tests.web.commands import started

ENGLISH = [text for text in known_texts()["texts"] if len(text) > 15]
pytestmark = pytest.mark.parametrize("language", ["ar"])  # German: test_page_language.py


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


def test_debates_are_judged(browser: Chromium, tmp_path: Path, language: str) -> None:
    page, messages, study = browser.apart(width=390, height=844), page_messages(language), tmp_path / "study"
    with (
        started(
            *("labels", "collect", DEBATES, "--task", "debate", "--annotators", "ann"),
            *("--page-language", language, "-o", study),
        ) as server,
        contextlib.closing(Ledger(study)) as ledger,
    ):
        page.go(server.links["ann"])
        until(page, "document.querySelector('button.main')")
        is_in(page, messages)
        come_in(page, server.links["ann"])
        seen = set()
        while True:
            until(
                page, "location.pathname == '/next' || document.querySelector('button[name=start], a.button')"
            )
            is_in(page, messages)
            if page.js("location.pathname") == "/next":
                break
            if page.js("document.querySelector('a.button') !== null"):
                seen.add("told")
                pressed(page, "a.button")
                continue
            pressed(page, "button[name=start]")
            until(page, "document.querySelector('#slider')")
            is_in(page, messages)
            page.js("slider.value = 2; slider.dispatchEvent(new Event('input'))")
            assert page.js("said.textContent") == f"{messages.plain('moderately confident')}: B"
            pressed(page, "#answer button.main")
        assert seen == {"told"}
        assert page.js("document.querySelector('table') !== null")
        assert {turn.answers["slider"] for turn in ledger.given()} == {"2"}
        page.go(server.links["for you only, the progress"])
        until(page, "document.querySelector('table')")
        is_in(page, messages)
    assert not page.complaints, page.complaints
    page.close()

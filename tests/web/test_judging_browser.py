"""Judges in a real browser, by keyboard: what they meant is in the export, and the page sends what the slider shows
when the time is up."""

from __future__ import annotations

from pathlib import Path

from conqret.annotation.debate_plan import LIMIT_SECONDS
from conqret.annotation.links import Links
from tests.annotation.debates import Clock, begun_debate
from tests.report.chromium import Chromium
from tests.web.annotators import served
from tests.web.debate_study import Judge, judged, lost, wrote


def test_what_judges_meant_is_in_the_export(browser: Chromium, tmp_path: Path) -> None:
    people = judged(browser, tmp_path, ("ann",))
    assert [len(one.said) for one in people] == [8]
    assert lost(tmp_path, people) == 0


def test_snippets_are_lit_and_the_page_sends_when_the_time_is_up(browser: Chromium, tmp_path: Path) -> None:
    clock = Clock()
    ledger = begun_debate(tmp_path, ["ann"], clock=clock)
    with served(ledger, tmp_path) as base:
        page = browser.apart()
        ann = Judge("ann", page, ledger, base)
        ann.come(f"/in/{Links(tmp_path).of(ledger.person('ann'))}")
        ann.begin()
        page.js("document.querySelector('.snippet a').click()")
        ann.wait("document.querySelector('.quoted.lit')")
        snippet = page.js("document.querySelector('.snippet a').textContent.split(') ').slice(1).join(') ')")
        lit = page.js("[...document.querySelectorAll('.quoted.lit')].map((one) => one.textContent).join('')")
        assert lit == snippet
        clock.now += LIMIT_SECONDS - 2
        page.js("setTimeout(() => location.reload())")
        ann.wait("document.querySelector('#clock.last')")
        ann.slide(-2)
        assert page.js("document.querySelector('#slider').ariaValueText") == "moderately confident: A"
        ann.wait("document.querySelector('button[name=start]')")
        page.close()
    assert [dict(one.answers) for one in ledger.given()] == [{"slider": "-2"}]
    ledger.close()


def test_writers_mark_snippets_in_the_passage(browser: Chromium, tmp_path: Path) -> None:
    for one in wrote(browser, tmp_path):
        for side in one.sides:
            assert side.counter is not None
            assert len(side.counter.snippets) == 1
            assert side.counter.text.startswith("This says otherwise (#1)")

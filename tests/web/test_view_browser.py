"""The viewer in a real browser, on the pages that the command serves."""

from __future__ import annotations

from pathlib import Path

import conqret
from tests.contract.items import demo
from tests.show.chromium import Chromium
from tests.web.annotators import until
from tests.web.commands import started


def test_runs_are_searched_and_opened(browser: Chromium, tmp_path: Path) -> None:
    for name in ("first", "second"):
        conqret.judge(demo()[:1], format="direct", metrics=("groundedness",), output=tmp_path / name)
    with started("serve", "view", tmp_path) as server:
        page = browser.apart()
        page.go(server.base)
        page.js("document.querySelector('input[name=q]').focus()")
        page.write("second")
        page.press("Enter")
        until(page, "location.search == '?q=second'")
        shown = page.js("[...document.querySelectorAll('tbody a')].map((one) => one.textContent)")
        assert "second" in shown
        assert "first" not in shown
        page.js("setTimeout(() => document.querySelector('tbody a').click())")
        until(page, "location.pathname.endsWith('report.html')")
        assert not page.complaints, page.complaints
        page.close()

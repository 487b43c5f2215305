"""People in a real browser, by keyboard, with a broken connection and the back button: every label as it was meant, and
agreement, export and validation as those labels give them."""

from __future__ import annotations

from pathlib import Path

import pytest

from conqret.annotation.links import Links
from tests.annotation.studies import begun, items
from tests.report.chromium import Chromium
from tests.web.annotators import PEOPLE, come_in, label, meant_by, served, until
from tests.web.outcome import check, differing

COUNT = 8


@pytest.mark.parametrize("task", ["rating", "preference"])
def test_what_people_meant_is_in_the_file_and_all_that_follows_from_it(
    browser: Chromium, tmp_path: Path, task: str
) -> None:
    ledger, people = label(browser, tmp_path, task, COUNT)
    meant = meant_by(people)
    assert len(meant) == COUNT * len(PEOPLE)
    assert differing(ledger, meant) == 0
    told = check(ledger, meant, PEOPLE, items(COUNT), tmp_path)
    assert told == ("1 alphas, 1 dimensions validated" if task == "rating" else "1 alphas")


def test_on_a_phone_the_texts_and_a_whole_question_are_seen_together(
    browser: Chromium, tmp_path: Path
) -> None:
    ledger = begun(tmp_path, 1, ("anna",), task="dimensions", overlap=1)
    with served(ledger, tmp_path) as base:
        page = browser.apart(width=390, height=844)
        come_in(page, f"{base}/in/{Links(tmp_path).of(ledger.person('anna'))}")
        until(page, "document.querySelector('#questions fieldset.now')")
        top = "document.querySelector('{}').getBoundingClientRect()"
        texts, bar = page.js(f"{top.format('.texts')}.height"), page.js(f"{top.format('.stays')}.top")
        assert texts > 150
        assert page.js(f"{top.format('fieldset')}.bottom") < bar
        assert page.js(f"{top.format('.reach')}.bottom") < page.js(f"{top.format('fieldset')}.top")
        page.close()
    ledger.close()

"""People in a real browser, by keyboard, with a broken connection and the back button: every label as it was meant, and
agreement, export and validation as those labels give them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.annotation.studies import items
from tests.report.chromium import Chromium
from tests.web.annotators import PEOPLE, label, meant_by
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

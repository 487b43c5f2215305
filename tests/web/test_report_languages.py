"""The page of a run on items in several languages: their names, and what browsers need to know of their texts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conqret import judge
from tests.cli.conftest import Cli
from tests.show.chromium import Chromium

ITEMS = Path(__file__).parents[2] / "fixtures" / "languages" / "items.jsonl"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a run on all items in ten languages."""
    folder = tmp_path_factory.mktemp("languages") / "run"
    judge(ITEMS, format="rag-fine-grained", model="offline", output=folder)
    return folder / "report.html"


def test_texts_say_their_language_and_items_its_name(cli: Cli, report: Path) -> None:
    html = report.read_text(encoding="utf-8")
    assert re.findall(r'<html lang="(\w+)" dir="(\w+)">', html) == [("en", "ltr")]
    names = re.findall(r'<span class="language">(\w+)</span>', html)
    assert len(names) == 9 * 12
    assert set(names) == set("Arabic Chinese French German Hindi Japanese Portuguese Russian Spanish".split())
    for language in ("ar", "hi", "zh", "en"):
        assert len(re.findall(rf'<div class="text" dir="auto" lang="{language}">', html)) >= 12
    assert "(pro, Arabic)" in cli("runs", "show", report.parent, "bees-ar").out


def test_no_language_is_wider_than_the_screen_and_arabic_runs_from_the_right(
    browser: Chromium, report: Path
) -> None:
    page = browser.page(report, width=390, height=800)
    page.js("for (const item of document.querySelectorAll('details.item')) item.open = true")
    assert page.js("document.documentElement.scrollWidth") <= 390
    direction = "getComputedStyle(document.querySelector('.text[lang=%s]')).direction"
    assert [page.js(direction % language) for language in ("ar", "zh", "hi")] == ["rtl", "ltr", "ltr"]
    assert not page.complaints
    page.close()

"""No kind of page is left out where all are looked at (scripts/check_pages.py)."""

from __future__ import annotations

from pathlib import Path

from scripts.check_pages import kinds
from tests.web.annotating_pages import PAGES

ROOT = Path(__file__).resolve().parents[2]


def test_every_page_on_which_people_write_is_checked() -> None:
    assert {"judge card", "judgment report", "labels", "runs", "variance"} <= kinds()
    templates = {
        file.name.removesuffix(".html.j2") for file in (ROOT / "conqret/labels/pages").glob("*.html.j2")
    }
    parts = {
        name
        for name in templates
        if "extends" not in (ROOT / f"conqret/labels/pages/{name}.html.j2").read_text()
    }
    assert templates - parts == set(PAGES.values()) - {"sheet"}

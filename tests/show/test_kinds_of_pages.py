"""No kind of page is left out where all are looked at (scripts/check_pages.py)."""

from __future__ import annotations

from pathlib import Path

from scripts.check_pages import kinds
from tests.web.annotating_pages import PAGES

ROOT = Path(__file__).resolve().parents[2]


def test_kinds_are_found_in_pages_made_of_parts_and_in_templates_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "page.py").write_text('page = ReportPage("length", "Title", [])\n', encoding="utf-8")
    (tmp_path / "own.html.j2").write_text('{{ topline("shapes") }}\n', encoding="utf-8")
    assert kinds(tmp_path) == {"length", "shapes"}
    assert {"judge card", "judgment report", "labels", "runs", "variance"} <= kinds()


def test_every_page_on_which_people_write_is_checked() -> None:
    templates = {
        file.name.removesuffix(".html.j2") for file in (ROOT / "conqret/labels/pages").glob("*.html.j2")
    }
    parts = {
        name
        for name in templates
        if "extends" not in (ROOT / f"conqret/labels/pages/{name}.html.j2").read_text()
    }
    assert templates - parts == set(PAGES.values()) - {"sheet"}

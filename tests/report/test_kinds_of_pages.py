"""No kind of page is left out where all are looked at (scripts/check_pages.py)."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from scripts.annotating_pages import PAGES, annotating_pages
from scripts.check_pages import KINDS

ROOT = Path(__file__).resolve().parents[2]


def test_every_kind_of_page_is_checked() -> None:
    found = set()
    for file in (ROOT / "conqret").rglob("*.html.j2"):
        text = file.read_text(encoding="utf-8")
        if 'extends "base.html.j2"' in text:
            heads = re.findall(r"topline\((.*?)\)", text) or ["none"]
            found |= {head.strip('"') for head in heads if head != "sheet.what"}
            included = re.findall(r'include "(overview.*?)"', text)
            if included:
                found -= {"none"}
                head = re.search(
                    r'topline\("(.*?)"\)', (file.parent / included[0]).read_text(encoding="utf-8")
                )
                assert head is not None
                found.add(head[1])
    for file in (ROOT / "conqret").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if "show.report_page import" in text:
            calls = (one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Call))
            sheets = (
                call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "ReportPage"
            )
            found |= {sheet.args[0].value for sheet in sheets if isinstance(sheet.args[0], ast.Constant)}
    assert found == set(KINDS)


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


async def test_each_of_these_pages_is_made(tmp_path: Path) -> None:
    pages = await annotating_pages(tmp_path)
    assert set(pages) == set(PAGES)
    assert all(
        "</html>" in page and "This cannot be shown" not in page
        for name, page in pages.items()
        if name != "nowhere"
    )
    assert len(set(pages.values())) == len(PAGES)

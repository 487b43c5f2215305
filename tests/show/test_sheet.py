"""A page of sections: long tables are folded, and the words of a title are whole."""

from pathlib import Path

import pytest

from conqret.errors import DeclarationError
from conqret.show.report_page import LONG, ReportPage, Section, write_page
from conqret.show.table import Table
from conqret.show.words import BASELINE_NOTE, baseline_badges


def table(rows: int) -> Table:
    return Table(
        "Comparisons", ("metric", "effect"), [("heading",), *((f"m{place}", place) for place in range(rows))]
    )


def shown(*sections: Section) -> str:
    return "".join(ReportPage("bias", "Bias of rag-fine-grained", list(sections)).html())


def test_a_long_table_is_folded_but_in_the_first_section() -> None:
    short, long = table(LONG), table(LONG + 1)
    page = shown(Section("first", [long]), Section("second", [short]), Section("third", [long]))
    _, first, second, third = page.split("<h2 ")
    assert f"<details open><summary>All {LONG + 1} rows</summary>" in first
    assert "<details" not in second
    assert f"<details><summary>All {LONG + 1} rows</summary>" in third
    assert "m25" in third


def test_a_page_with_the_baselines_numbers_says_so() -> None:
    assert baseline_badges([False, False]) == []
    assert baseline_badges([True, True]) == [("Offline baseline", BASELINE_NOTE)]
    ((_, said),) = baseline_badges([True, True, False])
    assert said == "2 judges of 3 here are lexical baselines: their numbers come from word statistics."


def test_a_picture_of_a_page_without_one_is_refused(tmp_path: Path) -> None:
    sheet = ReportPage("bias", "Bias", [Section("first", [table(1)])])
    with pytest.raises(
        DeclarationError, match=r"there is no chart here; give a file that ends in \.html or \.md"
    ):
        write_page(sheet, tmp_path / "runs.svg")
    assert not list(tmp_path.iterdir())

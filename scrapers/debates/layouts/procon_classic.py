"""The layout of ProCon's classic pages: two columns of arguments under a question, one page for each
topic.

The introduction stands in the paragraphs of ``div.entry-content``; ``div.arguments-column-pro`` and ``-con``
hold a ``div.argument-container`` for each argument, with its title in an ``h4``; the sources are a table or a
page of their own (ConQRet, Appendix A).
"""

from __future__ import annotations

from conqret.scrapers.debates.cited_sources import footnotes_wanted, page_sources
from conqret.scrapers.debates.layout import DebatePage, DebateParts, Layout, Selector
from conqret.scrapers.debates.page_arguments import COLUMN, CONTAINER, column_parts, columns, main_headings


def _fits(page: DebatePage) -> bool:
    return bool(columns(page, "pro") or columns(page, "con"))


def _read(page: DebatePage) -> DebateParts:
    headings = main_headings(page, "entry-title", "text-center")
    return column_parts(page, headings, headings, page_sources(page))


LAYOUT = Layout(
    "procon-classic",
    _fits,
    _read,
    wants=footnotes_wanted,
    selectors=(
        Selector("question", "h1", "text-center"),
        Selector("introduction", "div", "entry-content"),
        Selector("pros", "div", COLUMN.format(side="pro")),
        Selector("cons", "div", COLUMN.format(side="con")),
        Selector("arguments", "div", CONTAINER),
        Selector("sources", "table", "tablepress"),
    ),
)
"""Fits pages with a column of at least one side."""

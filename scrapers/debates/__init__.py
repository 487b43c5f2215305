"""Debate pages: HTML in, :class:`conqret.data.Debate` out. Pure functions; one file a layout, in ``layouts/``.

>>> read_debate(html, "https://example.org/debates/zoos/")          # a Debate, or a Problem that says why not
"""

from conqret.scrapers.debates.layout import DebatePage, DebateParts, Layout, ListedDebate, PageIndex
from conqret.scrapers.debates.layout_registry import LAYOUTS, LayoutProblem, read_debate, wanted_pages

__all__ = [
    "LAYOUTS",
    "DebatePage",
    "DebateParts",
    "Layout",
    "LayoutProblem",
    "ListedDebate",
    "PageIndex",
    "read_debate",
    "wanted_pages",
]

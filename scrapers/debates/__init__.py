"""Debate pages: HTML in, :class:`conqret.data.Debate` out. Pure functions; one file a layout, in ``layouts/``.

>>> read_debate(html, "https://example.org/debates/zoos/")          # a Debate, or a Problem that says why not
"""

from conqret.scrapers.debates.layout import DebateParts, Index, Layout, Listed, Page
from conqret.scrapers.debates.layout_registry import LAYOUTS, Problem, read_debate, wanted_pages

__all__ = [
    "LAYOUTS",
    "DebateParts",
    "Index",
    "Layout",
    "Listed",
    "Page",
    "Problem",
    "read_debate",
    "wanted_pages",
]

"""Read debate pages: HTML in, :class:`conqret.data.corpus.Debate` out. Pure functions; one file for each layout, in
``layouts/``.

- ``layout``: what a layout is; ``layout_inspection``: what one reads from a page, and what it misses there
- ``page_text``: a page as a tree of what readers see; ``page_arguments``: title, question, arguments, introduction
- ``cited_sources``: the list of sources, their addresses and dates

>>> read_debate(html, "https://example.org/debates/zoos/")          # a Debate, or a Problem that says why not
"""

from conqret.scrapers.debates.layout import DebatePage as DebatePage
from conqret.scrapers.debates.layout import DebateParts as DebateParts
from conqret.scrapers.debates.layout import Layout as Layout
from conqret.scrapers.debates.layout import ListedDebate as ListedDebate
from conqret.scrapers.debates.layout import PageIndex as PageIndex
from conqret.scrapers.debates.layouts import LAYOUTS as LAYOUTS
from conqret.scrapers.debates.layouts import LayoutProblem as LayoutProblem
from conqret.scrapers.debates.layouts import read_debate as read_debate
from conqret.scrapers.debates.layouts import wanted_pages as wanted_pages

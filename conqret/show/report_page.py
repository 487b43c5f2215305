"""Report pages of sections (:class:`ReportPage`), as most runs have one: declared once, written as HTML,
Markdown or SVG.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conqret.errors import DeclarationError
from conqret.show.charts import Chart
from conqret.show.forest import Forest
from conqret.show.markup import safe, safe_prose, tables_markdown
from conqret.show.page import page, write_file
from conqret.show.table import Table

LONG = 25
"""A longer table (in rows) is collapsed on a page, except in the first section."""
ENDINGS = (".html", ".md", ".svg")
"""The file endings of a page, of Markdown and of a picture."""


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Links to other pages, as titles with relative addresses."""

    to: Sequence[tuple[str, str]]

    kind = "links"


@dataclass(frozen=True, slots=True)
class PageRemarks:
    """Remarks on a page, each on a line of its own."""

    lines: Sequence[str]

    kind = "texts"


@dataclass(frozen=True, slots=True)
class CollapsedTable:
    """A table that is collapsed under its title on a page, and is left out of Markdown."""

    title: str
    table: Table

    kind = "folded"


Part = Table | Chart | Forest | PageLinks | PageRemarks | CollapsedTable


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the parts below it.

    A table with the section's title gets no heading of its own. If ``folded`` is true, the parts are
    collapsed on the page.
    """

    title: str
    parts: Sequence[Part]
    note: str = ""
    folded: bool = False

    @property
    def anchor(self) -> str:
        """The anchor of the section for links, in lower case with hyphens."""
        return re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-") or "section"

    @property
    def charts(self) -> list[Chart | Forest]:
        """The charts of the section, which are shown first, side by side."""
        return [part for part in self.parts if isinstance(part, Chart | Forest)]

    @property
    def others(self) -> list[Part]:
        """The parts of the section that are not charts, in order."""
        return [part for part in self.parts if not isinstance(part, Chart | Forest)]


@dataclass(frozen=True, slots=True)
class ReportPage:
    """A report page: its kind ``what`` (``experiment``), its title, its ``answer`` with a ``picture``,
    and its sections.

    ``answer`` is the result in one sentence with figures, followed by its qualifications. ``lede`` holds
    general remarks; ``how_to_read`` explains methods and terms, and is collapsed. ``badges`` are warnings
    with a word before each, and ``facts`` are names with values. Sections without parts are left out.
    """

    what: str
    title: str
    sections: Sequence[Section]
    lede: Sequence[str] = ()
    badges: Sequence[tuple[str, str]] = ()
    facts: Sequence[tuple[str, str]] = ()
    answer: Sequence[str] = ()
    picture: Sequence[Chart | Forest] = ()
    how_to_read: Sequence[str] = ()

    @property
    def tables(self) -> list[Table]:
        """All tables of the page that are not collapsed, in order."""
        return [part for one in self.sections for part in one.parts if isinstance(part, Table)]

    def html(self, template: str = "sheet.html.j2", **content: Any) -> Iterator[str]:
        """Yield the HTML of the page in pieces.

        A ``template`` other than the default extends ``sheet.html.j2`` and gets ``content``.
        """
        shown = [page_section for page_section in self.sections if page_section.parts]
        return page(template, sheet=self, sections=shown, long=LONG, **content)

    def markdown(self) -> str:
        """Return the page as Markdown, without charts and links, and with all texts escaped."""
        facts = "; ".join(f"{name}: {value}" for name, value in self.facts)
        head = [f"# {safe(self.title)}", *map(safe_prose, self.answer)]
        head += [f"**{safe(word)}**: {safe(text)}" for word, text in self.badges]
        head += [*map(safe_prose, self.lede), safe(facts), *map(safe, self.how_to_read)]
        blocks = [block for page_section in self.sections for block in _blocks(page_section)]
        return "\n\n".join(filter(None, [*head, *blocks])) + "\n"


def _blocks(page_section: Section) -> Iterator[str]:
    parts = [part for part in page_section.parts if isinstance(part, Table | PageRemarks)]
    for place, part in enumerate(parts):
        if not place:
            yield f"## {safe(page_section.title)}"
            yield safe(page_section.note)
        if isinstance(part, PageRemarks):
            yield "\n".join(f"- {safe(line)}" for line in part.lines)
        else:
            headed = len(page_section.parts) > 1 and part.title != page_section.title
            yield tables_markdown([part], "###" if headed else "").strip()


def write_page(page: ReportPage, file: Path) -> Path:
    """Write ``page`` to ``file``, and return its path.

    The file's ending selects the form: HTML (``.html``), Markdown (``.md``) or the first chart (``.svg``).

    Raises:
        DeclarationError: the file has another ending, or the page has no chart for ``.svg``.
    """
    check_ending(file)
    ending = file.suffix.lower()
    content: str | Iterable[str] = page.html() if ending == ".html" else page.markdown()
    if ending == ".svg":
        charts = (chart for page_section in page.sections for chart in page_section.charts)
        chart = next(iter((*page.picture, *charts)), None)
        if chart is None:
            raise DeclarationError(f"{file}: there is no chart here; give a file that ends in .html or .md")
        content = chart.svg()
    return write_file(file, content)


def check_ending(file: Path) -> None:
    """Check that a page can be written to a file with this ending, one of :data:`ENDINGS`.

    Raises:
        DeclarationError: it cannot.
    """
    if file.suffix.lower() not in ENDINGS:
        raise DeclarationError(
            f"{file} ends in {file.suffix or 'nothing'}; give a file that ends in {', '.join(ENDINGS)}"
        )


def section(table: Table, *more: Table, title: str = "") -> Section:
    """Return a section of tables, with the title of the first one by default."""
    return Section(title or table.title, (table, *more))

"""Inspect a page: what a layout reads from it, and which of its selectors the page has, to correct a
layout when a site has changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass

from conqret.scrapers.debates.layout import NONE, DebatePage, DebateParts, Layout, PageIndex
from conqret.scrapers.debates.layouts import ALL, missing_of
from conqret.scrapers.debates.page_arguments import lines

UNKNOWN = "https://unknown.invalid/"
"""The URL of a saved page that does not state its own."""
LITTLE_TEXT = 400
"""A page with fewer characters of text is probably rendered by a script."""


@dataclass(frozen=True, slots=True)
class LookedFor:
    """A selector of a layout, the part of a debate that it looks for, and the number of elements that it
    matches (``found``) in the page and its further pages.
    """

    layout: str
    part: str
    selector: str
    found: int


@dataclass(frozen=True, slots=True)
class LayoutInspection:
    """The result of inspecting a page.

    ``layout`` is the layout that the page was compared with (empty: none), and ``fits`` names all that
    fit. ``parts`` are the parts read, and ``missing`` those not found. ``wants`` are the further pages
    that it needs, ``further`` those that were read, and ``failed`` those that could not be fetched.
    ``archived`` is the URL of the archived copy that was read (empty: none).
    """

    url: str
    characters: int
    fits: tuple[str, ...]
    layout: str
    parts: DebateParts | None
    missing: tuple[str, ...]
    wants: tuple[str, ...]
    index: PageIndex
    looked_for: tuple[LookedFor, ...]
    archived: str = ""
    failed: tuple[str, ...] = ()
    further: tuple[str, ...] = ()

    def record(self) -> dict[str, object]:
        """Return the inspection as plain data, without ``further``."""
        record = asdict(self)
        del record["further"]
        if (parts := record["parts"]) is not None:
            for name in ("pros", "cons", "sources"):
                parts[name] = [row.model_dump() for row in parts[name]]
        return record

    @property
    def address(self) -> str:
        """The URL of the page, or a phrase that says it is unknown."""
        return "unknown: the saved page does not say it" if self.url == UNKNOWN else self.url

    @property
    def drawn_by_script(self) -> bool:
        """True if the page has so little text that a script probably renders it, and no complete debate or
        list.
        """
        whole = self.parts is not None and not self.missing
        return self.characters < LITTLE_TEXT and not whole and not self.index.debates


def inspect_page(
    html: str, url: str, *, further: Mapping[str, str] = NONE, compared: Layout | None = None
) -> LayoutInspection:
    """Inspect a page: which layouts fit, what is read, and what is missing.

    Args:
        html: the HTML of the page.
        url: its URL.
        further: the HTML of further pages that belong to it, by URL.
        compared: the layout to compare it with. Default: the first layout that fits, or all layouts.

    Raises:
        UnreadableHtmlError: see :func:`conqret.scrapers.debates.page_text.parse`.
    """
    page = DebatePage.read(html, url, further)
    fits = [one for one in ALL if one.fits(page)]
    chosen = compared or next(iter(fits), None)
    looked_at = [chosen] if chosen else list(ALL)
    parts = chosen.read(page) if chosen else None
    indexes = (one.index(page) for one in looked_at)
    return LayoutInspection(
        url=url,
        characters=sum(len(line.text) for line in lines(page.root, without=())),
        fits=tuple(fit.name for fit in fits),
        layout=chosen.name if chosen else "",
        parts=parts,
        missing=missing_of(parts) if parts else (),
        wants=chosen.wants(page) if chosen else (),
        index=next((index for index in indexes if index != PageIndex()), PageIndex()),
        looked_for=tuple(_looked_for(page, looked_at)),
    )


def _looked_for(page: DebatePage, layouts: Collection[Layout]) -> Iterator[LookedFor]:
    roots = [page.root, *(further_page.root for further_page in page.further)]
    for layout in layouts:
        for selector in layout.selectors:
            element_count = sum(1 for root in roots for _ in selector.find(root))
            yield LookedFor(layout.name, selector.part, str(selector), element_count)

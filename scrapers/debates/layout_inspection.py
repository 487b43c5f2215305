"""What a page has, beside what the layouts look for: enough to mend a layout when a site has changed.

Two things are put side by side: what a layout read, and which of its selectors the page has (or nearly has).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from difflib import get_close_matches

from lxml.html import HtmlElement

from conqret.data.digest import gathered
from conqret.scrapers.debates.layout import NONE, DebatePage, DebateParts, Layout, PageIndex, Selector
from conqret.scrapers.debates.layouts import ALL, missing_of
from conqret.scrapers.debates.page_arguments import lines

UNKNOWN = "https://unknown.invalid/"
"""The address of a saved page that does not say its own."""
LITTLE_TEXT = 400
"""Characters of a whole page below which a script must draw it."""
MAX_KINDS = 2000
"""Kinds of elements of a page that are compared with a selector; the largest pages of the sites have some 600."""
MAX_NAME = 60
"""Characters of a class that are compared."""
NEAR = 0.7
"""The share of two names that must agree for one to be nearly the other: ``pro-section`` and ``section-pro`` are."""
SHOWN = 3
"""Near ones that are named."""


@dataclass(frozen=True, slots=True)
class LookedFor:
    """A selector of a layout, how many elements of the page and its further pages it finds, and what of the page is
    nearly one of them."""

    layout: str
    part: str
    selector: str
    found: int
    nearly: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LayoutInspection:
    """A page inspected.

    ``layout`` is the one that it was compared with, empty for none; ``fits`` names all that fit. ``parts`` is what the
    layout read, with what is ``missing``; ``wants`` are the further pages that it needs. ``archived`` is the address of
    the archive's copy that was read (empty: none was), ``failed`` the further pages that could not be fetched, and
    ``further`` those that were read.
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
        """The same as plain data."""
        record = asdict(self)
        del record["further"]
        if (parts := record["parts"]) is not None:
            for name in ("pros", "cons", "sources"):
                parts[name] = [row.model_dump() for row in parts[name]]
        return record

    @property
    def address(self) -> str:
        """Return the address of the page, or that it is unknown."""
        return "unknown: the saved page does not say it" if self.url == UNKNOWN else self.url

    @property
    def drawn_by_script(self) -> bool:
        """Whether the page holds too little text to be what its readers see, and neither a whole debate nor a list."""
        whole = self.parts is not None and not self.missing
        return self.characters < LITTLE_TEXT and not whole and not self.index.debates


def inspect_page(
    html: str, url: str, *, further: Mapping[str, str] = NONE, compared: Layout | None = None
) -> LayoutInspection:
    """Inspect a page.

    Args:
        html: The page.
        url: Its address.
        further: The HTML of the further pages that belong to it, by their addresses.
        compared: The layout to compare it with, whether it fits or not; else the first that fits, else all.

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
    there = kinds(page.root)
    roots = [page.root, *(further_page.root for further_page in page.further)]
    every = [selector for layout in layouts for selector in layout.selectors]
    for layout in layouts:
        for selector in layout.selectors:
            element_count = sum(1 for root in roots for _ in selector.find(root))
            near = () if element_count else tuple(nearest(selector, there, every))
            yield LookedFor(layout.name, selector.part, str(selector), element_count, near)


def kinds(root: HtmlElement) -> Counter[tuple[str, str]]:
    """How many elements of a page have each tag and class, an element once for each of its classes."""
    counts: Counter[tuple[str, str]] = Counter()
    for element in root.iter("*"):
        for name in dict.fromkeys((element.get("class") or "").split()):
            if (element.tag, name) in counts or len(counts) < MAX_KINDS:
                counts[element.tag, name] += 1
    return counts


def nearest(
    selector: Selector, there: Counter[tuple[str, str]], others: Collection[Selector] = ()
) -> list[str]:
    """What a page has that is nearly what ``selector`` looks for, the nearest first: ``section.pros (2)``.

    ``there`` is from :func:`kinds`; what one of the ``others`` looks for is not named.
    """
    taken = {(other.tag, other.name) for other in others}
    places = gathered((name, tag) for tag, name in there if (tag, name) not in taken)
    words = _words(selector.name)
    alike = [name for name in places if words <= _words(name)]  # the same words, in whatever order
    alike += get_close_matches(selector.name, places, SHOWN, NEAR)
    near = [(tag, name) for name in sorted(dict.fromkeys(alike), key=len) for tag in places[name]]
    return [f"{tag}.{name[:MAX_NAME]} ({there[tag, name]})" for tag, name in near[:SHOWN]]


def _words(name: str) -> set[str]:
    return {word.rstrip("s") for word in name.lower()[:MAX_NAME].replace("_", "-").split("-")}

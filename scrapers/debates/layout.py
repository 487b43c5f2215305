"""The type of a layout (:class:`Layout`), which is all to write for a new site, and those of its pages
(docs/adding-parts.md has a worked example).
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urljoin

from lxml.html import HtmlElement

from conqret.data.corpus import DebateArgument, Source
from conqret.scrapers.debates.page_text import UnreadableHtmlError, parse

_SNAPSHOT = re.compile(
    r"(https?://[^/\s]+(?:/[^/\s]+)?/web/)"
    r"(?:([0-9]{4,14})(?:[a-z]{2}_)?/(https?:/{1,2}[^/\s].*)|([0-9]{14})(?:[a-z]{2}_)?/([^/\s]+\.[^/\s]+.*))",
    re.DOTALL,
)
"""Without a scheme, only after a whole stamp: ``/web/2024/report.html`` is a page of any site."""
_SCHEME = re.compile(r"(https?):/{1,2}")


class Snapshot(NamedTuple):
    """The parts of a snapshot's URL: the archive's prefix (``place``), the timestamp (``20240601000000``),
    and the page's own URL (``original``).
    """

    place: str
    stamp: str
    original: str

    @property
    def day(self) -> str:
        """The date of the snapshot (``2024-06-01``), as far as the timestamp has it."""
        return "-".join(filter(None, (self.stamp[:4], self.stamp[4:6], self.stamp[6:8])))

    @property
    def plain(self) -> str:
        """The URL of the original page, without the archive's frame and rewritten links."""
        return f"{self.place}{self.stamp}id_/{self.original}"


def snapshot_of(url: str) -> Snapshot | None:
    """Return the parts of a snapshot's URL; None if ``url`` is not one."""
    match = _SNAPSHOT.fullmatch(url)
    if match is None:
        return None
    place, stamp, original = filter(None, match.groups())
    scheme = _SCHEME.match(original)
    bare = original[scheme.end() :] if scheme else original
    return Snapshot(place, stamp, f"{scheme[1] if scheme else 'http'}://{bare}")


def original_address(url: str) -> str:
    """Return the original page's URL if ``url`` is that of a snapshot, else ``url`` itself."""
    snapshot = snapshot_of(url)
    return url if snapshot is None else snapshot.original


NONE: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class DebatePage:
    """A debate page: its URL, its root element, and further pages that belong to it.

    Further pages are a page of footnotes, or the page of the other side if each side has its own.
    """

    url: str
    root: HtmlElement
    further: tuple[DebatePage, ...] = ()

    @classmethod
    def read(cls, html: str, url: str, further: Mapping[str, str] = NONE) -> DebatePage:
        """Parse a page and its further pages (HTML by URL); further pages that cannot be read are left out.

        Raises:
            UnreadableHtmlError: see :func:`conqret.scrapers.debates.page_text.parse`.
        """
        root, others = parse(html), []
        for address, text in further.items():
            with contextlib.suppress(UnreadableHtmlError):
                others.append(cls(address, parse(text)))
        return cls(url, root, tuple(others))

    def link(self, href: str) -> str:
        """Return the absolute URL of a link on the page; empty if ``href`` is not a URL."""
        try:
            return original_address(urljoin(self.url, href.strip()))
        except ValueError:
            return ""


@dataclass(frozen=True, slots=True)
class DebateParts:
    """The parts of a debate that a layout reads from a page; parts that it does not find are empty.

    ``remarks`` are sentences that explain missing parts ("an explainer, which takes no side"). They are
    shown only if a part is missing.
    """

    title: str
    question: str
    introduction: str
    pros: tuple[DebateArgument, ...]
    cons: tuple[DebateArgument, ...]
    sources: tuple[Source, ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedDebate:
    """A debate page that an index lists: its URL and the heading above it.

    ``sides`` is False for a page that explains its topic and takes no side.
    """

    url: str
    heading: str = ""
    sides: bool = True


@dataclass(frozen=True, slots=True)
class PageIndex:
    """The debates that an index page lists, and the URLs of further index pages (categories, next pages)."""

    debates: tuple[ListedDebate, ...] = ()
    further: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Selector:
    """A selector of elements by tag and class that hold one ``part`` of a debate ("pros", "question").

    With ``begins``, the class only needs to begin with ``name``. Its text form is ``section.pro`` or
    ``div.topic-identifier…``.
    """

    part: str
    tag: str
    name: str
    begins: bool = False

    def __str__(self) -> str:
        return f"{self.tag}.{self.name}{'…' if self.begins else ''}"

    def matches(self, element: HtmlElement) -> bool:
        """Return True if the element has the tag and the class."""
        return element.tag == self.tag and any(
            name == self.name or (self.begins and name.startswith(self.name))
            for name in (element.get("class") or "").split()
        )

    def find(self, root: HtmlElement) -> Iterator[HtmlElement]:
        """Return an iterator over the matching elements in ``root`` (included), in document order."""
        return (element for element in root.iter(self.tag) if self.matches(element))


@dataclass(frozen=True, slots=True)
class Layout:
    """A layout of debate pages, given by pure functions.

    - ``name`` is stored with each debate that it reads (``"procon-classic"``)
    - ``fits`` returns True if a page has this layout; it is fast, and False for pages of other sites
    - ``read`` reads the page, and raises nothing if a part is missing
    - ``wants`` returns the URLs of the further pages that a page needs
    - ``index`` returns the debates that an index page of the site lists
    - ``selectors`` are the elements that it looks for, for messages and ``conqret corpus inspect``
    """

    name: str
    fits: Callable[[DebatePage], bool]
    read: Callable[[DebatePage], DebateParts]
    wants: Callable[[DebatePage], tuple[str, ...]] = lambda page: ()
    index: Callable[[DebatePage], PageIndex] = lambda page: PageIndex()
    selectors: tuple[Selector, ...] = ()

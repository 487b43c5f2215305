"""What a layout is: the one thing to write for a new site (docs/adding-a-debate-site.md has a worked example)."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urljoin

from lxml.html import HtmlElement

from conqret.data.item import DebateArgument, Source
from conqret.scrapers.debates.page_text import UnreadableHtmlError, parse

_SNAPSHOT = re.compile(
    r"(https?://[^/\s]+(?:/[^/\s]+)?/web/)"
    r"(?:([0-9]{4,14})(?:[a-z]{2}_)?/(https?:/{1,2}[^/\s].*)|([0-9]{14})(?:[a-z]{2}_)?/([^/\s]+\.[^/\s]+.*))",
    re.DOTALL,
)
"""Without a scheme, only after a whole stamp: ``/web/2024/report.html`` is a page of any site."""
_SCHEME = re.compile(r"(https?):/{1,2}")


class Snapshot(NamedTuple):
    """A snapshot's address in its parts: the archive's place, the stamp (``20240601000000``), and the page's own."""

    place: str
    stamp: str
    original: str

    @property
    def day(self) -> str:
        """The day of the snapshot, as ``2024-06-01``, as far as the stamp has it."""
        return "-".join(filter(None, (self.stamp[:4], self.stamp[4:6], self.stamp[6:8])))

    @property
    def plain(self) -> str:
        """The address at which the page comes as it was, without frame and rewritten links."""
        return f"{self.place}{self.stamp}id_/{self.original}"


def snapshot_of(url: str) -> Snapshot | None:
    """The parts of a snapshot's address; None if ``url`` is none."""
    match = _SNAPSHOT.fullmatch(url)
    if match is None:
        return None
    place, stamp, original = filter(None, match.groups())
    scheme = _SCHEME.match(original)
    bare = original[scheme.end() :] if scheme else original
    return Snapshot(place, stamp, f"{scheme[1] if scheme else 'http'}://{bare}")


def original_address(url: str) -> str:
    """The page's own address, where ``url`` is that of a snapshot; else ``url`` as it is."""
    snapshot = snapshot_of(url)
    return url if snapshot is None else snapshot.original


NONE: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class DebatePage:
    """A debate page: its address, its root element, and the further pages that belong to it, as far as there are any.

    A page of footnotes is such a page, and so is that of the other side where each side has its own.
    """

    url: str
    root: HtmlElement
    further: tuple[DebatePage, ...] = ()

    @classmethod
    def read(cls, html: str, url: str, further: Mapping[str, str] = NONE) -> DebatePage:
        """Parse a page, and those that belong to it (by their addresses), as far as they can be read.

        Raises:
            UnreadableHtmlError: see :func:`conqret.scrapers.debates.page_text.parse`.
        """
        root, others = parse(html), []
        for address, text in further.items():
            with contextlib.suppress(UnreadableHtmlError):
                others.append(cls(address, parse(text)))
        return cls(url, root, tuple(others))

    def link(self, href: str) -> str:
        """The absolute address of a link on the page; empty for what is no address at all."""
        try:
            return original_address(urljoin(self.url, href.strip()))
        except ValueError:
            return ""


@dataclass(frozen=True, slots=True)
class DebateParts:
    """What a layout reads off a page. Whatever it does not find stays empty, and is reported as missing.

    ``remarks`` are sentences that explain what is missing ("an explainer, which takes no side"); they are shown only
    where something is.
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
    """A debate page that an index lists: its address, and the heading under which it stands there.

    ``sides`` is False for a page that explains its topic and takes no side.
    """

    url: str
    heading: str = ""
    sides: bool = True


@dataclass(frozen=True, slots=True)
class PageIndex:
    """What an index page lists, and the addresses of the index pages that it leads to (categories, next pages)."""

    debates: tuple[ListedDebate, ...] = ()
    further: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Selector:
    """Elements with a tag and a class, which hold one ``part`` of a debate ("pros", "question" …).

    With ``begins``, a class that begins with ``name`` is enough. Written ``section.pro``, ``div.topic-identifier…``.
    """

    part: str
    tag: str
    name: str
    begins: bool = False

    def __str__(self) -> str:
        return f"{self.tag}.{self.name}{'…' if self.begins else ''}"

    def matches(self, element: HtmlElement) -> bool:
        """Whether the element is one of these."""
        return element.tag == self.tag and any(
            name == self.name or (self.begins and name.startswith(self.name))
            for name in (element.get("class") or "").split()
        )

    def find(self, root: HtmlElement) -> Iterator[HtmlElement]:
        """These elements under ``root`` (itself included), in document order."""
        return (element for element in root.iter(self.tag) if self.matches(element))


@dataclass(frozen=True, slots=True)
class Layout:
    """One way in which debate pages are laid out. Its functions are pure: the same page, the same answer.

    ``name`` is kept with every debate that it reads (``"procon-classic"``), ``fits`` says whether a page is laid out
    so (cheap, and true for no other site's pages), and ``read`` reads it, and never raises for what is missing.
    ``wants`` gives the addresses of the further pages that a page needs, ``index`` the debates that an index of the
    site lists, and ``selectors`` the elements that the layout looks for, for messages and ``conqret corpus inspect``.
    """

    name: str
    fits: Callable[[DebatePage], bool]
    read: Callable[[DebatePage], DebateParts]
    wants: Callable[[DebatePage], tuple[str, ...]] = lambda page: ()
    index: Callable[[DebatePage], PageIndex] = lambda page: PageIndex()
    selectors: tuple[Selector, ...] = ()

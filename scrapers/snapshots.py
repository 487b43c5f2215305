"""Pages out of the Internet Archive: addresses that it rewrote, and the frame that it puts around them. Pure.

A snapshot's address is ``https://web.archive.org/web/20240601000000/https://www.procon.org/zoos/``; with ``id_`` after
the stamp the page comes as it was, else with the archive's toolbar, and with its links turned into such addresses.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from lxml.html import HtmlElement

from conqret.scrapers import markup

_SNAPSHOT = re.compile(
    r"(https?://[^/\s]+(?:/[^/\s]+)?/web/)"
    r"(?:([0-9]{4,14})(?:[a-z]{2}_)?/(https?:/{1,2}[^/\s].*)|([0-9]{14})(?:[a-z]{2}_)?/([^/\s]+\.[^/\s]+.*))",
    re.DOTALL,
)
"""Without a scheme, only after a whole stamp: ``/web/2024/report.html`` is a page of any site."""
_SCHEME = re.compile(r"(https?):/{1,2}")
_FRAME = re.compile(r"wm-ipp(?:-base|-print)?|wm-toolbar|donato|donato-base|wm-capinfo")
"""Ids of what the archive adds to a page: its toolbar, its call for gifts, its line for printers."""


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


def without_frame(root: HtmlElement) -> None:
    """Empty the elements that the archive has added to a page."""
    for element in list(root.iter("div")):
        if _FRAME.fullmatch(element.get("id") or ""):
            markup.empty(element)

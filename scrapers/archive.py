"""The Internet Archive: find the snapshot of a page that is closest to a date, and read pages from there
alone.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode, urlsplit

from conqret.errors import DeclarationError
from conqret.scrapers.debates.layout import snapshot_of
from conqret.scrapers.fetch_client import DELAY, Fetcher, FetchOptions
from conqret.scrapers.wire import FetchError, FetchStatus, Page, Policy

BASE = "https://archive.org"
"""The host of the availability API (``/wayback/available``)."""
ARCHIVE_DELAY = 4.0
"""Seconds between two requests where all pages come from the archive, which requests some 15 a minute and
client at most.
"""
CITED = "cited"
"""The value of ``archived`` that means the date of citation."""
_MOMENT = re.compile(r"((?:19|20)[0-9]{2})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12][0-9]|3[01]))?)?")


def moment(text: str) -> str:
    """Convert a year, month or day ("2024-06") into the archive's format ("202406").

    Raises:
        DeclarationError: the text has another form.
    """
    match = _MOMENT.fullmatch(text.strip())
    if match is None:
        raise DeclarationError(f"--archived takes a year, month or day, such as 2024-06, not {text!r}")
    return "".join(part or "" for part in match.groups())


@dataclass(frozen=True, slots=True)
class InternetArchive:
    """A client of the Internet Archive that finds snapshots through the availability API of ``base``.

    The API's robots.txt is not consulted. ``when`` (from :func:`moment`) is the time that snapshots should
    be close to; by default it is the date on which a page was cited.
    """

    base: str = BASE
    when: str = ""

    async def snapshot(self, fetcher: Fetcher, url: str, cited: str = "") -> str | None:
        """Return the URL of the snapshot closest to the wanted time, or None if there is none.

        Without a wanted time it is the newest; ``cited`` is a date as printed. The URL gives the page
        without the archive's frame and rewritten links.

        Raises:
            FetchError: the API gave no usable response.
        """
        query = {"url": url}
        if when := self.when or timestamp(cited):
            query["timestamp"] = when
        page = await fetcher.fetch(
            f"{self.base.rstrip('/')}/wayback/available?{urlencode(query)}", robots=False
        )
        if not page.ok:
            raise FetchError(FetchStatus.ERROR, f"the archive's index: {page.detail}", http=page.http)
        try:
            answer = json.loads(page.body)
            closest = answer["archived_snapshots"].get("closest") or {}
            if not (closest.get("available") and str(closest.get("status", "200")).startswith("2")):
                return None
            snapshot = snapshot_of(closest["url"])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise FetchError(
                FetchStatus.ERROR, "the archive's index gave no answer that can be read"
            ) from error
        if snapshot is None:
            raise FetchError(FetchStatus.ERROR, "the archive's index gave an address that is no snapshot")
        if self.base.startswith("https:"):
            snapshot = snapshot._replace(place=snapshot.place.replace("http:", "https:", 1))
        return snapshot.plain


@dataclass(frozen=True, slots=True)
class ArchivedPages:
    """A fetcher that reads pages only from the archive, as they were at its ``when``; never raises.

    A page's final URL is that of its snapshot. If a snapshot redirects to another site, the page counts as
    not found, as the site had moved by then.
    """

    fetcher: Fetcher
    archive: InternetArchive

    async def fetch(self, url: str) -> Page:
        """Fetch the snapshot of a URL and return it as a page; a failure is a page with its status.
        robots.txt is not consulted."""
        try:
            snapshot = await self.archive.snapshot(self.fetcher, url)
        except FetchError as error:
            return Page(url, error.status, error.detail, error.http)
        if snapshot is None:
            return Page(url, FetchStatus.NOT_FOUND, "the archive has no copy of it")
        page = replace(await self.fetcher.fetch(snapshot, robots=False), url=url)
        page_snapshot = snapshot_of(page.final_url)
        if not page.ok or (page_snapshot is not None and _site(page_snapshot.original) == _site(url)):
            return page
        where = (
            f"its copy of {page_snapshot.day} leads to {page_snapshot.original}"
            if page_snapshot
            else "its copy leads out of it"
        )
        detail = (
            f"the archive: {where[:300]}; the site had moved: ask for an earlier time, or for the new address"
        )
        return Page(url, FetchStatus.NOT_FOUND, detail, page.http, page.final_url)


def archive_from_settings(settings: Mapping[str, Any]) -> InternetArchive | None:
    """Return the archive that pages are read from, or None if they are read from their sites.

    Args:
        settings: :class:`conqret.scrapers.corpus_collecting.PageSettings`.
    """
    archived = settings.get("archived")
    if archived is None:
        return None
    return InternetArchive(when="" if archived == CITED else moment(archived))


def fetch_options(settings: Mapping[str, Any]) -> FetchOptions:
    """Return the options of a fetcher from the settings of a command; where none is set, ``delay`` is 1
    second, and 4 from the archive.

    Raises:
        DeclarationError: a setting is out of its range.
    """
    chosen: dict[str, Any] = {"delay": DELAY if settings.get("archived") is None else ARCHIVE_DELAY}
    names = ("delay", "user_agent")
    chosen |= {name: value for name in names if (value := settings.get(name)) is not None}
    return FetchOptions(**chosen, policy=Policy(settings.get("allow_private", False)))


@contextlib.asynccontextmanager
async def page_fetcher(settings: Mapping[str, Any]) -> AsyncIterator[Fetcher | ArchivedPages]:
    """Context manager that yields a fetcher of pages; it reads the Internet Archive if the settings name a
    time.
    """
    archive = archive_from_settings(settings)
    async with Fetcher(fetch_options(settings)) as fetcher:
        yield ArchivedPages(fetcher, archive) if archive else fetcher


def _site(url: str) -> str:
    """The last two names of a host: ``abortion.procon.org`` and ``www.procon.org`` are one site."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return host if host.replace(".", "").isdigit() else ".".join(host.split(".")[-2:])


_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_NUMBERS = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b|\b(\d{1,2})/(\d{1,2})/(\d{4})\b")
_NAMED = re.compile(
    rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th)?\s+)?({'|'.join(_MONTHS)})[a-z]*\.?,?\s+"
    r"(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{4})\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(19[89]\d|20\d\d)\b")


def timestamp(cited: str) -> str:
    """Convert a date as printed ("Jan. 5, 2012", "5/31/2012", "May 2012", "2012") into the archive's format.

    Returns eight digits, six without a day, four with only a year, or an empty string without a date.
    Dates with slashes are read as month/day/year.
    """
    if match := _NUMBERS.search(cited):
        year, month, day = filter(None, (*match.groups()[:3], match[6], match[4], match[5]))
    elif match := _NAMED.search(cited):
        year, month, day = match[4], str(_MONTHS.index(match[2].lower()) + 1), match[1] or match[3] or ""
    else:
        year, month, day = "", "0", "0"
    if 1 <= int(month) <= 12 and int(day or 1) <= 31:
        return f"{year}{month:>02}{day:>02}" if day else f"{year}{month:>02}"
    bare = _YEAR.search(cited)
    return bare[1] if bare else ""

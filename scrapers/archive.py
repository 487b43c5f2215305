"""The Internet Archive: the snapshot of a page that is nearest to a day, and pages read from there alone."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from urllib.parse import urlencode, urlsplit

from conqret.errors import DeclarationError
from conqret.scrapers.dates import timestamp
from conqret.scrapers.fetch import Fetcher, FetchError, FetchStatus, Page
from conqret.scrapers.snapshots import snapshot_of

BASE = "https://archive.org"
"""Where the availability API lives (``/wayback/available``)."""
DELAY = 4.0
"""Seconds between two requests where all pages come from the archive: it asks for some 15 a minute and client."""
_MOMENT = re.compile(r"((?:19|20)[0-9]{2})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12][0-9]|3[01]))?)?")


def moment(text: str) -> str:
    """A year, month or day ("2024-06") as the archive wants it ("202406").

    Raises:
        DeclarationError: it is none of these.
    """
    found = _MOMENT.fullmatch(text.strip())
    if found is None:
        raise DeclarationError(f"--archived is a year, month or day, as in 2024-06, and not {text!r}")
    return "".join(part or "" for part in found.groups())


@dataclass(frozen=True, slots=True)
class InternetArchive:
    """Finds snapshots through the availability API of ``base``, which is asked without its robots.txt.

    ``when`` (as from :func:`moment`) is the time that every snapshot shall be near; without it, it is the date on which
    a page was cited.
    """

    base: str = BASE
    when: str = ""

    async def snapshot(self, fetcher: Fetcher, url: str, cited: str = "") -> str | None:
        """The URL of the snapshot nearest to the time wanted (the newest if there is none, ``cited`` is as printed).

        The archive's own frame and rewritten links are left out of it. None if there is no snapshot.

        Raises:
            FetchError: the API gave no usable answer.
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
            closest = answer["archived_snapshots"].get("closest")
            if (
                not closest
                or not closest.get("available")
                or not str(closest.get("status", "200")).startswith("2")
            ):
                return None
            found = snapshot_of(closest["url"])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise FetchError(
                FetchStatus.ERROR, "the archive's index gave no answer that can be read"
            ) from error
        if found is None:
            raise FetchError(FetchStatus.ERROR, "the archive's index gave an address that is no snapshot")
        secure = self.base.startswith("https:")
        return found._replace(
            place=found.place.replace("http:", "https:", 1) if secure else found.place
        ).plain


@dataclass(frozen=True, slots=True)
class ArchivedPages:
    """Fetches pages from the archive alone, each as it was at the archive's ``when``; never raises.

    The final address of a page is that of its snapshot. A snapshot that leads to another site is no page: the site had
    moved by then, and what stands at its new address is not what was asked for.
    """

    fetcher: Fetcher
    archive: InternetArchive

    async def fetch(self, url: str) -> Page:
        """The snapshot of one address."""
        try:
            snapshot = await self.archive.snapshot(self.fetcher, url)
        except FetchError as error:
            return Page(url, error.status, error.detail, error.http)
        if snapshot is None:
            return Page(url, FetchStatus.NOT_FOUND, "the archive has no copy of it")
        page = replace(await self.fetcher.fetch(snapshot, robots=False), url=url)
        found = snapshot_of(page.final_url)
        if not page.ok or (found is not None and _site(found.original) == _site(url)):
            return page
        where = f"its copy of {found.day} leads to {found.original}" if found else "its copy leads out of it"
        detail = (
            f"the archive: {where[:300]}; the site had moved: ask for an earlier time, or for the new address"
        )
        return Page(url, FetchStatus.NOT_FOUND, detail, page.http, page.final_url)


def _site(url: str) -> str:
    """The last two names of a host: ``abortion.procon.org`` and ``www.procon.org`` are one site."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return host if host.replace(".", "").isdigit() else ".".join(host.split(".")[-2:])

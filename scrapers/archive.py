"""The Internet Archive: the snapshot of a page that is nearest to the date on which it was cited."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from urllib.parse import urlencode

from conqret.scrapers.dates import timestamp
from conqret.scrapers.fetch import Fetcher, FetchError, Status

BASE = "https://archive.org"
"""Where the availability API lives (``/wayback/available``)."""
_SNAPSHOT = re.compile(r"(https?://[^/]+(?:/[^/]+)?/web/)(\d{4,14})(?:[a-z]{2}_)?/(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class InternetArchive:
    """Finds snapshots through the availability API of ``base``, which is asked without its robots.txt."""

    base: str = BASE

    async def snapshot(self, fetcher: Fetcher, url: str, cited: str) -> str | None:
        """The URL of the snapshot nearest to ``cited`` (as printed; the newest if it holds no date).

        The archive's own frame and rewritten links are left out of it. None if there is no snapshot.

        Raises:
            FetchError: the API gave no usable answer.
        """
        query = {"url": url}
        if when := timestamp(cited):
            query["timestamp"] = when
        page = await fetcher.fetch(
            f"{self.base.rstrip('/')}/wayback/available?{urlencode(query)}", robots=False
        )
        if not page.ok:
            raise FetchError(Status.ERROR, f"the archive's index: {page.detail}", http=page.http)
        try:
            answer = json.loads(page.body)
            closest = answer["archived_snapshots"].get("closest")
            if (
                not closest
                or not closest.get("available")
                or not str(closest.get("status", "200")).startswith("2")
            ):
                return None
            found = _SNAPSHOT.fullmatch(closest["url"])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise FetchError(Status.ERROR, "the archive's index gave no answer that can be read") from error
        if found is None:
            raise FetchError(Status.ERROR, "the archive's index gave an address that is no snapshot")
        place, when, original = found.groups()
        if self.base.startswith("https:"):
            place = place.replace("http:", "https:", 1)
        return f"{place}{when}id_/{original}"

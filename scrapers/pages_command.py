"""What ``conqret corpus debates``, ``topics`` and ``inspect`` have in common: how their pages are fetched."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.console.option_groups import OptionGroup

if TYPE_CHECKING:
    from conqret.scrapers.archive import InternetArchive
    from conqret.scrapers.debate_pages import PageFetcher
    from conqret.scrapers.fetch import FetchOptions


@dataclass(frozen=True)
class Fetching(OptionGroup):
    """How pages are fetched.

    Args:
        archive_base: Another archive with the same API. [default: https://archive.org]
        delay: Seconds between two requests to one host. [default: 1; with `--archived` 4]
        allow_private: Allow loopback and private addresses (test servers, intranets).
    """

    archived: Annotated[
        str | None,
        typer.Option(
            help="Read the Internet Archive's copies nearest to this year, month or day, as in 2024-06.",
            metavar="YYYY-MM",
        ),
    ] = None
    archive_base: str | None = None
    delay: float | None = None
    allow_private: bool = False

    def archive(self) -> InternetArchive | None:
        """The archive that all pages come from, if they do."""
        return archive_at(self.archived, self.archive_base)

    def options(self) -> FetchOptions:
        """The fetcher's."""
        from conqret.scrapers import archive
        from conqret.scrapers.fetch import FetchOptions, Policy
        from conqret.scrapers.fetch.politeness import DELAY

        usual = archive.DELAY if self.archive() else DELAY
        return FetchOptions(
            delay=usual if self.delay is None else self.delay, policy=Policy(allow_private=self.allow_private)
        )

    @contextlib.asynccontextmanager
    async def fetcher(self) -> AsyncIterator[PageFetcher]:
        """Whoever fetches, while the block runs."""
        from conqret.scrapers.archive import ArchivedPages
        from conqret.scrapers.fetch import Fetcher

        archive = self.archive()
        async with Fetcher(self.options()) as fetcher:
            yield ArchivedPages(fetcher, archive) if archive else fetcher


def archive_at(archived: str | None, base: str | None) -> InternetArchive | None:
    """The archive at ``base`` as it was at the time ``archived``; None without a time."""
    from conqret.scrapers.archive import BASE, InternetArchive, moment

    return InternetArchive(base or BASE, moment(archived)) if archived is not None else None


def need_scrape() -> None:
    """Ask for the extra that fetches and parses pages."""
    from conqret._optional import require

    require("aiohttp", "lxml", "protego", extra="scrape")

"""Fetching pages of the open web, safely and politely.

    async with Fetcher(FetchOptions(delay=1.0)) as fetcher:
        page = await fetcher.fetch("https://example.org/report.pdf")
    if page.ok: ...            # page.body, page.content_type, page.charset, page.final_url
    else: ...                  # page.status (a word of the ledger) and page.detail say why

``fetch`` raises nothing: every end is a :class:`Page`. Requests to private, loopback and link-local addresses
are refused unless ``Policy(allow_private=True)``.
"""

from conqret.scrapers.fetch.fetch_client import Fetcher, FetchOptions, Retries, content_type_of
from conqret.scrapers.fetch.wire import (
    AGENT,
    USER_AGENT,
    FetchedResponse,
    FetchError,
    FetchStatus,
    Limits,
    Page,
    Policy,
)

__all__ = [
    "AGENT",
    "USER_AGENT",
    "FetchError",
    "FetchOptions",
    "FetchStatus",
    "FetchedResponse",
    "Fetcher",
    "Limits",
    "Page",
    "Policy",
    "Retries",
    "content_type_of",
]

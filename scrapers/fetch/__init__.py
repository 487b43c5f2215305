"""Fetching pages of the open web, safely and politely.

    async with Fetcher(FetchOptions(delay=1.0)) as fetcher:
        page = await fetcher.fetch("https://example.org/report.pdf")
    if page.ok: ...            # page.body, page.content_type, page.charset, page.final_url
    else: ...                  # page.status (a word of the ledger) and page.detail say why

``fetch`` raises nothing: every end is a :class:`Page`. Requests to private, loopback and link-local addresses
are refused unless ``Policy(allow_private=True)``.
"""

from conqret.scrapers.fetch.fetch_client import Fetcher as Fetcher
from conqret.scrapers.fetch.fetch_client import FetchOptions as FetchOptions
from conqret.scrapers.fetch.fetch_client import Retries as Retries
from conqret.scrapers.fetch.fetch_client import content_type_of as content_type_of
from conqret.scrapers.fetch.wire import AGENT as AGENT
from conqret.scrapers.fetch.wire import USER_AGENT as USER_AGENT
from conqret.scrapers.fetch.wire import FetchedResponse as FetchedResponse
from conqret.scrapers.fetch.wire import FetchError as FetchError
from conqret.scrapers.fetch.wire import FetchStatus as FetchStatus
from conqret.scrapers.fetch.wire import Limits as Limits
from conqret.scrapers.fetch.wire import Page as Page
from conqret.scrapers.fetch.wire import Policy as Policy

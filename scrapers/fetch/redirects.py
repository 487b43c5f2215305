"""Following redirects one step at a time, so that every step is checked like a first request."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

from yarl import URL

from conqret.scrapers.fetch.address_guard import Policy, blocked, checked_url
from conqret.scrapers.fetch.fetched_page import FetchedResponse, FetchError, FetchStatus

MAX_REDIRECTS = 10
"""Hops; browsers stop at 20, and chains on the live web rarely pass five."""
MAX_REDIRECT_BODY = 65_536
"""Bytes of a redirect's own body that are read so that its connection can be used again."""

REDIRECTS = frozenset(
    {
        HTTPStatus.MOVED_PERMANENTLY,
        HTTPStatus.FOUND,
        HTTPStatus.SEE_OTHER,
        HTTPStatus.TEMPORARY_REDIRECT,
        HTTPStatus.PERMANENT_REDIRECT,
    }
)


def next_url(reply: FetchedResponse, seen: Sequence[URL], policy: Policy, limit: int) -> URL | None:
    """The URL that ``reply``, to the last of the URLs ``seen``, points to, checked; None if it is no redirect.

    Raises:
        FetchError: there were ``limit`` redirects already, or it is a loop (``error``); the target is refused
            (``blocked``).
    """
    location = reply.lowered.get("location", "")
    if reply.http not in REDIRECTS or not location:
        return None
    here = str(seen[-1])
    if len(seen) > limit:
        raise FetchError(FetchStatus.ERROR, f"more than {limit} redirects", http=reply.http, url=here)
    try:
        joined = str(seen[-1].join(URL(location)))
    except ValueError as error:
        raise FetchError(
            FetchStatus.ERROR, "redirect to something that is no URL", http=reply.http, url=here
        ) from error
    try:
        if "\\" in location.partition("?")[0]:
            raise blocked("the URL holds a backslash")
        target = checked_url(joined, policy)
    except FetchError as error:
        error.detail = f"redirect {error.detail}"
        error.http, error.url = reply.http, here
        raise
    if target in seen:
        raise FetchError(FetchStatus.ERROR, "redirects in a circle", http=reply.http, url=str(target))
    return target

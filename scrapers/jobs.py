"""Which URLs and titles a run has to look up: each once, however many sources name it."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from conqret.data.digest import gathered
from conqret.data.item import Debate, Source
from conqret.scrapers.fetch import FetchError, Policy
from conqret.scrapers.fetch.wire import checked_url
from conqret.scrapers.fetch_ledger import FetchLedger, LedgerLine, source_key
from conqret.scrapers.search import UNSEARCHED

T = TypeVar("T")


async def work_off(lanes: Iterable[tuple[deque[T], int]], work: Callable[[T], Awaitable[None]]) -> None:
    """Do ``work`` on everything in the queues, on so many of each queue at a time; the first error ends it all."""

    async def worker(queue: deque[T]) -> None:
        while queue:
            await work(queue.popleft())

    try:
        async with asyncio.TaskGroup() as group:
            for queue, width in lanes:
                for _ in range(min(width, len(queue))):
                    group.create_task(worker(queue))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None


SEARCH_LANE = "?"
"""The lane of sources that have no URL yet; no host is called that."""


@dataclass(frozen=True, slots=True)
class CitedSource:
    """One source of one debate."""

    debate: str
    source: Source

    @property
    def key(self) -> str:
        """Debate and number."""
        return source_key(self.debate, self.source.number)

    @property
    def url(self) -> str:
        """The address that the page gives; empty for none."""
        return self.source.url.strip()

    def line(self, end: Mapping[str, Any]) -> LedgerLine:
        """The source's line in the ledger, given the ``end`` of what it waited for: the fields of a line."""
        source_fields = {"debate": self.debate, "number": self.source.number, "title": self.source.title}
        return LedgerLine.model_validate({**end, **source_fields, "url": self.url or end.get("url", "")})


Job = tuple[CitedSource, ...]
"""Sources that wait for one look-up: that of the first."""


def cited_sources(debates: Iterable[Debate]) -> list[CitedSource]:
    """All sources of all debates, in order; a number that a page gives twice counts once, as its first."""
    every = (CitedSource(debate.id, source) for debate in debates for source in debate.sources)
    return [same[0] for same in gathered((source.key, source) for source in every).values()]


def target_of(cited_source: CitedSource, policy: Policy, *, dated: bool) -> tuple[str, str]:
    """What is looked up for a source, and the lane (the host) in which it waits.

    Two sources share a target if their URLs differ in the fragment or the writing of the host at most, or
    if they have no URL and the same title. ``dated``: and if they were cited on the same day.
    """
    if not cited_source.url:
        return "title " + " ".join(cited_source.source.title.lower().split()), SEARCH_LANE
    day = f" {cited_source.source.cited}" if dated else ""
    try:
        checked = checked_url(cited_source.url, policy)
    except FetchError:
        return f"url {cited_source.url}{day}", ""
    return f"url {checked}{day}", checked.raw_host or ""


def plan(
    cited: Sequence[CitedSource],
    ledger: FetchLedger,
    policy: Policy,
    *,
    retry_errors: bool = False,
    searching: bool = False,
    dated: bool = False,
) -> tuple[dict[str, deque[Job]], list[LedgerLine]]:
    """Return the jobs that are left, by lane, and lines for sources whose target has its end already.

    Every status is an end. Asked again are errors if ``retry_errors``, and sources without URL that were
    never searched for if ``searching``.
    """
    sharing = gathered((target_of(source, policy, dated=dated), source) for source in cited)
    jobs: dict[str, deque[Job]] = defaultdict(deque)
    copies: list[LedgerLine] = []
    for (_, lane), ones in sharing.items():
        ended = {
            source.key: line
            for source in ones
            if (line := ledger.get(source.key)) is not None
            and _stands(line, source, retry_errors=retry_errors, searching=searching)
        }
        left = tuple(source for source in ones if source.key not in ended)
        if left and ended:
            end = list(ended.values())[-1].model_dump()
            copies += [source.line(end) for source in left]
        elif left:
            jobs[lane].append(left)
    return dict(jobs), copies


def _stands(line: LedgerLine, cited_source: CitedSource, *, retry_errors: bool, searching: bool) -> bool:
    if cited_source.url and line.url != cited_source.url:
        return False  # the page names another address now
    return not (line.status == "error" and retry_errors) and not (searching and line.detail == UNSEARCHED)

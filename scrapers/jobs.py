"""Which URLs and titles a run has to look up: each once, however many sources name it."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conqret.data.debate import Debate, Source
from conqret.scrapers.fetch import FetchError, Policy
from conqret.scrapers.fetch.guard import checked_url
from conqret.scrapers.ledger import Key, Ledger, LedgerLine
from conqret.scrapers.search import UNSEARCHED

SEARCH_LANE = "?"
"""The lane of sources that have no URL yet; no host is called that."""


@dataclass(frozen=True, slots=True)
class Cited:
    """One source of one debate."""

    debate: str
    source: Source

    @property
    def key(self) -> Key:
        """Debate and number."""
        return self.debate, self.source.number


@dataclass(frozen=True, slots=True)
class Job:
    """One look-up for all the sources that wait for it; ``target`` is what they have in common."""

    target: str
    lane: str
    cited: tuple[Cited, ...]

    @property
    def source(self) -> Source:
        """The source that is looked up for all."""
        return self.cited[0].source


def cited_sources(debates: Iterable[Debate]) -> list[Cited]:
    """All sources of all debates, in order; a number that a page gives twice counts once, as its first."""
    found: dict[Key, Cited] = {}
    for debate in debates:
        for source in debate.sources:
            found.setdefault((debate.id, source.number), Cited(debate.id, source))
    return list(found.values())


def target_of(source: Source, policy: Policy, *, dated: bool) -> tuple[str, str]:
    """What is looked up for a source, and the lane (the host) in which it waits.

    Two sources share a target if their URLs differ in the fragment or the writing of the host at most, or
    if they have no URL and the same title. ``dated``: and if they were cited on the same day.
    """
    url = source.url.strip()
    if not url:
        return "title " + " ".join(source.title.lower().split()), SEARCH_LANE
    day = f" {source.cited}" if dated else ""
    try:
        checked = checked_url(url, policy)
    except FetchError:
        return f"url {url}{day}", ""
    return f"url {checked}{day}", checked.raw_host or ""


def plan(
    cited: Sequence[Cited],
    ledger: Ledger,
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
    waiting: dict[str, list[Cited]] = defaultdict(list)
    lanes: dict[str, str] = {}
    ended: dict[str, LedgerLine] = {}
    for one in cited:
        target, lane = target_of(one.source, policy, dated=dated)
        line = ledger.get(one.key)
        if line is not None and _stands(line, one.source, retry_errors=retry_errors, searching=searching):
            ended[target] = line
            continue
        waiting[target].append(one)
        lanes[target] = lane
    copies = [
        ended[target].model_copy(update=_own(one))
        for target, ones in waiting.items()
        if target in ended
        for one in ones
    ]
    jobs: dict[str, deque[Job]] = defaultdict(deque)
    for target, ones in waiting.items():
        if target not in ended:
            jobs[lanes[target]].append(Job(target, lanes[target], tuple(ones)))
    return dict(jobs), copies


def lines_for(job: Job, line: LedgerLine) -> list[LedgerLine]:
    """The line of every source of a job, given the one of its first."""
    return [line.model_copy(update=_own(one)) for one in job.cited]


def _own(one: Cited) -> dict[str, object]:
    own: dict[str, object] = {"debate": one.debate, "number": one.source.number, "title": one.source.title}
    if one.source.url.strip():
        own["url"] = one.source.url.strip()
    return own


def _stands(line: LedgerLine, source: Source, *, retry_errors: bool, searching: bool) -> bool:
    if line.status == "error" and retry_errors:
        return False
    asked = source.url.strip()
    if asked and line.url != asked:
        return False  # the page names another address now
    return not (searching and line.detail == UNSEARCHED)

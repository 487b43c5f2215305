"""``conqret corpus evidence``: the sources that debates cite, fetched, extracted and accounted for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import note, progress, result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from conqret.scrapers.fetch_ledger import EvidenceSummary, LedgerLine


@grouped
def evidence(
    corpus: Path,
    *,
    search: str | None = None,
    archived: Annotated[
        str | None,
        typer.Option(
            help="Take the Internet Archive's copy nearest to this year, month or day, such as 2024-06, or to the "
            "date of citation (`cited`); if there is none, today's page.",
            metavar="YYYY-MM",
            rich_help_panel="Asking",
        ),
    ] = None,
    concurrency: int | None = None,
    delay: float | None = None,
    user_agent: str | None = None,
    allow_private: bool = False,
    retry_errors: bool = False,
    reparse: bool = False,
    shown: options.OutputOptions,
) -> None:
    """Fetch what the debates of a corpus cite, extract the texts, and record what became of every source.

    The same command again goes on where it stopped, and fetches nothing that ledger.jsonl has as finished.

    Args:
        corpus: The corpus directory, with the debates.jsonl of `conqret corpus debates`.
        retry_errors: Fetch sources again whose last attempt ended with an error.
        reparse: Extract all texts again from the stored responses, without a request.
    Asking:
        search: Search engines that look for sources without a URL, tried in this order: `google` (GOOGLE_API_KEY,
            GOOGLE_CSE_ID), `brave` (BRAVE_API_KEY), `searxng` (CONQRET_SEARXNG_URL), with keys from the environment.
        concurrency (--concurrency, -c): Requests at once, over all hosts. [default: 32]
        delay: Seconds between two requests to one host, give or take half. [default: 1; from the archive 4]
        user_agent: The user agent that web sites see; name a contact in it.
        allow_private: Allow loopback and private addresses, and any port (test servers, intranets).

    Examples:

    conqret corpus evidence corpus/ --concurrency 32 --user-agent 'our-lab (mailto:someone@example.org)'

    conqret corpus evidence corpus/ --search searxng,brave

    conqret corpus evidence corpus/ --archived cited

    conqret corpus evidence corpus/ --reparse
    """
    from conqret.scrapers.corpus_collecting import collect_evidence

    ends: Counter[str] = Counter()
    with progress("gathering", quiet=shown.quiet) as bar:

        def advance(line: LedgerLine) -> None:
            ends[line.status] += 1
            bar.advance(counted=f"{ends['ok']} of {ends.total()} extracted")

        summary = collect_evidence(
            corpus,
            search=search or (),
            retry_errors=retry_errors,
            reparse=reparse,
            on_start=lambda total, kept: bar.reach(kept, total=total),
            on_line=advance,
            archived=archived,
            concurrency=concurrency,
            delay=delay,
            user_agent=user_agent,
            allow_private=allow_private,
        )
    result(summary.record(), _lines(summary, corpus), as_json=shown.json_output)
    if not shown.quiet:
        _advise(summary, searching=bool(options.listed(search)))


def _lines(summary: EvidenceSummary, corpus: Path) -> Iterator[RenderableType]:
    from conqret.data.table2 import PAPER_CITED, PAPER_EXTRACTED

    share = f" ({summary.share:.1%})" if summary.cited else ""
    yield f"cited       {summary.cited:,}"
    yield f"extracted   {summary.extracted:,}{share}"
    yield f"documents   {summary.documents:,}"
    for status, count in summary.by_status.items():
        if count and status != "ok":
            yield f"  {status:<12}{count:,}"
    yield f"ConQRet, section 4.2: {PAPER_CITED:,} cited, {PAPER_EXTRACTED:,} extracted"
    yield f"ledger      {corpus / 'ledger.jsonl'}"


def _advise(summary: EvidenceSummary, *, searching: bool) -> None:
    if summary.kept:
        note(
            f"{summary.kept:,} sources were finished in an earlier run; {summary.pages:,} URLs were fetched now"
        )
    if summary.by_status.get("error"):
        note(
            f"{summary.by_status['error']:,} sources ended with errors; use --retry-errors to fetch them again"
        )
    if summary.without_url and not searching:
        note(f"{summary.without_url:,} sources have no URL; use --search to find them by title")

"""``conqret scrape evidence``: the sources that debates cite, fetched, extracted and accounted for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.cli.console import err, note, out

if TYPE_CHECKING:
    from conqret.scrapers.evidence import EvidenceOptions
    from conqret.scrapers.ledger import EvidenceSummary, LedgerLine

EPILOG = (
    "Examples:\n\n"
    "conqret scrape evidence corpus/ --concurrency 32 --user-agent 'our-lab (mailto:someone@example.org)'\n\n"
    "conqret scrape evidence corpus/ --search searxng,brave\n\n"
    "conqret scrape evidence corpus/ --archive\n\n"
    "conqret scrape evidence corpus/ --reparse"
)
_ASKING, _LIMITS = "Asking", "Limits"


def register(app: typer.Typer) -> None:
    """Add the command to ``conqret scrape``."""
    app.command("evidence", epilog=EPILOG)(evidence)


def evidence(
    corpus: Annotated[
        Path, typer.Argument(help="The corpus directory, with the debates.jsonl of `conqret scrape debates`.")
    ],
    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency",
            "-c",
            help="Requests at once, over all hosts. [default: 32]",
            rich_help_panel=_ASKING,
        ),
    ] = None,
    delay: Annotated[
        float | None,
        typer.Option(
            help="Seconds between two requests to one host, give or take half. [default: 1]",
            rich_help_panel=_ASKING,
        ),
    ] = None,
    per_host: Annotated[
        int | None, typer.Option(help="Requests to one host at once. [default: 2]", rich_help_panel=_ASKING)
    ] = None,
    user_agent: Annotated[
        str | None,
        typer.Option(help="What we call ourselves; name a contact in it.", rich_help_panel=_ASKING),
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(
            help="Who finds sources without URL, in this order: google (GOOGLE_API_KEY, GOOGLE_CSE_ID), "
            "brave (BRAVE_API_KEY), searxng (CONQRET_SEARXNG_URL), from the environment.",
            rich_help_panel=_ASKING,
        ),
    ] = None,
    archive: Annotated[
        bool,
        typer.Option(
            "--archive",
            help="Take the Internet Archive's snapshot nearest the date of citation; where there is none, "
            "the page of today.",
            rich_help_panel=_ASKING,
        ),
    ] = False,
    archive_base: Annotated[
        str | None,
        typer.Option(
            help="Another archive with the same API. [default: https://archive.org]", rich_help_panel=_ASKING
        ),
    ] = None,
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="Ask again for what ended as an error.")
    ] = False,
    reparse: Annotated[
        bool,
        typer.Option(
            "--reparse", help="Extract all texts again from the stored responses, without a request."
        ),
    ] = False,
    allow_private: Annotated[
        bool,
        typer.Option(
            "--allow-private",
            help="Allow loopback and private addresses, and any port (test servers, intranets).",
            rich_help_panel=_LIMITS,
        ),
    ] = False,
    allow_port: Annotated[
        list[int] | None,
        typer.Option(help="A port to allow besides 80 and 443; may be given again.", rich_help_panel=_LIMITS),
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds for one request. [default: 60]", rich_help_panel=_LIMITS)
    ] = None,
    max_bytes: Annotated[
        int | None,
        typer.Option(help="Bytes of one answer on the wire. [default: 16777216]", rich_help_panel=_LIMITS),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(help="Processes that parse. [default: one a core, at most 8]", rich_help_panel=_LIMITS),
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes.")] = False,
) -> None:
    """Fetch what the debates of a corpus cite, extract the texts, and account for every source.

    The same command again goes on where it stopped, and fetches nothing that has its end in ledger.jsonl.
    """
    import asyncio
    import json

    from conqret.scrapers.evidence import gather_evidence
    from conqret.scrapers.reparse import reparse_evidence

    options = _options(
        concurrency, delay, per_host, user_agent, search, archive, archive_base, retry_errors,
        allow_private, allow_port, timeout, max_bytes, workers,
    )  # fmt: skip
    with _Progress(enabled=not quiet) as progress:
        work = reparse_evidence if reparse else gather_evidence
        summary = asyncio.run(work(corpus, options, on_start=progress.start, on_line=progress.advance))
    if json_output:
        out().out(json.dumps(summary.record(), indent=1))
        return
    _show(summary, corpus)
    if not quiet:
        _advise(summary, searching=bool(options.providers))


def _options(
    concurrency: int | None,
    delay: float | None,
    per_host: int | None,
    user_agent: str | None,
    search: str | None,
    archive: bool,
    archive_base: str | None,
    retry_errors: bool,
    allow_private: bool,
    allow_port: list[int] | None,
    timeout: float | None,
    max_bytes: int | None,
    workers: int | None,
) -> EvidenceOptions:
    from conqret._optional import require
    from conqret.errors import DeclarationError

    for module in ("trafilatura", "pypdf", "warcio", "protego", "charset_normalizer"):
        require(module, extra="scrape")
    from conqret.scrapers.archive import BASE, InternetArchive
    from conqret.scrapers.evidence import EvidenceOptions
    from conqret.scrapers.extract.pool import WORKERS
    from conqret.scrapers.fetch import FetchOptions, Limits, Policy
    from conqret.scrapers.fetch.guard import PORTS
    from conqret.scrapers.providers import providers

    if timeout is not None and not 0 < timeout < float("inf"):
        raise DeclarationError(f"--timeout is a number of seconds above 0, not {timeout}")
    if (max_bytes is not None and max_bytes < 1) or (workers is not None and workers < 1):
        raise DeclarationError("--max-bytes and --workers are at least 1")
    given = {"concurrency": concurrency, "delay": delay, "per_host": per_host, "user_agent": user_agent}
    limits = {"total_seconds": timeout, "max_bytes": max_bytes}
    fetch = FetchOptions(
        **{name: value for name, value in given.items() if value is not None},  # type: ignore[arg-type]
        policy=Policy(allow_private, PORTS | frozenset(allow_port or ())),
        limits=Limits(**{name: value for name, value in limits.items() if value is not None}),  # type: ignore[arg-type]
    )
    names = [name.strip() for name in (search or "").split(",") if name.strip()]
    return EvidenceOptions(
        fetch,
        providers(names),
        InternetArchive(archive_base or BASE) if archive or archive_base else None,
        retry_errors,
        workers or WORKERS,
    )


def _show(summary: EvidenceSummary, corpus: Path) -> None:
    from rich.text import Text

    from conqret.data.table2 import PAPER_CITED, PAPER_EXTRACTED

    console = out()
    share = f" ({summary.share:.1%})" if summary.cited else ""
    console.print(Text(f"cited       {summary.cited:,}"))
    console.print(Text(f"extracted   {summary.extracted:,}{share}"))
    console.print(Text(f"documents   {summary.documents:,}"))
    for status, count in summary.by_status.items():
        if count and status != "ok":
            console.print(Text(f"  {status:<12}{count:,}"))
    console.print(Text(f"ConQRet, section 4.2: {PAPER_CITED:,} cited, {PAPER_EXTRACTED:,} extracted"))
    console.print(Text(f"ledger      {corpus / 'ledger.jsonl'}"), soft_wrap=True)


def _advise(summary: EvidenceSummary, *, searching: bool) -> None:
    if summary.kept:
        note(f"{summary.kept:,} sources had their end from before; {summary.pages:,} URLs were fetched now")
    if summary.by_status.get("error"):
        note(f"{summary.by_status['error']:,} sources ended as errors; --retry-errors asks for them again")
    if summary.without_url and not searching:
        note(f"{summary.without_url:,} sources have no URL; --search finds them by title")


class _Progress:
    """A bar with the extracted share on a terminal, nothing elsewhere."""

    def __init__(self, *, enabled: bool) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            TextColumn("gathering"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[counts]}"),
            console=err(),
            transient=True,
            disable=not enabled or not err().is_terminal,
        )
        self._task = self._bar.add_task("gathering", total=None, counts="")
        self._done = self._extracted = 0

    def __enter__(self) -> _Progress:
        self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._bar.stop()

    def start(self, total: int, kept: int) -> None:
        self._bar.update(self._task, total=total, completed=kept)

    def advance(self, line: LedgerLine) -> None:
        self._done += 1
        self._extracted += line.status == "ok"
        if not self._bar.disable:
            self._bar.update(self._task, advance=1, counts=f"{self._extracted} of {self._done} extracted")

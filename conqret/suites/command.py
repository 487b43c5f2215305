"""``conqret judges suites`` and ``leaderboard``: the public test sets, and judges compared on them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.prompt import Confirm

from conqret.console import shared_options as options
from conqret.console.printing import at, entry, err, note, progress, result, spaced, tell
from conqret.console.source_options import SuiteFolder
from conqret.errors import DeclarationError, number

if TYPE_CHECKING:
    from conqret.suites.suite import Suite


def list_suites(
    name: str | None = None,
    *,
    fetch: bool = False,
    yes: bool = False,
    source: SuiteFolder = None,
    json_output: options.Printed = None,
) -> None:
    """List the suites (public test sets): what each answers, how many items it has, and whether its files are here.
    With a name: source, license, files, statistics, and the published figures of that suite, recomputed where its files
    allow it.

    `--fetch` shows the license, downloads the files and checks them. They are put into `~/.cache/conqret/suites`, or
    where `CONQRET_SUITES` says. `CONQRET_SUITES_MIRROR` is an address to fetch from instead of
    https://raw.githubusercontent.com, with the same paths below it.

    Args:
        name: Show this suite alone, with its files, statistics and published figures.
        fetch: Fetch the files of the suite from their publishers.
        yes (--yes, -y): Accept the license without a question.

    Examples:

    conqret judges suites

    conqret judges suites judgebench

    conqret judges suites judgebench --fetch --yes
    """
    from conqret.suites import suite as declared
    from conqret.suites import suite_fetch

    suites = declared.SUITES
    if fetch:
        if name is None or source is not None:
            raise DeclarationError(
                "name the suite that is to be fetched, without --from: judges suites NAME --fetch"
            )
        result(*_fetched(suites[name], yes=yes), as_json=json_output)
        return
    if name is not None:
        result(*_one_suite(suites[name], source), as_json=json_output)
        return
    every = [suites[name] for name in suites]
    listed = [_facts(suite, suite_fetch.local_copy(suite, source)) for suite in every]

    def entries() -> Iterator[RenderableType]:
        for suite, facts in zip(every, listed, strict=True):
            state = f"here: {facts['here']}" if facts["here"] else "its files are not here"
            judged = "" if suite.judged else "; published verdicts only, nothing to judge"
            size = f"{_size(suite)}; {suite.about}; public since {suite.public_since}{judged}"
            yield from entry(suite.name, suite.title, [suite.question, size, state])
        yield "conqret judges suites NAME says more; conqret judges suites NAME --fetch brings its files."

    result(listed, entries(), as_json=json_output)


def _one_suite(suite: Suite, source: Path | None) -> tuple[dict[str, Any], Iterator[RenderableType]]:
    """Return what there is to say of a suite: as plain data, and as lines to print. Its files are read if they are on
    this machine, to count them and to recompute published figures; nothing is fetched."""
    from conqret.suites import leaderboard_page, suite_fetch, suite_statistics

    folder = suite_fetch.local_copy(suite, source)
    data = None if folder is None else suite.data(folder)
    figures = [] if data is None else suite_statistics.recomputed(suite, data)
    files = [{"file": one.local, "from": suite_fetch.address(one), "note": one.note} for one in suite.files]
    facts = {
        **_facts(suite, folder),
        "counts": None if data is None else data.counts,
        "files": files,
        "statistics": _fields(suite.statistics, "name", "definition", "chance"),
        "published": _fields(suite.published, "who", "statistic", "value", "where", "note"),
        "recomputed": [{"who": one.figure.who, "value": one.value, "same": one.same} for one in figures],
    }

    def lines() -> Iterator[RenderableType]:
        yield from entry(
            suite.title,
            suite.name,
            [
                suite.question,
                f"source     {suite.source}",
                f"license    {suite.license}",
                f"size       {_size(suite)}",
                f"public     since {suite.public_since}: it may be in the training data of later models",
                f"judged by  {suite.judged_by()}",
                f"files      {folder or 'not here'}" + ("" if data is None else f" ({_counts(data.counts)})"),
            ],
        )
        yield from (leaderboard_page.statistics_table(suite), "")
        if suite.published:
            yield from (leaderboard_page.published_table(suite, figures), "")
        for file in suite.files[:_FILES]:
            yield f"{file.local}  {suite_fetch.address(file) or file.note or 'from its authors'}"
        if len(suite.files) > _FILES:
            yield f"and {len(suite.files) - _FILES} more files"

    return facts, lines()


_FILES = 6
"""Files that are listed."""


def _fetched(suite: Suite, *, yes: bool) -> tuple[dict[str, Any], Iterable[str]]:
    """Fetch the missing files of a suite, and return what was done as plain data and as lines. Without ``yes`` the user
    has to accept the license on a terminal; one who does not ends the command with exit code 1.

    Raises:
        DeclarationError: there is no terminal, or a file cannot be fetched or has another layout.
    """
    from conqret.suites import suite_fetch

    lacking, _ = suite_fetch.to_fetch(suite)
    if lacking:
        tell(f"{suite.title}: {suite.source}")
        tell(f"license: {suite.license}")
        tell(f"{number(len(lacking), 'file')} into {suite_fetch.fetched_folder(suite)}")
        if not yes:
            if not sys.stdin.isatty():
                raise DeclarationError(
                    "you must accept the license, but there is no terminal to confirm it on: read it above, and give "
                    "--yes"
                )
            if not Confirm.ask("Accept the license and continue?", console=err()):
                sys.exit(1)
    with progress("fetching") as bar:

        def on_bytes(file: str, done: int, total: int | None) -> None:
            of = "" if total is None else f" of {total / 1e6:,.1f}"
            bar.reach(done, f"{file}: {done / 1e6:,.1f}{of} MB", total=total)

        fetched = suite_fetch.fetch_suite(suite, on_bytes=on_bytes)
    facts = {
        "suite": suite.name,
        "folder": str(fetched.folder),
        "fetched": list(fetched.fetched),
        "kept": list(fetched.kept),
        "files": suite_fetch.digests(suite, fetched.folder),
    }
    there = f", {number(len(fetched.kept), 'file')} were here already" if fetched.kept else ""
    lines = [
        f"{number(len(fetched.fetched), 'file')} fetched and checked{there}",
        at(fetched.folder, "folder"),
        f"conqret judges test {suite.name} --model MODEL judges it",
    ]
    return facts, lines


def report(
    results: list[Path] | None = None,
    *,
    suite: list[str] | None = None,
    source: SuiteFolder = None,
    page: options.PageFile,
    json_output: options.Printed = None,
) -> None:
    """Compare judges over suites: a leaderboard with intervals, prices and published judges.

    A judge is called better than another only where a paired test on the same items shows it. Without results, the
    published judges of all suites whose files are here are shown.

    Args:
        results: Results (suite.json), the folders of runs, or folders that collect results.
        suite: Report only this suite (public test set). May be repeated.

    Examples:

    conqret judges leaderboard runs/*/suite.json -o leaderboard.html

    conqret judges leaderboard --suite judgebench
    """
    from conqret.suites import leaderboard_page, suite_report

    found = suite_report.suite_report(results or (), suites=suite or (), source=source)
    lines = [*found.answer, "", *spaced(leaderboard_page.leaderboard_tables(found))]
    result(found.facts, lines, as_json=json_output)
    note(*found.notes)
    page.write(leaderboard_page.leaderboard_page, found)
    if page.output is not None and page.output.suffix == ".svg" and len(found.boards) > 1:
        note(
            f"{page.output} shows only the first of {len(found.boards)} suites: write a page (.html) for all, or "
            "choose one with --suite"
        )


def _fields(rows: Iterable[object], *names: str) -> list[dict[str, Any]]:
    return [{name: getattr(row, name) for name in names} for row in rows]


_FACTS = ("name", "title", "question", "source", "license", "about", "task", "judged", "public_since")


def _facts(suite: Suite, folder: Path | None) -> dict[str, Any]:
    here = None if folder is None else str(folder)
    return {**_fields([suite], *_FACTS)[0], "whole": dict(suite.whole), "here": here}


def _size(suite: Suite) -> str:
    return _counts(suite.whole) or "size not declared"


def _counts(counts: Any) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)

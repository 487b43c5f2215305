"""The web application of ``conqret serve view``: the list of runs, the page of each, and the requests of
an item.

All is made anew of the folder for each request, and nothing is written. A page is whole before anything is sent, so
that a corrupt file gives a page that says so; one page is made at a time, which bounds memory and work.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from conqret.errors import ConqretError, DeclarationError, number
from conqret.experiments.page import run_page
from conqret.judging.judge_folder import JUDGMENTS, REQUESTS_FOLDER, JudgeFolder
from conqret.judging.recorded_requests import request_page, requests_of
from conqret.runs.management import FINISHED, RunEntry, run_entry, run_folders, stats
from conqret.runs.run_folder import RECORD_NAME, REPORT
from conqret.show import words
from conqret.show.page import page
from conqret.show.report_page import PageLinks, PageRemarks, ReportPage, Section
from conqret.studies.card.page import PAGE_NAME as CARD_PAGE
from conqret.studies.card.page import card_page
from conqret.studies.card.result import FILE_NAME, read_card
from conqret.studies.diff.difference import diff
from conqret.studies.diff.result import difference_page
from conqret.studies.validate.page import validation_page
from conqret.studies.validate.validate import JSON_NAME, PAGE_NAME, read_validation
from conqret.web.local_server import GRACE_SECONDS, LOOPBACK, Guard, LocalServer, local_server, own_hosts

RUNS = "/runs/"
"""The beginning of the paths of all runs, which continue as on the disk."""

MALFORMED = (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""The exceptions of reading files that no run wrote."""

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run in the viewer's list; ``name`` is its path below the served folder, ``address`` its URL,
    ``fault`` why it cannot be opened (empty: it can), and ``done`` how much of it is finished.
    """

    name: str
    address: str
    kind: str
    what: str
    begun: str
    state: str
    done: str
    answers: str
    fault: str = ""

    def has(self, wanted: list[str]) -> bool:
        """Return True if the run's name, kind, description and state contain all these lower-case words."""
        text = f"{self.name} {self.kind} {self.what} {self.state}".casefold()
        return all(word in text for word in wanted)


def listed(root: Path) -> list[ListedRun]:
    """Return the runs (and validations) under ``root``, newest first; a run that cannot be opened has a
    ``fault``.

    Raises:
        DeclarationError: there is no such folder.
    """
    runs = [look(root, run) for run in run_folders(root)]
    validations = [file.parent for file in sorted(root.rglob(JSON_NAME))]
    runs += [_validation(root, each) for each in validations if not (each / RECORD_NAME).is_file()]
    return sorted(runs, key=lambda run: run.begun, reverse=True)


def look(root: Path, run: Path) -> ListedRun:
    """Return the list entry of the run in a folder; if it cannot be read, the entry has a ``fault``."""
    try:
        fault = leads_out(root, run)
        if not fault:
            run_summary = run_entry(run)
            if run_summary.kind != "?":
                return _listed(root, run_summary)
            fault = run_summary.what
    except MALFORMED as error:
        fault = f"its files cannot be read ({type(error).__name__}: {error})"
    name = run.relative_to(root).as_posix()
    return ListedRun(name, RUNS + address(name), "?", "", "", "", "", "", fault)


def opened(root: Path, name: str) -> Path:
    """Return the folder of the run or validation with the relative path ``name`` under ``root``.

    An empty name means ``root`` itself.

    Raises:
        DeclarationError: there is no such run, or it leads out of ``root``.
    """
    try:
        run = (root / name).resolve(strict=True)
        there = run.is_relative_to(root) and any((run / file).is_file() for file in (RECORD_NAME, JSON_NAME))
    except (OSError, ValueError):  # a name that no file can have
        run, there = root, False
    if not there:
        raise DeclarationError("there is no such run in the served folder")
    if out := leads_out(root, run):
        raise DeclarationError(out)
    return run


def beside(run: Path) -> Iterator[tuple[str, str]]:
    """Return (title, file name) pairs of further pages in a run's folder: its validation and its judge card."""
    pages = (("Validation", JSON_NAME, PAGE_NAME), ("Judge card", FILE_NAME, CARD_PAGE))
    return ((title, page) for title, file, page in pages if (run / file).is_file())


def leads_out(root: Path, run: Path) -> str:
    """Return a sentence on a link in a run's folder that leads out of ``root``; empty if there is none."""
    for entry in run.rglob("*"):
        if entry.is_symlink() and not Path(os.path.realpath(entry)).is_relative_to(root):  # of a loop, too
            where = entry.relative_to(root)
            return f"{where} is a link that leads out of the folder, so this run is not shown"
    return ""


def inner_runs(run: Path) -> Iterator[tuple[str, str]]:
    """Yield the runs inside a run, such as those of an experiment, as (name, relative URL) pairs."""
    for record in sorted(run.rglob(RECORD_NAME)):
        if record.parent != run:
            name = record.parent.relative_to(run).as_posix()
            yield name, address(name)


def address(name: str) -> str:
    """Return the relative URL of the page of the run with the path ``name``."""
    return quote(f"{name}/{REPORT}".removeprefix("./"), errors="replace")


def _listed(root: Path, run: RunEntry) -> ListedRun:
    name, state = run.path.relative_to(root).as_posix(), run.state
    if state != FINISHED:
        written = dt.datetime.fromtimestamp(max(status.st_mtime for status in stats(run.path)), dt.UTC)
        state = f"{state}, last written {written:%H:%M:%S} UTC"
    answers = "damaged" if run.answers is None else f"{run.answers:,}" if run.answers else ""
    begun = run.created[:19].replace("T", " ")
    return ListedRun(name, RUNS + address(name), run.kind, run.what, begun, state, _done(run), answers)


def _validation(root: Path, folder: Path) -> ListedRun:
    """Return the list entry of a validation; if it cannot be read or leads out of ``root``, the entry has a
    ``fault``.
    """
    name, fault = folder.relative_to(root).as_posix(), leads_out(root, folder)
    what = begun = ""
    if not fault:
        try:
            judge = read_validation(folder).judge
            written = dt.datetime.fromtimestamp((folder / JSON_NAME).stat().st_mtime, dt.UTC)
            what, begun = f"{judge.format}, {judge.model}", f"{written:%Y-%m-%d %H:%M:%S}"
        except (DeclarationError, *MALFORMED) as error:
            fault = str(error)
    at = quote(f"{name}/{PAGE_NAME}".removeprefix("./"), errors="replace")
    return ListedRun(name, RUNS + at, "validation", what, begun, FINISHED, "", "", fault)


def _done(run: RunEntry) -> str:
    """Return how many judgments a run has so far, of how many if that is known; empty without a file of judgments."""
    file = run.path / JUDGMENTS
    if not file.is_file():
        return ""
    with file.open("rb") as lines:
        count = sum(part.count(b"\n") for part in iter(lambda: lines.read(_CHUNK), b""))
    if run.kind != JudgeFolder(run.path).kind:
        return number(count, "judgment")
    try:
        done = f"{count:,} of {number(JudgeFolder(run.path).record().items_count, 'item')}"
        return ", ".join(filter(None, (done, run.lost)))
    except DeclarationError:
        return number(count, "item")


LIST_SECONDS = 5
"""Seconds between two updates of the list of runs."""
PAGE_SECONDS = 30
"""Seconds between two updates of the page of an unfinished run."""

_PAGES = "|".join(map(re.escape, (REPORT, PAGE_NAME, CARD_PAGE)))
_ADDRESS = re.compile(
    rf"\A(?:(?P<run>.+)/)?(?:(?P<page>{_PAGES})|{REQUESTS_FOLDER}/(?P<item>[1-9]\d{{0,8}})\.html)"
)
_HERE = Path(__file__).resolve().parent


def view_app(root: Path, port: int) -> Guard:
    """Return the web application that shows the runs under the folder ``root``, to be served at ``port``.

    The extra ``web`` must be installed.
    """
    viewer = _Viewer(root.resolve())
    routes = [
        Route("/", viewer.runs),
        Route("/runs/{path:path}", viewer.run),
        Route("/diff", viewer.difference),
    ]
    return Guard(Starlette(routes=routes, exception_handlers={HTTPException: _nowhere}), own_hosts(port))


class _Viewer:
    def __init__(self, root: Path) -> None:
        self.root = root
        self._one_at_a_time = threading.Lock()

    def runs(self, request: Request) -> Response:
        """Answer with the list of runs; with a query ``q``, of those that have all of its words."""
        query = request.query_params.get("q", "")[:200]
        try:
            with self._one_at_a_time:
                run_list = listed(self.root)
        except (ConqretError, *MALFORMED) as error:
            return _sorry(error)
        shown = [run for run in run_list if run.has(query.casefold().split())]
        content: dict[str, Any] = {"runs": shown, "total": len(run_list), "query": query}
        name = self.root.name or str(self.root)
        settings: dict[str, Any] = {"scripts": ["live.js"], "within": _HERE, "forms": "'self'"}
        return _response(page("runs.html.j2", **settings, **content, folder_name=name, live=LIST_SECONDS))

    def run(self, request: Request) -> Response:
        """Answer with the page of a run, of its validation or card, or of the requests of one of its items. Files that
        cannot be read give a page that says why, with the runs inside this one."""
        wanted = _ADDRESS.fullmatch(request.path_params["path"])
        if wanted is None:
            return _nowhere(request)
        try:
            run = opened(self.root, wanted["run"] or "")
        except DeclarationError as error:
            return _sorry(error, 404)
        try:
            with self._one_at_a_time:
                if wanted["item"]:
                    return _response(_asked(JudgeFolder(run), int(wanted["item"])))
                if wanted["page"] == PAGE_NAME:
                    return _response(validation_page(read_validation(run)).html(around=_around(run)))
                if wanted["page"] == CARD_PAGE:
                    return _response(card_page(read_card(run)).html(around=_around(run)))
                return self._report(run)
        except (ConqretError, *MALFORMED) as error:
            return _sorry(error, inside=_inside(inner_runs(run)))

    def _report(self, run: Path) -> Response:
        listed_run, ways = look(self.root, run), _around(run)
        facts = [("Made with", listed_run.what), ("Begun", listed_run.begun), ("State", listed_run.state)]
        if JudgeFolder(run).is_there():
            ways.append(("Compare", f"/diff?{urlencode({'first': run.relative_to(self.root).as_posix()})}"))
        report_page = run_page(run, with_requests=True, around=ways)
        if report_page is None:
            sections = _inside(inner_runs(run))
            lede = [f"The viewer has no page for runs of this kind; what they hold is in {run}."]
            sheet = ReportPage(listed_run.kind, listed_run.name, sections, lede, facts=facts)
            report_page = sheet.html(around=ways)
        return _response(
            report_page, again=0 if listed_run.fault or listed_run.state == FINISHED else PAGE_SECONDS
        )

    def difference(self, request: Request) -> Response:
        """Answer with the page of the differences of two runs; if only one is named, with a list of the runs that it
        can be compared with."""
        names = [request.query_params.get(name, "") for name in ("first", "second")]
        try:
            runs = [JudgeFolder(opened(self.root, name)) for name in names if name]
            if not runs:
                return _nowhere(request)
            with self._one_at_a_time:
                if len(runs) == 1:
                    return _response(self._comparable(names[0]))
                first, second = runs
                comparison = diff(first, second)
                return _response(difference_page(comparison, first, second, ALL_RUNS))
        except (ConqretError, *MALFORMED) as error:
            return _sorry(error)

    def _comparable(self, first: str) -> Iterable[str]:
        kind = JudgeFolder(self.root).kind
        to = [
            (f"{run.name} ({run.what})", f"/diff?{urlencode({'first': first, 'second': run.name})}")
            for run in listed(self.root)
            if run.kind == kind and run.state == FINISHED and run.name != first
        ]
        nothing = PageRemarks(["There is no other finished run of a judge in this folder."])
        others = Section("Other runs", [PageLinks(to) if to else nothing])
        lede = [f"Pick the run that “{first}” is compared with."] if to else []
        return ReportPage("diff", "Compare two runs", [others], lede).html(around=ALL_RUNS)


ALL_RUNS = [("All runs", "/")]


def _around(run: Path) -> list[tuple[str, str]]:
    """Return the links (title, address) on a run's page: back to the list, its report, and its further pages."""
    return [*ALL_RUNS, *([("Report", REPORT)] if (run / RECORD_NAME).is_file() else []), *beside(run)]


def _asked(run: JudgeFolder, number: int) -> Iterable[str]:
    item = next(islice(run.items(), number - 1, None), None)
    if item is None:
        raise DeclarationError(f"the run has no item {number}")
    (requests,) = requests_of(run, [item.id])
    return request_page(number, requests, f"../{REPORT}", ALL_RUNS)


def _nowhere(request: Request, error: Exception | None = None) -> Response:
    """Return the page with status 404 that says that there is no run at this address."""
    sheet = ReportPage("runs", "There is no run at this address", [], ["It may have been moved or deleted."])
    return _response(sheet.html(around=ALL_RUNS), 404)


def _inside(runs: Iterable[tuple[str, str]]) -> list[Section]:
    return [Section("Runs inside", [PageLinks(links)] if (links := list(runs)) else [])]


def _sorry(error: Exception, status: int = 409, inside: Sequence[Section] = ()) -> Response:
    """Return the page with the reason why something cannot be shown, and the sections ``inside``."""
    known = isinstance(error, ConqretError | OSError)
    why = str(error) if known else f"the files are not as a run writes them ({type(error).__name__}: {error})"
    sheet = ReportPage("runs", "This cannot be shown", inside, lede=[words.capitalised(why[:2000])])
    return _response(sheet.html(around=ALL_RUNS), status)


def _response(parts: Iterable[str], status: int = 200, again: int = 0) -> Response:
    """A whole page, which the browser requests anew after ``again`` seconds, if any."""
    content = "".join(parts).encode("utf-8", "replace")
    return HTMLResponse(content, status, {"Refresh": str(again)} if again else None)


def view_server(root: Path, port: int) -> LocalServer:
    """Return the server that shows the runs under ``root`` at a port, not yet running; port 0 takes any free
    port.

    Raises:
        DeclarationError: there is no such folder, the port is taken or not allowed, or the extra
            ``web`` is missing.
    """
    if not root.is_dir():
        raise DeclarationError(f"{root}: there is no such folder; give a folder of runs")
    return local_server(
        lambda port: view_app(root, port), LOOPBACK, port, timeout_graceful_shutdown=GRACE_SECONDS
    )

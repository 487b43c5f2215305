"""Which runs a folder holds, as the viewer lists them, and what of them leads out of it."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from conqret.errors import DeclarationError, number
from conqret.judging.judge_folder import JUDGMENTS, JudgeFolder
from conqret.runs.management import FINISHED, FoundRun, found_run, run_folders, stats
from conqret.runs.run_folder import RECORD_NAME, REPORT
from conqret.studies.card.page import PAGE_NAME as CARD_PAGE
from conqret.studies.card.result import FILE_NAME
from conqret.studies.validate.validate import JSON_NAME, PAGE_NAME, read_validation

RUNS = "/runs/"
"""What the addresses of all runs begin with; behind it they are as on the disk."""

MALFORMED = (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""What reading files raises that no run wrote as they are."""

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run in the list: ``fault`` says why it cannot be opened; ``done`` is what is done of how much."""

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
        """Whether all these words, in lower case, are in what is said of the run."""
        text = f"{self.name} {self.kind} {self.what} {self.state}".casefold()
        return all(word in text for word in wanted)


def listed(root: Path) -> list[ListedRun]:
    """The runs under ``root``, newest first; one that cannot be opened is there and says why.

    Raises:
        DeclarationError: there is no such folder.
    """
    runs = [look(root, run) for run in run_folders(root)]
    validations = [file.parent for file in sorted(root.rglob(JSON_NAME))]
    runs += [_validation(root, each) for each in validations if not (each / RECORD_NAME).is_file()]
    return sorted(runs, key=lambda run: run.begun, reverse=True)


def look(root: Path, run: Path) -> ListedRun:
    """What the list says of the run in a folder."""
    try:
        fault = leads_out(root, run)
        if not fault:
            run_summary = found_run(run)
            if run_summary.kind != "?":
                return _listed(root, run_summary)
            fault = run_summary.what
    except MALFORMED as error:
        fault = f"its files cannot be read ({type(error).__name__}: {error})"
    name = run.relative_to(root).as_posix()
    return ListedRun(name, RUNS + address(name), "?", "", "", "", "", "", fault)


def opened(root: Path, name: str) -> Path:
    """The folder of the run or validation that is called ``name`` under ``root``: a relative path, empty for ``root``
    itself.

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
    """What else there is of the run in a folder: the page of its validation and its judge card."""
    pages = (("Validation", JSON_NAME, PAGE_NAME), ("Judge card", FILE_NAME, CARD_PAGE))
    return ((title, page) for title, file, page in pages if (run / file).is_file())


def leads_out(root: Path, run: Path) -> str:
    """Which link in the folder of a run leads out of ``root``, in words; empty where none does."""
    for entry in run.rglob("*"):
        if entry.is_symlink() and not Path(os.path.realpath(entry)).is_relative_to(root):  # of a loop, too
            where = entry.relative_to(root)
            return f"{where} is a link that leads out of the folder, so this run is not shown"
    return ""


def inner_runs(run: Path) -> Iterator[tuple[str, str]]:
    """The runs inside a run (of an experiment, say), as name and address relative to its page."""
    for record in sorted(run.rglob(RECORD_NAME)):
        if record.parent != run:
            name = record.parent.relative_to(run).as_posix()
            yield name, address(name)


def address(name: str) -> str:
    """Where the page of the run stands, relative to the folder in which it is called ``name``."""
    return quote(f"{name}/{REPORT}".removeprefix("./"), errors="replace")


def _listed(root: Path, run: FoundRun) -> ListedRun:
    name, state = run.path.relative_to(root).as_posix(), run.state
    if state != FINISHED:
        written = dt.datetime.fromtimestamp(max(status.st_mtime for status in stats(run.path)), dt.UTC)
        state = f"{state}, last written {written:%H:%M:%S} UTC"
    answers = "damaged" if run.answers is None else f"{run.answers:,}" if run.answers else ""
    begun = run.created[:19].replace("T", " ")
    return ListedRun(name, RUNS + address(name), run.kind, run.what, begun, state, _done(run), answers)


def _validation(root: Path, folder: Path) -> ListedRun:
    """What the list says of a validation."""
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


def _done(run: FoundRun) -> str:
    """The judgments so far."""
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

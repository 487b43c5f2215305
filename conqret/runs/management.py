"""List runs of any kind in a folder, and find or delete what can be deleted from them without loss.

What has been answered is never deleted where it is the only copy.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conqret.errors import ConqretError, DeclarationError, strict_options
from conqret.io.jsonl import parse
from conqret.io.limits import whole_bytes
from conqret.io.safe_files import LOCK_NAME, check_own_files, only_writer
from conqret.llm.recordings import STORE_NAME, Recordings
from conqret.runs.run_folder import ITEMS, RECORD_NAME, RUNS, SCORES, SUMMARY

_WORDS = ("name", "format", "model", "judges", "perturbations", "instrument", "system", "items_name")
"""The fields of a record that describe the run in words."""

FINISHED = "finished"
"""The state of a run that has all its rows."""

_LOST = ("failed", "unscored")
"""The counts in a judge run's summary of items without all scores."""

_BEGUN = frozenset({RECORD_NAME, LOCK_NAME, ITEMS, "experiment.toml"})
"""What is in the folder of a run before anything is done; an item or an experiment is a copy of what was given."""


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One run in a list of runs.

    ``kind`` is that of its record, ``what`` its description in words, ``created`` the time (ISO 8601), and
    ``state`` how far it is. ``answers`` counts the responses in its store: 0 without a store, None if it
    cannot be read. ``size`` is in bytes. ``lost`` says how many judgments of a finished run failed or have
    no score; it is empty if there are none.
    """

    path: Path
    kind: str
    what: str
    created: str
    state: str
    answers: int | None
    size: int
    lost: str = ""


@dataclass(frozen=True, slots=True)
class Removable:
    """A file or folder (``path``) of a run that can be deleted without loss, with the reason (``why``) and
    its size in bytes.
    """

    run: Path
    path: Path
    why: str
    size: int


@strict_options
def list_runs(folder: str | Path = RUNS) -> list[RunEntry]:
    """List the runs under a folder, or the single run in it; runs inside a run are not listed separately.

    Args:
        folder: the folder of runs.

    Returns:
        One entry per run.

    Raises:
        DeclarationError: there is no such folder.
    """
    return [run_entry(run_folder) for run_folder in run_folders(Path(folder))]


def run_folders(folder: Path) -> Iterator[Path]:
    """Yield the folders of the runs under ``folder``, by name; ``folder`` itself if it is a run. Links are
    not followed.

    Raises:
        DeclarationError: there is no such folder.
    """
    if not folder.is_dir():
        raise DeclarationError(f"{folder}: there is no such folder")
    if (folder / RECORD_NAME).is_file():
        yield folder
        return
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and not entry.is_symlink():
            yield from run_folders(entry)


def run_entry(path: Path) -> RunEntry:
    """Return the entry of the run in a folder; if its record cannot be read, the entry says why."""
    try:
        record = _record(path)
    except DeclarationError as error:
        return RunEntry(path, "?", str(error), "", "its record cannot be read", None, _size(path))
    inside = record.get("experiment")
    words = filter(None, _in_words(inside if isinstance(inside, dict) else record))
    state, lost = _state(path, record)
    return RunEntry(
        path,
        str(record.get("kind")),
        ", ".join(words),
        str(record.get("created", "")),
        state,
        _answers(path / STORE_NAME),
        _size(path),
        lost,
    )


def removable(folder: Path, store: Path | None = None) -> Iterator[Removable]:
    """Yield what can be deleted from the runs under a folder without loss; nothing is deleted here.

    These are files left half-written, runs that were begun but have no results, and stores whose responses
    are all in ``store``.

    Raises:
        DeclarationError: there is no such folder.
    """
    for run in run_folders(folder):
        names = {entry.name for entry in run.iterdir()}
        if names <= _BEGUN:
            yield Removable(run, run, "begun, and nothing done", _size(run))
            continue
        for file in sorted(run.rglob("*")):
            if file.is_file() and file.name.startswith(".") and file.suffix == ".part":
                yield Removable(run, file, "left over", _size(file))
        run_store = run / STORE_NAME
        if (
            store is not None
            and run_store.is_file()
            and not run_store.samefile(store)
            and _all_in(run_store, store)
        ):
            yield Removable(run, run_store, f"all its answers are in {store}", _size(run_store))


@strict_options
def prune_runs(
    folder: str | Path = RUNS,
    *,
    store: str | Path | None = None,
    remove: bool = False,
    on_fault: Callable[[DeclarationError], object] | None = None,
) -> list[Removable]:
    """Find, and optionally delete, what can be deleted from runs: half-written files and runs without
    results.

    No response is deleted that is not stored elsewhere.

    Args:
        folder: the folder of runs.
        store: another store; recordings of runs may be deleted if all their responses are in it.
        remove: delete what is found; by default it is only listed.
        on_fault: called with each error that prevents a deletion; by default the error is raised.

    Returns:
        What was found, deleted or not.

    Raises:
        DeclarationError: there is no such folder, or another process is writing to a run.
    """
    found = list(removable(Path(folder), None if store is None else Path(store)))
    for removable_path in found if remove else []:
        path = removable_path.path
        try:
            with only_writer(removable_path.run, "wait for it"):
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    for ending in ("", "-wal", "-shm"):
                        path.with_name(path.name + ending).unlink(missing_ok=True)
        except DeclarationError as error:
            if on_fault is None:
                raise
            on_fault(error)
    return found


def _in_words(record: dict[str, Any]) -> Iterator[str]:
    for value in filter(None, map(record.get, _WORDS)):
        for each in value if isinstance(value, list | dict) else [value]:
            if isinstance(each, dict):
                named = f"{each.get('format')} with {each.get('model')}"
                yield named if "format" in each else str(each.get("name", ""))
            else:
                yield str(each)


def _record(path: Path) -> dict[str, Any]:
    try:
        record = parse(whole_bytes(path / RECORD_NAME))
    except OSError:
        raise DeclarationError(f"{path} contains no run ({RECORD_NAME} is missing)") from None
    except ValueError as error:
        raise DeclarationError(f"{path / RECORD_NAME} cannot be read: {error}") from None
    check_own_files(path)
    return record if isinstance(record, dict) else {}


def _state(path: Path, record: dict[str, Any]) -> tuple[str, str]:
    """Return whether a run is finished (by the last file that its kind makes, or how many items are outstanding), and
    in words how many judgments it lost, if any."""
    try:
        summary = json.loads(whole_bytes(path / SUMMARY))
        outstanding = summary.get("outstanding")
    except (OSError, ValueError, AttributeError, RecursionError, DeclarationError):
        made = ITEMS if record.get("kind") == "generate" else SCORES
        return FINISHED if (path / made).is_file() else "not finished", ""
    counts = {name: summary.get(name) for name in _LOST} if record.get("kind") == "judge" else {}
    lost = ", ".join(
        f"{count:,} {name}" for name, count in counts.items() if isinstance(count, int) and count
    )
    return (f"{outstanding} outstanding", "") if outstanding else (FINISHED, lost)


def _answers(store: Path) -> int | None:
    if not store.is_file():
        return 0
    try:
        with Recordings(store, read_only=True, untouched=True) as recordings:
            return recordings.count()
    except ConqretError:
        return None


def _all_in(run_store: Path, store: Path) -> bool:
    try:
        with Recordings(run_store, read_only=True) as here, Recordings(store, read_only=True) as there:
            return (
                all(there.get(recording.key) == recording.completion for recording in here.recorded())
                and not here.corrupt
            )
    except ConqretError:
        return False


def _size(path: Path) -> int:
    return sum(status.st_size for status in stats(path) if stat.S_ISREG(status.st_mode))


def stats(path: Path) -> Iterator[os.stat_result]:
    """Yield the file status (``os.stat_result``) of a file, or of everything in a folder.

    A file that disappears meanwhile is skipped.
    """
    for entry in path.rglob("*") if path.is_dir() else [path]:
        with contextlib.suppress(FileNotFoundError):
            yield entry.lstat()

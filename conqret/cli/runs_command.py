"""``conqret runs``: which runs there are, what can be removed of them, and recorded answers that move or are shared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from rich.console import RenderableType

from conqret.console import shared_options as options
from conqret.console.exit_codes import end
from conqret.console.printing import complain, result, say
from conqret.errors import number
from conqret.io.limits import whole_text
from conqret.llm.recordings import store_file
from conqret.runs.management import RunEntry, list_runs, prune_runs
from conqret.runs.shared_recordings import PATTERNS, export_recordings, import_recordings

_UNITS = ("B", "KB", "MB", "GB")


def list_(folder: Path = Path("runs"), *, json_output: options.Printed = None) -> None:
    """List the runs in a folder, one per line: whether a run is finished, when it was made, its size and its kind.

    For the folder of a single run, or for all with `--json`, it also counts the recorded model responses.

    Args:
        folder: The folder in which the runs are.

    Example: conqret runs list runs --json
    """

    runs = list_runs(folder)
    result([asdict(run) | {"path": str(run.path)} for run in runs], _listed(runs), as_json=json_output)


def _listed(runs: list[RunEntry]) -> Iterator[RenderableType]:
    if not runs:
        yield "no runs were found here"
    places, states = ([str(run.path) for run in runs], [_state(run) for run in runs])
    wide = [max(map(len, cells), default=0) for cells in (places, states)]
    for place, state, run in zip(places, states, runs, strict=True):
        size = _size(run.size)
        named = f"{place:<{wide[0]}}  {state:<{wide[1]}}"
        yield f"{named}  {run.created[:10]:<10}  {size:>6}  {run.kind}: {run.what}"
    if len(runs) == 1 and runs[0].answers is not None:
        yield number(runs[0].answers, "answer")


def _state(run: RunEntry) -> str:
    """Return the state of a run in words: how far it is, how many judgments it lost, and whether its
    recordings are corrupt.
    """
    damaged = "recordings corrupt" if run.answers is None and run.kind != "?" else ""
    return ", ".join(filter(None, (run.state, run.lost, damaged)))


def prune(
    folder: Path = Path("runs"),
    *,
    store: Path | None = None,
    yes: bool = False,
    json_output: options.Printed = None,
) -> None:
    """Remove leftovers: half-written files and empty runs.

    A recorded model response is removed only if it is also stored elsewhere. To continue a run whose recordings were
    removed, give the other file with `--recordings`.

    Args:
        folder: The folder in which the runs are.
        store: A recordings file: with it, the recordings of a run are removed, too, if this file has all of its
            responses.
        yes: Really remove the files; without this option they are only listed.

    Examples:

    conqret runs prune

    conqret runs prune runs --store answers.sqlite --yes
    """

    kept: list[str] = []
    leftovers = prune_runs(folder, store=store, remove=yes, on_fault=lambda error: kept.append(str(error)))
    for one in kept:
        complain(one)
    rows = [
        {"path": str(leftover.path), "why": leftover.why, "size": leftover.size} for leftover in leftovers
    ]
    lines = [f"{leftover.path}  ({_size(leftover.size)}) {leftover.why}" for leftover in leftovers]
    what = f"{_size(sum(leftover.size for leftover in leftovers))} in {number(len(leftovers), 'place')}"
    total = f"removed: {what}" if yes else f"{what}; --yes removes them"
    result(rows, [*lines, total] if leftovers else ["there is nothing to remove"], as_json=json_output)
    end(kept)


def _size(size: float) -> str:
    for unit in _UNITS:
        if size < 1000 or unit == _UNITS[-1]:
            break
        size /= 1000
    return f"{size:.0f} {unit}" if size >= 10 or unit == "B" else f"{size:.1f} {unit}"


def export(
    store: Path,
    to: Path,
    *,
    names: list[str] | None = None,
    patterns: list[str] | None = None,
    json_output: options.Printed = None,
) -> None:
    """Write all recorded model responses to a JSONL file, with which others can repeat the run (`--replay`). API keys
    that your environment holds are replaced by `[key]` and counted. The file has no texts of items.

    Each response is checked by its checksum: corrupt ones are left out, and the exit code is 1. Of a corrupt file the
    responses that can be read are saved.

    Args:
        store: The folder of a run, or a recordings file.
        to: The JSONL file to write.
        names: Names to remove from the export: comma-separated, or a text file with one per line. May be repeated.
        patterns: A kind of text to remove from the export: `email`, `url`, `phone`, `ip`, `handle` (@name), or a
            regular expression. May be repeated.

    Examples:

    conqret runs recordings export runs/first recordings.jsonl

    conqret runs recordings export runs/first shared.jsonl --names 'Ann Miller,Bob' --patterns email,phone
    """

    done = export_recordings(
        store, to, names=list(_names(names or [])), patterns=list(_patterns(patterns or []))
    )
    left_out = f"; {number(done.corrupt, 'corrupt recording')} left out" if done.corrupt else ""
    lines = [f"{number(done.answers, 'answer')} written to {to}{left_out}"]
    removed = ", ".join(f"{times} x [{label}]" for label, times in done.removed.items())
    lines += [f"taken out: {removed or 'nothing'}"] if removed or names or patterns else []
    facts = {"answers": done.answers, "removed": done.removed, "damaged": done.corrupt}
    result(facts, lines, as_json=json_output)
    end(done.corrupt)


def _names(values: list[str]) -> Iterator[str]:
    for value in values:
        file = Path(value)
        yield from whole_text(file).splitlines() if file.is_file() else options.listed(value)


def _patterns(values: list[str]) -> Iterator[str]:

    for value in values:
        listed = options.listed(value)
        yield from listed if set(listed) <= PATTERNS.keys() else [value]


def import_(sources: list[Path], store: Path) -> None:
    """Copy recorded model responses into one recordings file; responses that it already has are not replaced.

    Args:
        sources: What to copy responses from: exports (JSONL), folders of runs, folders that hold runs, or recordings
            files.
        store: The folder of a run, or a recordings file, which is created if it does not exist.

    Examples:

    conqret runs recordings import recordings.jsonl runs/first

    conqret runs recordings import runs/first runs/second answers.sqlite
    """

    say(f"{number(import_recordings(sources, store), 'answer')} added to {store_file(store)}")

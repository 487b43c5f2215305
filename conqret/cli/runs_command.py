"""``conqret runs``: which runs there are, and their folders and answers in order."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.console import shared_options as options
from conqret.console.printing import complain, end, result
from conqret.errors import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from conqret.runs.management import FoundRun

app = typer.Typer(
    help="List runs, show and compare them, and remove what is no longer needed.",
    no_args_is_help=True,
    epilog="Example: conqret runs list",
)

Folder = Annotated[Path, typer.Argument(help="The folder in which the runs are.")]
_UNITS = ("B", "KB", "MB", "GB")


@app.command("list", epilog="Example: conqret runs list runs --json")
def list_(folder: Folder = Path("runs"), json_output: options.Printed = None) -> None:
    """List the runs in a folder, one per line: whether a run is finished, when it was made, its size and its kind.

    For the folder of a single run, or for all with `--json`, it also counts the recorded model responses.
    """
    from dataclasses import asdict

    from conqret.runs.management import list_runs

    runs = list_runs(folder)
    result([asdict(run) | {"path": str(run.path)} for run in runs], _listed(runs), as_json=json_output)


def _listed(runs: list[FoundRun]) -> Iterator[RenderableType]:
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


def _state(run: FoundRun) -> str:
    """How far it is, what came to nothing, and whether its answers can be read."""
    damaged = "recordings corrupt" if run.answers is None and run.kind != "?" else ""
    return ", ".join(filter(None, (run.state, run.lost, damaged)))


@app.command(
    "prune", epilog="Examples:\n\nconqret runs prune\n\nconqret runs prune runs --store answers.sqlite --yes"
)
def prune(
    folder: Folder = Path("runs"),
    store: Annotated[
        Path | None,
        typer.Option(
            help="A recordings file: with it, the recordings of a run are removed, too, if this file has all of its "
            "responses."
        ),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Really remove the files; without this option they are only listed.")
    ] = False,
    json_output: options.Printed = None,
) -> None:
    """Remove leftovers: half-written files and empty runs.

    A recorded model response is removed only if it is also stored elsewhere. To continue a run whose recordings were
    removed, give the other file with `--recordings`.
    """
    from conqret.runs.management import prune_runs

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

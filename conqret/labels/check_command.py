"""``conqret labels check``: whether the file of a study is whole, and what is sound of one that is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.console import shared_options as options
from conqret.console.printing import end, result
from conqret.errors import number
from conqret.labels.label_server import Folder

if TYPE_CHECKING:
    from conqret.labels.repair import LabelCheck

CHECK_EPILOG = (
    "Examples:\n\nconqret labels check labels\n\nconqret labels check labels --repair\n\n"
    "conqret labels check labels --repair --backup labels-monday.sqlite"
)


def check(
    folder: Folder,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair", help="Rebuild a corrupt file from what is sound in it; the old file is kept."
        ),
    ] = False,
    backup: Annotated[
        Path | None,
        typer.Option(help="A copy that `conqret labels backup` made: what is missing comes from it."),
    ] = None,
    json_output: options.Json = False,
) -> None:
    """Check by checksums whether all labels of a study are unchanged.

    The exit code is 1 if one is corrupt. With `--repair` the sound labels are kept, the lost ones are listed,
    annotators get the lost items again, and the exit code is 0.
    """
    from dataclasses import asdict

    from conqret.errors import DeclarationError
    from conqret.labels.repair import check_labels

    if backup is not None and not backup.is_file():
        raise DeclarationError(f"{backup}: there is no such backup; check the path")
    check_result = check_labels(folder, repair=repair, backup=backup)
    result(asdict(check_result), _checked(check_result), as_json=json_output)
    end(not check_result.whole)


def _checked(outcome: LabelCheck) -> Iterator[str]:
    if not outcome.fault:
        yield f"{number(outcome.labels, 'label')}, each as it was written"
        return
    yield outcome.fault
    yield f"{number(outcome.labels, 'label')} can be read" + ("; lost:" if outcome.lost else "; none is lost")
    yield from (f"  {name}" for name in outcome.lost)
    if not outcome.repaired:
        yield "run it with --repair to rebuild the file from what can be read, and from a backup (--backup FILE)"
        if any(name.startswith("screen ") for name in outcome.lost):
            yield "the command that serves the study makes lost screens again: run that first if no label is lost"
        return
    yield "the file was rebuilt" + (f"; the corrupt one is kept as {outcome.kept}" if outcome.kept else "")
    if any(name.startswith("the answer ") for name in outcome.lost):
        yield "the command that serves the study shows the screens of lost answers again"

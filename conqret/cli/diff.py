"""``conqret diff``: two runs beside each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conqret.cli import label_options, options
from conqret.cli.console import at, note, result, tell
from conqret.cli.groups import grouped
from conqret.errors import number

EPILOG = (
    "Examples:\n\n"
    "conqret diff runs/before runs/after -o diff.html\n\n"
    "conqret diff runs/system-a runs/system-b --labels labels.csv --scale 1:3"
)


@grouped
def diff(
    first: Annotated[Path, typer.Argument(help="The folder of a finished run.")],
    second: Annotated[
        Path, typer.Argument(help="Another: of the same items, or of another system on the same topics.")
    ],
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A page with both side by side, as HTML.")
    ] = None,
    labels: Annotated[
        list[Path] | None,
        typer.Option(
            help="People's labels of both systems' arguments, a random sample of the pairs; given twice where both "
            "runs use the same ids: first those of the first run's items."
        ),
    ] = None,
    reading: label_options.LabelReading,
    most: Annotated[int, typer.Option(help="How many of the items that changed most are shown.", min=0)] = 10,
    confidence: label_options.Confidence = 0.95,
    json_output: options.Json = False,
) -> None:
    """What changed between two runs, or which of two systems the judge finds better: paired, over topics.

    No labels are needed. A judge may favour one of two systems; with a few labels people's difference is estimated
    from all judgments, corrected for that.
    """
    from conqret._optional import require
    from conqret.errors import DeclarationError
    from conqret.judging.folder import JudgeFolder
    from conqret.reliability.validation.run_difference import difference
    from conqret.reliability.validation.settings import Settings
    from conqret.report.run_difference import difference_tables, write_difference

    require("numpy", "scipy", extra="stats")
    if len(labels or ()) > 2:
        raise DeclarationError("--labels is given once for both runs, or twice, once for each")
    runs = JudgeFolder(first), JudgeFolder(second)
    found = difference(
        *runs,
        labels=[reading.load(file) for file in labels or ()],
        settings=Settings(confidence=confidence),
        most=most,
    )
    judge = "the same judge" if found.same_judge else "two judges"
    items = "the same texts" if found.same_items else "other texts"
    tell(f"first      {found.first}\nsecond     {found.second}")
    tell(f"{number(found.pairs, 'pair')}, matched by {found.paired_by}: {judge}, {items}")
    if not found.same_judge and not found.same_items:
        note("judge and items both differ, so it cannot be said which of them made the difference")
    if found.left_out:
        note(f"only one of the two runs has {', '.join(found.left_out)}")
    if not found.changed:
        note("no score differs")
    result(found, difference_tables(found), as_json=json_output)
    if output is not None:
        tell(at(write_difference(found, *runs, output), "page"))

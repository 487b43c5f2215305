"""``conqret debate annotations``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conqret.cli import label_options, options
from conqret.cli.console import result

EPILOG = "Example:\n\nconqret debate annotations annotations.csv --of debates.jsonl"


def annotated(
    file: Annotated[
        Path,
        typer.Argument(
            help="A table with a row for each person and text: question, text (argument or counter-argument), "
            "option (1 or 2, that it argues for), annotator, and quality (1 to 10), responds (yes or no), "
            "strategies. JSONL, CSV, TSV, Parquet."
        ),
    ],
    of: Annotated[Path, typer.Option(help="The questions whose texts were annotated.", dir_okay=False)],
    confidence: label_options.Confidence = 0.95,
    json_output: options.Json = False,
) -> None:
    """What people say of the texts: how good they are, whether counter-arguments respond, which strategies they use.

    By kind of text and by the option that it argues for, the right one or the wrong one.
    """
    from dataclasses import asdict

    from conqret._optional import require
    from conqret.debate.annotated import annotated as summed
    from conqret.io.text_annotations import read_annotations
    from conqret.io.two_turn import read_two_turn
    from conqret.report.debate_writers import annotation_tables
    from conqret.report.table import spaced

    require("scipy", extra="stats")
    found = summed(read_annotations(file, read_two_turn(of)), confidence=confidence)
    result([asdict(one) for one in found], spaced(annotation_tables(found)), as_json=json_output)

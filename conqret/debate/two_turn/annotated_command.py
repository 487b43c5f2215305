"""``conqret debate two-turn annotations``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import result


@grouped
def annotated(
    file: Path,
    of: Annotated[Path, typer.Option(help="The questions whose texts were annotated.", dir_okay=False)],
    confidence: label_options.Confidence = 0.95,
    json_output: options.Json = False,
) -> None:
    """What people say of the texts: how good they are, whether counter-arguments respond, which strategies they use.

    By kind of text and by the option that it argues for, the right one or the wrong one.

    Args:
        file: A table with a row for each person and text: question, text (argument or counter-argument), option (1 or
            2, that it argues for), annotator, and quality (1 to 10), responds (yes or no), strategies. JSONL, CSV, TSV,
            Parquet.

    Example:

    conqret debate two-turn annotations annotations.csv --of debates.jsonl
    """
    from dataclasses import asdict

    from conqret._optional import require
    from conqret.debate.two_turn.text_annotation_summary import annotated as summed
    from conqret.debate.two_turn.text_annotations import read_annotations
    from conqret.debate.two_turn.two_turn_files import read_two_turn
    from conqret.debate.two_turn.writer_tables import annotation_tables
    from conqret.show.table import spaced

    require("scipy", extra="stats")
    found = summed(read_annotations(file, read_two_turn(of)), confidence=confidence)
    result([asdict(one) for one in found], spaced(annotation_tables(found)), as_json=json_output)

"""``conqret agree``: how far people agree among themselves."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.cli import label_options
from conqret.cli.console import note, out, plain_table

if TYPE_CHECKING:
    from rich.table import Table

    from conqret.reliability.validation.people import PeopleAgreement

EPILOG = (
    "Examples:\n\n"
    "conqret agree labels.csv --level ordinal --by dimension\n\n"
    "conqret agree labels.csv --map low=1,medium=2,high=3 --json"
)


class ByChoice(StrEnum):
    """What a row of the result is."""

    dimension = "dimension"
    topic = "topic"


def agree(
    labels: Annotated[
        Path, typer.Argument(help="CSV, TSV, JSONL or Parquet, long or wide; or a published layout.")
    ],
    level: label_options.Level = None,
    by: Annotated[ByChoice, typer.Option(help="What a row is.")] = ByChoice.dimension,
    scale: label_options.ScaleSetting = None,
    words: label_options.Words = None,
    columns: label_options.Columns = None,
    dimension: label_options.Dimensions = None,
    layout: label_options.LayoutName = None,
    cannot_judge: label_options.CannotJudge = None,
    number_annotators: label_options.Numbered = False,
    resamples: label_options.Resampling = 2_000,
    confidence: label_options.Confidence = 0.95,
    seed: label_options.Seed = 13,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")] = False,
) -> None:
    """Krippendorff's alpha, Fleiss's kappa and their like among people, with intervals over resampled topics.

    Labels may be missing, and "cannot judge" counts as its own kind of missing. Nothing is dropped unsaid.
    """
    from conqret.reliability.validation.people import people_agreement
    from conqret.reliability.validation.settings import Settings

    found = people_agreement(
        label_options.load(
            labels, level, scale, words, columns, dimension, layout, cannot_judge, number_annotators
        ),
        by=by.value,
        settings=Settings(resamples=resamples, confidence=confidence, seed=seed),
    )
    if json_output:
        out().out(found.model_dump_json(indent=1))
        return
    for text in found.notes:
        note(text)
    out().print(_table(found))


def _table(found: PeopleAgreement) -> Table:
    from rich.text import Text

    from conqret.reliability.validation.statistics import STATISTICS

    levels = {row.level for row in found.rows}
    shared = f", {levels.pop()} level" if len(levels) == 1 else ""
    titles = [STATISTICS[name].title for name in found.rows[0].statistics]
    table = plain_table(
        f"{found.layout}{shared}: {found.settings.confidence:.0%} intervals over {found.settings.resamples} resamples "
        f"of {found.clusters} {found.clustered_by}s",
        (found.by, *(() if shared else ("level",)), "people", "units", "top", "alpha", *titles),
    )
    blank = 3 if shared else 4
    for row in found.rows:
        share = "" if row.most_frequent is None else f"{row.most_frequent:.0%}"
        level = () if shared else (row.level,)
        cells = (
            row.name,
            *level,
            str(row.annotators),
            str(row.units),
            share,
            str(row.alpha),
            *map(str, row.statistics.values()),
        )
        table.add_row(*map(Text, cells))
    table.add_section()
    table.add_row(Text("average"), *[""] * blank, Text(str(found.average)), *[""] * len(titles))
    if found.together is not None and len(found.rows) > 1:
        together = [*[""] * (blank - 2), str(found.together.n), ""]
        table.add_row(Text("all together"), *together, Text(str(found.together)), *[""] * len(titles))
    table.caption = "top: the share of the most frequent label"
    return table

"""``conqret agree``: how far people agree among themselves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from conqret.cli import label_options, options
from conqret.cli.console import note, out, say_json
from conqret.cli.groups import grouped

if TYPE_CHECKING:
    from conqret.reliability.validation.people import PeopleAgreement
    from conqret.report.table import Cell, Table

EPILOG = (
    "Examples:\n\n"
    "conqret agree labels.csv --level ordinal --by dimension\n\n"
    "conqret agree labels.csv --map low=1,medium=2,high=3 --json"
)


@grouped
def agree(
    labels: Annotated[
        Path, typer.Argument(help="CSV, TSV, JSONL or Parquet, long or wide; or a published layout.")
    ],
    by: Annotated[Literal["dimension", "topic"], typer.Option(help="What a row is.")] = "dimension",
    *,
    reading: label_options.Reading,
    resampling: label_options.Resampling,
    seed: label_options.Seed = 13,
    json_output: options.Json = False,
) -> None:
    """Krippendorff's alpha, Fleiss's kappa and their like among people, with intervals over resampled topics.

    Labels may be missing, and "cannot judge" counts as its own kind of missing. Nothing is dropped unsaid.
    """
    from conqret.reliability.validation.people import people_agreement
    from conqret.reliability.validation.settings import Settings

    found = people_agreement(
        reading.load(labels),
        by=by,
        settings=Settings(seed=seed, **resampling.given()),
    )
    if json_output:
        say_json(found)
        return
    for text in found.notes:
        note(text)
    out().print(_table(found))


def _table(found: PeopleAgreement) -> Table:
    from conqret.reliability.validation.statistics import STATISTICS
    from conqret.report.table import Table

    levels = {row.level for row in found.rows}
    several = len(levels) > 1
    titles = [STATISTICS[name].title for name in found.rows[0].statistics]
    rows: list[tuple[Cell, ...]] = [
        (
            row.name,
            *([row.level] if several else []),
            row.annotators,
            row.units,
            "" if row.most_frequent is None else f"{row.most_frequent:.0%}",
            row.alpha,
            *row.statistics.values(),
        )
        for row in found.rows
    ]
    blank, others = [""] * (3 + several), [""] * len(titles)
    foot: list[tuple[Cell, ...]] = [("average", *blank, found.average, *others)]
    if found.together is not None and len(found.rows) > 1:
        foot.append(("all together", *blank[2:], str(found.together.n), "", found.together, *others))
    return Table(
        f"{found.layout}{'' if several else f', {levels.pop()} level'}: {found.settings.confidence:.0%} intervals over "
        f"{found.settings.resamples} resamples of {found.clusters} {found.clustered_by}s",
        (found.by, *(["level"] if several else []), "people", "units", "top", "alpha", *titles),
        rows,
        foot=foot,
        note="top: the share of the most frequent label",
    )

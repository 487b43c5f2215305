"""The options by which labels are read, shared by the subcommands that take them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from conqret.io.labels import LabelSet

PANEL = "Labels"


class LevelChoice(StrEnum):
    """Levels of measurement."""

    nominal = "nominal"
    ordinal = "ordinal"
    interval = "interval"
    ratio = "ratio"


Level = Annotated[
    LevelChoice | None,
    typer.Option(help="The level of measurement. Default: the layout's, or ordinal.", rich_help_panel=PANEL),
]
ScaleSetting = Annotated[
    list[str] | None,
    typer.Option(
        "--scale",
        help="The ends of the labels' scale, 1:3, or of one dimension's, overall_quality=1:5. May be repeated.",
        rich_help_panel=PANEL,
    ),
]
Words = Annotated[
    list[str] | None,
    typer.Option("--map", help="What words stand for: low=1,medium=2,high=3.", rich_help_panel=PANEL),
]
Columns = Annotated[
    str | None,
    typer.Option(help="Which column holds what: item=doc_id,annotator=worker,…", rich_help_panel=PANEL),
]
Dimensions = Annotated[
    list[str] | None,
    typer.Option(
        "--dimension",
        help="Only this dimension; the one meant, where a long table does not say. May be repeated.",
        rich_help_panel=PANEL,
    ),
]
LayoutName = Annotated[
    str | None,
    typer.Option(
        help="dagstuhl, novices, webis-relevance, webis-arguments, sheet, label-studio, argilla or table. "
        "Default: recognised.",
        rich_help_panel=PANEL,
    ),
]
CannotJudge = Annotated[
    list[str] | None,
    typer.Option(help="A further text that means: cannot judge. May be repeated.", rich_help_panel=PANEL),
]
Numbered = Annotated[
    bool,
    typer.Option(
        "--number-annotators",
        help="Nobody is named: number the labels of one thing as annotators.",
        rich_help_panel=PANEL,
    ),
]
Resampling = Annotated[
    int, typer.Option("--resamples", help="Bootstrap resamples behind the intervals.", min=0)
]
Seed = Annotated[int, typer.Option(help="Draws the resamples.")]
Confidence = Annotated[float, typer.Option(help="The coverage of the intervals.", min=0.5, max=0.999)]


def load(
    path: Path,
    level: LevelChoice | None,
    scales: list[str] | None,
    words: list[str] | None,
    columns: str | None,
    dimensions: list[str] | None,
    layout: str | None,
    cannot_judge: list[str] | None,
    numbered: bool,
) -> LabelSet:
    """The labels that these options describe."""
    from conqret._optional import require
    from conqret.cli.options import column_map
    from conqret.io.labels import read_labels

    for module in ("numpy", "scipy"):
        require(module, extra="stats")
    return read_labels(
        path,
        level=level.value if level is not None else None,
        scales=scales or (),
        words=words or (),
        columns=column_map(columns, "item=doc_id,annotator=worker"),
        dimensions=dimensions or (),
        layout=layout,
        cannot_judge=cannot_judge or (),
        numbered=numbered,
    )


class PeopleChoice(StrEnum):
    """How several labels of one thing become one."""

    auto = "auto"
    mean = "mean"
    majority = "majority"


Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        help="The judge's metric of a dimension that is called otherwise: quality=overall_quality. May be repeated.",
        rich_help_panel=PANEL,
    ),
]
People = Annotated[
    PeopleChoice,
    typer.Option(
        help="How several labels become one; auto: the majority of nominal and binary ones, else the mean.",
        rich_help_panel=PANEL,
    ),
]


def metric_map(settings: list[str] | None) -> dict[str, str]:
    """``--metric DIMENSION=METRIC`` as a mapping."""
    from conqret.errors import DeclarationError

    pairs = [setting.partition("=") for setting in settings or ()]
    for dimension, _, metric in pairs:
        if not dimension.strip() or not metric.strip():
            raise DeclarationError("--metric is written DIMENSION=METRIC, as in quality=overall_quality")
    return {dimension.strip(): metric.strip().replace("-", "_") for dimension, _, metric in pairs}

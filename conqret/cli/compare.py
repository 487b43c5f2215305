"""``conqret compare``: two judges beside the same people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.cli import label_options
from conqret.cli.console import note, out

if TYPE_CHECKING:
    from rich.table import Table

    from conqret.reliability.validation.judge_comparison import JudgeComparison

EPILOG = "Example: conqret compare runs/a runs/b --labels labels.csv --scale 1:3"


def compare(
    first: Annotated[Path, typer.Argument(help="The folder of a finished run.")],
    second: Annotated[Path, typer.Argument(help="The folder of another run over the same items.")],
    labels: Annotated[Path, typer.Option(help="What people say of the items.")],
    level: label_options.Level = None,
    scale: label_options.ScaleSetting = None,
    words: label_options.Words = None,
    columns: label_options.Columns = None,
    dimension: label_options.Dimensions = None,
    layout: label_options.LayoutName = None,
    cannot_judge: label_options.CannotJudge = None,
    number_annotators: label_options.Numbered = False,
    metric: label_options.Metrics = None,
    people: label_options.People = label_options.PeopleChoice.auto,
    resamples: label_options.Resampling = 2_000,
    confidence: label_options.Confidence = 0.95,
    seed: label_options.Seed = 13,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")] = False,
) -> None:
    """Which of two judges is closer to people: alphas and their difference on what both scored, paired by topic."""
    from conqret.judging.folder import JudgeFolder
    from conqret.reliability.validation.judge_comparison import compare_judges
    from conqret.reliability.validation.settings import Settings

    metrics = label_options.metric_map(metric)
    found = label_options.load(
        labels, level, scale, words, columns, dimension, layout, cannot_judge, number_annotators
    )
    runs = JudgeFolder(first), JudgeFolder(second)
    for run in runs:
        run.record()  # says where a folder holds no run
    result = compare_judges(
        runs[0].judgments(),
        runs[1].judgments(),
        found,
        names=(str(first), str(second)),
        metrics=metrics,
        settings=Settings(people=people.value, resamples=resamples, confidence=confidence, seed=seed),
    )
    if json_output:
        out().out(result.model_dump_json(indent=1))
        return
    for text in found.notes:
        note(text)
    if result.left_out:
        note(f"only one of the two judges has {', '.join(result.left_out)}")
    out().print(_table(result))


def _table(result: JudgeComparison) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(
            f"alpha with people, {result.settings.confidence:.0%} intervals over {result.settings.resamples} resamples "
            f"of {result.clusters} {result.clustered_by}s; 1: {result.first}, 2: {result.second}"
        ),
        title_justify="left",
    )
    for name in ("dimension", "units", "alpha 1", "alpha 2", "1 - 2", "error 1 - 2", "p (Holm)"):
        table.add_column(name)
    for row in result.dimensions.values():
        error = "" if row.test is None else f"{row.test.difference:+.3f}"
        p = "" if row.p_holm is None else f"{row.p_holm:.3g}"
        cells = (
            row.dimension,
            str(row.units),
            str(row.first),
            str(row.second),
            str(row.difference),
            error,
            p,
        )
        table.add_row(*map(Text, cells))
    table.add_section()
    table.add_row(Text("average"), "", *(Text(str(one)) for one in result.average), "", "")
    return table

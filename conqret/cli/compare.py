"""``conqret compare``: two judges beside the same people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conqret.cli import label_options, options
from conqret.cli.console import note, result
from conqret.cli.groups import grouped

EPILOG = "Example: conqret compare runs/a runs/b --labels labels.csv --scale 1:3"


@grouped
def compare(
    first: Annotated[Path, typer.Argument(help="The folder of a finished run.")],
    second: Annotated[Path, typer.Argument(help="The folder of another run over the same items.")],
    labels: Annotated[Path, typer.Option(help="What people say of the items.")],
    *,
    reading: label_options.LabelReading,
    metric: label_options.Metrics = None,
    people: label_options.People = "auto",
    confidence: label_options.Confidence = 0.95,
    json_output: options.Json = False,
) -> None:
    """Which of two judges is closer to people: alphas and their difference on what both scored, paired by topic."""
    from conqret.judging.folder import JudgeFolder
    from conqret.reliability.validation.judge_comparison import compare_judges
    from conqret.reliability.validation.settings import Settings
    from conqret.report.agreement_tables import comparison_table

    metrics = label_options.metric_map(metric)
    found = reading.load(labels)
    runs = JudgeFolder(first), JudgeFolder(second)
    for run in runs:
        run.record()  # says where a folder holds no run
    compared = compare_judges(
        runs[0].judgments(),
        runs[1].judgments(),
        found,
        names=(str(first), str(second)),
        metrics=metrics,
        settings=Settings(people=people, confidence=confidence),
    )
    for text in found.notes:
        note(text)
    if compared.left_out:
        note(f"only one of the two judges has {', '.join(compared.left_out)}")
    result(compared, [comparison_table(compared)], as_json=json_output)

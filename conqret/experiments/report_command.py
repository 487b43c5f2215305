"""``conqret runs report``: the report of a run, written again and shown."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conqret.console import shared_options as options
from conqret.console.printing import at, result


def report(
    run: Annotated[
        Path, typer.Argument(help="The folder of a run; of a run that was stopped, what is there is shown.")
    ],
    to: Annotated[
        Path | None, typer.Option(help="Where to write the page. Default: report.html in the run's folder.")
    ] = None,
    recordings: Annotated[
        Path | None,
        typer.Option(
            help="Where the raw model responses are, if not in the run's folder: a recordings file, an export of "
            "one, or another run's folder."
        ),
    ] = None,
    prompts: options.Prompts = None,
    calibration: Annotated[
        Path | None,
        typer.Option(
            help="A file written by `conqret judges calibrate` for this judge; raw and calibrated scores are shown."
        ),
    ] = None,
    max_items: Annotated[int, typer.Option(help="How many items are shown in full.", min=0)] = 200,
    json_output: Annotated[
        bool, typer.Option("--json", help="Print the summary as JSON instead of a table.")
    ] = False,
) -> None:
    """Write the HTML report of a run or an experiment, and print its summary.

    The prompts and raw answers of the items shown are in the folder `asked/` next to it, and linked. With
    `--calibration`, scores.parquet also gets a column with the calibrated scores.

    Example: conqret runs report runs/first --to report.html
    """
    from conqret.experiments.experiment_tables import overview_tables
    from conqret.experiments.run_report import report_run
    from conqret.judging.summary_tables import terminal

    experiment_summary = report_run(
        run, to, recordings=recordings, prompts=prompts, calibration=calibration, max_items=max_items
    )  # fmt: skip
    if experiment_summary.experiment is not None:
        tables = [*overview_tables(experiment_summary.experiment), *map(at, experiment_summary.files)]
        result(experiment_summary.experiment, tables, as_json=json_output)
        return
    page = experiment_summary.files[0]
    if experiment_summary.summary is None or experiment_summary.record is None:
        result({"report": str(page)}, [at(page, "report")], as_json=json_output)
        return
    lines = (
        terminal(experiment_summary.summary, experiment_summary.record),
        at(page, "report"),
    )
    result(experiment_summary.summary, lines, as_json=json_output)

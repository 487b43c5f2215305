"""``conqret runs report``: the report of a run, written again and shown."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conqret.console import shared_options as options
from conqret.console.printing import at, note, result


def report(
    run: Annotated[
        Path, typer.Argument(help="The folder of a run; of a run that was stopped, what is there is shown.")
    ],
    to: Annotated[
        Path | None, typer.Option(help="Where to write the page. Default: report.html in the run's folder.")
    ] = None,
    beside: Annotated[
        Path | None,
        typer.Option(
            help="Another run over the same items, whose means are shown beside it, for example the offline baseline's."
        ),
    ] = None,
    recordings: Annotated[
        Path | None,
        typer.Option(
            help="Where the raw answers are, if not in the run's folder: a store, an export, a run."
        ),
    ] = None,
    prompts: options.Prompts = None,
    calibration: Annotated[
        Path | None,
        typer.Option(
            help="A file written by `conqret judges calibrate` for this judge; calibrated scores are shown "
            "beside the raw "
            "ones."
        ),
    ] = None,
    max_items: Annotated[int, typer.Option(help="How many items are shown in full.", min=0)] = 200,
    json_output: Annotated[
        bool, typer.Option("--json", help="Print the summary as JSON instead of a table.")
    ] = False,
) -> None:
    """Write the HTML report of a run or an experiment, and print its summary.

    The prompts and raw answers of the items shown are in the folder asked/ beside it, and linked. With
    `--calibration`, scores.parquet also gets a column with the calibrated scores.

    Example: conqret runs report runs/first --beside runs/offline --to report.html
    """
    from conqret.experiments.experiment_folder import ExperimentFolder
    from conqret.experiments.experiment_tables import overview_tables
    from conqret.experiments.page import write_experiment
    from conqret.experiments.run_page import study_page
    from conqret.judging.judge_folder import JudgeFolder
    from conqret.judging.page import write_report
    from conqret.judging.summary_tables import ReferenceMeans, terminal
    from conqret.runs.run_folder import REPORT
    from conqret.show.page import write_file
    from conqret.studies.calibrate.calibration import Calibration, calibrate_run

    given = to or beside or recordings or prompts or calibration
    if (experiment := ExperimentFolder(run)).is_there():
        _alone(run, "an experiment", given)
        files, found = write_experiment(experiment), experiment.summary()
        result(found, [*overview_tables(found), *map(at, files)], as_json=json_output)
        return
    if (study := study_page(run)) is not None:
        _alone(run, "a study of a judge", given)
        page = write_file(run / REPORT, study)
        result({"report": str(page)}, [at(page, "report")], as_json=json_output)
        return
    directory = JudgeFolder(run)
    summary = directory.so_far()
    if calibration is not None:
        summary = calibrate_run(directory, Calibration.read(calibration))
    other = None if beside is None else ReferenceMeans.of(directory, JudgeFolder(beside))
    if beside is not None and other is None:
        note(f"{run} is the floor itself: nothing stands beside it")
    written = write_report(
        directory,
        to,
        max_items=max_items,
        beside=other,
        asked_too=True,
        recordings=recordings,
        prompts=prompts,
    )
    result(
        summary, (terminal(summary, directory.record(), other), at(written, "report")), as_json=json_output
    )


def _alone(run: Path, what: str, given: object) -> None:
    """Refuse the options of a judge's run for what is none."""
    from conqret.errors import DeclarationError

    if given is not None:
        raise DeclarationError(
            f"{run} holds {what}, whose page stands in its folder: leave out --to, --beside, --recordings, "
            "--prompts and --calibration, or give the folder of a judge's run"
        )

"""``conqret experiment``: an experiment from one file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from annotated_types import Interval

from conqret.console import shared_options as options
from conqret.console.exit_codes import end
from conqret.console.printing import at, note, result
from conqret.console.shared_options import Engines


@dataclass(frozen=True)
class ExperimentRecordings(options.RecordingOptions):
    """The same for the folder of an experiment, which another run may hold already."""

    overwrite: options.Overwrite = False


def run(
    experiment: Path,
    *,
    output: Path | None = None,
    trust_file: bool = False,
    dry_run: options.DryRun = False,
    engines: Engines,
    kept: ExperimentRecordings,
    shown: options.OutputOptions,
) -> None:
    """Run an experiment from a file: retrieve, rerank, generate, judge, perturb and report.

    Every fault of the file is named before anything is done. Each finished stage is kept, and every answer as it
    arrives: if a run is stopped, the same command goes on from there, and no recorded answer is requested
    again (except invalid ones, once a run).

    Args:
        experiment: The TOML file that describes the experiment.
        output (--output, -o): The run's folder; the same command again goes on where it stopped. Default: runs/NAME.
        trust_file: Let the file run Python code that it names (`module:function`), and have texts and keys sent to
            servers that it names (`api_base`). Without this such a file is refused.

    Examples:

    conqret experiment fixtures/experiment.toml -o runs/demo-experiment

    conqret experiment experiment.toml --dry-run

    conqret experiment experiment.toml --replay recordings.jsonl -o runs/again
    """
    from conqret.console.costs import tell_cost
    from conqret.experiments.experiment import estimate, experiment_job
    from conqret.experiments.experiment import run as run_file
    from conqret.experiments.experiment_tables import overview_tables
    from conqret.experiments.reading import reached_servers

    if dry_run:
        job = experiment_job(experiment, trust=trust_file)
        reached = reached_servers(job.experiment)
        lines = [f"requests to {model} go to {where}" for model, where in reached.items()]
        estimates = estimate(job)
        models = {each.model for each in estimates if each.calls}
        recorded = kept.recordings is not None or kept.replay is not None
        called = () if recorded else map(job.experiment.client, sorted(models))
        tell_cost(
            estimates, as_json=shown.json_output, facts={"addresses": reached}, lines=lines, called=called
        )
        return

    outcome = run_file(
        experiment,
        output=output,
        say=lambda stage, text: shown.tell(f"{stage:<12} {text}"),
        recordings=kept.recordings,
        replay=kept.replay,
        overwrite=kept.overwrite,
        trust=trust_file,
        **engines.given(),
    )
    result(
        outcome.summary,
        [*overview_tables(outcome.summary), *map(at, outcome.files)],
        as_json=shown.json_output,
    )
    shown.session(outcome.session)
    if outcome.failed:
        parts = ", ".join(f"{stage} {count}" for stage, count in outcome.failed.items())
        note(f"parts of the experiment failed ({parts}); run the same command to retry them")
    end(outcome.failed, outcome.session)


def report(
    run: Path,
    *,
    to: Path | None = None,
    recordings: options.RecordedResponses = None,
    prompts: options.Prompts = None,
    calibration: Path | None = None,
    max_items: Annotated[int, Interval(ge=0)] = 200,
    json_output: options.Printed = None,
) -> None:
    """Write the HTML report of a run or an experiment, and print its summary.

    The prompts and raw answers of the items shown are in the folder `asked/` next to it, and linked. With
    `--calibration`, scores.parquet also gets a column with the calibrated scores.

    Args:
        run: The folder of a run; of a run that was stopped, what is there is shown.
        to: Where to write the page. Default: report.html in the run's folder.
        calibration: A file written by `conqret judges calibrate` for this judge; raw and calibrated scores are shown.
        max_items: How many items are shown in full.

    Example: conqret runs report runs/first --to report.html
    """
    from conqret.experiments.experiment_tables import overview_tables
    from conqret.experiments.page import report_run
    from conqret.judging.summary_tables import terminal

    experiment_summary = report_run(
        run, to, recordings=recordings, prompts=prompts, calibration=calibration, max_items=max_items
    )
    if experiment_summary.experiment is not None:
        tables = [*overview_tables(experiment_summary.experiment), *map(at, experiment_summary.files)]
        result(experiment_summary.experiment, tables, as_json=json_output)
        return
    page = experiment_summary.files[0]
    if experiment_summary.summary is None or experiment_summary.record is None:
        result({"report": str(page)}, [at(page, "report")], as_json=json_output)
        return
    lines = (*terminal(experiment_summary.summary, experiment_summary.record), at(page, "report"))
    result(experiment_summary.summary, lines, as_json=json_output)

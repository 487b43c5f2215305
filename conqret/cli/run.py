"""``conqret run``: an experiment from one file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.cli import options
from conqret.cli.console import end, note, out, say_json, tell, written
from conqret.cli.groups import grouped
from conqret.runs.places import default_folder

if TYPE_CHECKING:
    from conqret.experiments.execute import ExperimentOutcome
    from conqret.experiments.job import Job

EPILOG = (
    "Examples:\n\n"
    "conqret run fixtures/experiment.toml -o runs/demo-experiment\n\n"
    "conqret run experiment.toml --dry-run\n\n"
    "conqret run experiment.toml --replay recordings.jsonl -o runs/again"
)


@grouped
def run(
    experiment: Annotated[Path, typer.Argument(help="The TOML file that describes the experiment.")],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The run's folder; the same command again goes on where it stopped. Default: runs/NAME.",
        ),
    ] = None,
    dry_run: options.DryRun = False,
    kept: options.Kept,
    shown: options.Shown,
) -> None:
    """Retrieve, rerank, generate, judge, damage and report, as the file says.

    Every fault of the file is named before anything is done. Each stage is kept once it is whole, and every answer
    as it arrives: a run that was stopped goes on with the same command, and pays for nothing twice.
    """
    from conqret.experiments.execute import run_experiment
    from conqret.experiments.folder import ExperimentFolder
    from conqret.experiments.job import Job
    from conqret.experiments.reading import read_experiment
    from conqret.report.experiment import write_experiment
    from conqret.report.html import write_report
    from conqret.report.sensitivity import write_sensitivity

    table = read_experiment(experiment)
    target = ExperimentFolder(output or default_folder(table.name))
    said = _silent if shown.quiet or dry_run else _say
    job = Job(experiment, table, target, kept.recordings, kept.replay, kept.overwrite, said)
    if dry_run:
        _show_estimate(job, shown.json_output)
        return
    outcome = run_experiment(job)
    for judged in outcome.judged:
        write_report(judged)
    for folder, results in outcome.sensitivity:
        write_sensitivity(results, folder.path)
    written = write_experiment(target)
    if shown.json_output:
        say_json(outcome.summary)
    else:
        _show(outcome, [target.scores_file, target.summary_file, *written])
    if outcome.failed:
        parts = ", ".join(f"{stage} {count}" for stage, count in outcome.failed.items())
        note(f"not everything could be had ({parts}); the same command tries again what failed")
        end(failed=True)


def _say(stage: str, text: str) -> None:
    tell(f"{stage:<12} {text}")


def _silent(stage: str, text: str) -> None:
    """Say nothing."""


def _show_estimate(job: Job, json_output: bool) -> None:
    from conqret.cli.expected_cost import cost_facts, cost_table
    from conqret.experiments.estimate import estimate

    found = estimate(job)
    if json_output:
        say_json(cost_facts(found))
        return
    out().print(cost_table(found))
    note("the lengths of answers are assumed; answers that are recorded already cost nothing")


def _show(outcome: ExperimentOutcome, files: Sequence[Path]) -> None:
    from conqret.report.experiment import DAMAGE, experiment_tables

    for table in experiment_tables(outcome.summary):
        if table.title != DAMAGE:  # long; it is on the page
            out().print(table, "")
    for file in files:
        written(file)

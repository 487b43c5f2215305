"""``run``: whole experiments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from conqret._optional import require
from conqret.errors import strict_options
from conqret.experiments.experiment_folder import ExperimentFolder
from conqret.experiments.experiment_run import ExperimentOutcome, run_experiment
from conqret.experiments.experiment_spending import write_costs
from conqret.experiments.job import Job
from conqret.experiments.page import write_experiment
from conqret.experiments.reading import read_experiment
from conqret.judging.engines import Engine
from conqret.judging.page import write_report
from conqret.runs.run_folder import default_folder
from conqret.studies.sensitivity.page import write_sensitivity


def experiment_job(
    experiment: str | Path,
    *,
    output: str | Path | None = None,
    overwrite: bool = False,
    recordings: str | Path | None = None,
    replay: str | Path | None = None,
    engine: Engine = "process",
    workers: int | None = None,
    trust: bool = False,
    say: Callable[[str, str], None] = lambda stage, text: None,
) -> Job:
    """An experiment that is ready to be run, or to be estimated. Raises as :func:`run`."""
    file = Path(experiment)
    table = read_experiment(file, trust=trust)
    require("pyterrier", extra="retrieval")
    return Job(
        file,
        table,
        ExperimentFolder(default_folder(table.name) if output is None else Path(output)),
        recordings=None if recordings is None else Path(recordings),
        replay=None if replay is None else Path(replay),
        overwrite=overwrite,
        engine=engine,
        workers=workers,
        say=say,
        on_stop=write_report,
    )


@strict_options
def run(
    experiment: str | Path,
    *,
    output: str | Path | None = None,
    overwrite: bool = False,
    recordings: str | Path | None = None,
    replay: str | Path | None = None,
    engine: Engine = "process",
    workers: int | None = None,
    trust: bool = False,
    say: Callable[[str, str], None] = lambda stage, text: None,
) -> ExperimentOutcome:
    """Retrieve, rerank, generate, judge, damage and report, as a file of an experiment says.

    Args:
        experiment: the TOML file (docs/experiments.md explains every field).
        output: the run's folder; the same call again goes on where it stopped. By default ``runs/NAME``.
        overwrite: begin afresh where the folder holds another experiment; its recordings are kept.
        recordings: a store of answers to share with other runs; by default the folder's own.
        replay: recordings to answer from; nothing is sent then.
        engine: who judges: this process, or so many ``workers`` of a Ray cluster (docs/scale.md).
        trust: the file may run Python code that it names (``module:function``), and have texts and keys sent to
            addresses that it names; without it such a file is refused.
        say: is told the name of each stage and what becomes of it.

    Raises:
        DeclarationError: faults of the file, all of them, each with its line; or the folder holds something else.
        MissingDependencyError: pyterrier is not installed; nothing is written then.
    """
    job = experiment_job(
        experiment, output=output, overwrite=overwrite, recordings=recordings, replay=replay,
        engine=engine, workers=workers, trust=trust, say=say,
    )  # fmt: skip
    outcome = run_experiment(job)
    for judged in outcome.judged:
        write_report(judged)
    for folder, results in outcome.sensitivity:
        write_sensitivity(results, folder.path)
    write_costs(job)
    outcome.files = [job.out.scores_file, job.out.summary_file, *write_experiment(job.out)]
    return outcome

"""``run``: whole experiments."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from conqret._optional import require
from conqret.data import Call, Judgment
from conqret.errors import strict_options
from conqret.experiments.config import System
from conqret.experiments.experiment_cost import estimate
from conqret.experiments.experiment_folder import ExperimentFolder
from conqret.experiments.experiment_run import ExperimentOutcome, run_experiment
from conqret.experiments.job import Job
from conqret.experiments.page import write_experiment
from conqret.experiments.reading import read_experiment
from conqret.io.safe_files import write_whole
from conqret.judging.engines import Engine
from conqret.judging.page import write_report
from conqret.runs.run_folder import default_folder
from conqret.studies.sensitivity.page import write_sensitivity

Piece = tuple[str, str, str]
"""The task, the system whose it is, and the judge."""


def write_costs(job: Job) -> None:
    """Write ``costs.json`` of a finished run: its pieces of work in order, each as it was expected and as it came.

    What recordings answered counts as what it took when it was asked. Rankings and rewritten sentences have no record
    of their calls: nothing is said of them.
    """
    made = dict(_made(job))
    rows = []
    for cost in estimate(job, ranked=True):
        expected = asdict(cost)
        del expected["impossible"]  # the run is there
        names = {name: expected.pop(name) for name in ("task", "of", "by", "model")}
        rows.append({**names, "expected": expected, "made": made.get((cost.task, cost.of, cost.by))})
    write_whole(job.out.costs_file, json.dumps(rows, ensure_ascii=False, indent=1).encode())


def _made(job: Job) -> Iterator[tuple[Piece, dict[str, Any]]]:
    for system in job.systems:
        rows = job.out.arguments(system).rows().rows()
        yield ("generate", system.name, ""), _took(call for row in rows for call in row.calls)
        damaged = _damaged(job, system)
        for label, setup in job.setups.items():
            judged = job.out.judgments(system, label).judgments()
            yield ("judge", system.name, label), _took(_calls(judged))
            # judges that are one instrument share what was asked of it
            share = [judgment for judgment in damaged if judgment.fingerprint == setup.fingerprint]
            yield ("damage", system.name, label), _took(_calls(share))


def _damaged(job: Job, system: System) -> list[Judgment]:
    return [
        judgment
        for judgment in job.out.sensitivity(system).judgments()
        if judgment.version is not None and judgment.version.level
    ]


def _calls(judgments: Iterable[Judgment]) -> Iterator[Call]:
    return (call for judgment in judgments for call in judgment.trace.calls)


def _took(calls: Iterable[Call]) -> dict[str, Any]:
    """The answers of ``calls``, each once, with tokens and dollars (None: a price is unknown)."""
    answers = {call.key: call for call in calls if call.finish_reason is not None}.values()
    costs = [call.cost_usd for call in answers]
    return {
        "calls": len(answers),
        "prompt_tokens": sum(call.prompt_tokens or 0 for call in answers),
        "completion_tokens": sum(call.completion_tokens or 0 for call in answers),
        "cost_usd": None if None in costs else sum(cost for cost in costs if cost is not None),
    }


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

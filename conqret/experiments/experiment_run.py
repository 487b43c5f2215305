"""One file, one folder: retrieve, rerank, generate, judge, damage, and sum up (``conqret experiment``).

Every stage leaves whole files behind and says what it was made of, so that a run that was stopped goes on from
the last whole stage, and within a stage from the last answer: all stages share one store of recordings, one library of
prompts and one client a model, and a stage asks for all systems and sides at the same time. The same file and the same
recordings give the same ``scores.parquet`` and ``summary.json``.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conqret.experiments.job import Job
from conqret.experiments.record import experiment_record
from conqret.experiments.scores import write_scores
from conqret.experiments.stages import damage, generate_arguments, hold_jury, judge_arguments, rank
from conqret.io.bounded import whole_text
from conqret.io.safe_files import write_whole
from conqret.judging.engines import clients_of
from conqret.judging.judge_folder import JudgeFolder
from conqret.llm.redaction import without_password
from conqret.runs.session import SessionCounts, Sessions
from conqret.studies.sensitivity.result import SensitivityFolder, SensitivityResults


@dataclass
class ExperimentOutcome:
    """What a run came to.

    ``failed`` counts by stage what could not be had, ``summary`` is ``summary.json``, ``session`` says what was sent
    and answered from recordings now, and ``files`` are those that sum it up.
    """

    summary: Mapping[str, Any]
    failed: dict[str, int] = field(default_factory=dict)
    judged: list[JudgeFolder] = field(default_factory=list)
    sensitivity: list[tuple[SensitivityFolder, SensitivityResults]] = field(default_factory=list)
    session: SessionCounts = field(default_factory=SessionCounts)
    files: list[Path] = field(default_factory=list)

    def count(self, stage: str, failed: int) -> None:
        """Count what a stage could not have."""
        if failed:
            self.failed[stage] = self.failed.get(stage, 0) + failed


def run_experiment(job: Job) -> ExperimentOutcome:
    """Run all stages, or what is left of them.

    Raises:
        DeclarationError: the folder holds another experiment or something else, another process is writing it,
            or a stage cannot be done as it is declared.
    """
    job.topics()
    record = experiment_record(job)
    outcome = ExperimentOutcome({})
    job.out.check(record, overwrite=job.overwrite)
    with contextlib.ExitStack() as held:
        clients = clients_of(job.engine, job.workers)
        sessions = held.enter_context(
            Sessions(recordings=job.recordings, replay=job.replay, prompts=job.library, clients=clients)
        )
        for options in job.clients:
            sessions.run(sessions.of(options).ready(job.out))
        held.enter_context(job.out.claimed(record, overwrite=job.overwrite, begin=lambda: _copy_file(job)))
        sessions.keep_in(job.out.recordings_file)
        sessions.run(_ask_models(job, sessions, outcome))
        outcome.judged += [jury for system in job.systems if (jury := hold_jury(job, system)) is not None]
        for system in job.systems:
            if (sensitivity := damage(job, sessions, system)) is not None:
                outcome.sensitivity.append(sensitivity)
                missing = sum(sum(curve.missing.values()) for curve in sensitivity[1].curves)
                outcome.count("sensitivity", missing)
        outcome.summary = write_scores(job)
        outcome.session = sessions.counts
    return outcome


async def _ask_models(job: Job, sessions: Sessions, outcome: ExperimentOutcome) -> None:
    """Rerank, generate and judge; within a stage everything at the same time, as far as the models' limits allow."""
    ranked = await asyncio.gather(
        *(
            rank(job, sessions, ranking, system, stance)
            for ranking, system in job.rankings.items()
            for stance in job.experiment.stances
        )
    )
    outcome.count("rerank", sum(ranked))
    written = await asyncio.gather(*(generate_arguments(job, sessions, system) for system in job.systems))
    outcome.count("generate", sum(written))
    for judged in await asyncio.gather(*(judge_arguments(job, sessions, system) for system in job.systems)):
        for folder, failed in judged:
            outcome.judged.append(folder)
            outcome.count("judge", failed)


def _copy_file(job: Job) -> None:
    write_whole(job.out.path / "experiment.toml", without_password(whole_text(job.file)).encode())

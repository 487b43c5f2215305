"""One file, one folder: retrieve, rerank, generate, judge, damage, and sum up (``conqret run``).

Every stage leaves whole files behind and says what it was made of, so that a run that was stopped goes on from
the last whole stage, and within a stage from the last answer: all stages share one store of recordings. The same
file and the same recordings give the same bytes in ``scores.jsonl`` and ``summary.json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conqret.errors import DeclarationError
from conqret.experiments.job import Job
from conqret.experiments.ranking import rank
from conqret.experiments.record import experiment_record
from conqret.experiments.scores import write_scores
from conqret.experiments.stages import damage, generate_arguments, judge_arguments
from conqret.io.atomic import replacing
from conqret.io.locking import LOCK_NAME, only_writer
from conqret.judging.folder import JudgeFolder
from conqret.llm.recordings import STORE_NAME
from conqret.reliability.sensitivity.results import SensitivityDirectory, SensitivityResults

_OURS = {LOCK_NAME, "run.json", "experiment.toml"}


@dataclass
class ExperimentOutcome:
    """What a run came to. ``failed`` counts by stage what could not be had; ``summary`` is ``summary.json``."""

    summary: Mapping[str, Any]
    failed: dict[str, int] = field(default_factory=dict)
    judged: list[JudgeFolder] = field(default_factory=list)
    sensitivity: list[tuple[SensitivityDirectory, SensitivityResults]] = field(default_factory=list)


def run_experiment(job: Job) -> ExperimentOutcome:
    """Run all stages, or what is left of them.

    Raises:
        DeclarationError: the folder holds another experiment or something else, another process is writing it,
            or a stage cannot be done as it is declared.
    """
    job.topics()
    record = experiment_record(job.experiment)
    out = job.out
    _claim(job, record)
    with only_writer(out.path):
        _claim(job, record)
        _write_head(job, record)
        outcome = ExperimentOutcome({})
        for ranking, system in job.rankings.items():
            for stance in job.experiment.stances:
                _count(outcome, "rerank", rank(job, ranking, system, stance))
        for system in job.systems:
            _count(outcome, "generate", generate_arguments(job, system))
            for run, failed in judge_arguments(job, system):
                outcome.judged.append(run)
                _count(outcome, "judge", failed)
            if (found := damage(job, system)) is not None:
                outcome.sensitivity.append(found)
                _count(outcome, "sensitivity", sum(sum(curve.missing.values()) for curve in found[1].curves))
        outcome.summary = write_scores(job)
    return outcome


def _count(outcome: ExperimentOutcome, stage: str, failed: int) -> None:
    if failed:
        outcome.failed[stage] = outcome.failed.get(stage, 0) + failed


def _claim(job: Job, record: Mapping[str, Any]) -> None:
    """Make sure that the folder is free for this experiment, or holds the beginning of it."""
    out = job.out
    if not out.path.exists():
        return
    if not out.path.is_dir():
        raise DeclarationError(f"{out.path} is a file; give a folder with -o")
    if out.record_file.is_file():
        if job.overwrite:
            return
        try:
            before = json.loads(out.record_file.read_bytes()).get("fingerprint")
        except ValueError:
            before = None
        if before != record["fingerprint"]:
            raise DeclarationError(
                f"{out.path} holds another experiment (the file, the prompts or the corpus differ). Give another "
                "folder with -o, or --overwrite to begin this one afresh (its recordings are kept)"
            )
        return
    foreign = sorted(
        one.name
        for one in out.path.iterdir()
        if one.name not in _OURS and not one.name.startswith(STORE_NAME) and not one.name.endswith(".part")
    )
    if foreign:
        raise DeclarationError(
            f"{out.path} holds no experiment but other files ({', '.join(foreign[:3])}); give another folder with -o"
        )


def _write_head(job: Job, record: Mapping[str, Any]) -> None:
    out = job.out
    if job.overwrite:
        import shutil

        for name in ("rankings", "arguments", "judgments", "sensitivity"):
            shutil.rmtree(out.path / name, ignore_errors=True)
        for old in (out.record_file, out.scores_file, out.summary_file, out.report_file):
            old.unlink(missing_ok=True)
    if out.record_file.is_file():
        return
    with replacing(out.path / "experiment.toml") as copy:
        copy.write(job.file.read_bytes())
    with replacing(out.record_file) as file:
        file.write(json.dumps(record, ensure_ascii=False, indent=1).encode("utf-8"))

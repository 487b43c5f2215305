"""The stages after the ranking, each of which does what is not done yet and says how much of it failed."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from conqret.experiments.config import System
from conqret.experiments.job import Job
from conqret.generation.generation_run import GenerationPlan
from conqret.generation.tasks import make_tasks
from conqret.io import ItemSource, open_items
from conqret.io.trec import read_rankings
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.judge_parts import JURY
from conqret.judging.judge_run import JudgePlan
from conqret.judging.setup import Setup, check_items
from conqret.runs.engine import execute
from conqret.runs.session import Sessions
from conqret.studies.jury.jury_run import jury as jury_of
from conqret.studies.sensitivity.result import SensitivityFolder, SensitivityResults
from conqret.studies.sensitivity.sensitivity_plan import SensitivityPlan, make_plan
from conqret.studies.sensitivity.sensitivity_run import record_of, run_sensitivity
from conqret.studies.sensitivity.sensitivity_study import damage_materials, telling_metrics
from conqret.studies.study_judging import StudyRunConfig


async def generate_arguments(job: Job, sessions: Sessions, system: System) -> int:
    """Write a system's arguments for all sides; returns how many could not be had."""
    experiment = job.experiment
    table = experiment.generators[system.generator]
    options = table.options(experiment.seed)
    tasks = []
    for stance in experiment.stances:
        rankings: dict[str, list[str]] = {topic.id: [] for topic in job.topics()}
        rankings |= read_rankings(job.out.ranking(system.ranking, stance))
        tasks += make_tasks(job.corpus, rankings, stance, options, job.every_topic)
    session, folder = sessions.of(experiment.client(table.model)), job.out.arguments(system)
    plan = GenerationPlan(session, folder, tasks, options, {"system": system.name})
    another = folder.holds_another(plan.record())  # a ranking that had failed is whole now
    outcome = (await execute(plan, overwrite=another)).summary
    failed = sum(outcome.failed.values())
    counts = {"arguments": outcome.written, "without evidence": outcome.no_evidence, "not written": failed}
    counts_text = ", ".join(
        f"{count} {what}" for what, count in counts.items() if count or what == "arguments"
    )
    why = f" ({outcome.overflow})" if outcome.overflow else ""
    job.say("generate", f"{system.name}: {counts_text}{why}")
    return failed


async def judge_arguments(job: Job, sessions: Sessions, system: System) -> list[tuple[JudgeFolder, int]]:
    """Run every judge over a system's arguments; returns each run with the number of failed judgments, which
    are all where nothing has a score."""
    source = _items(job, system)
    if source is None:
        job.say("judge", f"{system.name}: no argument was written, and there is nothing to judge")
        return []
    return list(
        await asyncio.gather(
            *(_judge(job, sessions, system, source, label, setup) for label, setup in job.setups.items())
        )
    )


async def _judge(
    job: Job, sessions: Sessions, system: System, source: ItemSource, label: str, setup: Setup
) -> tuple[JudgeFolder, int]:
    checked, setup = check_items(source, setup)
    folder = job.out.judgments(system, label)
    plan = JudgePlan(sessions.of(setup.client), folder, source, checked, setup, on_stop=job.on_stop)
    another = folder.holds_another(plan.record())  # arguments that had failed are there now
    summary = (await execute(plan, overwrite=another)).summary
    why = (
        ""
        if summary.any_score
        else "".join(f", {reason}: {example}" for reason, example in summary.examples.items())
    )
    job.say("judge", f"{system.name} by {label}: {summary.scored} of {summary.total} scored{why}")
    return folder, summary.failed if summary.any_score else summary.total


def hold_jury(job: Job, system: System) -> JudgeFolder | None:
    """Put the judges of a system's arguments together; None where no jury is declared, or nothing was written."""
    if job.experiment.jury is None or _items(job, system) is None:
        return None
    folder = job.out.judgments(system, JURY.name)
    runs = [job.out.judgments(system, label).path for label in job.setups]
    jury = jury_of(runs, folder.path, rule=job.experiment.jury, names=tuple(job.setups), overwrite=True)
    job.say("jury", f"{system.name}: {jury.scored} of {jury.items} scored")
    return folder


def damage(
    job: Job, sessions: Sessions, system: System
) -> tuple[SensitivityFolder, SensitivityResults] | None:
    """Judge a system's arguments at every level of every perturbation; None where there is none."""
    source = _items(job, system)
    if source is None or not job.experiment.perturbations:
        return None
    before = sessions.counts
    plan = damage_plan(job, source, sessions)
    folder = job.out.sensitivity(system)
    another = folder.holds_another(record_of(plan))  # arguments that had failed are there now
    results = run_sensitivity(
        plan, folder, StudyRunConfig(sessions=sessions, before=before, overwrite=another)
    )
    job.say("sensitivity", f"{system.name}: {results.verdicts}")
    return folder, results


def damage_plan(job: Job, source: ItemSource, sessions: Sessions) -> SensitivityPlan:
    """What the perturbations make of a system's items, and who judges it."""
    experiment = job.experiment
    damages = [perturbation.damage() for perturbation in experiment.perturbations]
    setups = []
    for setup in job.setups.values():
        _, setup = check_items(source, setup)
        metrics = telling_metrics(setup, damages)
        if metrics:
            setups.append(replace(setup, options=replace(setup.options, metrics=metrics)))
    items = list(source)
    materials, unable = damage_materials(
        items,
        damages,
        pool=experiment.corpus,
        rewriter=sessions.of(experiment.client(experiment.perturbation_model)),
        seed=experiment.seed,
    )
    return make_plan(items, setups, damages, seed=experiment.seed, materials=materials, unable=unable)


def _items(job: Job, system: System) -> ItemSource | None:
    """A system's arguments; None where none was written."""
    file = job.out.arguments(system).items_file
    return open_items(file) if file.is_file() and file.stat().st_size else None

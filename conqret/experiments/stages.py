"""The stages after the ranking, each of which does what is not done yet and says how much of it failed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conqret.experiments.config import System
from conqret.experiments.job import Job, state_of
from conqret.generation.run import GenerationRun, generate, make_tasks, read_rankings
from conqret.io import ItemSource, open_items
from conqret.judging.execute import Execution, execute
from conqret.judging.folder import JudgeFolder
from conqret.judging.setup import Setup, check_items, set_up
from conqret.prompts import Library
from conqret.reliability.sensitivity.plan import Damage, Plan, make_plan
from conqret.reliability.sensitivity.results import SensitivityDirectory, SensitivityResults
from conqret.reliability.sensitivity.run import run_sensitivity
from conqret.reliability.sensitivity.setup import damage_materials


def generate_arguments(job: Job, system: System) -> int:
    """Write a system's arguments for all sides; returns how many could not be had."""
    experiment = job.experiment
    table = experiment.generators[system.generator]
    options = table.options(experiment.seed)
    every = list(job.corpus.topics())
    tasks = []
    for stance in experiment.stances:
        rankings: dict[str, list[str]] = {topic.id: [] for topic in job.topics()}
        rankings |= read_rankings(job.out.ranking(system.ranking, stance))
        tasks += make_tasks(job.corpus, rankings, stance, options, every)
    run = GenerationRun(
        tasks=tasks,
        options=options,
        model=experiment.client(table.model),
        out=job.out.arguments(system),
        library=Library(experiment.prompts),
        recordings=job.store,
        replay=job.replay,
        settings={"system": system.name},
    )
    before = state_of(run.out / "generation.json").get("fingerprint")
    if before is not None and before != run.record()["fingerprint"]:  # a ranking that had failed is whole now
        run = replace(run, overwrite=True)
    outcome = generate(run)
    failed = sum(outcome.failed.values())
    job.say(
        "generate", f"{system.name}: {outcome.written} arguments{f', {failed} not written' if failed else ''}"
    )
    return failed


def judge_arguments(job: Job, system: System) -> Iterator[tuple[JudgeFolder, int]]:
    """Run every judge over a system's arguments; yields each run with the number of failed judgments."""
    source = _items(job, system)
    if source is None:
        job.say("judge", f"{system.name}: no argument was written, and there is nothing to judge")
        return
    for table in job.experiment.judges:
        checked, setup = check_items(source, _setup(job, table.label))
        run = job.out.judgments(system, table.label)
        execution = Execution(source, checked, setup, run, job.store, job.replay)
        if run.record_file.is_file():
            before, wanted = run.record(), execution.record
            same = (before.items_digest, before.fingerprint) == (wanted.items_digest, wanted.fingerprint)
            execution = replace(execution, overwrite=not same)  # arguments that had failed are there now
        outcome = execute(execution)
        job.say(
            "judge",
            f"{system.name} by {table.label}: {outcome.summary.scored} of {outcome.summary.total} scored",
        )
        yield run, outcome.summary.failed


def damage(job: Job, system: System) -> tuple[SensitivityDirectory, SensitivityResults] | None:
    """Judge a system's arguments at every level of every perturbation; None where there is none."""
    source = _items(job, system)
    if source is None or not job.experiment.perturbations:
        return None
    plan = damage_plan(job, source)
    folder = job.out.sensitivity(system)
    before = state_of(folder.record_file).get("digest")
    results = run_sensitivity(
        plan,
        folder,
        recordings=job.store,
        replay=job.replay,
        overwrite=before is not None and before != plan.digest(),
    )
    passed = sum(curve.verdict is True for curve in results.curves)
    asked = sum(curve.verdict is not None for curve in results.curves)
    job.say("sensitivity", f"{system.name}: {passed} of {asked} curves are as they should be")
    return folder, results


def damage_plan(job: Job, source: ItemSource, *, rewrite: bool = True) -> Plan:
    """What the perturbations make of a system's items, and who judges it."""
    experiment = job.experiment
    damages = [Damage.of(one.name, one.levels) for one in experiment.perturbations]
    setups = []
    for table in experiment.judges:
        _, setup = check_items(source, _setup(job, table.label))
        metrics = tuple(
            metric
            for metric in setup.options.metrics or setup.judge.metrics
            if any(one.perturbation.expected(metric) for one in damages)
        )
        if metrics:
            setups.append(replace(setup, options=replace(setup.options, metrics=metrics)))
    items = list(source)
    materials, unable = damage_materials(
        items,
        damages,
        pool=experiment.corpus,
        rewriter=experiment.client(experiment.perturbation_model) if rewrite else None,
        recordings=job.store,
        replay=job.replay,
        seed=experiment.seed,
        prompts=experiment.prompts,
    )
    return make_plan(items, setups, damages, seed=experiment.seed, materials=materials, unable=unable)


def _setup(job: Job, label: str) -> Setup:
    experiment = job.experiment
    table = next(one for one in experiment.judges if one.label == label)
    return set_up(
        table.format, experiment.client(table.model), table.options(experiment.seed), experiment.prompts
    )


def _items(job: Job, system: System) -> ItemSource | None:
    """A system's arguments; None where none was written."""
    file = job.out.arguments(system) / "items.jsonl"
    return open_items(file) if file.is_file() and file.stat().st_size else None

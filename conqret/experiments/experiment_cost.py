"""What an experiment will ask of models: calls, tokens and price, before the first call.

Its rankings and requests for arguments are made, in a folder that is gone afterwards, and counted; arguments that are
still to be written are as long as :data:`ARGUMENT_TOKENS` says. Nothing that is recorded already is taken off.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from conqret.data import Item
from conqret.experiments.config import NONE, System
from conqret.experiments.job import ExperimentFolder, Job
from conqret.experiments.stages import argument_run, rank
from conqret.generation.generator import GenerationTask
from conqret.io import open_items
from conqret.judging.cost import CountingClient, ExpectedCost, costs_of, expected_judging
from conqret.judging.setup import check_items
from conqret.runs.session import Sessions
from conqret.studies.sensitivity.sensitivity_plan import rewriting
from conqret.studies.sensitivity.sensitivity_study import telling_metrics

ARGUMENT_TOKENS = 1_000
"""An argument that is still to be written: some 750 words, a short expert side of a debate."""

SENTENCE_TOKENS = 5
"""A sentence that stands for one of it."""

RANKED_TOKENS = 4
"""A number of a ranking in an answer."""


def estimate(job: Job) -> list[ExpectedCost]:
    """The stages in order, each with its model; stages that ask nothing are left out.

    Nothing is written but the corpus's index. Later stages are estimated with the ranking of the first.

    Raises:
        DeclarationError: as :func:`conqret.experiments.experiment.run`.
    """
    with (
        tempfile.TemporaryDirectory() as passing,
        Sessions(prompts=job.library, clients=CountingClient) as sessions,
    ):
        job = replace(job, out=ExperimentFolder(Path(passing)))
        costs = [*_ranking(job, sessions)]
        for system in job.systems:
            costs += _of_system(job, sessions, system)
    return [cost for cost in costs if cost.calls or cost.notes or cost.impossible]


def _ranking(job: Job, sessions: Sessions) -> Iterator[ExpectedCost]:
    for name, system in job.rankings.items():
        if system.reranker != NONE:
            model = job.experiment.rerankers[system.reranker].model
            client: Any = sessions.of(job.experiment.client(model)).client
            client.work = ("rerank", "", name)
            client.written = lambda request: RANKED_TOKENS * request.context["documents"]
        for stance in job.experiment.stances:
            sessions.run(rank(job, sessions, name, system, stance))
    counting: Any = sessions.clients
    for client in counting:
        yield from client.costs()


def _of_system(job: Job, sessions: Sessions, system: System) -> Iterator[ExpectedCost]:
    """Its arguments, which each judge judges, and every damaged version of them."""
    with argument_run(job, sessions, system, {"dry_run": True, "prompts": job.library}) as run:
        for cost in costs_of(run.written):
            yield replace(cost, of=system.name)
        items = [item for task in run.tasks if task.documents and (item := _item(task)) is not None]
    if not items:
        return
    experiment, source = job.experiment, open_items(items)
    damages = [perturbation.damage() for perturbation in experiment.perturbations]
    versions = sum(len(damage.levels) - 1 for damage in damages)
    for label, setup in job.setups.items():
        _, setup = check_items(source, setup)
        yield expected_judging(setup, items, of=system.name, by=label)
        if metrics := telling_metrics(setup, damages):
            damaged = replace(setup, options=replace(setup.options, metrics=metrics), notes=())
            of = system.name
            yield expected_judging(damaged, items, task="damage", of=of, by=label, repeated=versions)
    options = experiment.client(experiment.perturbation_model)
    for damage in damages:
        yield from rewriting(items, damage, options, job.library, seed=experiment.seed, of=system.name)


def _item(task: GenerationTask) -> Item | None:
    """What will be judged, with a stand-in for the argument, which cites each document once."""
    cited = [f" [{place}]" for place in range(1, len(task.documents) + 1)]
    uncited = [""] * (ARGUMENT_TOKENS // SENTENCE_TOKENS - len(cited))
    argument = " ".join(f"So it is said{citation}." for citation in (*cited, *uncited))
    return task.item(task.outcome(argument=argument))

"""What an experiment will ask of models: calls, tokens and price, before the first call.

The arithmetic is that of :mod:`conqret.judging.cost`; arguments that are still to be written have the
lengths of the constants here. Nothing that is recorded already is taken off.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from conqret.data import Item
from conqret.experiments.config import NONE, System
from conqret.experiments.job import Job
from conqret.experiments.stages import first_stage
from conqret.generation.generation_run import ArgumentRun, make_tasks
from conqret.generation.generator import GenerationTask
from conqret.io.trec import read_rankings
from conqret.judging.cost import STAND_IN, ExpectedCost, Sizes, capped, expected, expected_asks
from conqret.judging.counting import costs_of
from conqret.judging.judge_parts import JudgePrompt
from conqret.judging.setup import Setup
from conqret.llm.client import Client
from conqret.llm.prompt_fitting import prompt_tokens
from conqret.retrieval.evaluation.systems import rankings
from conqret.studies.sensitivity.sensitivity_plan import rewriting

ARGUMENT_TOKENS = 1_000
"""An argument that is still to be written: some 750 words, a short expert side of a debate."""

RANKED_TOKENS = 4
"""A number of a ranking in an answer."""


def estimate(job: Job) -> list[ExpectedCost]:
    """The stages in order, each with its model; stages that ask nothing are left out.

    The first stage is run for it (nothing is written but the corpus's index): later stages are estimated with
    its ranking.

    Raises:
        DeclarationError: as :func:`conqret.experiments.experiment.run`.
    """
    sizes = Sizes()
    first = {name: _first(job, system) for name, system in job.rankings.items()}
    estimates = []
    for name, system in job.rankings.items():
        if system.reranker != NONE:
            estimates.append(_reranking(job, name, system, first[name], sizes))
    for system in job.systems:
        tasks = _tasks(job, system, first[system.ranking])
        estimates += _generation(job, system, tasks)
        for table in job.experiment.judges:
            estimates += _judging(job, system, table.label, job.setups[table.label], tasks, sizes)
        estimates += _rewriting(job, system, tasks, sizes)
    return [cost for cost in estimates if cost.calls or cost.notes or cost.impossible]


def _first(job: Job, system: System) -> Mapping[str, Mapping[str, Sequence[str]]]:
    """By side and topic, the documents of the first stage."""
    retriever = job.experiment.retrievers[system.retriever]
    if retriever.run is not None:
        files = {side: retriever.file(side) for side in job.experiment.stances}
        return {side: read_rankings(file) for side, file in files.items() if file is not None}
    frame, _ = first_stage(job.experiment.corpus, retriever, job.topics())
    return dict.fromkeys(job.experiment.stances, rankings(frame))


def _tasks(
    job: Job, system: System, first: Mapping[str, Mapping[str, Sequence[str]]]
) -> list[GenerationTask]:
    experiment = job.experiment
    options = experiment.generators[system.generator].options(experiment.seed)
    topics = [topic.id for topic in job.topics()]
    tasks = []
    for stance in experiment.stances:
        ranked = {topic: first[stance].get(topic, ()) for topic in topics}
        tasks += make_tasks(job.corpus, ranked, stance, options)
    return [task for task in tasks if task.documents]


def _reranking(
    job: Job, name: str, system: System, first: Mapping[str, Mapping[str, Sequence[str]]], sizes: Sizes
) -> ExpectedCost:
    from conqret.retrieval.rerank import spans

    table, retriever = (
        job.experiment.rerankers[system.reranker],
        job.experiment.retrievers[system.retriever],
    )
    depth, options = retriever.depth, job.experiment.client(table.model)
    client = Client(options, store=None)
    every = (documents[:depth] for ranked in first.values() for documents in ranked.values())
    wanted = frozenset[str]().union(*every)
    texts = {document.id: document for document in job.corpus.documents() if document.id in wanted}
    calls = prompt = completion = 0
    for stance, ranked in first.items():
        instruction = f"rerank/{stance if table.instruction == 'stance' else 'generic'}"
        for topic in job.topics():
            documents = [texts[identifier] for identifier in ranked.get(topic.id, ())[:depth]]
            prompt_file = job.library[instruction]
            shown = prompt_file.render({"topic": topic.question, "stance": stance, "documents": []})
            fixed = prompt_tokens(shown, client)
            for start, end in spans(len(documents), window=table.window, step=table.step):
                calls += 1
                prompt += capped(fixed + sizes.all(documents[start:end], client), client)
                completion += RANKED_TOKENS * (end - start)
    return expected("rerank", options, calls, prompt, completion, of=name)


def _generation(job: Job, system: System, tasks: Sequence[GenerationTask]) -> Iterable[ExpectedCost]:
    experiment = job.experiment
    table = experiment.generators[system.generator]
    options, writer = table.options(experiment.seed), experiment.client(table.model)
    settings = {"dry_run": True, "prompts": job.library}
    with ArgumentRun(job.out.arguments(system), tasks, options, writer, settings, made_of={}) as run:
        for cost in costs_of(run.written):
            yield replace(cost, of=system.name)


def _judging(
    job: Job, system: System, label: str, setup: Setup, tasks: Sequence[GenerationTask], sizes: Sizes
) -> Iterable[ExpectedCost]:
    """The judge over the arguments, and over every damaged version of them."""
    client = Client(setup.client, store=None)
    damages = [perturbation.damage() for perturbation in job.experiment.perturbations]
    versions = sum(len(damage.levels) - 1 for damage in damages)
    moving = {
        metric
        for damage in damages
        for metric in setup.judge.metrics
        if setup.judge.declared or damage.perturbation.expected(metric)
    }
    expert = any(task.expert is not None for task in tasks)
    asks = [
        ask
        for ask in setup.judge.select(setup.options.metrics)
        if expert or "second_argument" not in ask.needs or setup.options.metrics
    ]
    work = [("judge", asks, 1)]
    if versions:
        work.append(("damage", [ask for ask in asks if moving & set(ask.metrics)], versions))
    items = list(map(_item, tasks))
    for name, chosen, repeated in work:
        yield expected_asks(
            name, setup, ((ask, items) for ask in chosen), client, sizes, of=system.name, by=label,
            repeated=repeated, unwritten=_unwritten, sample=len(items),
        )  # fmt: skip


def _unwritten(ask: JudgePrompt[Any]) -> int:
    """Tokens of the arguments that a question shows."""
    return ARGUMENT_TOKENS * sum(need in ask.needs for need in ("argument", "second_argument"))


def _rewriting(
    job: Job, system: System, tasks: Sequence[GenerationTask], sizes: Sizes
) -> Iterable[ExpectedCost]:
    options = job.experiment.client(job.experiment.perturbation_model)
    if options.backend.baseline:
        return
    for table in job.experiment.perturbations:
        perturbation = table.damage().perturbation
        if perturbation.rewriting is not None:
            yield rewriting(
                ((_item(task), ARGUMENT_TOKENS) for task in tasks),
                perturbation, options, job.library, sizes, of=system.name,
            )  # fmt: skip


def _item(task: GenerationTask) -> Item:
    """What will be judged, with stand-ins for the arguments."""
    arguments: dict[str, Any] = {"argument": STAND_IN, "second_argument": STAND_IN}
    return Item(
        id=task.id, topic=task.topic.question, stance=task.stance, documents=task.documents, **arguments
    )

"""What an experiment will ask of models: calls, tokens and price, before the first call.

Documents are counted as they are, up to a length from which they are scaled; prompts by their own text; answers
and arguments that are still to be written by the constants here. Nothing that is recorded already is taken off.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conqret.data import Document, Item
from conqret.evaluation.experiments.config import NONE, System
from conqret.evaluation.experiments.job import Job
from conqret.evaluation.sensitivity.plan import Damage
from conqret.evaluation.setup import Setup, set_up
from conqret.generation.budget import ANSWER_ROOM
from conqret.generation.generate import Generator, Task
from conqret.generation.run import make_tasks, read_rankings
from conqret.judges.base import Ask, Case
from conqret.judges.fitting import MESSAGE_OVERHEAD
from conqret.judges.judging import filled
from conqret.llm.catalogue import facts_for
from conqret.llm.client import Client
from conqret.llm.options import ClientOptions
from conqret.llm.sender import EXPECTED_ANSWER
from conqret.perturb import get_perturbation
from conqret.prompts import Library

ARGUMENT_TOKENS = 1_000
"""An argument that is still to be written: some 750 words, a short expert side of a debate."""

GENERATED_TOKENS = 1_500
"""The same as JSON, with the reasons for what is left out."""

RANKED_TOKENS = 4
"""A number of a ranking in an answer."""

COUNTED = 20_000
"""Characters of a document that are counted; a longer one is scaled up from them."""

_STAND_IN = "."


@dataclass(frozen=True, slots=True)
class Expected:
    """What one stage is expected to ask of one model. ``cost_usd`` is None where the price is unknown."""

    stage: str
    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None


def estimate(job: Job) -> list[Expected]:
    """The stages in order, each with its model; stages that ask nothing are left out.

    The first stage is run for it (nothing is written but the corpus's index): later stages are estimated with
    its ranking.

    Raises:
        DeclarationError: as :func:`conqret.evaluation.experiments.run.run_experiment`.
    """
    sizes = _Sizes()
    first = {name: _first(job, system) for name, system in job.rankings.items()}
    found = []
    for name, system in job.rankings.items():
        if system.reranker != NONE:
            found.append(_reranking(job, name, system, first[name], sizes))
    for system in job.systems:
        tasks = _tasks(job, system, first[system.ranking])
        found.append(_generation(job, system, tasks, sizes))
        for table in job.experiment.judges:
            client = job.experiment.client(table.model)
            options = table.options(job.experiment.seed)
            setup = set_up(table.format, client, options, job.experiment.prompts)
            found += _judging(job, system, table.label, setup, tasks, sizes)
        found += _rewriting(job, system, tasks, sizes)
    return [one for one in found if one.calls]


class _Sizes:
    """The tokens of documents, each counted once for a model."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], int] = {}

    def of(self, document: Document, client: Client) -> int:
        key = (document.id, client.model_id)
        if key not in self._known:
            part = document.text[:COUNTED]
            counted = client.count_tokens(part)
            self._known[key] = round(counted * len(document.text) / len(part)) if part else 0
        return self._known[key]


def _expected(stage: str, client: ClientOptions, calls: int, prompt: int, completion: int) -> Expected:
    return Expected(
        stage, client.model, calls, prompt, completion, facts_for(client).cost(prompt, completion)
    )


def _first(job: Job, system: System) -> Mapping[str, Mapping[str, Sequence[str]]]:
    """By side and topic, the documents of the first stage."""
    from conqret.evaluation.retrieval.systems import queries, rankings
    from conqret.retrieval.bm25 import BM25
    from conqret.retrieval.index import open_index

    retriever = job.experiment.retrievers[system.retriever]
    if retriever.run is not None:
        return {
            side: read_rankings(retriever.run[side] if isinstance(retriever.run, dict) else retriever.run)
            for side in job.experiment.stances
        }
    frame = BM25(open_index(job.experiment.corpus), depth=retriever.depth, texts=False).transform(
        queries(job.topics())
    )
    found = rankings(frame)
    return dict.fromkeys(job.experiment.stances, found)


def _tasks(job: Job, system: System, first: Mapping[str, Mapping[str, Sequence[str]]]) -> list[Task]:
    experiment = job.experiment
    options = experiment.generators[system.generator].options(experiment.seed)
    topics = [topic.id for topic in job.topics()]
    tasks = []
    for stance in experiment.stances:
        ranked = {topic: first[stance].get(topic, ()) for topic in topics}
        tasks += make_tasks(job.corpus, ranked, stance, options)
    return [task for task in tasks if task.documents]


def _reranking(
    job: Job,
    name: str,
    system: System,
    first: Mapping[str, Mapping[str, Sequence[str]]],
    sizes: _Sizes,
) -> Expected:
    from conqret.retrieval.windows import spans

    table, depth = (
        job.experiment.rerankers[system.reranker],
        job.experiment.retrievers[system.retriever].depth,
    )
    options = job.experiment.client(table.model)
    client = Client(options, store=None)
    library = Library(job.experiment.prompts)
    wanted = {one for ranked in first.values() for documents in ranked.values() for one in documents[:depth]}
    texts = {one.id: one for one in job.corpus.documents() if one.id in wanted}
    calls = prompt = completion = 0
    for stance, ranked in first.items():
        instruction = f"rerank/{stance if table.instruction == 'stance' else 'generic'}"
        for topic in job.topics():
            documents = [texts[one] for one in ranked.get(topic.id, ())[:depth]]
            shown = library[instruction].render({"topic": topic.question, "stance": stance, "documents": []})
            fixed = client.count_tokens(shown.system) + client.count_tokens(shown.user)
            for start, end in spans(len(documents), window=table.window, step=table.step):
                calls += 1
                prompt += _capped(fixed + sum(sizes.of(one, client) for one in documents[start:end]), client)
                completion += RANKED_TOKENS * (end - start)
    return _expected(f"rerank {name}", options, calls, prompt, completion)


def _generation(job: Job, system: System, tasks: Sequence[Task], sizes: _Sizes) -> Expected:
    table = job.experiment.generators[system.generator]
    options = job.experiment.client(table.model)
    client = Client(options, store=None)
    generator = Generator(
        table.options(job.experiment.seed), Library(job.experiment.prompts), client, options.model
    )
    prompt = 0
    for task in tasks:
        bare = generator.bare(task)
        documents = [*task.documents, *(document for one in task.examples for document in one.documents)]
        used = client.count_tokens(bare.system) + client.count_tokens(bare.user)
        prompt += _capped(used + sum(sizes.of(one, client) for one in documents), client)
    return _expected(f"generate {system.name}", options, len(tasks), prompt, GENERATED_TOKENS * len(tasks))


def _judging(
    job: Job, system: System, label: str, setup: Setup, tasks: Sequence[Task], sizes: _Sizes
) -> Iterable[Expected]:
    """The judge over the arguments, and over every damaged version of them."""
    client = Client(setup.client, store=None)
    damages = [Damage.of(one.name, one.levels) for one in job.experiment.perturbations]
    versions = sum(len(one.levels) - 1 for one in damages)
    expected = {
        metric for one in damages for metric in setup.judge.metrics if one.perturbation.expected(metric)
    }
    expert = any(task.expert is not None for task in tasks)
    asks = [
        ask
        for ask in setup.judge.select(setup.options.metrics)
        if expert or "second_argument" not in ask.needs or setup.options.metrics
    ]
    stages = [(f"judge {system.name} by {label}", asks, 1)]
    if versions:
        moved = [ask for ask in asks if expected & set(ask.metrics)]
        stages.append((f"damage {system.name} by {label}", moved, versions))
    for stage, chosen, times in stages:
        calls = prompt = 0
        for ask in chosen:
            repeated = (2 if ask.both_orders else 1) * setup.options.samples * times
            calls += repeated * len(tasks)
            prompt += repeated * sum(_judged_tokens(task, ask, setup, client, sizes) for task in tasks)
        yield _expected(stage, setup.client, calls, prompt, calls * EXPECTED_ANSWER)


def _rewriting(job: Job, system: System, tasks: Sequence[Task], sizes: _Sizes) -> Iterable[Expected]:
    """The sentences that a model rewrites, once for all levels of a perturbation."""
    options = job.experiment.client(job.experiment.perturbation_model)
    if options.offline:
        return
    client = Client(options, store=None)
    for table in job.experiment.perturbations:
        perturbation = get_perturbation(table.name)
        if perturbation.rewrites is None:
            continue
        text = Library(job.experiment.prompts)[perturbation.rewrites].text
        fixed = client.count_tokens(text) + 2 * ARGUMENT_TOKENS
        prompt = sum(
            _capped(fixed + sum(sizes.of(one, client) for one in task.documents), client) for task in tasks
        )
        stage = f"rewrite {system.name} for {perturbation.name}"
        yield _expected(stage, options, len(tasks), prompt, ARGUMENT_TOKENS * len(tasks))


def _judged_tokens(task: Task, ask: Ask[Any], setup: Setup, client: Client, sizes: _Sizes) -> int:
    item = Item(
        id=task.id,
        topic=task.topic.question,
        stance=task.stance,
        argument=_STAND_IN,
        second_argument=_STAND_IN,
    )
    shown = filled(setup.library[ask.prompt], ask, Case(item, setup.options))
    used = client.count_tokens(shown.system) + client.count_tokens(shown.user)
    used += ARGUMENT_TOKENS * sum(need in ask.needs for need in ("argument", "second_argument"))
    if "documents" in ask.needs:
        used += sum(sizes.of(one, client) for one in task.documents)
    return _capped(used, client)


def _capped(tokens: int, client: Client) -> int:
    """Not more than the window holds: documents are trimmed to fit."""
    window = client.context_window
    return tokens if window is None else min(tokens, max(0, window - ANSWER_ROOM - MESSAGE_OVERHEAD))

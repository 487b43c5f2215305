"""The stages of an experiment, each of which does what is not done yet and returns how much of it failed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conqret.data import Stance
from conqret.data.corpus import CorpusTopic
from conqret.evaluation.execute import Execution, execute
from conqret.evaluation.experiment_config import Reranker, System
from conqret.evaluation.experiment_job import Job, digest_of
from conqret.evaluation.run import RunDirectory
from conqret.evaluation.sensitivity import run_sensitivity
from conqret.evaluation.sensitivity_plan import Damage, Plan, make_plan
from conqret.evaluation.sensitivity_results import SensitivityDirectory, SensitivityResults
from conqret.evaluation.sensitivity_setup import damage_materials
from conqret.evaluation.setup import Setup, check_items, set_up
from conqret.evaluation.stance import leaning
from conqret.generation.run import GenerationRun, generate, make_tasks, read_rankings
from conqret.io import ItemSource, open_items
from conqret.io.atomic import replacing
from conqret.io.trec import ScoredDoc, write_run
from conqret.prompts import Library

if TYPE_CHECKING:
    import pandas as pd

    from conqret.retrieval.index import Index


def rank(job: Job, ranking: str, system: System, stance: Stance) -> int:
    """Write the ranking of a side; returns how many of the reranker's windows failed."""
    from conqret._optional import require
    from conqret.retrieval.index import open_index

    experiment = job.experiment
    retriever, reranker = experiment.retrievers[system.retriever], experiment.rerankers.get(system.reranker)
    topics = job.topics()
    target = job.out.ranking(ranking, stance)
    given = _given_run(job, system, stance)
    facts: dict[str, Any] = {
        "retriever": system.retriever if given else retriever.model_dump(mode="json"),
        "run": digest_of(read_rankings(given)) if given else None,
        "reranker": reranker.model_dump(mode="json") if reranker else None,
        "stance": stance if reranker is not None and reranker.instruction == "stance" else "none",
        "topics": [[topic.id, topic.question] for topic in topics],
    }
    made_of = digest_of(facts)
    if _stage(target).get("made_of") == made_of and target.is_file():
        return 0
    require("pyterrier", extra="retrieval")
    index = open_index(experiment.corpus)
    frame = _first_stage(index, topics, given, retriever.depth)
    failed = 0
    if reranker is not None:
        frame, failed = _rerank(job, frame, reranker, stance)
    lines = [
        ScoredDoc(topic, document, float(len(documents) - place))
        for topic, documents in _ranked(frame).items()
        for place, document in enumerate(documents)
    ]
    write_run(target, lines, tag=ranking)
    state = {"made_of": made_of, "engine": index.engine, "index": index.fingerprint, "failed_windows": failed}
    if failed:  # kept, and made again by the next run
        state["made_of"] = ""
    with replacing(_state_file(target)) as file:
        file.write(json.dumps(state, indent=1).encode())
    job.say(
        "rank", f"{ranking}, {stance}: {len(lines)} lines{f', {failed} windows failed' if failed else ''}"
    )
    return failed


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
        leaning=leaning,
        recordings=job.store,
        replay=job.replay,
        settings={"system": system.name},
    )
    before = _json(run.out / "generation.json").get("fingerprint")
    if before is not None and before != run.record()["fingerprint"]:  # a ranking that had failed is whole now
        run = replace(run, overwrite=True)
    outcome = generate(run)
    failed = sum(outcome.failed.values())
    job.say(
        "generate", f"{system.name}: {outcome.written} arguments{f', {failed} not written' if failed else ''}"
    )
    return failed


def judge_arguments(job: Job, system: System) -> Iterator[tuple[RunDirectory, int]]:
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
            before, wanted = run.record(), execution.record()
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
    before = _json(folder.record_file).get("digest")
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


def _given_run(job: Job, system: System, stance: Stance) -> Path | None:
    run = job.experiment.retrievers[system.retriever].run
    if isinstance(run, dict):
        return next(file for side, file in run.items() if side == stance)
    return run


def _first_stage(index: Index, topics: list[CorpusTopic], given: Path | None, depth: int) -> pd.DataFrame:
    """The first stage's ranking with texts: BM25's, or that of a file."""
    from conqret.evaluation.retrieval_systems import queries
    from conqret.retrieval.bm25 import BM25

    if given is None:
        return BM25(index, depth=depth).transform(queries(topics))
    import pandas as pd

    from conqret.errors import DeclarationError

    ranked = read_rankings(given)
    documents = list(dict.fromkeys(one for topic in topics for one in ranked.get(topic.id, [])[:depth]))
    entries = index.entries(documents)
    if lacking := [one for one in documents if one not in entries]:
        raise DeclarationError(
            f"{given} ranks {len(lacking)} documents that the corpus lacks ({lacking[0]!r} is one)"
        )
    rows = [
        (topic.id, topic.question, one, float(depth - place), place, entries[one].title, entries[one].text)
        for topic in topics
        for place, one in enumerate(ranked.get(topic.id, [])[:depth])
    ]
    return pd.DataFrame(rows, columns=["qid", "query", "docno", "score", "rank", "title", "text"])


def _rerank(job: Job, frame: pd.DataFrame, table: Reranker, stance: Stance) -> tuple[pd.DataFrame, int]:
    from conqret.retrieval.mmr import MMR
    from conqret.retrieval.rerank import ListwiseReranker
    from conqret.retrieval.session import Session

    session = Session(
        job.experiment.client(table.model),
        recordings=None if job.replay else job.store,
        replay=job.replay,
        prompts=job.experiment.prompts,
    )
    reranker = ListwiseReranker(
        stance=stance if table.instruction == "stance" else "none",
        window=table.window,
        step=table.step,
        session=session,
    )
    frame = reranker.transform(frame)
    if table.mmr is not None:
        frame = MMR(table.mmr).transform(frame)
    return frame, reranker.summary.failed


def _ranked(frame: pd.DataFrame) -> Mapping[str, list[str]]:
    from conqret.evaluation.retrieval_systems import rankings

    found: dict[str, list[str]] = {topic: list(documents) for topic, documents in rankings(frame).items()}
    return {topic: found[topic] for topic in dict.fromkeys(map(str, frame["qid"]))}


def _state_file(target: Path) -> Path:
    return target.with_name(target.name.removesuffix(".res.gz") + ".json")


def _stage(target: Path) -> Mapping[str, Any]:
    return _json(_state_file(target))


def _json(file: Path) -> Mapping[str, Any]:
    """What a JSON file holds; nothing where there is none that can be read."""
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}

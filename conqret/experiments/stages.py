"""The stages after the ranking, each of which does what is not done yet and says how much of it failed."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conqret._optional import require
from conqret.data import Stance
from conqret.data.corpus import CorpusTopic
from conqret.experiments.config import Reranker, Retriever, System
from conqret.experiments.job import Job, digest_of
from conqret.generation.generation_run import ArgumentRun, make_tasks
from conqret.io import ItemSource, open_items
from conqret.io.jsonl import object_in
from conqret.io.safe_files import write_whole
from conqret.io.trec import Rankings, read_rankings, scored, write_run
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.judge_parts import JURY
from conqret.judging.judgments import JudgePlan, judge_items
from conqret.judging.setup import Setup, check_items
from conqret.retrieval.corpus_index import Index, open_index
from conqret.retrieval.system_names import PipelinePlan
from conqret.retrieval.systems import queries, rankings
from conqret.runs.sessions import Sessions
from conqret.studies.jury.jury_run import jury as jury_of
from conqret.studies.sensitivity.result import SensitivityFolder, SensitivityResults
from conqret.studies.sensitivity.sensitivity_plan import SensitivityPlan, make_plan
from conqret.studies.sensitivity.sensitivity_study import (
    affected_metrics,
    perturbation_materials,
    run_sensitivity,
)

if TYPE_CHECKING:
    import pandas as pd


async def rank(job: Job, sessions: Sessions, ranking: str, system: System, stance: Stance) -> int:
    """Write the ranking of one side as a TREC run, with a file of its state next to it, and return how many
    of the reranker's windows failed.

    A ranking without failed windows that was made from the same settings is kept, and 0 is returned.
    """
    experiment = job.experiment
    retriever, reranker = experiment.retrievers[system.retriever], experiment.rerankers.get(system.reranker)
    topics = job.topics()
    target = job.out.ranking(ranking, stance)
    ranking_file = retriever.file(stance)
    given = None if ranking_file is None else read_rankings(ranking_file)
    facts: dict[str, Any] = {
        "retriever": system.retriever if ranking_file else retriever.model_dump(mode="json"),
        "run": None if given is None else digest_of(given),
        "reranker": reranker.model_dump(mode="json") if reranker else None,
        "stance": stance if reranker is not None and reranker.instruction == "stance" else "none",
        "topics": [[topic.id, topic.question] for topic in topics],
    }
    made_of = digest_of(facts)
    if object_in(_state_file(target)).get("made_of") == made_of and target.is_file():
        return 0
    require("pyterrier", extra="retrieval")
    if ranking_file is None or given is None:
        frame, indexes = first_stage(experiment.corpus, retriever, topics)
    else:
        indexes = [open_index(experiment.corpus)]
        frame = _of_file(indexes[0], topics, given, retriever.depth)
        for remark in given.remarks():
            job.say("rank", f"{ranking_file.name}: {remark}")
    failed = 0
    if reranker is not None:
        frame, failed = await _rerank(job, sessions, frame, reranker, stance)
    ranked = rankings(frame)
    lines = scored({topic: list(ranked[topic]) for topic in dict.fromkeys(map(str, frame["qid"]))})
    write_run(target, lines, tag=ranking)
    state = {
        "made_of": made_of,
        "engine": ", ".join(index.engine for index in indexes),
        "index": ", ".join(index.fingerprint for index in indexes),
        "failed_windows": failed,
    }
    if failed:  # kept, and made again by the next run
        state["made_of"] = ""
    write_whole(_state_file(target), json.dumps(state, indent=1).encode())
    lost = f", {failed} windows failed" if failed else ""
    by = "" if ranking_file else f", indexed with {', '.join(map(str, indexes))}"
    job.say("rank", f"{ranking}, {stance}: {len(lines)} lines{lost}{by}")
    return failed


def _of_file(index: Index, topics: list[CorpusTopic], ranked: Rankings, depth: int) -> pd.DataFrame:
    """Return the ranking of a file as a frame with texts, at most ``depth`` documents for each of the topics. A topic
    that the file lacks has no row.

    Raises:
        DeclarationError: it ranks documents that the corpus lacks.
    """
    import pandas as pd

    from conqret.retrieval.first_stage import Texts

    rows = [
        (topic.id, topic.question, identifier, float(depth - place), place)
        for topic in topics
        for place, identifier in enumerate(ranked.get(topic.id, [])[:depth])
    ]
    return Texts(index).transform(pd.DataFrame(rows, columns=["qid", "query", "docno", "score", "rank"]))


def first_stage(
    corpus: Path, retriever: Retriever, topics: Sequence[CorpusTopic]
) -> tuple[pd.DataFrame, list[Index]]:
    """Search the topics with a retriever and return its ranking with texts, and the indexes that it used.

    Missing indexes are built first.

    Raises:
        DeclarationError: a vector index is missing and no encoder is named, or as
            :func:`conqret.retrieval.pipeline.open_indexes`.
    """
    from conqret.retrieval.pipeline import assemble, open_indexes

    indexes = open_indexes(corpus, retriever.engines, retriever.encoder)
    settings = retriever.model_dump(include={"depth", "weights", "cross_encoder", "instruction"})
    return assemble(indexes, PipelinePlan(**settings), None).pipeline(queries(topics)), indexes


async def _rerank(
    job: Job, sessions: Sessions, frame: pd.DataFrame, table: Reranker, stance: Stance
) -> tuple[pd.DataFrame, int]:
    from conqret.retrieval.rerank import ListwiseReranker
    from conqret.retrieval.rescoring import MMR

    session = sessions.session(job.experiment.client(table.model))
    side: Stance = stance if table.instruction == "stance" else "none"
    reranker = ListwiseReranker(stance=side, window=table.window, step=table.step, session=session)
    frame = await reranker.rerank(frame, session.client)
    if table.mmr is not None:
        frame = MMR(table.mmr).transform(frame)
    return frame, reranker.summary.failed


def _state_file(target: Path) -> Path:
    return target.with_name(target.name.removesuffix(".res.gz") + ".json")


def generate_arguments(job: Job, sessions: Sessions) -> int:
    """Generate the arguments of all systems and sides concurrently, report on each system, and return how many failed.
    Arguments without evidence are no failures."""

    async def write_all(runs: Iterable[ArgumentRun]) -> None:
        await asyncio.gather(*(run.gather(run.units()) for run in runs))

    not_written = 0
    with contextlib.ExitStack() as opened:
        runs = {
            system: opened.enter_context(argument_run(job, sessions, system, {})) for system in job.systems
        }
        sessions.run(write_all(runs.values()))
        for system, run in runs.items():
            outcome = run.outcome()
            failed = sum(outcome.failed.values())
            told = [f"{outcome.written} arguments"]
            told += [f"{outcome.no_evidence} without evidence"] * bool(outcome.no_evidence)
            told += [f"{failed} not written"] * bool(failed)
            why = f" ({outcome.overflow})" if outcome.overflow else ""
            job.say("generate", f"{system.name}: {', '.join(told)}{why}")
            not_written += failed
    return not_written


def argument_run(job: Job, sessions: Sessions, system: System, settings: Mapping[str, Any]) -> ArgumentRun:
    """Create the generation run of a system: one task per topic and side, from the system's rankings; a topic
    without a ranking has no documents."""
    experiment = job.experiment
    table = experiment.generators[system.generator]
    options = table.options(experiment.seed)
    tasks = []
    for stance in experiment.stances:
        rankings: dict[str, list[str]] = {topic.id: [] for topic in job.topics()}
        rankings |= read_rankings(job.out.ranking(system.ranking, stance))
        tasks += make_tasks(job.corpus, rankings, stance, options, job.every_topic)
    return ArgumentRun(
        job.out.arguments(system),
        tasks,
        options,
        experiment.client(table.model),
        settings,
        made_of={"system": system.name},
        sessions=sessions,
        renew=True,  # a ranking that had failed is whole now
    )


async def judge_arguments(job: Job, sessions: Sessions, system: System) -> list[tuple[JudgeFolder, int]]:
    """Judge a system's arguments with every judge; returns each run's folder with its number of failed
    judgments.

    If no item has a score, all judgments count as failed. The list is empty if no argument was written.
    """
    source = _items(job, system)
    if source is None:
        job.say("judge", f"{system.name}: no argument was written, and there is nothing to judge")
        return []
    judging = (_judge(job, sessions, system, source, label, setup) for label, setup in job.setups.items())
    return list(await asyncio.gather(*judging))


async def _judge(
    job: Job, sessions: Sessions, system: System, source: ItemSource, label: str, setup: Setup
) -> tuple[JudgeFolder, int]:
    checked, setup = check_items(source, setup)
    folder = job.out.judgments(system, label)
    plan = JudgePlan((sessions.session(setup.client),), folder, source, checked, setup)
    another = folder.holds_another(plan.record)  # arguments that had failed are there now
    summary = (await judge_items(plan, overwrite=another)).summary
    examples = {} if summary.any_score else summary.examples
    why = "".join(f", {reason}: {example}" for reason, example in examples.items())
    job.say("judge", f"{system.name} by {label}: {summary.scored} of {summary.total} scored{why}")
    return folder, summary.failed if summary.any_score else summary.total


def hold_jury(job: Job, system: System) -> JudgeFolder | None:
    """Aggregate the judges' scores of a system with the declared jury rule, and return the jury's folder.

    Returns None if no jury is declared or no argument was written.
    """
    if job.experiment.jury is None or _items(job, system) is None:
        return None
    folder = job.out.judgments(system, JURY.name)
    runs = [job.out.judgments(system, label).path for label in job.setups]
    jury = jury_of(runs, folder.path, rule=job.experiment.jury, names=tuple(job.setups), overwrite=True)
    job.say("jury", f"{system.name}: {jury.scored} of {jury.items} scored")
    return folder


def perturb_arguments(
    job: Job, sessions: Sessions, system: System
) -> tuple[SensitivityFolder, SensitivityResults] | None:
    """Judge a system's arguments at every perturbation level, and return the run's folder and its results.

    Returns None if there are no perturbations or no arguments.
    """
    source = _items(job, system)
    if source is None or not job.experiment.perturbations:
        return None
    before = sessions.counts
    plan = perturbation_plan(job, source, sessions)
    folder = job.out.sensitivity(system)
    shared = {"sessions": sessions, "before": before, "renew": True}  # failed arguments are there now
    results = run_sensitivity(plan, folder.path, shared=shared)
    job.say("sensitivity", f"{system.name}: {results.verdicts}")
    return folder, results


def perturbation_plan(job: Job, source: ItemSource, sessions: Sessions) -> SensitivityPlan:
    """Build the sensitivity plan of a system: its perturbed items, and the judges whose metrics they affect;
    other judges are left out."""
    experiment = job.experiment
    perturbed = [perturbation.with_levels() for perturbation in experiment.perturbations]
    setups = []
    for setup in job.setups.values():
        _, setup = check_items(source, setup)
        metrics = affected_metrics(setup, perturbed)
        if metrics:
            setups.append(replace(setup, options=replace(setup.options, metrics=metrics)))
    items = list(source)
    rewriter = sessions.session(experiment.client(experiment.perturbation_model))
    materials, unable = perturbation_materials(
        items, perturbed, pool=experiment.corpus, rewriter=rewriter, seed=experiment.seed
    )
    return make_plan(items, setups, perturbed, seed=experiment.seed, materials=materials, unable=unable)


def _items(job: Job, system: System) -> ItemSource | None:
    """A system's arguments; None where none was written."""
    file = job.out.arguments(system).items_file
    return open_items(file) if file.is_file() and file.stat().st_size else None

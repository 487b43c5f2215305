"""``run``: whole experiments, from one file into one folder: retrieve, rerank, generate, judge, perturb, and sum up.

Every stage leaves whole files behind and says what it was made of, so that a run that was stopped goes on from
the last whole stage, and within a stage from the last answer: all stages share one store of recordings, one library of
prompts and one client a model, and a stage sends the requests of all systems and sides at the same time. The same file
and the same recordings give the same ``scores.parquet`` and ``summary.json``.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import itertools
import platform
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from conqret._optional import require
from conqret.data import Item
from conqret.data.digest import file_digest_of
from conqret.errors import strict_options
from conqret.experiments.config import NONE, OWN, Experiment, System
from conqret.experiments.job import ExperimentFolder, ExperimentRecord, Job, digest_of
from conqret.experiments.page import write_experiment
from conqret.experiments.reading import read_experiment
from conqret.experiments.scores import write_scores
from conqret.experiments.stages import (
    argument_run,
    generate_arguments,
    hold_jury,
    judge_arguments,
    perturb_arguments,
    rank,
)
from conqret.generation.generator import GenerationTask
from conqret.generation.strategies import STRATEGIES
from conqret.io import open_items
from conqret.io.limits import whole_text
from conqret.io.safe_files import write_whole
from conqret.judging.cost import expected_judging
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.page import write_report
from conqret.judging.setup import check_items
from conqret.llm.engines import Engine, clients_of
from conqret.llm.expected_cost import ExpectedCost
from conqret.llm.key_redaction import without_password
from conqret.perturb import PERTURBATIONS
from conqret.prompts import Library
from conqret.runs.dry_run import CountingClient, costs_of
from conqret.runs.run_folder import as_path, default_folder
from conqret.runs.session import SessionCounts
from conqret.runs.sessions import Sessions
from conqret.studies.sensitivity.page import write_sensitivity
from conqret.studies.sensitivity.result import SensitivityFolder, SensitivityResults
from conqret.studies.sensitivity.sensitivity_plan import rewriting
from conqret.studies.sensitivity.sensitivity_study import affected_metrics

LIBRARIES = (
    "bm25s instructor ir-measures litellm numpy polars pydantic python-terrier tiktoken torch transformers"
).split()
"""Whose versions can change a result."""

_COUNTING = ("max_tokens", "context_window")
"""The settings of a model that can change an answer; limits, prices and addresses cannot."""


def experiment_record(job: Job) -> ExperimentRecord:
    """Build the record (``run.json``) of an experiment.

    Raises:
        DeclarationError: a prompt is missing or cannot be filled, or a judge has no such metric.
    """
    experiment, setups = job.experiment, job.setups
    placeless = {judge.model: setups[judge.label].client.identity["model"] for judge in experiment.judges}
    resolved = experiment.model_dump(mode="json")
    resolved["judges"] = [
        {name: value for name, value in judge.items() if value or name not in OWN}
        for judge in resolved["judges"]
    ]
    for model in resolved["models"].values():
        model["api_base"] = model["api_base"] and without_password(model["api_base"])
    corpus = {
        name: _sha256(experiment.corpus / name)
        for name in ("documents.jsonl", "topics.jsonl", "debates.jsonl", "ledger.jsonl")
    }
    runs = {
        name: {side: _sha256(file) for side, file in retriever.run.items()}
        if isinstance(retriever.run, dict)
        else _sha256(retriever.run)
        for name, retriever in experiment.retrievers.items()
        if retriever.run is not None
    }
    identity: dict[str, Any] = {
        "experiment": {
            **resolved,
            "corpus": "",
            "prompts": "",
            "retrievers": {name: retriever.placeless() for name, retriever in experiment.retrievers.items()},
            # without where models and rubrics lie; what is in a rubric, the judge's fingerprint holds
            "judges": [
                judge
                | {"model": placeless.get(judge["model"], judge["model"])}
                | ({"rubric": ""} if judge.get("rubric") else {})
                for judge in resolved["judges"]
            ],
            "models": {
                placeless.get(name, name): {setting: options[setting] for setting in _COUNTING}
                for name, options in resolved["models"].items()
            },
        },
        "judges": {label: setup.fingerprint for label, setup in setups.items()},
        "prompts": _prompts(experiment, job.library),
        "corpus": corpus,
        "runs": runs,
    }
    return ExperimentRecord(
        fingerprint=digest_of(identity),
        python=platform.python_version(),
        versions={name: version for name in LIBRARIES if (version := _version(name)) is not None},
        systems=[system.name for system in job.systems],
        judges=identity["judges"],
        prompts=identity["prompts"],
        corpus=corpus,
        runs=runs,
        experiment=resolved,
    )


def _prompts(experiment: Experiment, library: Library) -> dict[str, str]:
    """Return by id the digests of the prompts of retrieval, generation and rewriting; the judges' are in
    their fingerprints."""
    ways = [STRATEGIES[generator.strategy] for generator in experiment.generators.values()]
    names = {name for way in ways for name in way.prompt_ids(experiment.stances)}
    names |= {
        f"rerank/{stance if reranker.instruction == 'stance' else 'generic'}"
        for reranker in experiment.rerankers.values()
        for stance in experiment.stances
    }
    names |= {
        how.prompt
        for perturbation in experiment.perturbations
        if (how := PERTURBATIONS[perturbation.name].rewriting)
    }
    return {name: library[name].digest for name in sorted(names)}


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _sha256(file: Path) -> str | None:
    """The digest of a file; None where it is not there."""
    return file_digest_of(file) if file.is_file() else None


@dataclass
class ExperimentOutcome:
    """The result of an experiment.

    ``summary`` is the content of ``summary.json``. ``failed`` counts failures by stage. ``session`` counts
    the requests sent and the responses read from recordings. ``judged`` are the folders of all judges' and
    juries' runs. ``files`` are the report files.
    """

    summary: Mapping[str, Any]
    failed: dict[str, int] = field(default_factory=dict)
    judged: list[JudgeFolder] = field(default_factory=list)
    sensitivity: list[tuple[SensitivityFolder, SensitivityResults]] = field(default_factory=list)
    session: SessionCounts = field(default_factory=SessionCounts)
    files: list[Path] = field(default_factory=list)

    def count(self, stage: str, failed: int) -> None:
        """Add a number of failures to the count of a stage."""
        if failed:
            self.failed[stage] = self.failed.get(stage, 0) + failed


def run_experiment(job: Job) -> ExperimentOutcome:
    """Run all stages of an experiment that are not finished, and return the result.

    Raises:
        DeclarationError: the folder holds another run, another process writes to it, or a stage cannot
            run as declared.
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
            sessions.run(sessions.session(options).ready(job.out))
        held.enter_context(job.out.claimed(record, overwrite=job.overwrite, begin=lambda: _copy_file(job)))
        sessions.keep_in(job.out.recordings_file)
        sessions.run(_rank(job, sessions, outcome))
        outcome.count("generate", generate_arguments(job, sessions))
        sessions.run(_judge(job, sessions, outcome))
        outcome.judged += [jury for system in job.systems if (jury := hold_jury(job, system)) is not None]
        for system in job.systems:
            if (sensitivity := perturb_arguments(job, sessions, system)) is not None:
                outcome.sensitivity.append(sensitivity)
                missing = sum(sum(curve.missing.values()) for curve in sensitivity[1].curves)
                outcome.count("sensitivity", missing)
        outcome.summary = write_scores(job)
        outcome.session = sessions.counts
    return outcome


async def _rank(job: Job, sessions: Sessions, outcome: ExperimentOutcome) -> None:
    """Rank for all systems and sides at the same time, as far as the models' limits allow; so of the later stages."""
    wanted = itertools.product(job.rankings.items(), job.experiment.stances)
    ranked = (rank(job, sessions, ranking, system, stance) for (ranking, system), stance in wanted)
    outcome.count("rerank", sum(await asyncio.gather(*ranked)))


async def _judge(job: Job, sessions: Sessions, outcome: ExperimentOutcome) -> None:
    for judged in await asyncio.gather(*(judge_arguments(job, sessions, system) for system in job.systems)):
        for folder, failed in judged:
            outcome.judged.append(folder)
            outcome.count("judge", failed)


def _copy_file(job: Job) -> None:
    write_whole(job.out.path / "experiment.toml", without_password(whole_text(job.file)).encode())


class ExperimentSettings(TypedDict, total=False):
    """The keyword settings of :func:`run`.

    - ``output``: the folder, by default ``runs/NAME``; a repeated call resumes there
    - ``overwrite``: start afresh if the folder holds another experiment; its recordings are kept
    - ``recordings``: a store of responses to share with other runs, by default the folder's own
    - ``replay``: recordings to read responses from; no request is sent
    - ``engine``: where judging runs: this process, or ``workers`` workers of a Ray cluster (docs/scale.md)
    - ``trust``: allow the file to run Python code (``module:function``) and to send texts and keys to
      servers it names
    - ``say``: a function called with the name of each stage and its outcome
    """

    output: str | Path | None
    overwrite: bool
    recordings: str | Path | None
    replay: str | Path | None
    engine: Engine
    workers: int | None
    trust: bool
    say: Callable[[str, str], None]


def experiment_job(experiment: str | Path, **settings: Unpack[ExperimentSettings]) -> Job:
    """Read an experiment file and return a job that can be run or estimated.

    Raises:
        DeclarationError: as :func:`run`.
        MissingDependencyError: pyterrier is not installed.
    """
    table = read_experiment(Path(experiment), trust=settings.get("trust", False))
    require("pyterrier", extra="retrieval")
    how: dict[str, Any] = {**settings}
    how.pop("trust", None)
    out = ExperimentFolder(as_path(how.pop("output", None)) or default_folder(table.name))
    how |= {name: as_path(how.get(name)) for name in ("recordings", "replay")}
    return Job(Path(experiment), table, out, **how)


@strict_options
def run(experiment: str | Path, **settings: Unpack[ExperimentSettings]) -> ExperimentOutcome:
    """Run an experiment file: retrieve, rerank, generate, judge, perturb and report.

    Args:
        experiment: the TOML file (docs/experiments.md explains the fields).
        settings: the output folder and other settings: :class:`ExperimentSettings`.

    Returns:
        The summary of all scores, counts of failures, and the files written.

    Raises:
        DeclarationError: the file has faults (all are listed, with lines), or the folder holds another
            run.
        MissingDependencyError: pyterrier is not installed; nothing is written.
    """
    job = experiment_job(experiment, **settings)
    outcome = run_experiment(job)
    for judged in outcome.judged:
        write_report(judged)
    for folder, results in outcome.sensitivity:
        write_sensitivity(results, folder.path)
    outcome.files = [job.out.scores_file, job.out.summary_file, *write_experiment(job.out)]
    return outcome


ARGUMENT_TOKENS = 1_000
"""An argument that is still to be written: some 750 words, a short expert side of a debate."""

SENTENCE_TOKENS = 5
"""A sentence that stands for one of it."""

RANKED_TOKENS = 4
"""A number of a ranking in an answer."""


def estimate(job: Job) -> list[ExpectedCost]:
    """Estimate the calls, tokens and price of an experiment before the first call, one entry per stage and
    model.

    Rankings and prompts are built in a temporary folder and counted. Arguments that are not yet written
    are assumed to have :data:`ARGUMENT_TOKENS` tokens. Recorded responses are not subtracted. Stages
    without requests are left out. Only the corpus's index is written, and later stages use the ranking of
    the first stage.

    Raises:
        DeclarationError: as :func:`run`.
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
            client: Any = sessions.session(job.experiment.client(model)).client
            client.work = ("rerank", "", name)
            client.written = lambda request: RANKED_TOKENS * request.context["documents"]
        for stance in job.experiment.stances:
            sessions.run(rank(job, sessions, name, system, stance))
    counting: Any = sessions.clients
    for client in counting:
        yield from client.costs()


def _of_system(job: Job, sessions: Sessions, system: System) -> Iterator[ExpectedCost]:
    """Yield the expected costs of a system: of its arguments, of judging them by each judge, and of their perturbed
    versions. Nothing is sent; without documents only the arguments are counted."""
    with argument_run(job, sessions, system, {"dry_run": True, "prompts": job.library}) as run:
        for cost in costs_of(run.written):
            yield replace(cost, of=system.name)
        items = [item for task in run.tasks if task.documents and (item := _item(task)) is not None]
    if not items:
        return
    experiment, source = job.experiment, open_items(items)
    perturbed = [perturbation.with_levels() for perturbation in experiment.perturbations]
    versions = sum(len(levels.levels) - 1 for levels in perturbed)
    for label, setup in job.setups.items():
        _, setup = check_items(source, setup)
        yield expected_judging(setup, items, system=system.name, by=label)
        if metrics := affected_metrics(setup, perturbed):
            changed = replace(setup, options=replace(setup.options, metrics=metrics), notes=())
            yield expected_judging(
                changed, items, task="perturb", system=system.name, by=label, repeated=versions
            )
    options = experiment.client(experiment.perturbation_model)
    for level in perturbed:
        yield from rewriting(items, level, options, job.library, seed=experiment.seed, system=system.name)


def _item(task: GenerationTask) -> Item | None:
    """What will be judged, with a stand-in for the argument, which cites each document once."""
    cited = [f" [{place}]" for place in range(1, len(task.documents) + 1)]
    uncited = [""] * (ARGUMENT_TOKENS // SENTENCE_TOKENS - len(cited))
    argument = " ".join(f"So it is said{citation}." for citation in (*cited, *uncited))
    return task.item(task.outcome(argument=argument))

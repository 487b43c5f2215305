"""What ``run.json`` says of an experiment: what was resolved, with which versions, over which corpus."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conqret.data.digest import file_digest_of
from conqret.experiments.config import OWN, Experiment
from conqret.experiments.experiment_folder import ExperimentRecord
from conqret.experiments.job import Job, digest_of
from conqret.generation.generation_strategy import STRATEGIES
from conqret.llm.redaction import without_password
from conqret.perturb import PERTURBATIONS
from conqret.prompts import Library

LIBRARIES = (
    "bm25s", "instructor", "ir-measures", "litellm", "numpy", "polars", "pydantic", "python-terrier",
    "tiktoken", "torch", "transformers",
)  # fmt: skip
"""Whose versions can change a result."""

_COUNTING = ("max_tokens", "context_window")
"""The settings of a model that can change an answer; limits, prices and addresses cannot."""


def experiment_record(job: Job) -> ExperimentRecord:
    """The record of an experiment.

    Raises:
        DeclarationError: a prompt is missing or cannot be filled, or a judge has no such metric.
    """
    experiment, setups = job.experiment, job.setups
    placeless = {judge.model: setups[judge.label].client.identity["model"] for judge in experiment.judges}
    resolved = experiment.model_dump(mode="json")
    resolved["judges"] = [_stated(judge) for judge in resolved["judges"]]
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
            "judges": [_placeless(judge, placeless) for judge in resolved["judges"]],
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


def _stated(judge: Mapping[str, Any]) -> dict[str, Any]:
    """A judge's table without criteria where it has none: experiments that have none keep records and fingerprints."""
    return {name: value for name, value in judge.items() if value or name not in OWN}


def _placeless(judge: Mapping[str, Any], models: Mapping[str, str]) -> dict[str, Any]:
    """The same without where its model and its rubric lie; what is in the rubric, the judge's fingerprint holds."""
    rubric = {"rubric": ""} if judge.get("rubric") else {}
    return {**judge, "model": models.get(judge["model"], judge["model"]), **rubric}


def _prompts(experiment: Experiment, library: Library) -> dict[str, str]:
    """The digests of the prompts of retrieval, generation and rewriting; the judges' are in their fingerprints."""
    ways = [STRATEGIES[generator.strategy] for generator in experiment.generators.values()]
    names = {name for way in ways for name in way.asked(library, experiment.stances)}
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

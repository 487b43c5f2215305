"""What ``run.json`` says of an experiment: what was resolved, with which versions, over which corpus."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
from pathlib import Path
from typing import Any

from conqret._version import __version__
from conqret.experiments.config import Experiment, systems
from conqret.generation.strategy import STRATEGIES
from conqret.judging.setup import set_up
from conqret.perturb import PERTURBATIONS
from conqret.prompts import Library

LIBRARIES = (
    "bm25s", "instructor", "ir-measures", "litellm", "numpy", "polars", "pydantic", "pyterrier-pisa", "python-terrier",
    "tiktoken", "torch", "transformers",
)  # fmt: skip
"""Whose versions can change a result."""

_BLOCK = 1 << 20


def experiment_record(experiment: Experiment) -> dict[str, Any]:
    """The resolved experiment, versions and fingerprints.

    ``fingerprint`` changes with everything that changes a score but the versions of libraries, and with no
    place on a disk: the experiment, the prompts, the judges, the corpus and the given runs. A local model counts
    by the identity of its weights, wherever its folder is.

    Raises:
        DeclarationError: a prompt is missing or cannot be filled, or a judge has no such metric.
    """
    library = Library(experiment.prompts)
    setups = {
        judge.label: set_up(
            judge.format, experiment.client(judge.model), judge.options(experiment.seed), experiment.prompts
        )
        for judge in experiment.judges
    }
    clients = {judge.model: setups[judge.label].client for judge in experiment.judges}
    placeless = {name: client.backend.identity(client.model) for name, client in clients.items()}
    resolved = experiment.model_dump(mode="json")
    corpus = {
        name: _sha256(experiment.corpus / name)
        for name in ("documents.jsonl", "topics.jsonl", "debates.jsonl", "ledger.jsonl")
    }
    runs = {
        name: {side: _sha256(file) for side, file in one.run.items()}
        if isinstance(one.run, dict)
        else _sha256(one.run)
        for name, one in experiment.retrievers.items()
        if one.run is not None
    }
    identity = {
        "experiment": {
            **resolved,
            "corpus": "",
            "prompts": "",
            "retrievers": _without_runs(resolved["retrievers"]),
            "judges": [
                {**one, "model": placeless.get(one["model"], one["model"])} for one in resolved["judges"]
            ],
            "models": {placeless.get(name, name): one for name, one in resolved["models"].items()},
        },
        "judges": {label: setup.fingerprint for label, setup in setups.items()},
        "prompts": _prompts(experiment, library),
        "corpus": corpus,
        "runs": runs,
    }
    text = json.dumps(identity, sort_keys=True, ensure_ascii=False)
    return {
        "fingerprint": hashlib.sha256(text.encode("utf-8")).hexdigest()[:16],
        "conqret": __version__,
        "python": platform.python_version(),
        "versions": {name: version for name in LIBRARIES if (version := _version(name)) is not None},
        "systems": [system.name for system in systems(experiment)],
        **identity,
        "experiment": resolved,
    }


def _prompts(experiment: Experiment, library: Library) -> dict[str, str]:
    """The digests of the prompts of retrieval, generation and rewriting; the judges' are in their fingerprints."""
    ways = [STRATEGIES[one.strategy] for one in experiment.generators.values()]
    names = {one.prompt(library, stance).id for one in ways if one.prompts for stance in experiment.stances}
    names |= {
        f"rerank/{stance if one.instruction == 'stance' else 'generic'}"
        for one in experiment.rerankers.values()
        for stance in experiment.stances
    }
    names |= {how.prompt for one in experiment.perturbations if (how := PERTURBATIONS[one.name].rewriting)}
    return {name: library[name].digest for name in sorted(names)}


def _without_runs(retrievers: dict[str, Any]) -> dict[str, Any]:
    return {name: {**one, "run": one["run"] is not None} for name, one in retrievers.items()}


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _sha256(file: Path) -> str | None:
    """sha256 (hex, 16 characters) of a file; None where it is not there."""
    if not file.is_file():
        return None
    digest = hashlib.sha256()
    with file.open("rb") as data:
        while block := data.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()[:16]

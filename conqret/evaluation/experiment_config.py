"""The file of an experiment: corpus, systems, judges and perturbations in TOML, checked as a whole.

``docs/experiments.md`` explains every field. Paths are relative to the file.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from conqret.data.corpus import Split
from conqret.errors import ConqretError, DeclarationError
from conqret.evaluation.experiment_places import line_of
from conqret.generation.examples import SEED, SHOTS
from conqret.generation.generate import DOCUMENTS, GenerateOptions
from conqret.judges.argument import Order
from conqret.judges.base import RELEVANT_FROM, JudgeOptions
from conqret.judges.registry import get_judge
from conqret.llm.options import OFFLINE_MODEL, ClientOptions
from conqret.perturb import get_perturbation

NONE = "none"
"""The name under which a system has no reranker."""

DEPTH = 100
"""Documents that the first stage gives to the reranker (Sun et al. 2023)."""

WINDOW, STEP = 20, 10
"""The reranker's sliding window (Sun et al. 2023)."""

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$")]
Side = Literal["pro", "con"]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Retriever(_Table):
    """A first stage: BM25 at a depth, or rankings from TREC files (one for both sides, or one a side)."""

    depth: int = Field(default=DEPTH, ge=1)
    run: Path | dict[Side, Path] | None = None


class Reranker(_Table):
    """A listwise reranker, under the instruction for the side or the generic one; then perhaps MMR."""

    model: str = OFFLINE_MODEL
    instruction: Literal["stance", "generic"] = "stance"
    window: int = Field(default=WINDOW, ge=2)
    step: int = Field(default=STEP, ge=1)
    mmr: float | None = Field(default=None, ge=0, le=1)


class GeneratorTable(_Table):
    """A generator: the model, its examples, its documents."""

    model: str = OFFLINE_MODEL
    shots: int = Field(default=SHOTS, ge=0)
    documents: int = Field(default=DOCUMENTS, ge=1)
    temperature: float | None = Field(default=None, ge=0)
    expert: bool = False

    def options(self, seed: int) -> GenerateOptions:
        """The same as the generator takes it."""
        return GenerateOptions(self.shots, self.documents, seed, self.temperature, self.expert)


class Systems(_Table):
    """A grid: every retriever listed, with every reranker, with every generator."""

    retriever: Annotated[list[Name], Field(min_length=1)]
    reranker: Annotated[list[Name], Field(min_length=1)] = [NONE]
    generator: Annotated[list[Name], Field(min_length=1)]


class JudgeTable(_Table):
    """A format with a model and the judge's options; ``name`` is that of its folder."""

    format: str
    model: str = OFFLINE_MODEL
    name: Name | None = None
    metrics: list[str] = []
    samples: int = Field(default=1, ge=1)
    order: Order = "given"
    relevant_from: int = Field(default=RELEVANT_FROM, ge=0, le=5)
    temperature: float | None = Field(default=None, ge=0)

    @property
    def label(self) -> str:
        """Its name, or the format and the model."""
        slug = re.sub(r"[^A-Za-z0-9.]+", "-", self.model).strip("-.")
        return self.name or f"{self.format}-{slug}"

    def options(self, seed: int) -> JudgeOptions:
        """The same as the judge takes it."""
        metrics = tuple(metric.replace("-", "_") for metric in self.metrics)
        return JudgeOptions(metrics, self.samples, self.order, seed, self.relevant_from, self.temperature)


class PerturbationTable(_Table):
    """A perturbation with its levels (its own, where none are given)."""

    name: str
    levels: list[float] = []


class ModelTable(_Table):
    """Settings of the client for one model, as the command line has them. Keys come from the environment."""

    api_base: str | None = None
    max_tokens: int | None = None
    context_window: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    max_concurrency: int | None = None
    rpm: int | None = None
    tpm: int | None = None
    budget_usd: float | None = None
    timeout: float | None = None


class Experiment(_Table):
    """The whole file. ``budget_usd`` of a model holds for each stage that asks it."""

    name: str = "experiment"
    corpus: Path
    split: Split | Literal["all"] = "test"
    topics: list[str] = []
    stances: Annotated[list[Side], Field(min_length=1)] = ["pro", "con"]
    seed: int = SEED
    prompts: Path | None = None
    retrievers: Annotated[dict[Name, Retriever], Field(min_length=1)]
    rerankers: dict[Name, Reranker] = {}
    generators: Annotated[dict[Name, GeneratorTable], Field(min_length=1)]
    systems: Annotated[list[Systems], Field(min_length=1)]
    judges: Annotated[list[JudgeTable], Field(min_length=1)]
    perturbations: list[PerturbationTable] = []
    perturbation_model: str = OFFLINE_MODEL
    models: dict[str, ModelTable] = {}

    def client(self, model: str) -> ClientOptions:
        """The client's settings for a model."""
        table = self.models.get(model, ModelTable())
        return ClientOptions(model, **table.model_dump(exclude_none=True))


@dataclass(frozen=True, slots=True)
class System:
    """One combination of the grid; ``ranking`` names what generator and retrieval measures share."""

    retriever: str
    reranker: str
    generator: str

    @property
    def ranking(self) -> str:
        """Retriever and reranker: ``bm25+stance``."""
        return self.retriever if self.reranker == NONE else f"{self.retriever}+{self.reranker}"

    @property
    def name(self) -> str:
        """All its parts: ``bm25+stance+extractive``."""
        return f"{self.ranking}+{self.generator}"


def read_experiment(path: Path) -> Experiment:
    """Read and check the file, every path in it made absolute.

    Raises:
        DeclarationError: it is not there, is no TOML, or has faults, each named with its line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DeclarationError(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DeclarationError(f"{path} cannot be read: {error}") from None
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DeclarationError(f"{path} is no TOML: {error}") from None
    try:
        experiment = Experiment.model_validate(table)
    except ValidationError as error:
        faults = [(tuple(one["loc"]), one["msg"]) for one in error.errors(include_url=False)]
        raise _faulty(path, text, faults) from None
    experiment = _anchored(experiment, path.resolve().parent)
    if faults := list(_faults(experiment)):
        raise _faulty(path, text, faults)
    return experiment


def systems(experiment: Experiment) -> tuple[System, ...]:
    """Every system of every grid, each once, in the order of the file."""
    found = (
        System(*parts)
        for grid in experiment.systems
        for parts in itertools.product(grid.retriever, grid.reranker, grid.generator)
    )
    return tuple(dict.fromkeys(found))


_Fault = tuple[tuple[int | str, ...], str]


def _faulty(path: Path, text: str, faults: list[_Fault]) -> DeclarationError:
    lines = []
    for place, problem in faults:
        line = line_of(text, place)
        dotted = ".".join(f"[{part}]" if isinstance(part, int) else part for part in place).replace(".[", "[")
        lines.append(f"  {path}{f':{line}' if line else ''} {dotted}: {problem}")
    count = f"{len(faults)} fault{'s' if len(faults) != 1 else ''} in the experiment"
    return DeclarationError(f"{count}:\n" + "\n".join(lines))


def _anchored(experiment: Experiment, folder: Path) -> Experiment:
    """The same with every path absolute, those of the file taken from its own folder."""
    retrievers = {
        name: one.model_copy(
            update={
                "run": {side: folder / file for side, file in one.run.items()}
                if isinstance(one.run, dict)
                else folder / one.run
                if one.run is not None
                else None
            }
        )
        for name, one in experiment.retrievers.items()
    }
    prompts = folder / experiment.prompts if experiment.prompts is not None else None
    update = {"corpus": folder / experiment.corpus, "prompts": prompts, "retrievers": retrievers}
    return experiment.model_copy(update=update)


def _faults(experiment: Experiment) -> Iterator[_Fault]:
    """What the types alone cannot tell: names that lead nowhere, files that are not there, repeated labels."""
    if not (experiment.corpus / "documents.jsonl").is_file():
        yield ("corpus",), f"{experiment.corpus} is no corpus: it holds no documents.jsonl"
    if experiment.prompts is not None and not experiment.prompts.is_dir():
        yield ("prompts",), f"{experiment.prompts} is no folder"
    yield from _retriever_faults(experiment)
    yield from _system_faults(experiment)
    labels: dict[str, int] = {}
    for place, judge in enumerate(experiment.judges):
        yield from _named(
            ("judges", place, "format"), lambda j=judge: get_judge(j.format).select(j.options(0).metrics)
        )
        if judge.label in labels:
            yield (
                ("judges", place),
                f"is called {judge.label!r} as judges[{labels[judge.label]}]; give it a name",
            )
        labels.setdefault(judge.label, place)
    for place, one in enumerate(experiment.perturbations):
        yield from _named(("perturbations", place, "name"), lambda o=one: _check_levels(o))
    for model in experiment.models:
        yield from _named(("models", model), lambda m=model: experiment.client(m))


def _retriever_faults(experiment: Experiment) -> Iterator[_Fault]:
    for name, retriever in experiment.retrievers.items():
        files: dict[str, Path] = {}
        if isinstance(retriever.run, dict):
            files = {str(side): file for side, file in retriever.run.items()}
        elif retriever.run is not None:
            files[""] = retriever.run
        for side, file in files.items():
            if not file.is_file():
                yield ("retrievers", name, "run", *([side] if side else [])), f"there is no file {file}"
        lacking = [side for side in experiment.stances if files and "" not in files and side not in files]
        if lacking:
            yield ("retrievers", name, "run"), f"has no file for {', '.join(lacking)}"
    for name, reranker in experiment.rerankers.items():
        if reranker.step > reranker.window:
            yield ("rerankers", name, "step"), f"{reranker.step} is more than the window of {reranker.window}"
        if name == NONE:
            yield ("rerankers", name), f"{NONE!r} stands for no reranker; give it another name"


def _system_faults(experiment: Experiment) -> Iterator[_Fault]:
    known: dict[str, list[str]] = {
        "retriever": list(experiment.retrievers),
        "reranker": [NONE, *experiment.rerankers],
        "generator": list(experiment.generators),
    }
    for place, grid in enumerate(experiment.systems):
        for part, names in known.items():
            for name in getattr(grid, part):
                if name not in names:
                    yield (
                        ("systems", place, part),
                        f"there is no {part} {name!r}; the file has {', '.join(names)}",
                    )


def _check_levels(table: PerturbationTable) -> None:
    perturbation = get_perturbation(table.name)
    for level in table.levels:
        perturbation.check_level(level)


def _named(place: tuple[int | str, ...], check: Any) -> Iterator[_Fault]:
    try:
        check()
    except ConqretError as error:
        yield place, str(error)

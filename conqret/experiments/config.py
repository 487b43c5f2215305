"""What the file of an experiment says: corpus, systems, judges and perturbations.

``docs/experiments.md`` explains every field. Paths are relative to the file.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, ValidationInfo, model_validator

from conqret.data.corpus import Split
from conqret.generation.examples import SEED
from conqret.generation.generator import GenerateOptions
from conqret.judging.judge_options import CRITERIA, RUBRIC, JudgeOptions
from conqret.judging.judge_parts import Judge
from conqret.judging.judge_settings import chosen_format
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions
from conqret.options import table_of
from conqret.studies.sensitivity.sensitivity_plan import PerturbationLevels

NONE = "none"
"""The name under which a system has no reranker."""

DEPTH = 100
"""Documents that the first stage gives to the reranker (Sun et al. 2023)."""

WINDOW, STEP = 20, 10
"""The reranker's sliding window (Sun et al. 2023)."""

BM25 = "bm25"
"""The first stage where a retriever names none."""


def _from_folder(path: Path, info: ValidationInfo) -> Path:
    return Path(info.context["folder"]) / path if info.context else path


def _model_from_folder(model: str, info: ValidationInfo) -> str:
    there = info.context and model.startswith(("./", "../"))
    return str(_from_folder(Path(model), info)) if there else model


FromFolder = Annotated[Path, AfterValidator(_from_folder)]
"""A path as from the folder of the file, which the validation context holds as ``folder``."""
ModelFromFolder = Annotated[str, AfterValidator(_model_from_folder)]
"""The same of a model whose name begins with ``./`` or ``../``."""
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$")]
Side = Literal["pro", "con"]


class ConfigTable(BaseModel, frozen=True, extra="forbid"):
    """A table of the file; what it does not know is a fault."""


if TYPE_CHECKING:

    class _ClientTable(ConfigTable): ...

    class _JudgingTable(ConfigTable): ...

    class _WritingTable(ConfigTable):
        strategy: str

else:  # with the options that are declared there
    _ClientTable = table_of(ClientOptions, ConfigTable, unset=True)
    _JudgingTable = table_of(JudgeOptions, ConfigTable, without=("seed", "conversation", "explain_in"))
    _WritingTable = table_of(GenerateOptions, ConfigTable, without=("seed",))


class Retriever(ConfigTable):
    """A first stage: what ``conqret retrieve run`` searches with, at a depth, or rankings from TREC files (one for both
    sides, or one a side)."""

    depth: int = Field(default=DEPTH, ge=1)
    engine: str = BM25
    encoder: ModelFromFolder | None = None
    weights: tuple[float, ...] | None = None
    cross_encoder: ModelFromFolder | None = None
    instruction: str = ""
    run: FromFolder | dict[Side, FromFolder] | None = None

    @property
    def engines(self) -> list[str]:
        """The names of the engines that search; several are fused."""
        return [name.strip() for name in self.engine.split(",")]

    @property
    def files(self) -> dict[str, Path]:
        """The rankings by side; under no name those for both."""
        if isinstance(self.run, dict):
            return {str(side): file for side, file in self.run.items()}
        return {} if self.run is None else {"": self.run}

    def file(self, side: str) -> Path | None:
        """The rankings for a side, where they are not searched for."""
        return self.files.get(side) or self.files.get("")

    def placeless(self) -> dict[str, Any]:
        """The same as it stands in the identity of an experiment: without the folders that files and models lie in."""
        models = {name: getattr(self, name) for name in ("encoder", "cross_encoder")}
        bare = {name: model and Path(model).name for name, model in models.items()}
        return {**self.model_dump(mode="json"), **bare, "run": self.run is not None}


class Reranker(ConfigTable):
    """A listwise reranker, under the instruction for the side or the generic one; then perhaps MMR."""

    model: str = OFFLINE_MODEL
    instruction: Literal["stance", "generic"] = "stance"
    window: int = Field(default=WINDOW, ge=2)
    step: int = Field(default=STEP, ge=1)
    mmr: float | None = Field(default=None, ge=0, le=1)


class GeneratorTable(_WritingTable):
    """A generator: the model, and the options of writing."""

    model: str = OFFLINE_MODEL

    def options(self, seed: int) -> GenerateOptions:
        """The same as the generator takes it."""
        return GenerateOptions(seed=seed, **self.model_dump(exclude={"model"}))


class SystemsTable(ConfigTable):
    """A grid: every retriever listed, with every reranker, with every generator."""

    retriever: Annotated[list[Name], Field(min_length=1)]
    reranker: Annotated[list[Name], Field(min_length=1)] = [NONE]
    generator: Annotated[list[Name], Field(min_length=1)]


OWN = ("criteria", "rubric", "criteria_per_call")
"""What a judge's table says of criteria of one's own."""


class JudgeTable(_JudgingTable):
    """A format, or criteria of one's own or a rubric, with a model and the judge's options; ``name`` is that of its
    folder."""

    format: str
    criteria: tuple[str | dict[str, Any], ...] = ()
    rubric: FromFolder | None = None
    criteria_per_call: int | None = Field(default=None, ge=1)
    model: str = OFFLINE_MODEL
    name: Name | None = None
    metrics: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _of_criteria(cls, table: Any) -> Any:
        """Criteria are a format of their own, and so is a rubric, which need not be named."""
        made_of = {"criteria": CRITERIA, "rubric": RUBRIC}
        named = [name for key, name in made_of.items() if isinstance(table, dict) and table.get(key)]
        return {"format": named[0], **table} if named else table

    @property
    def judge(self) -> str | Judge:
        """The format's name, or the judge of the criteria or the rubric.

        Raises:
            DeclarationError: a criterion is faulty, there is none, or there is a format besides.
        """
        settings = self.model_dump(include={"format", *OWN})
        return chosen_format(settings) or self.format

    @property
    def label(self) -> str:
        """Its name, or the format and the model."""
        slug = re.sub(r"[^A-Za-z0-9.]+", "-", self.model).strip("-.")
        return self.name or f"{self.format}-{slug}"

    def options(self, seed: int) -> JudgeOptions:
        """The same as the judge takes it."""
        metrics = tuple(metric.replace("-", "_") for metric in self.metrics)
        settings = self.model_dump(exclude={"format", *OWN, "model", "name", "metrics"})
        return JudgeOptions(metrics, seed=seed, **settings)


class PerturbationTable(ConfigTable):
    """A perturbation with its levels: numbers, or shares such as ``"25%"`` (its own, where none are given)."""

    name: str
    levels: list[float | str] = []

    def damage(self) -> PerturbationLevels:
        """The perturbation at its levels. Raises DeclarationError where there is no such name or level."""
        return PerturbationLevels.from_name(self.name, self.levels)


class ModelTable(_ClientTable):
    """Settings of the client for one model, as the command line has them. Keys come from the environment."""

    @property
    def options(self) -> dict[str, Any]:
        """The settings that the file has, by name."""
        return self.model_dump(exclude_none=True)


class Experiment(ConfigTable):
    """The whole file. ``budget_usd`` of a model holds for each stage that asks it; ``jury`` says how the judges' scores
    also come together as one."""

    name: str = "experiment"
    corpus: FromFolder
    split: Split | Literal["all"] = "test"
    topics: list[str] = []
    stances: Annotated[list[Side], Field(min_length=1)] = ["pro", "con"]
    seed: int = SEED
    prompts: FromFolder | None = None
    retrievers: Annotated[dict[Name, Retriever], Field(min_length=1)]
    rerankers: dict[Name, Reranker] = {}
    generators: Annotated[dict[Name, GeneratorTable], Field(min_length=1)]
    systems: Annotated[list[SystemsTable], Field(min_length=1)]
    judges: Annotated[list[JudgeTable], Field(min_length=1)]
    jury: Literal["mean", "median"] | None = None
    perturbations: list[PerturbationTable] = []
    perturbation_model: str = OFFLINE_MODEL
    models: dict[str, ModelTable] = {}

    def client(self, model: str) -> ClientOptions:
        """The client's settings for a model."""
        table = self.models.get(model, ModelTable())
        return ClientOptions(model, **table.options)


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


def systems(experiment: Experiment) -> tuple[System, ...]:
    """Every system of every grid, each once, in the order of the file."""
    combinations = (
        System(*parts)
        for grid in experiment.systems
        for parts in itertools.product(grid.retriever, grid.reranker, grid.generator)
    )
    return tuple(dict.fromkeys(combinations))

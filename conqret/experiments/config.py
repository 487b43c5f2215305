"""What the file of an experiment says: corpus, systems, judges and perturbations.

``docs/experiments.md`` explains the fields. Paths are relative to the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, ValidationInfo, model_validator

from conqret.data.corpus import Split
from conqret.errors import metric_name
from conqret.generation.examples import SEED
from conqret.generation.generator import GenerateOptions
from conqret.judging.judge_options import CRITERIA, RUBRIC, JudgeOptions
from conqret.judging.judge_parts import Judge
from conqret.judging.judge_settings import chosen_format
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions
from conqret.options import table_of
from conqret.retrieval.system_names import BM25_NAME, DEPTH, STEP, WINDOW
from conqret.studies.sensitivity.sensitivity_plan import PerturbationLevels

NONE = "none"
"""The name under which a system has no reranker."""


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
    """The base class of all tables of an experiment file; unknown fields are errors."""


if TYPE_CHECKING:

    class _ClientTable(ConfigTable): ...

    class _JudgingTable(ConfigTable): ...

    class _WritingTable(ConfigTable):
        strategy: str
        shots: int
        expert: bool

else:  # with the options that are declared there
    _ClientTable = table_of(ClientOptions, ConfigTable, unset=True)
    _JudgingTable = table_of(JudgeOptions, ConfigTable, without=("seed", "conversation", "explain_in"))
    _WritingTable = table_of(GenerateOptions, ConfigTable, without=("seed",))


class Retriever(ConfigTable):
    """A retriever of an experiment file: the engines and depth of a first stage, or TREC run files to read
    instead.

    ``run`` is one file for both sides, or one file per side.
    """

    depth: int = Field(default=DEPTH, ge=1)
    engine: str = BM25_NAME
    encoder: ModelFromFolder | None = None
    weights: tuple[float, ...] | None = None
    cross_encoder: ModelFromFolder | None = None
    instruction: str = ""
    run: FromFolder | dict[Side, FromFolder] | None = None

    @property
    def engines(self) -> list[str]:
        """The names of the search engines; the rankings of several are fused."""
        return [name.strip() for name in self.engine.split(",")]

    @property
    def files(self) -> dict[str, Path]:
        """The TREC run files by side; the key ``""`` is a file for both sides."""
        if isinstance(self.run, dict):
            return {str(side): file for side, file in self.run.items()}
        return {} if self.run is None else {"": self.run}

    def file(self, side: str) -> Path | None:
        """Return the TREC run file for a side, or None if the ranking has to be searched."""
        return self.files.get(side) or self.files.get("")

    def placeless(self) -> dict[str, Any]:
        """Return the fields as JSON data without folders, so an experiment's fingerprint does not depend on
        paths.
        """
        models = {name: getattr(self, name) for name in ("encoder", "cross_encoder")}
        bare = {name: model and Path(model).name for name, model in models.items()}
        return {**self.model_dump(mode="json"), **bare, "run": self.run is not None}


class Reranker(ConfigTable):
    """A listwise reranker with an instruction for the side or a generic one, optionally followed by MMR."""

    model: str = OFFLINE_MODEL
    instruction: Literal["stance", "generic"] = "stance"
    window: int = Field(default=WINDOW, ge=2)
    step: int = Field(default=STEP, ge=1)
    mmr: float | None = Field(default=None, ge=0, le=1)


class GeneratorTable(_WritingTable):
    """A generator of an experiment file: the model and the options of argument generation."""

    model: str = OFFLINE_MODEL

    def options(self, seed: int) -> GenerateOptions:
        """Return these fields as :class:`GenerateOptions` with the given random seed."""
        return GenerateOptions(seed=seed, **self.model_dump(exclude={"model"}))


class SystemsTable(ConfigTable):
    """A grid of systems: each retriever combined with each reranker and each generator."""

    retriever: Annotated[list[Name], Field(min_length=1)]
    reranker: Annotated[list[Name], Field(min_length=1)] = [NONE]
    generator: Annotated[list[Name], Field(min_length=1)]


OWN = ("criteria", "rubric", "criteria_per_call")
"""What a judge's table says of criteria of one's own."""


class JudgeTable(_JudgingTable):
    """A judge of an experiment file: a format, custom criteria or a rubric, with a model and judge options.

    ``name`` is the name of the judge's folder.
    """

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
        """The name of the format, or a judge built from the criteria or the rubric.

        Raises:
            DeclarationError: a criterion is faulty or missing, or a conflicting format is given.
        """
        settings = self.model_dump(include={"format", *OWN})
        return chosen_format(settings) or self.format

    @property
    def label(self) -> str:
        """The judge's name; by default ``FORMAT-MODEL``."""
        slug = re.sub(r"[^A-Za-z0-9.]+", "-", self.model).strip("-.")
        return self.name or f"{self.format}-{slug}"

    def options(self, seed: int) -> JudgeOptions:
        """Return these fields as :class:`JudgeOptions` with the given random seed."""
        metrics = tuple(metric_name(metric) for metric in self.metrics)
        settings = self.model_dump(exclude={"format", *OWN, "model", "name", "metrics"})
        return JudgeOptions(metrics, seed=seed, **settings)


class PerturbationTable(ConfigTable):
    """A perturbation and its levels: numbers, or shares such as ``"25%"``. The default is the perturbation's
    own levels.
    """

    name: str
    levels: list[float | str] = []

    def with_levels(self) -> PerturbationLevels:
        """Return the perturbation with its levels.

        Raises:
            DeclarationError: the perturbation or a level does not exist.
        """
        return PerturbationLevels.from_name(self.name, self.levels)


class ModelTable(_ClientTable):
    """Client settings of one model, as on the command line; API keys come from the environment."""

    @property
    def options(self) -> dict[str, Any]:
        """The settings that the file sets, by name."""
        return self.model_dump(exclude_none=True)


class Experiment(ConfigTable):
    """A whole experiment file.

    ``budget_usd`` of a model applies to each stage that uses the model. ``jury`` is the rule that
    aggregates the judges' scores into one.
    """

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
        """Return the client options of a model, with defaults if the file has no table for it."""
        table = self.models.get(model, ModelTable())
        return ClientOptions(model, **table.options)


@dataclass(frozen=True, slots=True)
class System:
    """One combination of retriever, reranker and generator from the grid."""

    retriever: str
    reranker: str
    generator: str

    @property
    def ranking(self) -> str:
        """The name of its ranking, which systems with other generators share: ``bm25+stance``."""
        return self.retriever if self.reranker == NONE else f"{self.retriever}+{self.reranker}"

    @property
    def name(self) -> str:
        """The names of all its parts: ``bm25+stance+extractive``."""
        return f"{self.ranking}+{self.generator}"

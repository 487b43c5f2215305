"""The options of commands that run a judge: how, which one, and where; they override the settings of ``conqret.toml``.

A table of the file has the command's name, and its keys those of the options (``max-tokens`` or ``max_tokens``)::

    [judge]
    format = "rag-fine-grained"
    model = "gpt-4o-mini"
    metric = ["groundedness"]
    columns = {topic = "question", documents = "ctx"}
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.console.shared_options import Calls, Format, Metric, Model, Prompts, RunFolderOptions
from conqret.errors import DeclarationError, UnknownNameError
from conqret.judging.judge_options import JudgeOptions
from conqret.options import Within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conqret.judging.cost import ExpectedCost


@dataclass(frozen=True)
class Engines(OptionGroup):
    """Where models are asked.

    Limits:
        engine: `process`: work in this process. `ray`: distribute the work over the workers of a Ray cluster (the one
            at RAY_ADDRESS, else one on this machine), under the same limits. Default: `process`.
        workers: With `--engine ray`: number of processes. Default: one per processor, at least 2.
    """

    engine: Literal["process", "ray"] | None = None
    workers: int | None = None


@dataclass(frozen=True)
class BatchedEngines(Engines):
    """The same, or a provider's batches.

    Model:
        batch: Submit all requests as a batch to OpenAI or Anthropic, at half the price, and end; run the same command
            again later to collect the responses.
    """

    batch: bool = False

    def prices(self, costs: Sequence[ExpectedCost], calls: Calls) -> list[ExpectedCost]:
        """What is expected of models that are called so, at the price of batches where these are wanted.

        Raises:
            DeclarationError: a model cannot be asked in batches.
        """
        from conqret.judging.cost import batch_price

        return [
            batch_price(cost, calls.of(cost.model)) if self.batch and cost.task != "rewrite" else cost
            for cost in costs
        ]


@dataclass(frozen=True)
class OwnCriteria(OptionGroup):
    """Criteria of one's own instead of a format, or a rubric.

    Judging:
        criterion: A criterion of your own instead of `--format`: a statement that is met or not (`The answer names a
            source`), or a question that ends with its scale (`clarity: How clear is the wording? 1-5`). May be
            repeated; one request has up to 12 criteria.
        rubric: A file of weighted criteria instead of `--format` (TOML, YAML, JSON, JSONL or CSV): one rubric for all
            items, or one for each topic or item. conqret also reads the files of ResearchRubrics, TREC RAG 2026,
            HealthBench and DRAGUN.
        criteria_per_call: How many criteria are put into one request; 1: each in a request of its own. Default: 12.
    """

    criterion: list[str] | None = None
    rubric: Path | None = None
    criteria_per_call: Annotated[int | None, Within(1)] = None

    def given(self) -> dict[str, Any]:
        """What the user gave, as settings of the public functions."""
        settings = super().given()
        criteria = settings.pop("criterion", ())
        return settings | ({"criteria": criteria} if criteria else {})


@dataclass(frozen=True)
class OwnJudge(OwnCriteria):
    """A judge of one's own: criteria instead of a format, or a function or an address instead of a format and a
    model.

    Model:
        judge: A Python function that judges, instead of `--format` and `--model`: `module:function` (the module may be
            in the working directory). It gets an item as a dictionary and returns a score from 0 to 1, several as
            `{metric: score}`, or, for items with two arguments, which is better: `first`, `second` or `tie`. Or an HTTP
            address, to which conqret POSTs each item as JSON and from which it expects a judgment as JSON, like those
            of `conqret serve http` (its key, if any, in the environment variable CONQRET_SERVER_KEY).
    """

    judge: str | None = None

    @property
    def elsewhere(self) -> bool:
        """Whether the judge is no model that is asked here: a function, an address, a log."""
        return bool(self.given().keys() - {"criteria", "rubric", "criteria_per_call"})


@dataclass(frozen=True)
class AnyJudge(OwnJudge):
    """A judge of one's own, or what one said before.

    Model:
        verdicts: Judgments that were made elsewhere: JSONL, CSV or Parquet with a verdict (`first`, `second`, `tie`) or
            a score in each row, and either the texts as they were shown (then leave out ITEMS) or the id of an item. No
            model is called.
        verdict_scale: Lowest and highest score in `--verdicts`, for example `1:10`. Default: `0:1`.
    """

    verdicts: Path | None = None
    verdict_scale: str | None = None


@dataclass(frozen=True)
class JudgingOptions(OptionGroup, of=JudgeOptions):
    """How a judge is run."""

    metric: Metric = None

    def given(self) -> dict[str, Any]:
        """What the user gave, as fields of :class:`conqret.judging.judge_options.JudgeOptions`."""
        options = super().given()
        metrics = tuple(options.pop("metric", ()))
        return {"metrics": metrics, **options} if metrics else options


@dataclass(frozen=True, kw_only=True)
class ChosenJudge(OptionGroup):
    """The judge."""

    own: AnyJudge
    format: Format = None
    model: Model = None

    def settings(self, calls: Calls) -> dict[str, Any]:
        """The judge as settings of the public functions, its model called so."""
        return {"format": self.format, "model": calls.of(self.model), **self.own.given()}


@dataclass(frozen=True, kw_only=True)
class JudgeRunOptions(OptionGroup):
    """How the run is made."""

    calls: Calls
    engines: BatchedEngines
    kept: RunFolderOptions
    prompts: Prompts = None


NAME = "conqret.toml"
"""Read from the current folder where no other file is named."""
TABLE = "judge"
"""The command that takes settings from a file, and its table there."""
_NO_SETTING = ("config", "dry_run", "json_output", "quiet", "judge", "verdicts")
"""What is asked of one call, and not set: no file of settings imports a module, or has items sent somewhere."""


def _read(ctx: typer.Context, value: Path | None) -> Path | None:
    """Make the file's settings the defaults of the command, before its options are looked at."""
    from conqret.io.toml import read_toml, toml_error

    path = Path(NAME) if value is None else value
    if ctx.resilient_parsing or (value is None and not path.is_file()):
        return value
    text, tables = read_toml(path)
    table, defaults = tables.get(TABLE, {}), dict[str, Any]()
    faults: list[tuple[tuple[str, ...], str]] = [
        ((name,), f"only a table [{TABLE}] is read")
        for name, found in tables.items()
        if name != TABLE or not isinstance(found, dict)
    ]
    for key, setting in table.items() if isinstance(table, dict) else ():
        name = key.replace("-", "_")
        if value is None and _leads_away(name, setting):
            faults.append(((TABLE, key), f"keys would go there unasked: name the file, --config {NAME}"))
        elif fault := _settle(name, setting, path.parent, defaults):
            faults.append(((TABLE, key), fault))
    if faults:
        raise toml_error(path, text, faults, "settings")
    ctx.default_map = {**(ctx.default_map or {}), **defaults}
    return path if defaults else value


Config = Annotated[
    Path | None,
    options.option(
        options.FILES,
        "A TOML file with settings in a table `[judge]`; command-line options override it. "
        f"Default: `{NAME}`, if there is one.",
        "--config",
        callback=_read,
        is_eager=True,
    ),
]


def _leads_away(name: str, setting: Any) -> bool:
    """Whether a setting is an address from which items would be fetched, or to which they would be sent."""
    from conqret.llm.backend import backend_of

    if name == "model" and isinstance(setting, str):
        return bool(backend_of(setting).reaches(setting))
    return name == "api_base" or (name in ("items", "rubric") and "://" in str(setting))


def _settle(name: str, value: Any, folder: Path, defaults: dict[str, Any]) -> str:
    """Put a setting into ``defaults``; returns what is wrong with it, if anything."""
    from pydantic import TypeAdapter, ValidationError

    from conqret.judging.criterion import criteria_of

    known = {known: kind for known, kind in _kinds().items() if known not in _NO_SETTING}
    if name not in known:
        return str(UnknownNameError(f"setting of {TABLE}", name, known))
    is_path = Path in (known[name], *get_args(known[name]))
    plain = ",".join(f"{key}={inner}" for key, inner in value.items()) if isinstance(value, dict) else value
    try:
        TypeAdapter(known[name]).validate_python(plain, strict=not is_path)
        if name == "criterion":
            criteria_of(plain)
    except ValidationError as error:
        return str(error.errors()[0]["msg"])
    except DeclarationError as error:
        return str(error)
    defaults[name] = str(folder / plain) if is_path else plain
    return ""


def _kinds() -> dict[str, Any]:
    """The types of the command's options, as its function declares them."""
    parameters = inspect.signature(import_module("conqret.judging.command").judge).parameters
    hints = {name: parameter.annotation for name, parameter in parameters.items()}
    return {
        name: get_args(hint)[0] if get_origin(hint) is Annotated else hint for name, hint in hints.items()
    }

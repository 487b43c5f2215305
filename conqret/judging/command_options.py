"""The options with which commands choose a judge and say how it is run, and the settings of ``conqret.toml``.

Options override these settings.

A table of the file has the command's name, and its keys those of the options (``max-tokens`` or ``max_tokens``)::

    [judge]
    format = "rag-fine-grained"
    model = "gpt-4o-mini"
    metric = ["groundedness"]
    columns = {topic = "question", documents = "ctx"}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, get_args

from annotated_types import Interval
from cyclopts import Token

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.console.shared_options import Calls, Format, Metric, Model
from conqret.errors import DeclarationError, UnknownNameError
from conqret.judging.judge_options import JudgeOptions
from conqret.options import fault_text

if TYPE_CHECKING:
    from cyclopts.argument import Argument


@dataclass(frozen=True)
class OwnCriteria(OptionGroup):
    """Criteria of your own instead of a format, or a rubric.

    Judging:
        criterion: A criterion of your own instead of `--format`: a statement that is met or not (`The answer names a
            source`), or a question that ends with its scale (`clarity: How clear is the wording? 1-5`). May be
            repeated; one request has up to 12 criteria.
        rubric: A file of weighted criteria instead of `--format` (TOML, YAML, JSON, JSONL or CSV): one rubric for all
            items, or one for each topic or item. conqret also reads the files of ResearchRubrics, TREC RAG 2026,
            HealthBench and DRAGUN.
        criteria_per_call: How many criteria are put into one request; 1: each in a request of its own. Default: 12.
    """

    SETTING_NAMES = MappingProxyType({"criterion": "criteria"})

    criterion: list[str] | None = None
    rubric: Path | None = None
    criteria_per_call: Annotated[int | None, Interval(ge=1)] = None


@dataclass(frozen=True)
class OwnJudge(OwnCriteria):
    """A judge of your own: criteria instead of a format, or a function instead of a format and a model.

    Model:
        judge: A Python function that judges, instead of `--format` and `--model`: `module:function` (the module may be
            in the working directory). It gets an item as a dictionary and returns a score from 0 to 1, several as
            `{metric: score}`, or, for items with two arguments, which is better: `first`, `second` or `tie`.
    """

    judge: str | None = None

    @property
    def elsewhere(self) -> bool:
        """True if conqret calls no model because a function or a log of verdicts judges."""
        return bool(self.given().keys() - {"criteria", "rubric", "criteria_per_call"})


@dataclass(frozen=True)
class AnyJudge(OwnJudge):
    """A judge of your own, or a log of its verdicts.

    Model:
        verdicts: Judgments that were made elsewhere: JSONL, CSV or Parquet with a verdict (`first`, `second`, `tie`) or
            a score in each row, and either the texts as they were shown (then leave out ITEMS) or the id of an item. No
            model is called.
        verdict_scale: Lowest and highest score in `--verdicts`, for example `1:10`. Default: `0:1`.
    """

    verdicts: Path | None = None
    verdict_scale: str | None = None


@dataclass(frozen=True)
class JudgingOptions(OptionGroup, settings_class=JudgeOptions):
    """How a judge is run."""

    SETTING_NAMES = MappingProxyType({"metric": "metrics"})

    metric: Metric = None


@dataclass(frozen=True, kw_only=True)
class ChosenJudge(OptionGroup):
    """The judge."""

    own: AnyJudge = field(default_factory=AnyJudge)
    format: Format = None
    model: Model = None

    def settings(self, calls: Calls) -> dict[str, Any]:
        """Return the judge as settings of the public functions, with its model configured by ``calls``."""
        return {"format": self.format, "model": calls.for_model(self.model), **self.own.given()}


NAME = "conqret.toml"
"""Read from the current folder where no other file is named."""
TABLE = "judge"
"""The command that takes settings from a file, and its table there."""
_NO_SETTING = ("config", "dry_run", "json_output", "quiet", "judge", "verdicts")
"""What is set for one call alone: no file of settings imports a module, or has items sent somewhere."""


Config = Annotated[
    Path | None,
    options.option(
        options.FILES,
        "A TOML file with settings in a table `[judge]`; command-line options override it. "
        f"Default: `{NAME}`, if there is one.",
    ),
]


def read_settings(app: Any, commands: Sequence[str], arguments: Iterable[Argument]) -> None:
    """Set the arguments and options that the command line leaves unset to the values in the settings file.

    The file is that of ``--config``, or else the default one in the working directory, if it exists.

    Raises:
        DeclarationError: the file has unknown or invalid settings.
    """
    from conqret.io.toml import read_toml, toml_error

    known: dict[str, Argument] = {}
    for argument in arguments:
        if not argument.children:
            known[argument.field_info.name] = argument
    named = list(map(Path, map(attrgetter("value"), known["config"].tokens)))
    path = named[0] if named else Path(NAME)
    if not named and not path.is_file():
        return
    text, tables = read_toml(path)
    table = tables.get(TABLE, {})
    faults: list[tuple[tuple[str, ...], str]] = [
        ((name,), f"only a table [{TABLE}] is read")
        for name, found in tables.items()
        if name != TABLE or not isinstance(found, dict)
    ]
    settled = False
    for key, setting in table.items() if isinstance(table, dict) else ():
        name = key.replace("-", "_")
        if not named and _leads_away(name, setting):
            faults.append(((TABLE, key), f"keys would go there unasked: name the file, --config {NAME}"))
        elif fault := _settle(known, name, setting, path):
            faults.append(((TABLE, key), fault))
        settled = True
    if faults:
        raise toml_error(path, text, faults, "settings")
    if settled and not named:
        known["config"].append(Token(value=str(path)))


def _leads_away(name: str, setting: Any) -> bool:
    """Whether a setting is an address from which items would be fetched, or to which they would be sent."""
    from conqret.llm.client_options import backend_of

    if name in ("model", "escalate") and isinstance(setting, str):
        return bool(backend_of(setting).reaches(setting))
    return name == "api_base" or (name in ("items", "rubric") and "://" in str(setting))


def _settle(known: Mapping[str, Argument], name: str, value: Any, path: Path) -> str:
    """Give the option ``name`` the value from the file, unless it was typed; paths are relative to the file. Returns
    what is wrong with name or value, or an empty text."""
    from pydantic import TypeAdapter, ValidationError

    if name not in known or name in _NO_SETTING:
        return str(UnknownNameError(f"setting of {TABLE}", name, known.keys() - {*_NO_SETTING}))
    kind = known[name].hint
    is_path = Path in (kind, *get_args(kind))
    plain = ",".join(f"{key}={inner}" for key, inner in value.items()) if isinstance(value, dict) else value
    try:
        TypeAdapter(known[name].field_info.annotation).validate_python(plain, strict=not is_path)
        if name == "criterion":
            from conqret.data.criterion import criteria_of

            criteria_of(plain)
    except ValidationError as error:
        return fault_text(dict(error.errors()[0]))
    except DeclarationError as error:
        return str(error)
    if not known[name].tokens:
        for place, one in enumerate(plain if isinstance(plain, list) else [plain]):
            text = str(path.parent / one) if is_path else str(one)
            known[name].append(Token(value=text, source=str(path), index=place))
    return ""

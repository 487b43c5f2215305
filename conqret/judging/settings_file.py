"""``conqret.toml``: settings of a command in a file, which options on the command line override.

A table has the command's name, and its keys those of the options (``max-tokens`` or ``max_tokens``)::

    [judge]
    format = "rag-fine-grained"
    model = "gpt-4o-mini"
    metric = ["groundedness"]
    columns = {topic = "question", documents = "ctx"}
"""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import typer

from conqret.console import shared_options as options
from conqret.errors import DeclarationError, UnknownNameError
from conqret.judging.criterion import criteria_of

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

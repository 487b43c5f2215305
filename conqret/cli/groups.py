"""Options that belong together are declared once, and a command takes them as one parameter.

A group is a frozen dataclass whose fields carry typer's annotations; :func:`grouped` shows typer the fields, and
hands the command the group with what the user gave.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

import typer


@dataclass(frozen=True)
class Group:
    """What groups of options have in common; the fields of a group are options, with their defaults."""

    def given(self) -> dict[str, Any]:
        """The settings that the user gave, by field; what is None keeps the default of the layer below."""
        return {name: value for name, value in vars(self).items() if value is not None}


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer is to see it: each parameter that is a :class:`Group` gives way to the group's fields."""
    shown: list[inspect.Parameter] = []
    groups: dict[str, type[Group]] = {}
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        kind = parameter.annotation
        if isinstance(kind, type) and issubclass(kind, Group):
            groups[parameter.name] = kind
            shown += _fields(kind)
        else:
            shown.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    @functools.wraps(command)
    def expanded(**options: Any) -> None:
        for name, group in groups.items():
            options[name] = group(**{field.name: options.pop(field.name) for field in _fields(group)})
        command(**options)

    expanded.__dict__["__signature__"] = inspect.Signature(shown)
    expanded.__annotations__ = {one.name: one.annotation for one in shown}
    return expanded


def add_commands(
    app: typer.Typer, commands: Mapping[str, Callable[..., None]], panel: str | None = None
) -> None:
    """Add subcommands by their names, each with the ``EPILOG`` of its module: the examples of its ``--help``. The
    ``panel`` is the heading under which the help lists them."""
    for name, command in commands.items():
        app.command(name, epilog=sys.modules[command.__module__].EPILOG, rich_help_panel=panel)(command)


def _fields(group: type[Group]) -> tuple[inspect.Parameter, ...]:
    hints = get_type_hints(group, include_extras=True)
    return tuple(
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[one.name])
        for one in inspect.signature(group).parameters.values()
    )

"""Options that belong together are declared once, and a command takes them as one parameter.

A group is a frozen dataclass whose fields carry typer's annotations or :class:`conqret.options.Option`;
:func:`grouped` shows typer the fields, and hands the command the group with what the user gave. A dataclass of
settings whose fields are all options is such a group, too.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from typing import Annotated, Any, get_args, get_type_hints

import typer

from conqret.options import DeclaredOption, declared


@dataclass(frozen=True)
class OptionGroup:
    """What groups of options have in common; the fields of a group are options, with their defaults, or groups.

    With ``of``, the group also has all options of that dataclass of settings, which the user may leave unset."""

    def __init_subclass__(cls, of: type | None = None) -> None:
        super().__init_subclass__()
        if of is None:
            return
        for setting in declared(of):
            cls.__annotations__[setting.name] = Annotated[
                setting.type | None, _typer_option(setting, setting.help)
            ]
            setattr(cls, setting.name, None)

    def given(self) -> dict[str, Any]:
        """The settings that the user gave, by field; what is None keeps the default of the layer below."""
        return {name: value for name, value in vars(self).items() if value is not None}


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer is to see it: each parameter that is an :class:`OptionGroup` gives way to its fields."""
    parameters = inspect.signature(command, eval_str=True).parameters.values()
    shown = tuple(_options(parameters))

    @functools.wraps(command)
    def expanded(**options: Any) -> None:
        command(**_arguments(parameters, options))

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


def _options(parameters: Iterable[inspect.Parameter]) -> Iterator[inspect.Parameter]:
    """What typer sees in place of ``parameters``."""
    for one in parameters:
        if _is_group(one.annotation):
            yield from _options(_fields(one.annotation))
        else:
            yield one.replace(kind=inspect.Parameter.KEYWORD_ONLY)


def _arguments(parameters: Iterable[inspect.Parameter], options: Mapping[str, Any]) -> dict[str, Any]:
    """What ``parameters`` get of the options that typer read."""
    return {
        one.name: one.annotation(**_arguments(_fields(one.annotation), options))
        if _is_group(one.annotation)
        else options[one.name]
        for one in parameters
    }


def _is_group(kind: Any) -> bool:
    return (
        isinstance(kind, type)
        and is_dataclass(kind)
        and (issubclass(kind, OptionGroup) or any(declared(kind)))
    )


def _fields(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    settings = {one.name: Annotated[one.type, _typer_option(one, one.option.help)] for one in declared(group)}
    return [
        one.replace(annotation=settings.get(one.name, hints[one.name]))
        for one in inspect.signature(group).parameters.values()
    ]


def _typer_option(setting: DeclaredOption, help_text: str) -> Any:
    """What typer is to make of an option; it adds a default itself."""
    option, limits = setting.option, dict[str, Any]()
    for kind in (int, float):
        if kind in (get_args(setting.type) or (setting.type,)):
            ends = {"min": option.at_least, "max": option.at_most}
            limits = {name: end if end is None else kind(end) for name, end in ends.items()}
    return typer.Option(*option.names, help=help_text, rich_help_panel=option.panel, **limits)

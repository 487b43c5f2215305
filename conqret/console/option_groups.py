"""Options that belong together are declared once, and a command takes them as one parameter.

A group is a frozen dataclass whose fields carry typer's annotations; :func:`grouped` shows typer the fields, and hands
the command the group with what the user gave. A dataclass of settings whose fields are all options is such a group,
too.

What an option does may stand in the docstring of its command or group instead (:mod:`conqret.options`).

A parameter of a command that may be given by position is an argument, and so is what stands under ``Arguments`` in a
group; all others are options.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from types import FunctionType
from typing import Annotated, Any, get_args, get_type_hints

import typer

from conqret.options import DeclaredOption, OptionHelps, Within, declared


@dataclass(frozen=True)
class OptionGroup:
    """What groups of options have in common; the fields of a group are options, with their defaults, or groups.

    With ``of``, the group also has all options of that dataclass of settings, and those of its fields of which the
    group's docstring says what they do; the user may leave all of them unset."""

    def __init_subclass__(cls, of: type | None = None) -> None:
        super().__init_subclass__()
        if of is None:
            return
        hints = get_type_hints(of)
        for name in [name for name in OptionHelps(cls).told if name in hints]:
            switch = hints[name] is bool
            cls.__annotations__[name] = bool if switch else hints[name] | None
            setattr(cls, name, False if switch else None)
        for setting in declared(of):
            cls.__annotations__[setting.name] = Annotated[setting.type | None, _typer_option(setting)]
            setattr(cls, setting.name, None)

    def given(self) -> dict[str, Any]:
        """The settings that the user gave, by field; what is None keeps the default of the layer below."""
        return {name: value for name, value in vars(self).items() if value is not None}


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer is to see it: each parameter that is an :class:`OptionGroup` gives way to its fields."""
    helps = OptionHelps(command)
    parameters = [
        _shown(helps, parameter)
        for parameter in inspect.signature(command, eval_str=True).parameters.values()
    ]
    shown = tuple(_options(parameters))

    @functools.wraps(command)
    def expanded(**options: Any) -> None:
        command(**_arguments(parameters, options))

    expanded.__dict__["__signature__"] = inspect.Signature(shown)
    expanded.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    expanded.__doc__ = helps.rest
    return expanded


def _shown(helps: OptionHelps, one: inspect.Parameter) -> inspect.Parameter:
    """The parameter as typer takes it."""
    kind, *marks = get_args(one.annotation) if hasattr(one.annotation, "__metadata__") else (one.annotation,)
    if one.name not in helps.told or not all(isinstance(mark, Within) for mark in marks):
        return one
    panel, names, text = helps.told[one.name]
    by_place = one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD and isinstance(helps.of, FunctionType)
    if by_place or panel == "Arguments":
        argument: Any = typer.Argument(help=text)
    else:
        switch = [f"--{one.name.replace('_', '-')}"] if kind is bool else []
        argument = _typer_option(
            DeclaredOption(one.name, kind, None, Within.of(marks), panel, names or switch, text)
        )
    return one.replace(annotation=Annotated[kind, argument])


def _options(parameters: Iterable[inspect.Parameter]) -> Iterator[inspect.Parameter]:
    """What typer sees in place of ``parameters``."""
    for parameter in parameters:
        if _is_group(parameter.annotation):
            yield from _options(_fields(parameter.annotation))
        else:
            yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)


def _arguments(parameters: Iterable[inspect.Parameter], options: Mapping[str, Any]) -> dict[str, Any]:
    """What ``parameters`` get of the options that typer read."""
    return {
        parameter.name: parameter.annotation(**_arguments(_fields(parameter.annotation), options))
        if _is_group(parameter.annotation)
        else options[parameter.name]
        for parameter in parameters
    }


def _is_group(kind: Any) -> bool:
    return (
        isinstance(kind, type)
        and is_dataclass(kind)
        and (issubclass(kind, OptionGroup) or any(declared(kind)))
    )


def _fields(group: Any) -> list[inspect.Parameter]:
    hints, helps = get_type_hints(group, include_extras=True), OptionHelps(group)
    parameters = inspect.signature(group).parameters.values()
    return [_shown(helps, parameter.replace(annotation=hints[parameter.name])) for parameter in parameters]


def _typer_option(setting: DeclaredOption) -> Any:
    """What typer is to make of an option; it adds a default itself where there is one."""
    limits = dict[str, Any]()
    for kind in (int, float):
        if kind in (get_args(setting.type) or (setting.type,)):
            ends = {"min": setting.within.low, "max": setting.within.high}
            limits = {name: end if end is None else kind(end) for name, end in ends.items()}
    return typer.Option(*setting.names, help=setting.help, rich_help_panel=setting.panel, **limits)

"""Options that belong together, declared once as the fields of a frozen dataclass, which a command takes as
one parameter.

A group is a frozen dataclass whose fields are options. What an option does stands in the docstring of its command or
group (:mod:`conqret.options`), or in the annotation where several share it (:func:`option`); :func:`declare` makes of
both what cyclopts reads. A dataclass of settings whose fields are all options is such a group, too.

A parameter of a command that may be given by position is an argument; all others are options.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import MISSING, dataclass
from types import MappingProxyType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from annotated_types import Interval
from cyclopts import Parameter, Token
from cyclopts.validators import Number

from conqret.options import OptionHelps, declared, kind_and_marks

FIELDS = "__dataclass_fields__"
"""The attribute that all dataclasses have."""


@dataclass(frozen=True)
class OptionGroup:
    """Base class of groups of command-line options; each field is an option with its default, or another
    group.

    With ``settings_class``, the documented fields of that settings dataclass are options, too; the user
    may leave all of them unset.
    """

    SETTING_NAMES = MappingProxyType[str, str]({})
    """The names of settings that differ from those of their options, by option."""

    def __init_subclass__(cls, settings_class: type | None = None) -> None:
        super().__init_subclass__()
        own = OptionHelps(cls).helps
        for one, hint in declared(settings_class, own) if settings_class is not None else ():
            kind, marks = kind_and_marks(hint)
            panel, names, text = (OptionHelps(settings_class).helps | own)[one.name]
            default = None if one.default in (None, False, MISSING) else f"{one.default}"
            cls.__annotations__[one.name] = Annotated[
                kind | None, *marks, option(panel, text, *names, show_default=default)
            ]
            setattr(cls, one.name, None)

    def given(self) -> dict[str, Any]:
        """Return the options that the user set, by the names of the settings of public functions; None values
        are left out, so that defaults apply."""
        names = self.SETTING_NAMES
        return {names.get(name, name): value for name, value in vars(self).items() if value is not None}


def option(panel: str | None, help_text: str, *names: str, **more: Any) -> Parameter:
    """Return the cyclopts parameter of an option.

    ``panel`` is its group in ``--help``. The last arguments are its names on the command line, such as
    ``--yes/--no`` if there is a name for the opposite.
    """
    settings: dict[str, Any] = {"help": help_text, **more}
    if panel:
        settings["group"] = panel
    if names:
        settings |= {"name": [], "negative": []}
    for name in names:
        yes, _, no = name.partition("/")
        settings["name"].append(yes)
        settings["negative"] += [no] if no else []
    if "Default:" in help_text:
        settings["show_default"] = False
    return Parameter(**settings)


@functools.cache
def declare(declaring: Any) -> Any:
    """Copy the help texts in the docstring of a command or option group into its annotations, and return
    it."""
    helps = OptionHelps(declaring)
    hints = get_type_hints(declaring, include_extras=True)
    hints.pop("return", None)
    for name, hint in hints.items():
        kind, marks = kind_and_marks(hint)
        interval = None
        for mark in marks:
            if isinstance(mark, Interval):
                interval = mark
        if hasattr(kind, FIELDS):
            declare(kind)
            marks = [Parameter(name="*")]
        elif name in helps.helps:
            panel, names, text = helps.helps[name]
            marks = [option(panel, text, *names), *([] if interval is None else [interval])]
        declaring.__annotations__[name] = Annotated[kind, _value(kind, interval), *marks]
    return declaring


def _value(kind: Any, interval: Interval | None) -> Parameter:
    """Return how an option's value is shown and checked: its metavariable with the range, a check of that range, and
    the choices. A whole number is read strictly."""
    plain = get_args(kind)[0] if get_origin(kind) in (Union, UnionType) else kind
    if get_origin(plain) is Literal:
        return Parameter(metavar="|".join(get_args(plain)), show_choices=False)
    if plain is bool:
        return Parameter(show_default=False)
    whole = _whole if plain is int else None
    if interval is None:
        return Parameter(converter=whole)
    low: Any = interval.ge
    above: Any = interval.gt
    high: Any = interval.le
    metavar = plain.__name__.upper()
    if low is not None or above is not None:
        metavar = f"{above:g}<{metavar}" if low is None else f"{low:g}<={metavar}"
    if high is not None:
        metavar = f"{metavar}<={high:g}"
    return Parameter(metavar=metavar, validator=Number(gte=low, gt=above, lte=high), converter=whole)


def _whole(kind: Any, tokens: Sequence[Token]) -> int:
    """Convert a word to a whole number; a fraction is an error and is not rounded."""
    return int(tokens[0].value)

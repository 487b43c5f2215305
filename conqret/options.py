"""Options, each declared once: a field of a frozen dataclass, with its type, default, help and range.

The command line, files of settings and experiments take theirs from such a dataclass, and the public functions take
the dataclass or its fields by keyword.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Collection, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from conqret.errors import DeclarationError

T = TypeVar("T")

MODEL, JUDGING, WRITING, LIMITS, FILES = "Model", "Judging", "Writing", "Limits", "Files"
"""The headings under which ``--help`` groups the options."""


@dataclass(frozen=True, slots=True)
class Option:
    """How a field is shown to users, and what it may hold.

    Args:
        help: what it sets, with unit and range, in Markdown; the default is added to it.
        panel: the heading that it stands under.
        names: what it is called on the command line, where that is not the field's name.
        at_least: the lowest value.
        above: what every value is above.
        at_most: the highest value.
    """

    help: str
    panel: str | None = None
    names: tuple[str, ...] = ()
    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None

    @property
    def ends(self) -> dict[str, tuple[str, float]]:
        """The ends of the range, by their names in pydantic, with words for them."""
        ends = {
            "ge": ("at least", self.at_least),
            "gt": ("above", self.above),
            "le": ("at most", self.at_most),
        }
        return {name: (word, end) for name, (word, end) in ends.items() if end is not None}


@dataclass(frozen=True, slots=True)
class DeclaredOption:
    """A field of a dataclass that is an option: its name, its type without the option, and its default."""

    name: str
    type: Any
    default: Any
    option: Option

    @property
    def help(self) -> str:
        """The help with the default, where there is one to name."""
        if self.default is None or self.default is MISSING or "Default:" in self.option.help:
            return self.option.help
        shown = f"`{self.default}`" if isinstance(self.default, str) else f"{self.default:g}"
        if isinstance(self.default, bool):
            shown = "yes" if self.default else "no"
        return f"{self.option.help} Default: {shown}."


@functools.cache
def declared(kind: type) -> tuple[DeclaredOption, ...]:
    """The fields of the dataclass ``kind`` that are options, in their order."""
    return tuple(_declared(kind))


def _declared(kind: type) -> Iterator[DeclaredOption]:
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        base, *marks = get_args(hints[field.name]) if hasattr(hints[field.name], "__metadata__") else (None,)
        for mark in marks:
            if isinstance(mark, Option):
                yield DeclaredOption(field.name, base, field.default, mark)


def table_of(kind: type, base: type, *, unset: bool = False, without: Collection[str] = ()) -> Any:
    """A pydantic model below ``base`` with the options of ``kind``, their ranges and defaults, but those
    ``without``; ``unset``: all may be left out, and are None then."""
    from pydantic import Field, create_model

    options: dict[str, Any] = {
        one.name: (
            one.type | None if unset else one.type,
            Field(
                default=None if unset else one.default,
                ge=one.option.at_least,
                gt=one.option.above,
                le=one.option.at_most,
            ),
        )
        for one in declared(kind)
        if one.name not in without
    }
    return create_model(f"{kind.__name__}Table", __base__=base, **options)


def options_in(settings: Mapping[str, Any], kind: type[T]) -> T:
    """The options of the dataclass ``kind`` among ``settings``; what is not there keeps its default."""
    wanted: Any = kind
    return kind(**{one.name: settings[one.name] for one in declared(wanted) if one.name in settings})


def check_ranges(settings: Any) -> None:
    """Check the values of a dataclass against the ranges and choices of its options.

    Raises:
        DeclarationError: a value is out of its range; the message names option, value and range.
    """
    kind: Any = type(settings)
    for one in declared(kind):
        value, ends = getattr(settings, one.name), one.option.ends
        wanted = " and ".join(f"{word} {end:g}" for word, end in ends.values())
        kept = all(_within(value, name, end) for name, (_, end) in ends.items())
        if get_origin(one.type) is Literal:
            wanted, kept = " or ".join(get_args(one.type)), value in get_args(one.type)
        if value is not None and not kept:
            name = " or ".join(one.option.names) or f"--{one.name.replace('_', '-')}"
            raise DeclarationError(f"{name} is {value}; it must be {wanted}")


def _within(value: float | None, name: str, end: float) -> bool:
    """Whether a value keeps to an end; NaN and the infinite keep to none."""
    return value is not None and math.isfinite(value) and bool(getattr(operator, name)(value, end))

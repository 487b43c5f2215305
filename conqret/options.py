"""Options, each declared once: a field of a frozen dataclass, with its type, default, help and range.

The command line, files of settings and experiments take theirs from such a dataclass, and the public functions take
the dataclass or its fields by keyword.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator
from dataclasses import MISSING, dataclass, fields
from typing import Any, get_args, get_type_hints

from conqret.errors import DeclarationError

MODEL, JUDGING, LIMITS, FILES = "Model", "Judging", "Limits", "Files"
"""The headings under which ``--help`` groups the options."""


@dataclass(frozen=True, slots=True)
class Option:
    """How a field is shown to users, and what it may hold.

    Args:
        help: what it sets, with unit and range, in Markdown; the default is added to it.
        panel: the heading that it stands under.
        names: what it is called on the command line, where that is not the field's name.
        at_least: the lowest value.
        at_most: the highest value.
    """

    help: str
    panel: str | None = None
    names: tuple[str, ...] = ()
    at_least: float | None = None
    at_most: float | None = None


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
            Field(default=None if unset else one.default, ge=one.option.at_least, le=one.option.at_most),
        )
        for one in declared(kind)
        if one.name not in without
    }
    return create_model(f"{kind.__name__}Table", __base__=base, **options)


def check_ranges(settings: Any) -> None:
    """Check the values of a dataclass against the ranges of its options.

    Raises:
        DeclarationError: a value is out of its range; the message names option, value and range.
    """
    kind: Any = type(settings)
    for one in declared(kind):
        value, low, high = getattr(settings, one.name), one.option.at_least, one.option.at_most
        if value is None or (low is None and high is None):
            continue
        if not ((low is None or value >= low) and (high is None or value <= high)):  # a NaN is in no range
            wanted = " and ".join(
                f"{word} {end:g}" for word, end in (("at least", low), ("at most", high)) if end is not None
            )
            name = one.option.names[0] if one.option.names else f"--{one.name.replace('_', '-')}"
            raise DeclarationError(f"{name} is {value}; it must be {wanted}")

"""Options, each declared once: a field of a frozen dataclass, with its type, default, help and range.

The command line, files of settings and experiments take theirs from such a dataclass, and the public functions take
the dataclass or its fields by keyword. What an option sets stands in the docstring, with its names on the command line
where they are not ``--name`` alone; a section's heading is that of the options in ``--help``, ``Args`` the usual one::

    Args:
        corpus: The corpus directory.
    Files:
        output (--output, -o): The folder to write.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from conqret.errors import DeclarationError

T = TypeVar("T")

MODEL, JUDGING, LIMITS, FILES = "Model", "Judging", "Limits", "Files"
"""The headings under which ``--help`` groups the options."""


@dataclass(frozen=True, slots=True)
class Within:
    """The range of a field, in its annotation: from ``low`` (or ``above`` it) to ``high``."""

    low: float | None = None
    high: float | None = None
    above: float | None = None

    @classmethod
    def of(cls, marks: Iterable[object]) -> Within:
        """The range among the marks of an annotation."""
        return next((mark for mark in marks if isinstance(mark, Within)), cls())

    @property
    def ends(self) -> dict[str, tuple[str, float]]:
        """The ends of the range, by their names in pydantic, with words for them."""
        ends = {"ge": ("at least", self.low), "gt": ("above", self.above), "le": ("at most", self.high)}
        return {name: (word, end) for name, (word, end) in ends.items() if end is not None}


@dataclass
class OptionHelps:
    """What the docstring of a function, or of a class and those that it extends, says of options: by name the heading,
    the names on the command line, and the help; and the docstring without it."""

    of: Any
    rest: str = ""
    told: dict[str, tuple[str | None, list[str], str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for base in reversed(inspect.getmro(self.of)) if isinstance(self.of, type) else [self.of]:
            self.rest = _SECTION.sub(self._read, inspect.cleandoc(base.__doc__ or ""))

    def _read(self, section: re.Match[str]) -> str:
        panel = None if section["heading"] == "Args" else section["heading"]
        for name, names, text in _ENTRY.findall(section["entries"]) if panel != "Attributes" else ():
            self.told[name] = panel, re.findall(r"-[\w/-]+", names), " ".join(text.split())
        return ""


_SECTION = re.compile(r"(?<!\n)\n*+^(?P<heading>[A-Z][^\n]*):(?P<entries>(?:\n {4,}+\S[^\n]*+)++)", re.M)
_ENTRY = re.compile(r"^ {4}(\w++)(?: \(([^)\n]*+)\))?+: (.*+(?:\n {5}.*+)*+)", re.M)


@dataclass(frozen=True, slots=True)
class DeclaredOption:
    """A field of a dataclass that is an option: its name, its type, its default, its range, the heading that it stands
    under, its names on the command line where they are not ``--name`` alone, and what it sets."""

    name: str
    type: Any
    default: Any
    within: Within
    panel: str | None
    names: Sequence[str]
    told: str

    @property
    def help(self) -> str:
        """What it sets, with the default where there is one to name."""
        if self.default is None or self.default is MISSING or "Default:" in self.told:
            return self.told
        shown = f"`{self.default}`" if isinstance(self.default, str) else f"{self.default:g}"
        if isinstance(self.default, bool):
            shown = "yes" if self.default else "no"
        return f"{self.told} Default: {shown}."


@functools.cache
def declared(kind: type) -> tuple[DeclaredOption, ...]:
    """The fields of the dataclass ``kind`` that its docstring declares as options, in their order."""
    return tuple(_declared(kind))


def _declared(kind: type) -> Iterator[DeclaredOption]:
    hints, told = get_type_hints(kind, include_extras=True), OptionHelps(kind).told
    for one in (one for one in fields(kind) if one.name in told):
        hint, (panel, names, text) = hints[one.name], told[one.name]
        base, *marks = get_args(hint) if hasattr(hint, "__metadata__") else (hint,)
        yield DeclaredOption(one.name, base, one.default, Within.of(marks), panel, names, text)


def table_of(kind: type, base: type, *, unset: bool = False, without: Collection[str] = ()) -> Any:
    """A pydantic model below ``base`` with the options of ``kind``, their ranges and defaults, but those
    ``without``; ``unset``: all may be left out, and are None then."""
    from pydantic import Field, create_model

    options: dict[str, Any] = {}
    for option_field in declared(kind):
        if option_field.name not in without:
            ends: dict[str, Any] = {name: end for name, (_, end) in option_field.within.ends.items()}
            default = None if unset else option_field.default
            options[option_field.name] = (
                option_field.type | None if unset else option_field.type,
                Field(default=default, **ends),
            )
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
    for option_field in declared(kind):
        value, ends = getattr(settings, option_field.name), option_field.within.ends
        wanted = " and ".join(f"{word} {end:g}" for word, end in ends.values())
        kept = all(_within(value, name, end) for name, (_, end) in ends.items())
        if get_origin(option_field.type) is Literal:
            wanted, kept = " or ".join(get_args(option_field.type)), value in get_args(option_field.type)
        if value is not None and not kept:
            names = option_field.names or [f"--{option_field.name.replace('_', '-')}"]
            raise DeclarationError(f"{' or '.join(names)} is {value}, but it must be {wanted}")


def _within(value: float | None, name: str, end: float) -> bool:
    """Whether a value keeps to an end; NaN and the infinite keep to none."""
    finite = value is not None and -math.inf < value < math.inf
    return finite and bool(getattr(operator, name)(value, end))

"""Options, each declared once: a field of a frozen dataclass, with its type, default, range and help.

The command line, files of settings and experiments take theirs from such a dataclass, and the public functions take
the dataclass or its fields by keyword. A range stands in the annotation (``Annotated[int, Interval(ge=1)]``). What an
option sets stands in the docstring, with its names on the command line where they are not ``--name`` alone; a section's
heading is that of the options in ``--help``, ``Args`` the usual one::

    Args:
        corpus: The corpus directory.
    Files:
        output (--output, -o): The folder to write.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any, TypeVar, get_args, get_type_hints

from conqret.errors import DeclarationError

T = TypeVar("T")

MODEL, JUDGING, LIMITS, FILES = "Model", "Judging", "Limits", "Files"
"""The headings under which ``--help`` groups the options."""


@dataclass
class OptionHelps:
    """The help texts of options, parsed from the docstring of a function, or of a class and its base classes.

    ``helps`` maps each option to its heading, its names on the command line and its help text. ``rest`` is
    the docstring without options.
    """

    source: Any
    rest: str = ""
    helps: dict[str, tuple[str | None, list[str], str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for base in reversed(inspect.getmro(self.source)) if isinstance(self.source, type) else [self.source]:
            doc = inspect.cleandoc(base.__doc__ or "")
            for section in _SECTION.finditer(doc):
                panel = None if section["heading"] == "Args" else section["heading"]
                for name, names, text in _ENTRY.findall(section["entries"]) if panel != "Attributes" else ():
                    self.helps[name] = panel, re.findall(r"-[\w/-]+", names), " ".join(text.split())
            self.rest = _SECTION.sub("", doc)


_SECTION = re.compile(r"(?<!\n)\n*+^(?P<heading>[A-Z][^\n]*):(?P<entries>(?:\n {4,}+\S[^\n]*+)++)", re.M)
_ENTRY = re.compile(r"^ {4}(\w++)(?: \(([^)\n]*+)\))?+: (.*+(?:\n {5}.*+)*+)", re.M)


def kind_and_marks(hint: Any) -> tuple[Any, Sequence[Any]]:
    """Return a type and its annotations, given a type hint that may be ``Annotated``."""
    kind, *marks = get_args(hint) if hasattr(hint, "__metadata__") else (hint,)
    return kind, marks


def declared(kind: Any, elsewhere: Container[str] = ()) -> Iterator[tuple[Field[Any], Any]]:
    """Yield the fields of a dataclass that are options, with their type hints.

    A field is an option if the docstring describes it or its name is in ``elsewhere``.
    """
    hints, helps = get_type_hints(kind, include_extras=True), OptionHelps(kind).helps
    for option in fields(kind):
        if option.name in helps or option.name in elsewhere:
            yield option, hints[option.name]


@functools.cache
def table_of(
    kind: type, base: type | None = None, *, unset: bool = False, without: Sequence[str] = ()
) -> Any:
    """Return a pydantic model with the options of the dataclass ``kind``, their ranges and defaults.

    Args:
        kind: the dataclass.
        base: the base class of the model.
        unset: make all options optional, with the default None.
        without: names of options to leave out.
    """
    from pydantic import ConfigDict, create_model

    options: dict[str, Any] = {}
    for option, hint in declared(kind):
        if option.name not in without:
            options[option.name] = (hint | None, None) if unset else (hint, option.default)
    finite = ConfigDict(allow_inf_nan=False) if base is None else None
    return create_model(f"{kind.__name__}Table", __base__=base, __config__=finite, **options)


def options_in(settings: Mapping[str, Any], kind: type[T]) -> T:
    """Build the dataclass ``kind`` from those ``settings`` that are its options; other options keep their
    defaults.
    """
    return kind(**{one.name: settings[one.name] for one, _ in declared(kind) if one.name in settings})


def check_ranges(settings: Any) -> None:
    """Check the values of a dataclass against the types, ranges and choices of its options.

    Raises:
        DeclarationError: a value is out of range; the message names option, value and range.
    """
    from pydantic import ValidationError

    kind: Any = type(settings)
    table = table_of(kind)
    try:
        table.model_validate(settings, from_attributes=True)
    except ValidationError as error:
        fault = error.errors()[0]
        name = str(fault["loc"][0])
        names = OptionHelps(kind).helps[name][1] or [f"--{name.replace('_', '-')}"]
        raise DeclarationError(f"{' or '.join(names)} is {fault['input']}, but {fault_text(fault)}") from None


FAULTS = {
    "extra_forbidden": "there is no such field here; correct its name, or remove it",
    "missing": "the field is missing; add it",
}
"""The messages of common faults, by pydantic's type."""


def fault_text(fault: Mapping[str, Any]) -> str:
    """Return the message of a pydantic validation error, in conqret's wording."""
    if text := FAULTS.get(fault["type"]):
        return text
    return str(fault["msg"]).removeprefix("Value error, ").replace("Input should", "it must")


def among(settings: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return those of the settings that have one of ``names``."""
    return {name: settings[name] for name in names if name in settings}

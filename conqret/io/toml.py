"""Read TOML and YAML files of settings, and report faults in them with the line."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from conqret.errors import DeclarationError, number
from conqret.io.limits import declared_text
from conqret.io.rows import quoted

Place = tuple[int | str, ...]
"""The position of a field: ``("judges", 1, "format")``."""

_HEADER = re.compile(r"^\s*+(\[\[?+)\s*+((?:\"[^\"]*+\"|'[^']*+'|[^\]\"'])++)\]\]?+\s*+(?:#.*)?$")
_KEY = re.compile(r"^\s*+([A-Za-z0-9_-]++|\"[^\"]*+\"|'[^']*+')\s*+(?:\.[^=]++)?=")
_PART = re.compile(r"\"([^\"]*)\"|'([^']*)'|([^.\s]+)")


def read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """Read a TOML file and return its text and its content.

    Raises:
        DeclarationError: the file does not exist, is too large, is not UTF-8, or is not TOML.
    """
    text = declared_text(path)
    return text, parse_toml(text, str(path))


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """Parse TOML text to a dictionary; ``name`` is the file's name in messages.

    Raises:
        DeclarationError: the text is not TOML, too deeply nested, or has an integer of thousands of digits.
    """
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # Python converts thousands of digits to no integer
        raise DeclarationError(f"{name} is not valid TOML: {error}") from None


def read_yaml(path: Path) -> tuple[Any, Callable[[Place], int]]:
    """Read a YAML file and return its content, and a function from a position in it to the line.

    Raises:
        DeclarationError: the file does not exist, is too large, is not YAML, or has aliases.
    """
    text = declared_text(path)
    try:
        events = yaml.parse(text, yaml.SafeLoader)
        alias = next((event for event in events if isinstance(event, yaml.AliasEvent)), None)
        if alias is not None:  # a few lines of them unpack to gigabytes
            raise DeclarationError(
                f"{path}:{alias.start_mark.line + 1} has an alias ({quoted('*' + alias.anchor)}): write the value"
            )
        top, data = yaml.compose(text, yaml.SafeLoader), yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise DeclarationError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from None

    def line(place: Place) -> int:
        node, number_of_line = top, 1
        for step in place:
            inner: Any = None
            if isinstance(node, yaml.MappingNode):
                inner = next(
                    (value for key, value in node.value if getattr(key, "value", None) == step), None
                )
            elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
                inner = node.value[step]
            if inner is None:
                break
            node, number_of_line = inner, inner.start_mark.line + 1
        return number_of_line

    return data, line


def toml_error(path: Path, text: str, faults: Iterable[tuple[Place, str]], what: str) -> DeclarationError:
    """Return an error that lists each fault of a file with its line and field.

    Args:
        path: the file.
        text: its text.
        faults: the position and the problem of each fault.
        what: the kind of file, for the message.
    """
    lines = []
    for place, problem in faults:
        line = line_of(text, place)
        dotted = ".".join(f"[{part}]" if isinstance(part, int) else part for part in place).replace(".[", "[")
        lines.append(f"  {path}{f':{line}' if line else ''} {dotted}: {problem}")
    return DeclarationError(f"{number(len(lines), 'fault')} in the {what}:\n" + "\n".join(lines))


def line_of(text: str, place: Sequence[int | str]) -> int:
    """Return the line (from 1) of a field in TOML text, such as ``("judges", 1, "format")``; 0 if
    unknown.

    For a missing field it is the line of the nearest enclosing table. Only table headers and keys at the
    start of a line are recognized.
    """
    lines = _lines(text)
    return next((lines[part] for n in range(len(place), 0, -1) if (part := tuple(place[:n])) in lines), 0)


@lru_cache(maxsize=4)
def _lines(text: str) -> dict[Place, int]:
    """Return the first line, from 1, of each table and key in a TOML text, by the path of names and of numbers in lists
    of tables. Keys of inline tables have no line of their own."""
    lines = dict[Place, int]()
    table: list[int | str] = []
    seen: Counter[str] = Counter()
    for numbered, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            name = header.group(2).rstrip()
            table = _parts(name)
            if header.group(1) == "[[":
                table.append(seen[name])
                seen[name] += 1
            table_path = table
        elif key := _KEY.match(line):
            table_path = [*table, *_parts(key.group(1))]
        else:
            continue
        lines.setdefault(tuple(table_path), numbered)
    return lines


def _parts(name: str) -> list[int | str]:
    return [next(filter(None, match.groups()), "") for match in _PART.finditer(name)]

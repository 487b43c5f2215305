"""TOML files of settings: reading one, and naming what is wrong in it with the line, which the standard library's
reader does not say.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from conqret.errors import DeclarationError, number
from conqret.io.bounded import declared_text

Place = tuple[int | str, ...]
"""Where a field stands: ``("judges", 1, "format")``."""

_HEADER = re.compile(r"^\s*+(\[\[?+)\s*+((?:\"[^\"]*+\"|'[^']*+'|[^\]\"'])++)\]\]?+\s*+(?:#.*)?$")
_KEY = re.compile(r"^\s*+([A-Za-z0-9_-]++|\"[^\"]*+\"|'[^']*+')\s*+(?:\.[^=]++)?=")
_PART = re.compile(r"\"([^\"]*)\"|'([^']*)'|([^.\s]+)")


def read_toml(path: Path, what: str) -> tuple[str, dict[str, Any]]:
    """The text of a file and what it says; ``what`` it is ("experiment") stands in errors.

    Raises:
        DeclarationError: it is not there, too large, not UTF-8, or no TOML.
    """
    text = declared_text(path)
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DeclarationError(f"{path} is not valid TOML: {error}") from None
    except RecursionError:
        raise DeclarationError(f"{path} cannot be used: it is nested too deeply") from None


def toml_error(path: Path, text: str, faults: Iterable[tuple[Place, str]], what: str) -> DeclarationError:
    """The error that names each fault of a file with its line and field."""
    lines = []
    for place, problem in faults:
        line = line_of(text, place)
        dotted = ".".join(f"[{part}]" if isinstance(part, int) else part for part in place).replace(".[", "[")
        lines.append(f"  {path}{f':{line}' if line else ''} {dotted}: {problem}")
    return DeclarationError(f"{number(len(lines), 'fault')} in the {what}:\n" + "\n".join(lines))


def line_of(text: str, place: Sequence[int | str]) -> int:
    """The line, from 1, of the field at ``place`` (``("judges", 1, "format")``); 0 where it cannot be told.

    The nearest enclosing table stands for a field that is not there. Good for the forms that people write:
    headers of tables and of arrays of tables, and keys at the start of a line.
    """
    wanted = list(place)
    best, depth = 0, 0
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
        shared = len(table_path)
        if table_path == wanted[:shared] and shared > depth:
            best, depth = numbered, shared
    return best


def _parts(name: str) -> list[int | str]:
    return [next(filter(None, match.groups()), "") for match in _PART.finditer(name)]

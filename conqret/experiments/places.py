"""Where in a TOML text a field stands; the standard library's reader does not say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_HEADER = re.compile(r"^\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"^\s*([A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*[^=]+?)?\s*=")
_PART = re.compile(r"\"([^\"]*)\"|'([^']*)'|([^.\s]+)")


def line_of(text: str, place: Sequence[int | str]) -> int:
    """The line, from 1, of the field at ``place`` (``("judges", 1, "format")``); 0 where it cannot be told.

    The nearest enclosing table stands for a field that is not there. Good for the forms that people write:
    headers of tables and of arrays of tables, and keys at the start of a line.
    """
    wanted = list(place)
    best, depth = 0, 0
    table: list[int | str] = []
    seen: Counter[str] = Counter()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _parts(header.group(2))
            if header.group(1) == "[[":
                table.append(seen[header.group(2)])
                seen[header.group(2)] += 1
            found = table
        elif key := _KEY.match(line):
            found = [*table, *_parts(key.group(1))]
        else:
            continue
        shared = len(found)
        if found == wanted[:shared] and shared > depth:
            best, depth = number, shared
    return best


def _parts(name: str) -> list[int | str]:
    return [next(filter(None, match.groups()), "") for match in _PART.finditer(name)]

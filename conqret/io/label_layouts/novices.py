"""The novices' archive of Mirzakhmedova et al. (2024): a zip of JSON files, one for each novice.

A file's name carries group and member; it maps ``<argument>-<dimension>`` to 1, 2, 3 or ``?`` for "cannot judge".
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from conqret.errors import Fault
from conqret.io.faults import quoted
from conqret.io.label_layouts.raw import LabelLayout, RawLabel, RawLabels
from conqret.io.label_scale import LabelScale, Scales, dimension_name

SCALE = LabelScale("ordinal", 1, 3, source="the novices' archive")
MAX_FILE = 4 * 2**20
"""Bytes of one novice's file; the published ones have 7 kB."""
_NAME = re.compile(r"group(\d+)-member(\d+)")
_KEY = re.compile(
    r"(.+?)-((?:local|global)-(?:acceptability|relevance|sufficiency)|emotional-appeal|overall-quality|\w+)"
)


def _fits(path: Path, columns: tuple[str, ...]) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


def _read(path: Path, name: str, columns: tuple[str, ...]) -> RawLabels:
    return RawLabels("novices' archive", lambda: _cells(path, name), Scales(SCALE))


def _cells(path: Path, name: str) -> Iterator[RawLabel | Fault]:
    try:
        with zipfile.ZipFile(path) as archive:
            for line, entry in enumerate(archive.infolist(), start=1):
                member = _NAME.search(entry.filename)
                if member is None:
                    continue
                place = f"{name}!{entry.filename.rsplit('/', 1)[-1]}"
                if entry.file_size > MAX_FILE:
                    yield Fault(place, 0, "", f"is larger than {MAX_FILE // 2**20} MiB", "Look at the file")
                    continue
                yield from _novice(archive.read(entry), f"group{member[1]}-member{member[2]}", line, place)
    except zipfile.BadZipFile as error:
        yield Fault(name, 0, "", f"is a damaged zip archive ({error})", "Fetch the archive again")


def _novice(data: bytes, annotator: str, line: int, place: str) -> Iterator[RawLabel | Fault]:
    try:
        ratings = json.loads(data)
    except ValueError as error:
        yield Fault(place, 0, "", f"is no JSON: {error}", "Fetch the archive again")
        return
    if not isinstance(ratings, dict):
        yield Fault(place, 0, "", "is no object of ratings", "Fetch the archive again")
        return
    for key, value in ratings.items():
        found = _KEY.fullmatch(key)
        if found is None or not isinstance(value, str):
            yield Fault(place, 0, quoted(key), "is no rating of an argument", "Fetch the archive again")
            continue
        yield RawLabel(line, found[1], dimension_name(found[2]), value, annotator)


NOVICES = LabelLayout("novices", "a zip of JSON files named by group and member", _fits, _read)

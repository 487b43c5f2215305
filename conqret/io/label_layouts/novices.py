"""The novices' archive of Mirzakhmedova et al. (2024): a zip of JSON files, one for each novice.

A file's name carries group and member; it maps ``<argument>-<dimension>`` to 1, 2, 3 or ``?`` for "cannot judge".
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator

from conqret.io.faults import quoted
from conqret.io.label_layout import LabelFile, LabelLayout, RawLabel
from conqret.io.label_scale import LabelScale, Scales, dimension_name

MAX_FILE = 4 * 2**20
"""Bytes of one novice's file; the published ones have 7 kB."""
_AGAIN = "Fetch the archive again"
_NAME = re.compile(r"group(\d+)-member(\d+)")
_KEY = re.compile(
    r"(.+?)-((?:local|global)-(?:acceptability|relevance|sufficiency)|emotional-appeal|overall-quality|\w+)"
)


def _fits(file: LabelFile) -> bool:
    with file.path.open("rb") as found:
        return found.read(4) == b"PK\x03\x04"


def _cells(file: LabelFile) -> Iterator[RawLabel]:
    try:
        with zipfile.ZipFile(file.path) as archive:
            for line, entry in enumerate(archive.infolist(), start=1):
                member = _NAME.search(entry.filename)
                if member is None:
                    continue
                inside = entry.filename.rsplit("/", 1)[-1]
                if entry.file_size > MAX_FILE:
                    problem = f"is larger than {MAX_FILE // 2**20} MiB"
                    file.fault(0, "", problem, "Look at the file", inside=inside)
                    continue
                annotator = f"group{member[1]}-member{member[2]}"
                yield from _novice(file, archive.read(entry), annotator, line, inside)
    except zipfile.BadZipFile as error:
        file.fault(0, "", f"is a damaged zip archive ({error})", _AGAIN)


def _novice(file: LabelFile, data: bytes, annotator: str, line: int, inside: str) -> Iterator[RawLabel]:
    try:
        ratings = json.loads(data)
    except ValueError as error:
        file.fault(0, "", f"is no JSON: {error}", _AGAIN, inside=inside)
        return
    if not isinstance(ratings, dict):
        file.fault(0, "", "is no object of ratings", _AGAIN, inside=inside)
        return
    for key, value in ratings.items():
        found = _KEY.fullmatch(key)
        if found is None or not isinstance(value, str):
            file.fault(0, quoted(key), "is no rating of an argument", _AGAIN, inside=inside)
            continue
        yield RawLabel(line, found[1], dimension_name(found[2]), value, annotator)


LAYOUT = LabelLayout(
    "novices' archive",
    "a zip of JSON files named by group and member",
    _fits,
    _cells,
    Scales(LabelScale("ordinal", 1, 3, source="the novices' archive")),
    order=10,
)

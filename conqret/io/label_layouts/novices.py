"""The novices' archive of Mirzakhmedova et al. (2024): a zip of JSON files, one for each novice.

A file's name carries group and member; it maps ``<argument>-<dimension>`` to 1, 2, 3 or ``?`` for "cannot judge".
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator

from conqret.io import limits
from conqret.io.jsonl import parse
from conqret.io.label_layout import LabelFile, LabelLayout, RawLabel
from conqret.io.label_set import LabelScale, Scales
from conqret.io.rows import quoted
from conqret.text.words import dimension_name

_AGAIN = "Fetch the archive again"
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError)
"""What :mod:`zipfile` raises for an archive that is not as it says."""
_NAME = re.compile(r"group(\d+)-member(\d+)")
_WORKBOOKS = (".xlsx", ".xlsm", ".ods")
_KEY = re.compile(
    r"\A(.+?)-((?:local|global)-(?:acceptability|relevance|sufficiency)|emotional-appeal|overall-quality|\w+)"
)


def _fits(file: LabelFile) -> bool:
    if file.path.suffix.lower() in _WORKBOOKS:  # the reader of tables says what to do with it
        return False
    with file.path.open("rb") as stream:
        return stream.read(4) == b"PK\x03\x04"


def _cells(file: LabelFile) -> Iterator[RawLabel]:
    try:
        with zipfile.ZipFile(file.path) as archive:
            for line, entry in enumerate(archive.infolist(), start=1):
                member = _NAME.search(entry.filename)
                if member is None:
                    continue
                inside = entry.filename.rsplit("/", 1)[-1]
                if entry.file_size > limits.FILE.most:
                    problem, remedy = (
                        f"is larger than {limits.FILE}",
                        f"Look at the file, {limits.FILE.remedy}",
                    )
                    file.fault(0, "", problem, remedy, inside=inside)
                    continue
                try:
                    data = archive.read(entry)
                except (*_DAMAGED, OSError) as error:
                    file.fault(0, "", f"cannot be unpacked ({error})", _AGAIN, inside=inside)
                    continue
                yield from _novice(file, data, f"group{member[1]}-member{member[2]}", line, inside)
    except _DAMAGED as error:
        file.fault(0, "", f"is a corrupt zip archive ({error})", _AGAIN)


def _novice(file: LabelFile, data: bytes, annotator: str, line: int, inside: str) -> Iterator[RawLabel]:
    try:
        ratings = parse(data)
    except ValueError as error:
        file.fault(0, "", f"is not valid JSON: {error}", _AGAIN, inside=inside)
        return
    if not isinstance(ratings, dict):
        file.fault(0, "", "is not an object of ratings", _AGAIN, inside=inside)
        return
    for key, value in ratings.items():
        match = _KEY.fullmatch(key)
        if match is None or not isinstance(value, str):
            file.fault(0, quoted(key), "is not a rating of an argument", _AGAIN, inside=inside)
            continue
        yield RawLabel(line, match[1], dimension_name(match[2]), value, annotator)


LAYOUT = LabelLayout(
    "novices' archive",
    "a zip of JSON files named by group and member",
    _fits,
    _cells,
    Scales(LabelScale("ordinal", 1, 3, source="the novices' archive")),
    order=10,
)

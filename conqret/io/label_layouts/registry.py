"""Which layout a file of labels has: by its columns, or as the user says."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from conqret.errors import DeclarationError, Fault, UnknownNameError
from conqret.io.files import file_rows
from conqret.io.label_layouts.argilla import ARGILLA
from conqret.io.label_layouts.dagstuhl import DAGSTUHL
from conqret.io.label_layouts.generic import read_generic
from conqret.io.label_layouts.label_studio import LABEL_STUDIO
from conqret.io.label_layouts.novices import NOVICES
from conqret.io.label_layouts.raw import LabelLayout, RawLabels
from conqret.io.label_layouts.sheet import SHEET
from conqret.io.label_layouts.webis import WEBIS_ARGUMENTS, WEBIS_RELEVANCE

LAYOUTS: tuple[LabelLayout, ...] = (
    NOVICES,
    DAGSTUHL,
    LABEL_STUDIO,
    ARGILLA,
    SHEET,
    WEBIS_RELEVANCE,
    WEBIS_ARGUMENTS,
)
"""The published layouts, in the order in which they are tried; everything else is a long or wide table."""
TABLE = "table"
SAMPLE = 50
"""Records whose fields are gathered where a file has no head (JSON Lines)."""


def raw_labels(
    path: Path,
    *,
    layout: str | None = None,
    columns: Mapping[str, str] | None = None,
    dimensions: tuple[str, ...] = (),
) -> RawLabels:
    """The labels of a file as cells.

    ``layout`` is one of the published ones or ``table`` (by default it is recognised); ``columns`` and
    ``dimensions`` are those of :func:`conqret.io.label_layouts.generic.read_generic`.

    Raises:
        DeclarationError: the file is not there, or cannot be read as labels.
        UnknownNameError: there is no such layout, field or column.
    """
    name = str(path)
    known = {one.name: one for one in LAYOUTS}
    if layout is not None and layout != TABLE and layout not in known:
        raise UnknownNameError("layout of labels", layout, [*known, TABLE])
    if not path.is_file() or path.stat().st_size == 0:
        file_rows(path)  # raises, with the remedy
    found = known.get(layout or "")
    if found is not None:
        head = () if found in (NOVICES, DAGSTUHL, LABEL_STUDIO, ARGILLA) else _columns(path)
        if found is DAGSTUHL:
            head = _tabs(path)
        if not found.fits(path, head):
            raise DeclarationError(f"{name} is not in the layout {found.name}: {found.summary}")
        return found.read(path, name, head)
    if layout is None and not columns:
        own = _recognised(path, name)
        if own is not None:
            return own
    return read_generic(path, name, _columns(path), columns or {}, dimensions)


def _recognised(path: Path, name: str) -> RawLabels | None:
    """The labels, if the file has the mark of a published layout."""
    for one in (NOVICES, LABEL_STUDIO, ARGILLA):
        if one.fits(path, ()):
            return one.read(path, name, ())
    if DAGSTUHL.fits(path, _tabs(path)):
        return DAGSTUHL.read(path, name, _tabs(path))
    head = _columns(path)
    for one in (SHEET, WEBIS_RELEVANCE, WEBIS_ARGUMENTS):
        if one.fits(path, head):
            return one.read(path, name, head)
    return None


def _columns(path: Path) -> tuple[str, ...]:
    rows = file_rows(path)
    if rows.columns is not None:
        return rows.columns
    names: dict[str, None] = {}
    for row in islice(rows, SAMPLE):
        if isinstance(row, Fault):
            raise DeclarationError(str(row))
        names.update(dict.fromkeys(str(key) for key in row.record))
    return tuple(names)


def _tabs(path: Path) -> tuple[str, ...]:
    """The names in a head that is parted by tabs, whatever the file's encoding."""
    with path.open("rb") as file:
        head = file.readline(65_536)
    return tuple(cell.strip() for cell in head.decode("utf-8-sig", "replace").split("\t"))

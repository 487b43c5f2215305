"""A sheet of ``conqret label`` that came back: a wide table whose ids may carry the apostrophe of the export."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from conqret.errors import Fault
from conqret.io.label_layouts.generic import read_generic
from conqret.io.label_layouts.raw import LabelLayout, RawLabel, RawLabels
from conqret.io.label_sheets import COLUMNS, unguarded


def _fits(path: Path, columns: tuple[str, ...]) -> bool:
    return columns[: len(COLUMNS)] == COLUMNS


def _read(path: Path, name: str, columns: tuple[str, ...]) -> RawLabels:
    raw = read_generic(path, name, columns, {}, ())

    def cells() -> Iterator[RawLabel | Fault]:
        for cell in raw.cells():
            if isinstance(cell, Fault):
                yield cell
            else:
                yield replace(cell, item=unguarded(cell.item), topic=unguarded(cell.topic))

    return replace(raw, layout="sheet of conqret label", cells=cells)


SHEET = LabelLayout("sheet", "the CSV sheet of conqret label, filled in", _fits, _read)

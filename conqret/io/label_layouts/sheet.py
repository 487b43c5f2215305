"""A sheet of ``conqret labels sample`` that came back: a wide table whose ids may carry the apostrophe of its cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conqret.io.label_layout import LAYOUTS, TABLE, LabelFile, LabelLayout, RawLabel
from conqret.io.label_sheets import COLUMNS, unguarded


def _fits(file: LabelFile) -> bool:
    return file.columns[: len(COLUMNS)] == COLUMNS


def _cells(file: LabelFile) -> Iterator[RawLabel]:
    for cell in LAYOUTS[TABLE].cells(file):
        yield replace(cell, item=unguarded(cell.item), topic=unguarded(cell.topic))
    file.title = LAYOUT.title


LAYOUT = LabelLayout(
    "sheet of conqret labels sample", "the CSV sheet of conqret labels sample, filled in", _fits, _cells
)

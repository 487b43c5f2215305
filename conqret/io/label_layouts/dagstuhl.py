"""The Dagstuhl-15512 ArgQuality corpus (Wachsmuth et al. 2017, EACL): three experts, 15 dimensions in words.

Tab-separated, a row for each argument and annotator; cells such as ``2 (Average)``; empty where an annotator found
no argument. The file is in Latin-1 or Windows-1252.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from conqret.errors import Fault
from conqret.io.cell_values import as_text
from conqret.io.files import csv_rows
from conqret.io.label_layout import LabelFile, LabelLayout, RawLabel
from conqret.io.label_set import LabelScale, Scales
from conqret.io.limits import Line, byte_lines, decoded
from conqret.io.rows import quoted
from conqret.text.words import dimension_name

ITEM, ANNOTATOR, TOPIC = "#id", "annotator", "issue"
OTHER = (ITEM, ANNOTATOR, TOPIC, "argumentative", "argument", "stance")
"""Columns that are no dimension."""
NAMES = {"sufficiency": "local_sufficiency"}
"""The corpus calls the local dimension sufficiency alone."""
SCALE = LabelScale(
    "ordinal", 1, 3, {"low": 1, "average": 2, "medium": 2, "high": 3}, source="the Dagstuhl-15512 layout"
)
_CELL = re.compile(r"\A\s*+([1-3])\s*+\(\s*+(\w++)\s*+\)\s*+")


def _fits(file: LabelFile) -> bool:
    return {ITEM, ANNOTATOR, "overall quality"} <= {name.casefold() for name in file.columns}


def _cells(file: LabelFile) -> Iterator[RawLabel]:
    rows = csv_rows(file.path, file.name, published_in="windows-1252")
    lines = byte_lines(file.path, file.name)
    if any(isinstance(line, Line) and isinstance(decoded(line, file.name), Fault) for line in lines):
        file.notes.append("the file is not UTF-8 and is read as Windows-1252, as the corpus is published")
    for row in file.rows(rows):
        cells = {name.casefold(): as_text(cell or "") for name, cell in row.record.items()}
        for column, cell in cells.items():
            if column in OTHER:
                continue
            dimension = NAMES.get(dimension_name(column), dimension_name(column))
            if not file.wants(dimension):
                continue
            label = _label(cell)
            if label is None:
                problem = f"says {quoted(cell)}: number and word contradict each other"
                file.fault(row.line, column, problem, "Correct the cell")
                continue
            yield RawLabel(
                row.line, cells[ITEM], dimension, label, cells[ANNOTATOR],
                topic=cells.get(TOPIC, ""),
            )  # fmt: skip


def _label(cell: str) -> str | None:
    """The word of ``2 (Average)``; a cell of another form as it is; None where word and number differ."""
    match = _CELL.fullmatch(cell)
    if match is None:
        return cell.strip()
    number, word = match.groups()
    known = SCALE.words.get(word.casefold())
    return word if known is None or known == float(number) else None


LAYOUT = LabelLayout(
    "Dagstuhl-15512 ArgQuality",
    "tab-separated, with #id, annotator and overall quality",
    _fits,
    _cells,
    Scales(SCALE),
)

"""The Dagstuhl-15512 ArgQuality corpus (Wachsmuth et al. 2017, EACL): three experts, 15 dimensions in words.

Tab-separated, a row for each argument and annotator; cells such as ``2 (Average)``; empty where an annotator found
no argument. The file is in Latin-1 or Windows-1252.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

from conqret.errors import Fault
from conqret.io.faults import quoted
from conqret.io.label_layouts.raw import LabelLayout, RawLabel, RawLabels
from conqret.io.label_scale import LabelScale, Scales, dimension_name

ITEM, ANNOTATOR, TOPIC = "#id", "annotator", "issue"
OTHER = (ITEM, ANNOTATOR, TOPIC, "argumentative", "argument", "stance")
"""Columns that are no dimension."""
NAMES = {"sufficiency": "local_sufficiency"}
"""The corpus calls the local dimension sufficiency alone."""
SCALE = LabelScale(
    "ordinal", 1, 3, {"low": 1, "average": 2, "medium": 2, "high": 3}, source="the Dagstuhl-15512 layout"
)
_CELL = re.compile(r"\s*([1-3])\s*\(\s*(\w+)\s*\)\s*")


def _fits(path: Path, columns: tuple[str, ...]) -> bool:
    return {ITEM, ANNOTATOR, "overall quality"} <= {name.casefold() for name in columns}


def _read(path: Path, name: str, columns: tuple[str, ...]) -> RawLabels:
    data = path.read_bytes()
    notes: tuple[str, ...] = ()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("windows-1252", "replace")
        notes = ("the file is not UTF-8 and is read as Windows-1252, as the corpus is published",)
    return RawLabels("Dagstuhl-15512 ArgQuality", lambda: _cells(text, name), Scales(SCALE), notes=notes)


def _cells(text: str, name: str) -> Iterator[RawLabel | Fault]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t")
    head = [column.strip().casefold() for column in next(reader)]
    dimensions = [(place, column) for place, column in enumerate(head) if column not in OTHER]
    item, annotator = head.index(ITEM), head.index(ANNOTATOR)
    topic = head.index(TOPIC) if TOPIC in head else None
    for row in reader:
        if not row:
            continue
        if len(row) != len(head):
            problem = f"has {len(row)} cells where the head has {len(head)}"
            yield Fault(name, reader.line_num, "", problem, "Fetch the file again")
            continue
        for place, column in dimensions:
            dimension = dimension_name(column)
            label = _label(row[place])
            if label is None:
                problem = f"says {quoted(row[place])}: number and word contradict each other"
                yield Fault(name, reader.line_num, column, problem, "Mend the cell")
                continue
            yield RawLabel(
                reader.line_num, row[item].strip(), NAMES.get(dimension, dimension), label, row[annotator].strip(),
                topic="" if topic is None else row[topic].strip(),
            )  # fmt: skip


def _label(cell: str) -> str | None:
    """The word of ``2 (Average)``; a cell of another form as it is; None where word and number differ."""
    found = _CELL.fullmatch(cell)
    if found is None:
        return cell.strip()
    number, word = found.groups()
    known = SCALE.words.get(word.casefold())
    return word if known is None or known == float(number) else None


DAGSTUHL = LabelLayout("dagstuhl", "tab-separated, with #id, annotator and overall quality", _fits, _read)

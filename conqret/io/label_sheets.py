"""The fields by which a form of labels is known when it comes back, and tables that spreadsheets open.

Texts from outside go into cells that no spreadsheet takes for a formula (OWASP, "CSV injection"): a cell that begins
with one of :data:`FORMULA` gets an apostrophe in front, also after white space, and
:mod:`conqret.io.label_layouts.sheet` takes it off again from ids.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

FORMULA = tuple("=+-@\t\r\n|%\uff1d\uff0b\uff0d\uff20")
"""What a formula, or a cell that breaks out of its own, may begin with; the last four are full-width forms."""
GUARD = "'"
MAX_CELL = 32_000
"""Spreadsheets hold 32,767 characters in a cell."""
CUT = " […]"
FOR_ESTIMATION, NOT = "for_estimation", "no"
"""The field, and what it says, by which labels of items that were chosen for what the judge said of them are known when
they come back."""
COLUMNS = ("item", "annotator", "topic", "stance", "argument", "text")
"""Before a column for each dimension, in a sheet that asks for ratings."""
INSTRUCTION, SCALE = "instruction", "scale"
"""The columns that say how to label, and the ends of the scale, as ``1 to 5`` (a spreadsheet takes 1:5 for a time)."""
SHEET = "the sheet"
"""The source of a scale that a sheet says."""
PROBABILITY = "inclusion_probability"
"""The column that says how likely an item was to be drawn, where a plan drew it."""
RANDOM_SAMPLE = "the labeled items were drawn at random, each with the same chance (inclusion_probability)"
"""What labels with that column say of themselves."""


def unequal_chances(chances: Iterable[float]) -> str:
    """That items were drawn with these probabilities, in words."""
    known = sorted(set(chances))
    ends = f"inclusion_probability from {known[0]:g} to {known[-1]:g}"
    return f"the labeled items were drawn with unequal probabilities ({ends})"


def written_scale(low: float | None, high: float | None) -> str:
    """The ends of a scale, as a label file says them."""
    return f"{low:g} to {high:g}"


def csv_text(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table as CSV, in cells that no spreadsheet takes for a formula; None is an empty cell."""
    target = io.StringIO(newline="")
    writer = csv.writer(target, lineterminator="\r\n")
    for row in (head, *rows):
        writer.writerow([guarded(cell) if isinstance(cell, str) else cell for cell in row])
    return target.getvalue()


def guarded(cell: str) -> str:
    """The cell so that no spreadsheet calculates it, and none cuts it off unsaid."""
    text = "".join(char for char in cell if char.isprintable() or char in "\t\r\n")
    if len(text) > MAX_CELL:
        text = text[: MAX_CELL - len(CUT)] + CUT
    first = text.lstrip(" \u00a0\u200b\ufeff")[:1]
    return f"{GUARD}{text}" if {text[:1], first} & set(FORMULA) else text


def unguarded(cell: str) -> str:
    """What :func:`guarded` was given, for ids."""
    return cell[1:] if cell.startswith(GUARD) and guarded(cell[1:]) == cell else cell

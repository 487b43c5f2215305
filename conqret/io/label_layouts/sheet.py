"""A sheet of ``conqret labels sample`` that came back: a wide table whose ids may carry the apostrophe of its cells.

Also what any form that was filled in says of its labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from conqret.errors import DeclarationError
from conqret.io.label_layout import LAYOUTS, TABLE, LabelFile, LabelLayout, RawLabel
from conqret.io.label_set import LabelScale, Scales
from conqret.io.label_sheets import COLUMNS, SHEET, unguarded
from conqret.text.numbers import number_in


def sheet_scales(texts: Iterable[str]) -> Scales | None:
    """The scales of a sheet, of which each row says ``texts``, as :func:`conqret.io.label_sheets.written_scale` has
    them; None where they say none.

    Raises:
        DeclarationError: they say several.
    """
    said = sorted({text.strip() for text in texts} - {""})
    if len(said) > 1:
        raise DeclarationError(
            f"the annotation form has several scales ({', '.join(said)}): write a file for each scale"
        )
    low, _, high = unguarded("".join(said)).partition(" to ")
    try:
        ends = number_in(low), number_in(high)
    except ValueError:
        return None
    return Scales(LabelScale(low=ends[0], high=ends[1], source=SHEET)) if ends[0] < ends[1] else None


def _fits(file: LabelFile) -> bool:
    return file.columns[: len(COLUMNS)] == COLUMNS


def _cells(file: LabelFile) -> Iterator[RawLabel]:
    for cell in LAYOUTS[TABLE].cells(file):
        yield replace(cell, item=unguarded(cell.item), topic=unguarded(cell.topic))
    file.title = LAYOUT.title


LAYOUT = LabelLayout(
    "sheet of conqret labels sample", "the CSV sheet of conqret labels sample, filled in", _fits, _cells
)

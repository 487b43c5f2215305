"""Webis-ArgQuality-20, relevance: five annotators, who are not named, so that their rows are numbered."""

from __future__ import annotations

from collections.abc import Iterator

from conqret.io.label_layout import LabelFile, LabelLayout, RawLabel
from conqret.io.label_layouts._webis import IS_ARGUMENT, cells, fits
from conqret.io.label_scale import LabelScale, Scales

DIMENSIONS = {"Relevance": "relevance", "Is Argument?": "is_argument"}


def _fits(file: LabelFile) -> bool:
    return fits(file, "Task ID", *DIMENSIONS)


def _cells(file: LabelFile) -> Iterator[RawLabel]:
    return cells(file, DIMENSIONS)


LAYOUT = LabelLayout(
    "Webis relevance",
    "Task ID, Relevance, Is Argument?",
    _fits,
    _cells,
    Scales(LabelScale("ordinal", 0, 3, source="the Webis layout"), {"is_argument": IS_ARGUMENT}),
    numbered=True,
)

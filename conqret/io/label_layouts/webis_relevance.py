"""Webis-ArgQuality-20, relevance: five annotators, who are not named, so that their rows are numbered."""

from __future__ import annotations

from functools import partial

from conqret.io.label_layout import LabelLayout
from conqret.io.label_layouts.webis_arguments import IS_ARGUMENT, cells, fits
from conqret.io.label_set import LabelScale, Scales

DIMENSIONS = {"Relevance": "relevance", "Is Argument?": "is_argument"}


LAYOUT = LabelLayout(
    "Webis relevance",
    "Task ID, Relevance, Is Argument?",
    lambda file: fits(file, "Task ID", *DIMENSIONS),
    partial(cells, dimensions=DIMENSIONS),
    Scales(LabelScale("ordinal", 0, 3, source="the Webis layout"), {"is_argument": IS_ARGUMENT}),
    numbered=True,
)

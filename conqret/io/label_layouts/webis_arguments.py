"""Webis-ArgQuality-20, arguments: the qualities that follow from the paired comparisons, as z-scores."""

from __future__ import annotations

from collections.abc import Iterator

from conqret.io.label_layout import LabelFile, LabelLayout, RawLabel
from conqret.io.label_layouts._webis import IS_ARGUMENT, TOPIC, cells, fits
from conqret.io.label_scale import LabelScale, Scales

DIMENSIONS = {
    "Relevance": "relevance",
    "Rhetorical Quality": "rhetorical_quality",
    "Logical Quality": "logical_quality",
    "Dialectical Quality": "dialectical_quality",
    "Combined Quality": "combined_quality",
    "Is Argument?": "is_argument",
}
Z_SCORE = LabelScale("interval", whole=False, source="the Webis layout: z-scores, without ends")


def _cells(file: LabelFile) -> Iterator[RawLabel]:
    file.notes.append("an argument that stands under two topics is named topic/discussion-argument")
    return cells(file, DIMENSIONS)


LAYOUT = LabelLayout(
    "Webis arguments",
    "Topic ID and three qualities",
    lambda file: fits(file, TOPIC, *DIMENSIONS),
    _cells,
    Scales(Z_SCORE, {"is_argument": IS_ARGUMENT}),
)

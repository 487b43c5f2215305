"""Webis-ArgQuality-20, arguments: the qualities that follow from the paired comparisons, as z-scores; and what the
tables of this corpus (Gienapp et al., ACL 2020) have in common.

An argument is named ``<discussion>-<argument>``. Its paired comparisons are read by :mod:`conqret.io.pairs`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conqret.data.digest import gathered
from conqret.io.cell_values import as_text
from conqret.io.label_layout import LabelFile, LabelLayout, RawLabel
from conqret.io.label_set import LabelScale, Scales

IS_ARGUMENT = LabelScale("nominal", 0, 1, {"false": 0, "true": 1}, source="the Webis layout")
DISCUSSION, ARGUMENT, TOPIC = "Discussion ID", "Argument ID", "Topic ID"


def fits(file: LabelFile, *columns: str) -> bool:
    """Whether the file has these columns beside those that name an argument."""
    return {DISCUSSION, ARGUMENT, *columns} <= set(file.columns)


def cells(file: LabelFile, dimensions: Mapping[str, str]) -> Iterator[RawLabel]:
    """The labels in the columns of ``dimensions``; an argument under two topics is one thing under each."""
    rows = list(file.rows())
    topics = gathered((_id(row.record), str(row.record.get(TOPIC))) for row in rows)
    for row in rows:
        item, topic = _id(row.record), str(row.record.get(TOPIC) or "")
        if len(set(topics[item])) > 1:
            item = f"{topic}/{item}"
        for column, dimension in dimensions.items():
            cell = row.record.get(column)
            yield RawLabel(row.line, item, dimension, None if cell is None else as_text(cell), topic=topic)


def _id(record: Mapping[str, object]) -> str:
    return f"{record.get(DISCUSSION)}-{record.get(ARGUMENT)}"


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

"""Webis-ArgQuality-20 (Gienapp et al., ACL 2020): five annotators' relevance, and quality as z-scores.

An argument is named ``<discussion>-<argument>``. The relevance table names no annotators: the rows of one argument
are numbered in file order. Its paired comparisons are read by :mod:`conqret.io.comparisons`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from conqret.errors import Fault
from conqret.io.label_layouts.raw import LabelLayout, RawLabel, RawLabels
from conqret.io.label_scale import LabelScale, Scales
from conqret.io.table import CsvRows

RELEVANCE = LabelScale("ordinal", 0, 3, source="the Webis layout")
IS_ARGUMENT = LabelScale("nominal", 0, 1, {"false": 0, "true": 1}, source="the Webis layout")
Z_SCORE = LabelScale("interval", whole=False, source="the Webis layout: z-scores, without ends")
DISCUSSION, ARGUMENT = "Discussion ID", "Argument ID"
_RAW = {"Relevance": "relevance", "Is Argument?": "is_argument"}
_QUALITY = {
    "Relevance": "relevance",
    "Rhetorical Quality": "rhetorical_quality",
    "Logical Quality": "logical_quality",
    "Dialectical Quality": "dialectical_quality",
    "Combined Quality": "combined_quality",
    "Is Argument?": "is_argument",
}


def _fits_raw(path: Path, columns: tuple[str, ...]) -> bool:
    return {"Task ID", DISCUSSION, ARGUMENT, *_RAW} <= set(columns)


def _fits_arguments(path: Path, columns: tuple[str, ...]) -> bool:
    return {"Topic ID", DISCUSSION, ARGUMENT, *_QUALITY} <= set(columns)


def _read_raw(path: Path, name: str, columns: tuple[str, ...]) -> RawLabels:
    scales = Scales(RELEVANCE, {"is_argument": IS_ARGUMENT})
    return RawLabels("Webis relevance", lambda: _cells(path, name, _RAW), scales, numbered=True)


def _read_arguments(path: Path, name: str, columns: tuple[str, ...]) -> RawLabels:
    scales = Scales(Z_SCORE, {"is_argument": IS_ARGUMENT})
    note = "an argument that stands under two topics is named topic/discussion-argument"
    return RawLabels("Webis arguments", lambda: _cells(path, name, _QUALITY), scales, notes=(note,))


def _cells(path: Path, name: str, dimensions: dict[str, str]) -> Iterator[RawLabel | Fault]:
    rows = list(CsvRows(path, name))
    seen: dict[str, set[str]] = {}
    for row in rows:
        if not isinstance(row, Fault):
            seen.setdefault(_id(row.record), set()).add(str(row.record.get("Topic ID", "")))
    for row in rows:
        if isinstance(row, Fault):
            yield row
            continue
        item, topic = _id(row.record), str(row.record.get("Topic ID") or "")
        if len(seen[item]) > 1:
            item = f"{topic}/{item}"
        for column, dimension in dimensions.items():
            cell = row.record.get(column)
            yield RawLabel(row.line, item, dimension, None if cell is None else str(cell), topic=topic)


def _id(record: Mapping[str, object]) -> str:
    return f"{record.get(DISCUSSION)}-{record.get(ARGUMENT)}"


WEBIS_RELEVANCE = LabelLayout("webis-relevance", "Task ID, Relevance, Is Argument?", _fits_raw, _read_raw)
WEBIS_ARGUMENTS = LabelLayout(
    "webis-arguments", "Topic ID and three qualities", _fits_arguments, _read_arguments
)

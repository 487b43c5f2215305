"""The layouts of published label corpora.

- Dagstuhl-15512 ArgQuality (Wachsmuth et al. 2017, EACL): three experts, 15 dimensions in words. Tab-separated, a row
  for each argument and annotator; cells such as ``2 (Average)``, empty where an annotator found no argument. The file
  is in Latin-1 or Windows-1252.
- The novices' archive of Mirzakhmedova et al. (2024): a zip of JSON files, one for each novice. A file's name has group
  and member; it maps ``<argument>-<dimension>`` to 1, 2, 3 or ``?`` for "cannot judge".
- Webis-ArgQuality-20 (Gienapp et al., ACL 2020): the qualities that follow from its paired comparisons (read by
  :mod:`conqret.io.pairs`), as z-scores, and the relevance labels of five annotators, who are not named. An argument is
  called ``<discussion>-<argument>``.
- Graded items, as in ``fixtures/demo/labels.jsonl``: an object a line with the relevance of an item's documents, the
  quality of its argument, and which argument is better. No annotator is named. What it says of sentences and of the
  second argument alone has no metric, and is left out.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from functools import partial

from conqret.data.digest import gathered
from conqret.io.cell_values import as_text
from conqret.io.csv_files import csv_rows
from conqret.io.jsonl import parse
from conqret.io.label_files import LabelFile, LabelLayout, RawLabel
from conqret.io.label_set import LabelScale, Scales
from conqret.io.rows import Row, quoted
from conqret.io.zip_files import BadZipFile, ZipFile, zip_member
from conqret.text.words import dimension_name

_ITEM, _ANNOTATOR, _ISSUE = "#id", "annotator", "issue"
_NO_DIMENSIONS = (_ITEM, _ANNOTATOR, _ISSUE, "argumentative", "argument", "stance")
"""Columns that are no dimension."""
_DAGSTUHL_NAMES = {"sufficiency": "local_sufficiency"}
"""The corpus calls the local dimension sufficiency alone."""
_IN_WORDS = LabelScale(
    "ordinal", 1, 3, {"low": 1, "average": 2, "medium": 2, "high": 3}, source="the Dagstuhl-15512 layout"
)
_CELL = re.compile(r"\A\s*+([1-3])\s*+\(\s*+(\w++)\s*+\)\s*+")


def _is_dagstuhl(file: LabelFile) -> bool:
    return {_ITEM, _ANNOTATOR, "overall quality"} <= {name.casefold() for name in file.columns}


def _dagstuhl_labels(file: LabelFile) -> Iterator[RawLabel]:
    rows = csv_rows(file.path, file.name, published_in="windows-1252")
    for row in file.rows(rows):
        cells = {name.casefold(): as_text(cell or "") for name, cell in row.record.items()}
        for column, cell in cells.items():
            if column in _NO_DIMENSIONS:
                continue
            dimension = _DAGSTUHL_NAMES.get(dimension_name(column), dimension_name(column))
            if not file.wants(dimension):
                continue
            label = _label_in_words(cell)
            if label is None:
                problem = f"says {quoted(cell)}: number and word contradict each other"
                file.fault(row.line, column, problem, "Correct the cell")
                continue
            topic = cells.get(_ISSUE, "")
            yield RawLabel(row.line, cells[_ITEM], dimension, label, cells[_ANNOTATOR], topic=topic)


def _label_in_words(cell: str) -> str | None:
    """Return the word of a cell such as ``2 (Average)``, or a cell of another form stripped; None if word and
    number differ.
    """
    match = _CELL.fullmatch(cell)
    if match is None:
        return cell.strip()
    number, word = match.groups()
    known = _IN_WORDS.words.get(word.casefold())
    return word if known is None or known == float(number) else None


DAGSTUHL = LabelLayout(
    "dagstuhl",
    "Dagstuhl-15512 ArgQuality",
    "tab-separated, with #id, annotator and overall quality",
    _is_dagstuhl,
    _dagstuhl_labels,
    Scales(_IN_WORDS),
)


_AGAIN = "Fetch the archive again"
_DAMAGED = (BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError)
"""What ``ZipFile`` raises for an archive that is not as it says."""
_MEMBER = re.compile(r"group(\d+)-member(\d+)")
_WORKBOOKS = (".xlsx", ".xlsm", ".ods")
_RATING = re.compile(
    r"\A(.+?)-((?:local|global)-(?:acceptability|relevance|sufficiency)|emotional-appeal|overall-quality|\w+)"
)


def _is_novices_archive(file: LabelFile) -> bool:
    if file.path.suffix.lower() in _WORKBOOKS:  # the reader of tables says what to do with it
        return False
    with file.path.open("rb") as stream:
        return stream.read(4) == b"PK\x03\x04"


def _novices_labels(file: LabelFile) -> Iterator[RawLabel]:
    try:
        with ZipFile(file.path) as archive:
            for line, entry in enumerate(archive.infolist(), start=1):
                member = _MEMBER.search(entry.filename)
                if member is None:
                    continue
                inside = entry.filename.rsplit("/", 1)[-1]
                try:
                    ratings = parse(zip_member(archive, entry))
                except (*_DAMAGED, OSError) as error:
                    file.fault(0, "", f"cannot be read ({error})", _AGAIN, inside=inside)
                    continue
                if not isinstance(ratings, dict):
                    file.fault(0, "", "is not an object of ratings", _AGAIN, inside=inside)
                    continue
                annotator = f"group{member[1]}-member{member[2]}"
                for key, value in ratings.items():
                    match = _RATING.fullmatch(key)
                    if match is None or not isinstance(value, str):
                        file.fault(0, quoted(key), "is not a rating of an argument", _AGAIN, inside=inside)
                    else:
                        yield RawLabel(line, match[1], dimension_name(match[2]), value, annotator)
    except _DAMAGED as error:
        file.fault(0, "", f"is a corrupt zip archive ({error})", _AGAIN)


NOVICES = LabelLayout(
    "novices",
    "novices' archive",
    "a zip of JSON files named by group and member",
    _is_novices_archive,
    _novices_labels,
    Scales(LabelScale("ordinal", 1, 3, source="the novices' archive")),
    order=10,
)


_IS_ARGUMENT = LabelScale("nominal", 0, 1, {"false": 0, "true": 1}, source="the Webis layout")
_DISCUSSION, _ARGUMENT, _TOPIC = "Discussion ID", "Argument ID", "Topic ID"


def _has_webis_columns(file: LabelFile, *columns: str) -> bool:
    """Whether the file has these columns and those that name an argument."""
    return {_DISCUSSION, _ARGUMENT, *columns} <= set(file.columns)


def _webis_labels(file: LabelFile, dimensions: Mapping[str, str]) -> Iterator[RawLabel]:
    """Yield the labels in the columns of ``dimensions`` (names by column). An argument that occurs under several topics
    is one item under each, with the id TOPIC/ARGUMENT."""
    rows = list(file.rows())
    topics = gathered((_argument_id(row.record), str(row.record.get(_TOPIC))) for row in rows)
    for row in rows:
        item, topic = _argument_id(row.record), str(row.record.get(_TOPIC) or "")
        if len(set(topics[item])) > 1:
            item = f"{topic}/{item}"
        for column, dimension in dimensions.items():
            cell = row.record.get(column)
            yield RawLabel(row.line, item, dimension, None if cell is None else as_text(cell), topic=topic)


def _argument_id(record: Mapping[str, object]) -> str:
    return f"{record.get(_DISCUSSION)}-{record.get(_ARGUMENT)}"


_QUALITIES = {
    "Relevance": "relevance",
    "Rhetorical Quality": "rhetorical_quality",
    "Logical Quality": "logical_quality",
    "Dialectical Quality": "dialectical_quality",
    "Combined Quality": "combined_quality",
    "Is Argument?": "is_argument",
}
_Z_SCORE = LabelScale("interval", whole=False, source="the Webis layout: z-scores, without ends")


def _webis_arguments(file: LabelFile) -> Iterator[RawLabel]:
    file.notes.append("an argument that stands under two topics is named topic/discussion-argument")
    return _webis_labels(file, _QUALITIES)


WEBIS_ARGUMENTS = LabelLayout(
    "webis-arguments",
    "Webis arguments",
    "Topic ID and three qualities",
    lambda file: _has_webis_columns(file, _TOPIC, *_QUALITIES),
    _webis_arguments,
    Scales(_Z_SCORE, {"is_argument": _IS_ARGUMENT}),
)


_RELEVANCE = {"Relevance": "relevance", "Is Argument?": "is_argument"}


WEBIS_RELEVANCE = LabelLayout(
    "webis-relevance",
    "Webis relevance",
    "Task ID, Relevance, Is Argument?",
    lambda file: _has_webis_columns(file, "Task ID", *_RELEVANCE),
    partial(_webis_labels, dimensions=_RELEVANCE),
    Scales(LabelScale("ordinal", 0, 3, source="the Webis layout"), {"is_argument": _IS_ARGUMENT}),
    numbered=True,
)


_OF_GRADED_ITEMS = "the layout of graded items"
_GRADES = Scales(
    LabelScale("ordinal", 1, 3, source=_OF_GRADED_ITEMS),
    {
        "context_relevance": LabelScale("ordinal", 0, 3, source=_OF_GRADED_ITEMS),
        "preference": LabelScale(
            "ordinal", 0, 1, {"second": 0, "tie": 0.5, "first": 1}, whole=False, source=_OF_GRADED_ITEMS
        ),
    },
)


def _is_graded_items(file: LabelFile) -> bool:
    first = next(file.rows(), None) if {"id", "documents"} <= set(file.columns) else None
    return first is not None and any("relevance" in document for document in _documents(first))


def _graded_labels(file: LabelFile) -> Iterator[RawLabel]:
    left_out = False
    for row in file.rows():
        item, documents = as_text(row.record.get("id") or ""), _documents(row)
        if not item or not documents:
            where = "id" if documents else "documents"
            file.fault(row.line, where, "is missing", "Name the item that is graded, and its grade")
            continue
        for place, document in enumerate(documents if file.wants("context_relevance") else (), start=1):
            if not document.get("id"):
                file.fault(row.line, f"documents[{place}].id", "is missing", "Name the document")
                continue
            text = _text_or_none(document.get("relevance"))
            yield RawLabel(row.line, item, "context_relevance", text, part=as_text(document["id"]))
        argument = row.record.get("argument")
        quality = argument.get("quality") if isinstance(argument, Mapping) else None
        if isinstance(quality, Mapping):
            for dimension, value in quality.items():
                yield RawLabel(row.line, item, dimension_name(str(dimension)), _text_or_none(value))
        if "preference" in row.record:
            yield RawLabel(row.line, item, "preference", _text_or_none(row.record["preference"]))
        left_out = left_out or "second_argument" in row.record
    if left_out:
        file.notes.append("labels of the second argument alone are left out: they belong to no metric")


def _documents(row: Row) -> list[Mapping[str, object]]:
    documents = row.record.get("documents")
    return (
        [document for document in documents if isinstance(document, Mapping)]
        if isinstance(documents, list)
        else []
    )


def _text_or_none(value: object) -> str | None:
    return None if value is None else as_text(value)


GRADED_ITEMS = LabelLayout(
    "graded-items",
    "graded items",
    "JSON Lines, an item each: id, documents with id and relevance, perhaps argument.quality and preference",
    _is_graded_items,
    _graded_labels,
    _GRADES,
)


LAYOUTS = (DAGSTUHL, NOVICES, WEBIS_ARGUMENTS, WEBIS_RELEVANCE, GRADED_ITEMS)

"""Long tables, one row a pair of item and document, as PyTerrier has them: rows to items."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from conqret.errors import Fault
from conqret.io.cell_values import is_missing
from conqret.io.faults import quoted
from conqret.io.rows import Row, Rows

DOCUMENT_COLUMNS = ("docno", "text", "title", "url")
"""What belongs to the document of a row."""
RANKING_COLUMNS = ("docid", "score", "rank")
"""What PyTerrier adds for each document, and no item needs."""


def grouped(rows: Rows) -> Iterator[Row | Fault]:
    """Join adjacent rows of one ``qid`` into one record with its documents, in the order of the rows.

    A row without ``qid``, a ``qid`` that comes back after another one, and a column of the item (``query``,
    ``qanswer``) that changes inside a ``qid``, are faults.
    """
    seen: dict[str, int] = {}
    for qid, group in groupby(rows, key=_qid):
        if isinstance(qid, Fault):
            yield qid
            continue
        first, *others = (row for row in group if isinstance(row, Row))
        if not qid:
            for row in (first, *others):
                yield Fault(rows.name, row.line, "qid", "is missing", "Say which question the row belongs to")
            continue
        begun = seen.setdefault(qid, first.line)
        if begun != first.line:
            problem = f"is {quoted(qid)} again, after other rows: the rows that begin in line {begun} are not adjacent"
            yield Fault(rows.name, first.line, "qid", problem, "Sort the table by qid (and rank)")
        for row in others:
            yield from _changes(rows.name, first, row)
        own = {
            key: value for key, value in first.record.items() if key not in DOCUMENT_COLUMNS + RANKING_COLUMNS
        }
        documents = [_document(row) for row in (first, *others)]
        yield Row(first.line, {**own, "documents": [document for document in documents if document]})


def _qid(row: Row | Fault) -> str | Fault:
    if isinstance(row, Fault):
        return row
    qid = row.record.get("qid")
    return "" if is_missing(qid) else str(qid)


def _document(row: Row) -> dict[str, object]:
    pairs = ((column, row.record.get(column)) for column in DOCUMENT_COLUMNS)
    return {column: value for column, value in pairs if not is_missing(value)}


def _changes(name: str, first: Row, row: Row) -> Iterator[Fault]:
    for column in ("query", "qanswer"):
        one, two = first.record.get(column), row.record.get(column)
        if one != two and not (is_missing(one) and is_missing(two)):
            yield Fault(
                name,
                row.line,
                column,
                f"differs from that of line {first.line}, of the same qid",
                "Give all rows of a qid the same value",
            )

"""Long tables, one row a pair of item and document, as PyTerrier has them: rows to items."""

from __future__ import annotations

from collections.abc import Iterator

from conqret.errors import Fault
from conqret.io.cells import is_missing
from conqret.io.faults import quoted
from conqret.io.rows import Row, Rows

DOCUMENT_COLUMNS = ("docno", "text", "title", "url")
"""What belongs to the document of a row."""
RANKING_COLUMNS = ("docid", "score", "rank")
"""What PyTerrier adds for each document, and no item needs."""


def grouped(rows: Rows) -> Iterator[Row | Fault]:
    """Join adjacent rows of one ``qid`` into one record with its documents, in the order of the rows.

    A ``qid`` that comes back after another one, and a column of the item (``query``, ``qanswer``) that
    changes inside a ``qid``, are faults.
    """
    first: Row | None = None
    documents: list[dict[str, object]] = []
    seen: dict[str, int] = {}
    for row in rows:
        if isinstance(row, Fault):
            yield row
            continue
        if is_missing(row.record.get("qid")):
            yield Fault(rows.name, row.line, "qid", "is missing", "Say which question the row belongs to")
            continue
        qid = str(row.record["qid"])
        if first is not None and qid == str(first.record.get("qid")):
            yield from _changes(rows.name, first, row)
            documents.append(_document(row))
            continue
        if first is not None:
            yield _joined(first, documents)
        if qid in seen:
            yield Fault(
                rows.name,
                row.line,
                "qid",
                f"is {quoted(qid)} again, after other rows: the rows that "
                f"begin in line {seen[qid]} are not adjacent",
                "Sort the table by qid (and rank)",
            )
        seen.setdefault(qid, row.line)
        first, documents = row, [_document(row)]
    if first is not None:
        yield _joined(first, documents)


def _document(row: Row) -> dict[str, object]:
    pairs = ((column, row.record.get(column)) for column in DOCUMENT_COLUMNS)
    return {column: value for column, value in pairs if not is_missing(value)}


def _joined(first: Row, documents: list[dict[str, object]]) -> Row:
    own = {key: value for key, value in first.record.items() if key not in DOCUMENT_COLUMNS + RANKING_COLUMNS}
    return Row(first.line, {**own, "documents": [document for document in documents if document]})


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

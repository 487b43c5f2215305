"""Convert files whose rows are not items to records of items: SQuAD's nested file, BEIR's folder, logs of
inspect_ai, and long tables as PyTerrier has them.

A row of SQuAD is a question with its passage and the annotated answers, as the flat form of the same data has
it. A row of BEIR is a question with the documents that are graded for it, whose grades become metadata. A row of a
long table is a pair of item and document.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from conqret.errors import Fault, ItemsError
from conqret.io.cell_values import as_text, is_missing
from conqret.io.checks import cell_text, number
from conqret.io.files import file_rows
from conqret.io.jsonl import jsonl_rows
from conqret.io.rows import Row, Rows, kind, mapped, quoted
from conqret.io.schema import Field, TableReader, table_schema

SPLIT = "test"
"""The split whose grades are read where a BEIR folder has several."""
DOCUMENT_COLUMNS = ("docno", "text", "title", "url")
"""The columns that describe the document of a row."""
RANKING_COLUMNS = ("docid", "score", "rank")
"""The columns that PyTerrier adds for each document, and no item needs."""


def squad_records(articles: Rows) -> Iterator[Row | Fault]:
    """Yield one record for each question in the rows of a SQuAD file, numbered from 1.

    A record has id, question, answers and the paragraph as context (Rajpurkar et al. 2016, 2018).
    """
    numbers = itertools.count(1)

    def questions(article: Row) -> Iterator[Row]:
        for paragraph in _objects(article.record.get("paragraphs")):
            for question in _objects(paragraph.get("qas")):
                fields = {key: question.get(key) for key in ("id", "question", "answers")}
                yield Row(next(numbers), {**fields, "context": paragraph.get("context")})

    return mapped(articles, questions)


def sample_records(log: Rows) -> Iterator[Row | Fault]:
    """Yield the samples of an inspect_ai log as records of items with messages and the documents of their
    metadata.

    Text that the log stores as attachments is put back into the messages. The epoch becomes part of the id
    from the second epoch on.
    """

    def sample(row: Row) -> Iterator[Row]:
        record, epoch = row.record, row.record.get("epoch")
        later = isinstance(epoch, int) and epoch > 1
        metadata = record.get("metadata")
        others = dict(metadata) if isinstance(metadata, Mapping) else {}
        target = record.get("target")
        yield replace(
            row,
            record={
                "id": f"{record.get('id')}:{epoch}" if later else record.get("id"),
                "messages": _attached(record.get("messages"), record.get("attachments")),
                "target": "\n".join(map(str, target)) if isinstance(target, list) else target or None,
                "documents": others.pop("documents", None),
                "metadata": _attached(others, record.get("attachments")),
            },
        )

    return mapped(log, sample)


ATTACHED = "attachment://"
"""The prefix of the names of texts that a log of inspect_ai stores apart."""


def _attached(value: object, attachments: object) -> object:
    """Return the value with each name of an attachment replaced by its text, at any depth; infinite numbers
    become text.
    """
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    if isinstance(value, str) and value.startswith(ATTACHED) and isinstance(attachments, Mapping):
        return attachments.get(value.removeprefix(ATTACHED), value)
    if isinstance(value, Mapping):
        return {name: _attached(inner, attachments) for name, inner in value.items()}
    return [_attached(inner, attachments) for inner in value] if isinstance(value, list) else value


def grouped(rows: Rows) -> Iterator[Row | Fault]:
    """Merge adjacent rows with the same ``qid`` into one record, whose documents follow the order of the
    rows.

    It yields a fault for a row without ``qid``, and for a ``qid`` that returns after another one. A column
    of the item (``query``, ``qanswer``) that changes within a ``qid`` is a fault, too.
    """
    seen: dict[str, int] = {}
    for qid, group in itertools.groupby(rows, key=_qid):
        if isinstance(qid, Fault):
            yield qid
            continue
        first, *others = (row for row in group if isinstance(row, Row))
        if not qid:
            for row in (first, *others):
                yield Fault(
                    rows.name, row.line, "qid", "is missing", "Name the question that the row belongs to"
                )
            continue
        begun = seen.setdefault(qid, first.line)
        if begun != first.line:
            problem = f"is {quoted(qid)} again, after other rows: the rows that begin in line {begun} are not adjacent"
            yield Fault(rows.name, first.line, "qid", problem, "Sort the table by qid (and rank)")
        for row in others:
            yield from _changes(rows.name, first, row)
        fields = {
            key: value for key, value in first.record.items() if key not in DOCUMENT_COLUMNS + RANKING_COLUMNS
        }
        documents = [_document(row) for row in (first, *others)]
        yield Row(first.line, {**fields, "documents": [document for document in documents if document]})


_GRADE = table_schema(
    query=Field(("query-id",), cell_text, needed="Name the question that the grade is for"),
    document=Field(("corpus-id",), cell_text, needed="Name the document that is graded"),
    grade=Field(("score",), number, needed="Add the grade"),
)


def beir_rows(folder: Path) -> Rows:
    """Return the questions of a BEIR folder that have graded documents, as rows (Thakur et al. 2021).

    The folder has ``corpus.jsonl``, ``queries.jsonl`` and the grades of one split under ``qrels/``. Only
    graded documents are held in memory.

    Raises:
        ItemsError: on iteration, if there is no file of grades or it has faults.
    """
    return Rows(str(folder), partial(_of_beir, folder, str(folder)), ("_id", "text", "documents", "grades"))


def _of_beir(folder: Path, name: str) -> Iterator[Row | Fault]:
    files = sorted((folder / "qrels").glob("*.tsv"))
    splits = [file for file in files if file.stem == SPLIT] or files
    if len(splits) != 1:
        there = ", ".join(file.name for file in files) or "none"
        problem = f"has no file qrels/{SPLIT}.tsv, and not exactly one other ({there})"
        raise ItemsError([Fault(name, 0, "qrels", problem, "Keep the split that is meant")])
    grades: dict[str, dict[str, float]] = {}
    reader = TableReader(file_rows(splits[0]), _GRADE)
    for values in reader:
        grades.setdefault(values["query"], {})[values["document"]] = values["grade"]
    reader.finish(wanted="grades")
    wanted = {document for graded in grades.values() for document in graded}
    corpus: dict[str, Mapping[str, object]] = {}
    for row in jsonl_rows(folder / "corpus.jsonl"):
        if isinstance(row, Fault):
            yield row
        elif (identifier := as_text(row.record.get("_id"))) in wanted:
            fields = {key: row.record[key] for key in ("text", "title") if key in row.record}
            corpus[identifier] = {"id": identifier, **fields}
    met = set[str]()
    for row in jsonl_rows(folder / "queries.jsonl"):
        if isinstance(row, Fault):
            yield row
            continue
        query = as_text(row.record.get("_id"))
        met.add(query)
        graded = grades.get(query, {})
        for document in (document_id for document_id in graded if document_id not in corpus):
            problem = f"has a grade for the document {document!r}, which corpus.jsonl lacks"
            yield Fault(name, row.line, "qrels", problem, "Add the document, or delete the grade")
        if graded:
            documents = [corpus[document] for document in graded if document in corpus]
            fields = {key: row.record.get(key) for key in ("_id", "text")}
            yield Row(row.line, {**fields, "documents": documents, "grades": graded})
    for query in (grade for grade in grades if grade not in met):
        problem = f"has grades for the question {query!r}, which queries.jsonl lacks"
        yield Fault(name, 0, "qrels", problem, "Add the question, or delete its grades")


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
        first_value, two = first.record.get(column), row.record.get(column)
        if first_value != two and not (is_missing(first_value) and is_missing(two)):
            yield Fault(
                name,
                row.line,
                column,
                f"differs from that of line {first.line}, of the same qid",
                "Give all rows of a qid the same value",
            )


def _objects(value: object) -> list[Mapping[str, object]]:
    """The objects in a list; what else stands there becomes an object whose fields are missing, and so a fault."""
    listed = value if isinstance(value, list) else [value]
    return [parsed if isinstance(parsed, Mapping) else {"id": f"({kind(parsed)})"} for parsed in listed]

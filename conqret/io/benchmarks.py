"""Published benchmarks whose files are no table of items: SQuAD's nested file and BEIR's folder, as rows.

A row of SQuAD is a question with its passage and the answers that people gave, as the flat form of the same data has
it. A row of BEIR is a question with the documents that people graded for it, whose grades become metadata.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from conqret.errors import Fault, ItemsError
from conqret.io.cell_values import as_text
from conqret.io.checks import cell_text, number
from conqret.io.faults import kind
from conqret.io.files import file_rows
from conqret.io.jsonl import JsonLines
from conqret.io.rows import Row, Rows, mapped
from conqret.io.schema import Field, Schema, TableReader

SPLIT = "test"
"""The split whose grades are read where a BEIR folder has several."""


def squad_records(articles: Rows) -> Iterator[Row | Fault]:
    """The questions in ``articles``, the rows of a SQuAD file (Rajpurkar et al. 2016, 2018), numbered from 1."""
    numbers = itertools.count(1)

    def questions(article: Row) -> Iterator[Row]:
        for paragraph in _objects(article.record.get("paragraphs")):
            for question in _objects(paragraph.get("qas")):
                own = {key: question.get(key) for key in ("id", "question", "answers")}
                yield Row(next(numbers), {**own, "context": paragraph.get("context")})

    return mapped(articles, questions)


@dataclass(frozen=True, slots=True)
class BeirRows:
    """The questions of a BEIR folder (Thakur et al. 2021) that have graded documents: ``corpus.jsonl``,
    ``queries.jsonl`` and the grades of one split under ``qrels/``."""

    folder: Path

    @property
    def name(self) -> str:
        """How messages call the input."""
        return str(self.folder)

    @property
    def columns(self) -> tuple[str, ...]:
        """The fields of each row."""
        return ("_id", "text", "documents", "grades")

    def __iter__(self) -> Iterator[Row | Fault]:
        """Only the graded documents are held in memory.

        Raises:
            ItemsError: there is no file of grades, or it has faults.
        """
        grades = _grades(self._split())
        wanted = {document for graded in grades.values() for document in graded}
        corpus: dict[str, Mapping[str, object]] = {}
        for row in _lines(self.folder / "corpus.jsonl"):
            if isinstance(row, Fault):
                yield row
            elif (found := as_text(row.record.get("_id"))) in wanted:
                own = {key: row.record[key] for key in ("text", "title") if key in row.record}
                corpus[found] = {"id": found, **own}
        met = set[str]()
        for row in _lines(self.folder / "queries.jsonl"):
            if isinstance(row, Fault):
                yield row
                continue
            query = as_text(row.record.get("_id"))
            met.add(query)
            graded = grades.get(query, {})
            for document in (one for one in graded if one not in corpus):
                problem = f"has a grade for the document {document!r}, which corpus.jsonl does not hold"
                yield Fault(self.name, row.line, "qrels", problem, "Add the document, or delete the grade")
            if graded:
                documents = [corpus[document] for document in graded if document in corpus]
                own = {key: row.record.get(key) for key in ("_id", "text")}
                yield Row(row.line, {**own, "documents": documents, "grades": graded})
        for query in (one for one in grades if one not in met):
            problem = f"has grades for the question {query!r}, which queries.jsonl does not hold"
            yield Fault(self.name, 0, "qrels", problem, "Add the question, or delete its grades")

    def _split(self) -> Path:
        found = sorted((self.folder / "qrels").glob("*.tsv"))
        named = [file for file in found if file.stem == SPLIT] or found
        if len(named) != 1:
            there = ", ".join(file.name for file in found) or "none"
            problem = f"has no file qrels/{SPLIT}.tsv, and not exactly one other ({there})"
            raise ItemsError([Fault(self.name, 0, "qrels", problem, "Keep the split that is meant")])
        return named[0]


def is_beir(folder: Path) -> bool:
    """Whether a folder is laid out as BEIR's are."""
    try:
        return all((folder / name).is_file() for name in ("corpus.jsonl", "queries.jsonl"))
    except OSError:  # no path at all, or none that may be looked at
        return False


def _lines(file: Path) -> JsonLines:
    return JsonLines(file, str(file))


def _objects(value: object) -> list[Mapping[str, object]]:
    """The objects in a list; what else stands there becomes an object whose fields are missing, and so a fault."""
    listed = value if isinstance(value, list) else [value]
    return [one if isinstance(one, Mapping) else {"id": f"({kind(one)})"} for one in listed]


def _grades(file: Path) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    reader = TableReader(file_rows(file), GRADE)
    for values in reader:
        found.setdefault(values["query"], {})[values["document"]] = values["grade"]
    reader.finish(wanted="grades")
    return found


GRADE = Schema(
    "a grade",
    {
        "query": Field(("query-id",), cell_text, needed="Say which question the grade is for"),
        "document": Field(("corpus-id",), cell_text, needed="Say which document is graded"),
        "grade": Field(("score",), number, needed="Add the grade"),
    },
)

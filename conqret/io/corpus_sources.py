"""Read what users bring to a corpus of their own: documents, topics, and qrels.

Columns are recognized by the names of DPR, Sphere, BEIR, ir_datasets and TREC, in any case.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import Formatter
from typing import Annotated, Any
from urllib.parse import quote

from conqret.data.corpus import CorpusTopic, Qrel
from conqret.errors import DeclarationError
from conqret.errors import number as counted
from conqret.io.checks import OneLine, TrecId, filled, identifier, number, one_of, text
from conqret.io.files import file_rows
from conqret.io.limits import whole_text
from conqret.io.rows import InvalidCell, columns_of, quoted
from conqret.io.schema import (
    Field,
    Schema,
    TableReader,
    in_columns,
    loose_name,
    schema_of,
    table_schema,
)
from conqret.io.trec import read_qrels

_DOCUMENT_IDS = (
    *(
        "id",
        "_id",
        "docno",
        "doc_no",
        "doc_id",
        "docid",
        "document_id",
        "corpus_id",
        "did",
        "pid",
        "passage_id",
    ),
    *("psg_id", "arg_id", "argument_id", "doc"),
)
_TOPIC_IDS = ("id", "_id", "qid", "query_id", "topic_id", "question_id", "tid", "number", "num")

PASSAGE = table_schema(
    id=Field(
        _DOCUMENT_IDS, identifier, needed="Give the document an id, in a column such as id, docno or doc_id"
    ),
    title=Field(("title",), text, ""),
    url=Field(("url",), text, ""),
    text=Field(
        ("text", "raw", "contents", "content", "body", "passage", "argument", "document"),
        filled,
        needed="Give the document its text, in a column such as text or contents",
    ),
    licence=Field(("licence", "license"), text, ""),
)
URL_FIELDS = frozenset({"id", "title"})
"""The fields that a template of an address may have."""


def _recognized(schema: Schema, columns: Iterable[str]) -> Schema:
    """The schema with these columns added to those of its fields, whatever their case."""
    alike = schema.among(columns).fields
    return replace(
        schema,
        fields={
            name: replace(
                declared, columns=tuple({**dict.fromkeys(declared.columns), alike[name].columns[0]: None})
            )
            if name in alike
            else declared
            for name, declared in schema.fields.items()
        },
    )


def read_passages(
    files: Iterable[Path],
    *,
    licence: str = "",
    url: str = "",
    on_passage: Callable[[], object] = lambda: None,
) -> Iterator[dict[str, Any]]:
    """Yield the passages of all files as records of ``documents.jsonl``; files may be gzipped.

    ``licence`` is the license of passages without their own. ``url`` is a template for the address of
    passages without one, in which ``{title}`` and ``{id}`` are filled in
    (``https://en.wikipedia.org/wiki/{title}``). ``on_passage`` is called before each passage is yielded.

    Raises:
        ItemsError: a file cannot be read, or rows have faults; those of a file are listed at its end.
        DeclarationError: a file holds no passage, or ``url`` has another field.
    """
    if not _fields(url) <= URL_FIELDS:
        raise DeclarationError(f"--url {url!r}: only {{title}} and {{id}} can be filled in")
    seen = set[str]()
    for file in files:
        rows = file_rows(file)
        reader = TableReader(rows, _recognized(PASSAGE, columns_of(rows)))
        for values in reader:
            values["licence"] = values["licence"] or licence
            values["url"] = values["url"] or url.format(
                id=quote(values["id"]), title=quote(values["title"].replace(" ", "_"))
            )
            if values["id"] in seen:
                problem = f"is {quoted(values['id'])}, as in an earlier row"
                reader.fault(reader.column("id"), problem, "Give each document an id of its own")
            seen.add(values["id"])
            on_passage()
            yield values
        reader.finish(wanted="passages")


def _fields(template: str) -> set[str]:
    """Return the names of the fields that a template has; the template itself if it is invalid."""
    try:
        return {name for _, name, _, _ in Formatter().parse(template) if name is not None}
    except ValueError:
        return {template}


@dataclass(frozen=True, slots=True)
class _Topic:
    id: Annotated[
        TrecId, in_columns(*_TOPIC_IDS, needed="Give the topic an id, in a column such as id or qid")
    ]
    question: Annotated[
        OneLine,
        in_columns(
            *("question", "query", "topic", "title", "text", "topic_title"),
            needed="Write the question, in a column such as question or query",
        ),
    ]


def read_topics(path: str | Path) -> list[CorpusTopic]:
    """Read the topics of a table, or of a TREC file (``<top>`` or ``<topic>`` with number and title), for the
    split ``test``.

    Raises:
        ItemsError: a row has no id or no question, or an id stands twice.
        DeclarationError: the file is missing or has no topic.
    """
    tagged = _tagged_topics(Path(path))
    if tagged:
        return tagged
    rows = file_rows(path)
    reader = TableReader(rows, _recognized(schema_of(_Topic), columns_of(rows)))
    topics = [
        CorpusTopic(id=topic.id, question=topic.question, split="test")
        for topic in reader.read_as(_Topic, "Give each topic an id of its own")
    ]
    reader.finish(wanted="topics")
    return topics


_TAGGED = re.compile(
    r"""(?:<num(?:ber)?>\s*+(?:number:)?|<topic\s+(?:number|id)=["'])\s*+([^\s<"']++)"""
    r".{0,4000}?<(?:title|query)>\s*+(?:topic:)?([^<]*+)<",
    re.IGNORECASE | re.DOTALL,
)
"""A topic of TREC: its number, as an element or an attribute, and its title."""


def _tagged_topics(path: Path) -> list[CorpusTopic]:
    if not path.is_file() or path.suffix.lower() not in {".xml", ".trec", ".topics", ".txt"}:
        return []
    titles = {
        name: " ".join(html.unescape(title).split()) for name, title in _TAGGED.findall(whole_text(path))
    }
    return [CorpusTopic(id=name, question=title, split="test") for name, title in titles.items() if title]


def _grade(value: object, where: str, reader: TableReader) -> int:
    grade = number(value, where, reader)
    if not grade.is_integer():
        raise InvalidCell(f"is {grade}, and grades are whole numbers", "Write 0 for not relevant, or more")
    return int(grade)


_QUERY_IDS = ("query_id", "qid", "topic_id", "query", "topic")


@dataclass(frozen=True, slots=True)
class _QrelRow:
    query: Annotated[
        TrecId, in_columns(*_QUERY_IDS, needed="Give the topic's id, in a column such as query-id or qid")
    ]
    document: Annotated[
        TrecId,
        in_columns(
            *_DOCUMENT_IDS, "document", needed="Give the document's id, in a column such as corpus-id"
        ),
    ]
    grade: Annotated[
        int,
        _grade,
        in_columns(
            "score", "grade", "relevance", "rel", "label", needed="Give the grade, in a column such as score"
        ),
    ]
    side: Annotated[str, one_of(("pro", "con"), "side"), in_columns("side", "stance")] = ""


def read_judged(path: str | Path) -> list[Qrel]:
    """Read the judged pairs of a TREC file of qrels, or of a table with a header, such as BEIR's. A table's column
    ``side`` (pro or con) becomes the ``iteration``.

    Raises:
        ItemsError: a row of the table has faults, or repeats a pair.
        DeclarationError: the file is missing, or a line of a TREC file has a fault.
    """
    file = Path(path)
    rows = (
        file_rows(file) if file.suffix in {".csv", ".tsv", ".jsonl", ".parquet"} and file.is_file() else None
    )
    columns = () if rows is None else columns_of(rows)
    if rows is None or not set(map(loose_name, columns)).intersection(_QUERY_IDS):
        return list(read_qrels(file))
    reader, judged = TableReader(rows, _recognized(schema_of(_QrelRow), columns)), list[Qrel]()
    for row in reader.read_as(_QrelRow):
        reader.once("document", f"{row.query} {row.document} {row.side}", "Keep one grade of the pair")
        judged.append(Qrel(row.query, row.document, row.grade, row.side or "0"))
    reader.finish(wanted="grades")
    return judged


def read_own(
    topics: str | Path, qrels: str | Path | None
) -> tuple[list[CorpusTopic], list[Qrel], tuple[str, ...]]:
    """Read topics and the judged pairs of these topics, and say what does not fit.

    Returns:
        The topics, their judged pairs (none if ``qrels`` is None), and remarks such as on judged pairs of
        other topics, which are left out.

    Raises:
        DeclarationError: a file has faults, or no judged pair is of a topic.
        ItemsError: a row of a table has faults.
    """
    asked = read_topics(topics)
    if qrels is None:
        return asked, [], ()
    known = {topic.id for topic in asked}
    every = read_judged(qrels)
    judged = [pair for pair in every if pair.query_id in known]
    if not judged:
        there = f"{every[0].query_id!r} and so on" if every else "none"
        raise DeclarationError(
            f"{qrels} judges none of the {counted(len(asked), 'topic')} of {topics}: its topics are {there}, those of "
            f"the topics file {asked[0].id!r} and so on; give both files the same ids"
        )
    remarks = []
    if strangers := dict.fromkeys(pair.query_id for pair in every if pair.query_id not in known):
        remarks.append(
            f"{counted(len(strangers), 'topic')} of {qrels} left out: {topics} lacks {', '.join([*strangers][:5])}"
        )
    return asked, judged, tuple(remarks)


def check_documents(judged: Sequence[Qrel], documents: Container[str]) -> str:
    """Return a remark on judged documents that are not there, which no ranking can find; empty if there are none.

    Raises:
        DeclarationError: none is there.
    """
    lacking = dict.fromkeys(pair.doc_id for pair in judged if pair.doc_id not in documents)
    if not lacking:
        return ""
    if not any(pair.doc_id in documents for pair in judged):
        raise DeclarationError(
            f"none of the {counted(len(lacking), 'judged document')} of the qrels ({next(iter(lacking))!r} and so on) "
            "is among the documents: give both the same ids"
        )
    return (
        f"{counted(len(lacking), 'judged document')} not among the documents, so no ranking can find them: "
        f"{', '.join([*lacking][:5])}"
    )


@dataclass(frozen=True, slots=True)
class CorpusImport:
    """What an import brought: the numbers of documents, topics and judged pairs, and remarks on what does not fit."""

    documents: int
    topics: int = 0
    judged: int = 0
    remarks: tuple[str, ...] = ()

"""Convert reports of the TREC RAG family (RAG, RAGTIME, AutoJudge), one per row, to records of items.

A report lists its sentences with what each cites: ids of documents, ids with weights, or places in its list of
references, counted from 0. The question stands in a file of its own, the requests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from conqret.data.item import Item
from conqret.errors import Fault
from conqret.io.cell_values import is_missing
from conqret.io.checks import identifier, text
from conqret.io.files import file_rows
from conqret.io.limits import Line, byte_lines, decoded
from conqret.io.rows import InvalidCell, Row, Rows, columns_of, kind, mapped, object_rows, quoted
from conqret.io.schema import Field, TableReader, table_schema
from conqret.text.citations import round_marks, strip_citations
from conqret.text.sentences import CLOSING, END_MARKS
from conqret.text.words import count_words

Requests = str | Path | Iterable[Mapping[str, object]]
"""A file of requests, or what stands in its lines."""

REQUEST = table_schema(
    id=Field(
        ("request_id", "topic_id", "narrative_id", "qid", "id"),
        identifier,
        needed="Write the id that reports use for it",
    ),
    title=Field(("title", "query"), text, ""),
    problem=Field(("problem_statement", "narrative"), text, ""),
    background=Field(("background",), text, ""),
)
TOPIC, RUN = "topic_id", "run_id"
"""The keys of an item's metadata with the request and the run of a report."""

WITHOUT_TEXT = "cited_without_text"
"""The key of an item's metadata with the documents that a report cites by their ids alone."""

TOPIC_IDS = ("qid", TOPIC, "query_id", "request_id", "narrative_id")
"""Names of the topic's id in nugget banks and rubrics, and in the metadata of items."""

_IDS = ("id", "docid", "doc_id", "docno")
_PARTS = ("text", "segment", "content", "title", "url")
"""What is read of a document, and under which names its id may stand."""

_NO_REQUEST = (
    "Give the requests: conqret judge … --topics requests.jsonl (its items.jsonl is for other commands)"
)


def read_requests(source: Requests) -> dict[str, str]:
    """Return a mapping from the id of each request to its text: title, problem statement and background,
    where present.

    Raises:
        ItemsError: the file cannot be read, or requests have faults; it lists them all.
    """
    rows = _request_rows(source) if isinstance(source, str | Path) else object_rows(source, "requests")
    reader, texts = TableReader(rows, REQUEST), dict[str, str]()
    for values in reader:
        reader.once("id", values["id"], "Give every request its own id")
        background = values["background"] and f"Background: {values['background']}"
        parts = [part for part in (values["title"], values["problem"], background) if part.strip()]
        if not parts:
            reader.fault("title", "is missing or empty", "Add the text of the request")
        texts[values["id"]] = "\n".join(parts)
    reader.finish(wanted="requests")
    return texts


def _request_rows(path: str | Path) -> Rows:
    """Return the rows of a file of requests. A ``.csv`` or ``.tsv`` file whose head has no known column is read as
    TREC's topics: an id, a tab and a text, without a head."""
    rows, known = file_rows(path), {name for field in REQUEST.fields.values() for name in field.columns}
    if (
        not rows.columns
        or known & set(rows.columns)
        or not {".csv", ".tsv"} & set(Path(str(path).lower()).suffixes)
    ):
        return rows
    return Rows(rows.name, partial(_of_topics, Path(path), rows.name), ("qid", "title"))


def _of_topics(path: Path, name: str) -> Iterator[Row | Fault]:
    """Yield the lines of a file of TREC topics (an id, a tab, and the question) as rows with ``qid`` and
    ``title``.

    A line without a tab has only a ``title``; a line that cannot be read is a fault.
    """
    for line in byte_lines(path, name):
        content = line if isinstance(line, Fault) else decoded(line, name)
        if isinstance(content, Fault):
            yield content
        elif isinstance(line, Line) and content.strip():
            topic, tab, title = content.rstrip("\r\n").partition("\t")
            yield Row(line.number, {"qid": topic, "title": title} if tab else {"title": topic})


def report_lengths(path: str | Path) -> dict[tuple[str, str], int]:
    """Return the number of words of each report, by (run, topic).

    The file holds reports, or the items that were made from them. Citation marks are not counted.

    Raises:
        ItemsError: the file cannot be read, or a line is no report.
    """
    rows = file_rows(path)
    reader, lengths = TableReader(rows), dict[tuple[str, str], int]()
    records = rows if "argument" in columns_of(rows) else report_records(rows, str)
    for row in reader.rows(records):
        metadata, argument = row.record.get("metadata"), row.record.get("argument")
        if (
            not isinstance(metadata, Mapping)
            or not {RUN, TOPIC} <= set(metadata)
            or not isinstance(argument, str)
        ):
            reader.fault("metadata", "names no run and topic, or has no text", "Give TREC RAG reports")
        else:
            lengths[str(metadata[RUN]), str(metadata[TOPIC])] = count_words(strip_citations(argument))
    reader.finish(wanted="reports")
    return lengths


def _unknown(topic: str) -> None:
    """No request is known."""


def report_records(rows: Rows, request: Callable[[str], str | None] = _unknown) -> Iterator[Row | Fault]:
    """Convert each report to the record of an item with the id RUN:TOPIC; an invalid report becomes a
    fault.

    ``request`` returns the text of a topic by its id. The sentences are joined, with citations such as
    ``[1]`` for the first document. A citation of a document that the report lacks gets a number beyond the
    last document. If a report holds no documents, its citations number its list of references.
    """

    def record(row: Row) -> Iterator[Row | Fault]:
        try:
            yield Row(row.line, _record(row.record, request))
        except InvalidCell as invalid:
            yield Fault(rows.name, row.line, invalid.where, invalid.problem, invalid.remedy)

    return mapped(rows, record)


_PARTS_OF_A_REPORT = frozenset({"topic", "references", "answer", "responses", "documents", "metadata"})


def _metadata(report: Mapping[str, object]) -> tuple[object, str]:
    """Return the metadata of a report, and the prefix of their names in messages.

    They are the field ``metadata`` (prefix ``metadata.``), or, as in 2024, the other fields of the report (no
    prefix).
    """
    if not is_missing(report.get("metadata")) or not any(key in report for key in TOPIC_IDS):
        return report.get("metadata"), "metadata."
    return {key: value for key, value in report.items() if key not in _PARTS_OF_A_REPORT}, ""


def _record(report: Mapping[str, object], request: Callable[[str], str | None]) -> dict[str, object]:
    report_metadata, inside = _metadata(report)
    if not isinstance(report_metadata, Mapping):
        raise InvalidCell(f"is {kind(report_metadata)}, not an object", "Name run and topic", "metadata")
    topic = next(
        (
            str(report_metadata[key])
            for key in REQUEST.fields["id"].columns
            if not is_missing(report_metadata.get(key))
        ),
        "",
    )
    run = report_metadata.get(RUN)
    needed = {RUN: run, TOPIC: topic} if inside else {TOPIC: topic}  # ragnarok names no run
    for name, value in needed.items():
        if is_missing(value) or value == "":
            raise InvalidCell("is missing", "Name the run and the request of the report", inside + name)
    question = request(topic) or (report_metadata.get("narrative") if inside else report.get("topic"))
    if is_missing(question):
        raise InvalidCell(f"is {quoted(topic)}, which is no known request", _NO_REQUEST, inside + TOPIC)
    documents = _documents(report.get("documents"))
    references = report.get("references") or []
    where = "answer" if is_missing(report.get("responses")) else "responses"
    sentences = report.get(where)
    if (
        not isinstance(references, Sequence)
        or not isinstance(sentences, Sequence)
        or isinstance(sentences, str)
    ):
        raise InvalidCell("or references is not a list", 'Write a list of {"text": …, "citations": …}', where)
    places = {
        str(document["id"]): place for place, document in enumerate(documents, start=1) if "id" in document
    }
    listed = {} if documents else {str(name): place for place, name in enumerate(references, start=1)}
    past, lost = len(documents) + len(listed), dict[str, int]()
    citing_sentences, weights = [], []
    for number, sentence in enumerate(sentences, start=1):
        if not isinstance(sentence, Mapping) or not isinstance(sentence.get("text"), str):
            raise InvalidCell("is missing or no text", "Write the sentence", f"{where}[{number}].text")
        cited = sentence.get("citations")
        if isinstance(cited, Mapping):
            weights.append({"sentence": number, **cited})
        ids = _cited(cited, references, f"{where}[{number}].citations")
        numbers = [
            places.get(cited_id) or lost.setdefault(cited_id, listed.get(cited_id) or past + len(lost) + 1)
            for cited_id in ids
        ]
        citing_sentences.append(_citing(str(sentence["text"]), numbers))
    metadata = {key: value for key, value in report_metadata.items() if not is_missing(value)}
    metadata |= {name: value for name, value in ((RUN, run), (TOPIC, topic)) if not is_missing(value)}
    if lost:
        metadata[WITHOUT_TEXT] = list(lost)
    if weights:
        metadata["citation_weights"] = weights
    text = " ".join(citing_sentences)
    return {
        "id": topic if is_missing(run) else f"{run}:{topic}",
        "topic": question,
        "documents": documents,
        "argument": text,
        "metadata": metadata,
    }


def assignment_records(rows: Rows) -> Iterator[Row | Fault]:
    """Convert each line of AutoNuggetizer's assignments to the record of an item with the id RUN:TOPIC."""

    def item(row: Row) -> Iterator[Row | Fault]:
        record = row.record
        query = record.get("query")
        topic_fields = query if isinstance(query, Mapping) else {"qid": record.get("qid"), "text": query}
        names = {TOPIC: topic_fields.get("qid", record.get("qid")), RUN: record.get(RUN)}
        metadata = {name: value for name, value in names.items() if not is_missing(value)}
        named = {"id": ":".join(str(metadata[name]) for name in (RUN, TOPIC) if name in metadata) or None}
        fields = {
            "topic": topic_fields.get("text"),
            "argument": record.get("answer_text"),
            "nuggets": record.get("nuggets"),
        }
        yield Row(row.line, {**named, **fields, "metadata": metadata})

    return mapped(rows, item)


def _documents(value: object) -> list[Mapping[str, object]]:
    """Return the documents, which stand under their ids or in a list, each with its ``id`` if it has one. A missing
    value gives an empty list. An id inside a document takes precedence over the one that it stands under.

    Raises:
        InvalidCell: the value, or one of the documents, is no object.
    """
    entries = dict(enumerate(value)) if isinstance(value, list) else value or {}
    if not isinstance(entries, Mapping) or not all(isinstance(entry, Mapping) for entry in entries.values()):
        raise InvalidCell(f"is {kind(value)}, not objects", 'Write {"ID": {"id": …, "text": …}}', "documents")
    return [_document(name, entry) for name, entry in entries.items()]


def _document(name: object, sent: Mapping[str, object]) -> Mapping[str, object]:
    fields = {key: sent[key] for key in (*_IDS, *_PARTS) if not is_missing(sent.get(key))}
    named = next((fields[key] for key in _IDS if key in fields), name if isinstance(name, str) else None)
    return fields if named is None else {**fields, "id": named}


def _cited(value: object, references: Sequence[object], where: str) -> list[str]:
    """Return the ids that a sentence cites: of ids with weights the weightiest first, else in their order. A number is
    a position in ``references``, from 0; beyond the end it becomes the id ``references[N]``.

    Raises:
        InvalidCell: it is neither a list of ids or positions nor an object of weights.
    """
    if isinstance(value, Mapping):
        try:
            return sorted(value, key=lambda document: -float(value[document]))
        except (TypeError, ValueError, OverflowError):
            raise InvalidCell("has a weight that is not a number", "Write {ID: weight}", where) from None
    listed = [] if value is None else value
    if not isinstance(listed, list) or any(
        isinstance(reference, bool) or not isinstance(reference, int | str) for reference in listed
    ):
        raise InvalidCell(f"is {kind(value)}", "Write ids, ids with weights, or places in references", where)
    count = len(references)
    return [
        (str(references[reference]) if 0 <= reference < count else f"references[{reference}]")
        if isinstance(reference, int)
        else reference
        for reference in listed
    ]


def _citing(sentence: str, numbers: Sequence[int]) -> str:
    """The sentence with its marks before its full stop. What looks like a mark in its text is none: round brackets."""
    sentence_text = round_marks(sentence)
    marks = "".join(f"[{number}]" for number in dict.fromkeys(numbers))
    body = sentence_text.rstrip().rstrip(CLOSING).rstrip(END_MARKS)
    return f"{body} {marks}{sentence_text[len(body) :]}" if marks else sentence_text


def topic_names(item: Item, keys: Iterable[str] = TOPIC_IDS) -> Iterator[str]:
    """Yield the topic ids in an item's metadata, under any of ``keys``."""
    for key in keys:
        value = item.metadata.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool):
            yield str(value)

"""Convert records to items, with every fault of a record (:func:`read_items`)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import filterfalse
from operator import attrgetter
from typing import Any

from conqret.data.digest import digest_of
from conqret.data.item import PICTURE, Document, Item, Stance
from conqret.errors import Fault
from conqret.io.cell_values import (
    as_list,
    is_missing,
    list_in_cell,
    plain,
    structure_or_none,
)
from conqret.io.checks import a_list, absent_if_blank, identifier, json_object, text
from conqret.io.columns import ANSWERS, FIELDS, SEPARATOR, Dialect
from conqret.io.conversations import answer_in, holds_messages, read_messages, with_conversation
from conqret.io.images import DOCUMENT_TEXTS, check_images, image_url, is_image, read_images
from conqret.io.nuggets import read_nuggets
from conqret.io.rows import InvalidCell, Row, kind, listed, near, quoted
from conqret.io.schema import Check, Field, Schema, TableReader, look_up, table_schema
from conqret.text.language import language_code


def read_documents(dialect: Dialect, value: object, where: str, reader: TableReader) -> tuple[Document, ...]:
    """Parse the documents in a column's value, and return them as a tuple, in order; invalid ones are left
    out and recorded as faults of the reader.

    A text is one document, or several where it is a written list or has the dialect's separator.

    Raises:
        InvalidCell: the value is no list.
    """
    documents, places = list[Document](), dict[str, int]()
    if isinstance(value, str):
        inside = list_in_cell(value)
        value = _split(value, dialect.separator, reader) if inside is None else inside
    entries = a_list(value, "a list", 'Write a list of texts, or of objects {"id": …, "text": …}')
    for number, entry in enumerate(entries, start=1):
        document = _document(entry, f"{where}[{number}]", number, reader)
        if document is None:
            continue
        documents.append(document)
        if places.setdefault(document.id, number) != number:
            problem = f"is {quoted(document.id)}, as that of document {places[document.id]} of the same item"
            reader.fault(f"{where}[{number}].id", problem, "Give every document its own id")
    return tuple(documents)


SEPARATORS = ("|||", "||", "\n---\n", "\n###\n", " ### ")
"""What stands between several documents in one cell of many tables, and seldom inside one."""


def _split(text: str, separator: str, reader: TableReader) -> list[str]:
    """Return the documents of one cell: the parts between the separator without blank ones, or the text as
    one document.

    Without a separator, a text that looks like several documents is noted; a blank cell has none.
    """
    lines = text.replace("\r\n", "\n")
    if separator:
        parts = (lines if "\n" in separator else text).split(separator)
        return [part.strip() for part in parts if part.strip()]
    for likely in SEPARATORS:
        if likely in lines:
            typed = likely.replace("\n", r"\n").strip()
            several = f"if it stands between several, add separator={typed} to --columns"
            reader.note(f"a cell with {typed} is read as one document: {several}")
            break
    return [text] if text.strip() else []


def _document(value: object, where: str, number: int, reader: TableReader) -> Document | None:
    if isinstance(value, Document):
        value = value.model_dump(exclude_defaults=True)
    image = ""
    if is_image(value):
        image, value = _picture(value, where, reader)
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, Mapping):
        remedy = 'Write a text or an object {"id": …, "text": …}'
        reader.fault(where, f"is {kind(value)}, and a document is expected", remedy)
        return None
    values = reader.read(value, DOCUMENT, f"{where}.")
    if unused := value.keys() - reader.heads:
        unused = {str(key) for key in unused if not is_missing(value[key]) and value[key] != ""}
    if unused:
        reader.note(f"fields of documents that are not used: {listed(sorted(unused), 5)}")
    if values is None:
        return None
    if values["id"] is None:
        reader.note("documents without an id are called by their place: d1, d2, …")
        values["id"] = f"d{number}"
    return Document(**values, image=image)


def _picture(value: object, where: str, reader: TableReader) -> tuple[str, dict[str, Any]]:
    """Return the URL of a document that is an image, and its other fields: its caption becomes the title, and its text
    says that it is an image.

    Raises:
        InvalidCell: the image cannot be used.
    """
    try:
        url = image_url(value, reader.folder, reader.within)
    except InvalidCell as invalid:
        raise InvalidCell(invalid.problem, invalid.remedy, where) from None
    record: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    names = ("title", "caption", "alt")
    captions = [record[name].strip() for name in names if isinstance(record.get(name), str)]
    others = {
        name: record[name]
        for name in (*DOCUMENT.fields["id"].columns, "url")
        if name in record and not is_image(record[name])
    }
    title = ": ".join(filter(None, captions))
    return url, {**others, "text": PICTURE, **({"title": title} if title else {})}


def _content(value: object, where: str, reader: TableReader) -> str:
    content = text(value, where, reader)
    if not content.strip():
        raise InvalidCell("is an empty text", "Delete the document, or fill in its text")
    return content


def _document_language(value: object, where: str, reader: TableReader) -> str:
    """The code of what a document says of its language; nothing where that names none that is known."""
    return (isinstance(value, str) and language_code(value)) or ""


DOCUMENT = table_schema(
    id=Field(("id", "docid", "doc_id", "docno", "node.id_", "node.node_id", "document.id"), identifier),
    text=Field(
        (
            *DOCUMENT_TEXTS,
            "document.content",
            "doc.segment",
            "doc.text",
            "doc.contents",
            "node.text",
            "node.text_resource.text",
        ),
        _content,
        needed="Add its text, name its column (--columns documents=COLUMN.FIELD), or delete the document",
    ),
    title=Field(("title", "doc.title", "node.metadata.title", "node.metadata.file_name"), text, ""),
    url=Field(("url", "doc.url", "node.metadata.url"), text, ""),
    language=Field(("language",), _document_language, ""),
)
"""The columns of a document's parts: conqret, nuggetizer, LangChain, RAGChecker, PyTerrier, LlamaIndex,
Phoenix, search engines.
"""


STANCES: Mapping[str, Stance] = {
    **dict.fromkeys("pro for support supporting affirmative positive".split(), "pro"),
    **dict.fromkeys("con against oppose opposing negative".split(), "con"),
    **dict.fromkeys("none neutral".split(), "none"),
}
"""The words for a stance, in any case; another one is a fault."""
_TOPIC = "Add the question that is argued"
NAMED_BY = 30
"""The characters of its topic in the generated id of an item without one."""


def item_schema(dialect: Dialect, language: str = "") -> Schema:
    """Return the schema of an item with the columns of a dialect.

    If ``language`` is given, it is the language of all items, and the language column is ignored.
    """
    checks: dict[str, Check] = {
        "id": identifier,
        "topic": _topic,
        "stance": _stance,
        "documents": partial(read_documents, dialect),
        "argument": partial(_spoken, absent_if_blank, field="argument"),
        "second_argument": partial(_spoken, absent_if_blank),
        "reference": partial(_spoken, _reference),
        "nuggets": read_nuggets,
        "messages": read_messages,
        "images": read_images,
        "language": _language if not language else lambda value, where, reader: language,
        "metadata": json_object,
    }
    defaults: dict[str, object] = {"stance": "none", "language": "", "metadata": {}}
    defaults |= dict.fromkeys(("documents", "nuggets", "messages", "images"), ())
    fields = {}
    for name, check in checks.items():
        columns = dialect.columns.get(name, (name,))
        if name == "messages":  # which may stand in the column of the topic, where they are a list of such
            columns = tuple(filterfalse(dialect.columns["topic"].__contains__, columns))
        fields[name] = Field(columns, check, defaults.get(name), _TOPIC if name == "topic" else "")
    mapped = dict(dialect.mapped)
    mapped.pop(SEPARATOR, None)
    return Schema(fields, mapped)


def read_items(
    reader: TableReader, dialect: Dialect, records: Iterator[Row | Fault], judged: Collection[str] = ()
) -> Iterator[Item | None]:
    """Yield the items of a file, and None for each row with faults, which are recorded in the reader.

    ``judged`` are columns that a judge reads from the metadata; no note reports them.
    """
    made, slips = Counter[str](), set[str]()
    for row in reader.rows(records):
        before = reader.faults.total
        if dialect.note:
            reader.note(dialect.note)
        column = _conversation(dialect, row.record)
        values = reader.read(row.record, _conversing(reader.schema, column) if column else reader.schema)
        if values is not None and (column or values["images"] or any(map(_image, values["documents"]))):
            whole = partial(_whole, unanswered="argument" in row.record)
            values = reader.checked(whole, values, column or reader.column("images"))
        extra = _extra(
            reader, dialect, row.record, {} if values is None else values["metadata"], judged, slips
        )
        if values is None or reader.faults.total > before:
            yield None
            continue
        if values["id"] is None:
            values["id"] = _named(reader, values["topic"], values["stance"], made)
        yield reader.model(Item, {**values, "metadata": extra})


def _conversation(dialect: Dialect, record: Mapping[str, object]) -> str:
    """Return the first column of a record that holds messages; empty if none does. A column that may hold the topic
    counts only if it holds a list of messages here."""
    own = dialect.columns.get("messages", ("messages",))
    for column in own:
        value = look_up(record, column)
        if is_missing(value):
            continue
        if column not in dialect.columns["topic"] or holds_messages(value):
            return column
    return ""


def _conversing(schema: Schema, column: str) -> Schema:
    """Return the schema of a record whose messages are in ``column``; the topic is then optional, and no
    other field reads it.
    """
    fields = {
        name: replace(field, columns=tuple(other for other in field.columns if other != column))
        for name, field in schema.fields.items()
    }
    fields["messages"] = replace(schema.fields["messages"], columns=(column,))
    fields["topic"] = replace(fields["topic"], needed="")
    return replace(schema, fields=fields)


def _whole(values: dict[str, Any], where: str, reader: TableReader, *, unanswered: bool) -> dict[str, Any]:
    """The values of an item, with what its messages say; ``unanswered``: without an argument it has no answer."""
    if values["messages"]:
        values = with_conversation(values, where, reader, unanswered=unanswered)
    check_images(values)
    return values


_image = attrgetter("image")


def _named(reader: TableReader, topic: str, stance: Stance, made: Counter[str]) -> str:
    """Return an id for an item that has none, made of its topic and stance, so that it stays if rows are
    sorted or added.

    ``made`` counts the ids made so far and is updated; further items of the same topic and stance get a
    number from 2.
    """
    reader.note("items without an id are called by topic and stance")
    words = re.sub(r"[\W_]+", "-", topic.casefold()).strip("-")
    short = words if len(words) <= NAMED_BY else words[:NAMED_BY].rpartition("-")[0] or words[:NAMED_BY]
    parts = (short or "item", *([] if stance == "none" else [stance]), digest_of([topic, stance])[:6])
    name = "-".join(parts)
    made[name] += 1
    if made[name] == 1:
        return name
    reader.note("items without an id and of the same topic and stance are numbered in their order")
    return f"{name}-{made[name]}"


def _topic(value: object, where: str, reader: TableReader) -> str:
    topic = text(value, where, reader)
    if not topic.strip():
        raise InvalidCell("is empty", _TOPIC)
    _note_json(topic, "topic", where, reader)
    return topic


def _spoken(check: Check, value: object, where: str, reader: TableReader, field: str = "") -> object:
    """A text, which may stand in a message, as traces have it; ``field`` is that for which a note names its fields
    where it is JSON."""
    answer = value if isinstance(value, str) else answer_in(value, where, reader)
    text = None if answer is None else check(answer, where, reader)
    if field:
        _note_json(text or "", field, where, reader)
    return text


def _note_json(content: str, field: str, where: str, reader: TableReader) -> None:
    """Say which fields a text has that is an object in JSON, as cells of traces are."""
    inside = structure_or_none(content) if content.lstrip().startswith("{") else None
    if isinstance(inside, Mapping) and inside:
        named = listed(inside, 5)
        example = f"--columns {field}={where}.{next(iter(inside))}"
        reader.note(f"the {field} is an object in JSON ({named}): dots reach into it ({example})", where)


def _stance(value: object, where: str, reader: TableReader) -> Stance:
    written = text(value, where, reader)
    stance = STANCES.get(written.strip().lower() or "none")
    if stance is None:
        synonyms = ", ".join(word for word, stance in STANCES.items() if word != stance)
        remedy = f"Write pro, con or none (also read: {synonyms})"
        raise InvalidCell(f"is {quoted(written)}, which is not a known stance", remedy)
    if written.strip() and written != stance:
        reader.note(f"the stance {quoted(written)} is read as {stance}")
    return stance


def _language(value: object, where: str, reader: TableReader) -> str:
    written = text(value, where, reader)
    if not written.strip():
        return ""
    code = language_code(written)
    if code is None:
        raise InvalidCell(
            f"is {quoted(written)}, which is not a known language",
            "Write its ISO 639-1 code (de) or its English name, leave it empty, name its column "
            "(--columns language=COLUMN), or set it for all items (--language de)",
        )
    return code


def _reference(value: object, where: str, reader: TableReader) -> str | None:
    """Return a text, or the first of a list of texts or of objects with a ``text``; None, with a note, if it
    is blank.
    """
    inside = list_in_cell(value) if isinstance(value, str) and value.lstrip().startswith("[") else None
    listed = as_list(value if inside is None else inside)
    every = listed if isinstance(listed, list) else [value]
    if len(every) > 1:
        reader.note("of several references the first is kept", where)
    first = every[0] if every else ""
    return absent_if_blank(first.get("text") if isinstance(first, Mapping) else first, where, reader)


_OFTEN_OTHERS = frozenset({"messages", "images", "language"})
"""Fields whose names are near those of columns that many tables have for something else (``message``, ``image``)."""


def _extra(
    reader: TableReader,
    dialect: Dialect,
    record: Mapping[str, object],
    metadata: Mapping[str, Any],
    judged: Collection[str],
    slips: set[str],
) -> dict[str, Any]:
    """Return the metadata with the values of columns that hold no field of an item.

    A fault is recorded for a column whose name is nearly that of a field (once for each name: ``slips`` gets it), and
    for one that also stands in the metadata. Which columns are kept is noted, except those in ``judged``.
    """
    extra, kept = dict(metadata), []
    absent = sorted(set(FIELDS) - _OFTEN_OTHERS - set(reader.columns)) if dialect.native else []
    for key, value in record.items():
        if key in reader.heads or is_missing(value):
            continue
        if meant := near(str(key), absent):
            if key not in slips:
                slips.add(key)
                problem = f"is not a field of an item: did you mean {meant!r}"
                reader.fault(quoted(key)[1:-1], problem, "Rename it, or move it into metadata")
            continue
        if key in metadata:
            where = reader.column("metadata")
            reader.fault(str(key), f"stands both as a column and in {where}", "Delete one of them")
        extra |= reader.checked(_plain, {key: value}, str(key)) or {}
        if key not in judged:
            kept.append(key)
    if "argument" in reader.columns and "argument" not in dialect.mapped and not dialect.native:
        for key in ANSWERS.intersection(kept) - set(FIELDS):
            read = reader.columns["argument"]
            reader.note(f"{read!r} is read as the answer; if it is in {key!r}: --columns argument={key}")
    if kept:
        reader.note(f"columns kept as metadata: {listed(sorted(map(str, kept)), 8)}")
    return extra


def _plain(value: object, where: str, reader: TableReader) -> object:
    return plain(value)

"""The documents of one record, in whichever of the known shapes they come."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from conqret.data.item import Document
from conqret.io.cells import MAX_BITS, as_list, is_missing, list_in_text
from conqret.io.columns import DOCUMENT_FIELDS, Layout, look_up, near
from conqret.io.faults import kind, quoted
from conqret.io.notes import Notes
from conqret.io.texts import LONG_DOCUMENT_TOKENS, estimated_tokens, id_problem, looks_misread, text_problem

Report = Callable[[str, str, str], None]
"""Takes field, problem and remedy of a fault."""
_AS_TEXT = "Write it as a text"
_LIST = 'Write a list of texts, or of objects {"id": …, "text": …}'


@dataclass(frozen=True, slots=True)
class DocumentReader:
    """Turns a column's value into documents, with faults to ``report`` and remarks to ``notes``."""

    layout: Layout
    notes: Notes
    report: Report
    place: str

    def read(self, value: object, column: str) -> tuple[Document, ...]:
        """Return the documents that could be read; what could not is reported."""
        listed = self._list(as_list(value), column)
        documents = [self._document(one, f"{column}[{n}]", n) for n, one in enumerate(listed, start=1)]
        places: dict[str, int] = {}
        for number, document in enumerate(documents, start=1):
            if document and places.setdefault(document.id, number) != number:
                self.report(
                    f"{column}[{number}].id",
                    f"is {quoted(document.id)}, as that of document {places[document.id]} of the same item",
                    "Give every document its own id",
                )
        return tuple(document for document in documents if document)

    def _list(self, value: object, column: str) -> list[object]:
        if is_missing(value):
            return []
        if isinstance(value, list):
            return value
        if isinstance(value, str):
            if self.layout.one_document and not value.lstrip().startswith('["'):
                return [value] if value.strip() else []
            found = list_in_text(value)
            if isinstance(found, list):
                return found
            if self.layout.separator and not value.lstrip().startswith("["):
                return list(value.split(self.layout.separator))
            self.report(column, found, f"{_LIST} (in CSV as JSON)")
            return []
        self.report(column, f"is {kind(value)}, and a list is expected", _LIST)
        return []

    def _document(self, value: object, where: str, number: int) -> Document | None:
        if isinstance(value, Document):
            value = value.model_dump()
        if isinstance(value, str):
            value = {"text": value}
        if not isinstance(value, Mapping):
            self.report(
                where,
                f"is {kind(value)}, and a document is expected",
                'Write a text or an object {"id": …, "text": …}',
            )
            return None
        found: dict[str, tuple[str, object]] = {}
        for name, columns in DOCUMENT_FIELDS.items():
            pairs = (look_up(value, column) for column in columns)
            found[name] = next((pair for pair in pairs if not is_missing(pair[1])), ("", None))
        self._note_unused(value, {column for column, _ in found.values()})
        text = self._text(found["text"], where, value)
        title = self._line(found["title"][1], f"{where}.title")
        url = self._line(found["url"][1], f"{where}.url")
        own_id = self._id(found["id"][1], f"{where}.id", number)
        if text is None or own_id is None:
            return None
        return Document(id=own_id, text=text, title=title, url=url)

    def _text(self, found: tuple[str, object], where: str, record: Mapping[str, object]) -> str | None:
        column, value = found
        if not column:
            slip = next((key for key in record if near(str(key), DOCUMENT_FIELDS["text"])), None)
            hint = f"Rename {quoted(slip)} to 'text'" if slip else "Add its text, or delete the document"
            self.report(where, "has no text", hint)
            return None
        if not isinstance(value, str):
            self.report(f"{where}.{column}", f"is {kind(value)}, and a text is expected", _AS_TEXT)
            return None
        if not value.strip():
            self.report(f"{where}.{column}", "is an empty text", "Delete the document, or fill in its text")
            return None
        if problem := text_problem(value):
            self.report(f"{where}.{column}", *problem)
            return None
        if (tokens := estimated_tokens(value)) > LONG_DOCUMENT_TOKENS:
            self.notes.add(
                f"a document has more than {LONG_DOCUMENT_TOKENS:,} tokens and may be "
                "trimmed to fit the model",
                f"{where} in {self.place}, about {tokens:,} tokens",
            )
        if looks_misread(value):
            self.notes.add(
                "a text holds C1 control characters: Windows-1252 read as Latin-1, perhaps",
                f"{where} in {self.place}",
            )
        return value

    def _line(self, value: object, where: str) -> str:
        """Return a title or an address; nothing is the empty text."""
        if is_missing(value):
            return ""
        if not isinstance(value, str):
            self.report(where, f"is {kind(value)}, and a text is expected", "Write it as a text")
            return ""
        if problem := text_problem(value):
            self.report(where, *problem)
            return ""
        return value

    def _id(self, value: object, where: str, number: int) -> str | None:
        if is_missing(value):
            self.notes.add("documents without an id are called by their place: d1, d2, …", self.place)
            return f"d{number}"
        return identifier(value, where, self.report)

    def _note_unused(self, record: Mapping[str, object], used: set[str]) -> None:
        unused = [key for key, value in record.items() if key not in used and not is_missing(value)]
        if unused:
            shown = ", ".join(quoted(key, 30) for key in sorted(map(str, unused))[:5])
            self.notes.add(f"fields of documents that are not used: {shown}", self.place)


def identifier(value: object, where: str, report: Report) -> str | None:
    """Return an identifier as a text (whole numbers count as such), or report why it cannot be one."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        report(where, f"is {kind(value)}, and a text is expected", "Write it as a text")
        return None
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        report(where, "is a number of hundreds of digits", "Write a shorter id, as a text")
        return None
    text = str(value).strip(" ")
    if problem := id_problem(text):
        report(where, *problem)
        return None
    return text

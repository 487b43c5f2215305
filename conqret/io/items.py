"""From a record to an item, with every fault of the record."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from conqret.data.item import Item, Stance
from conqret.errors import Fault
from conqret.io.cells import is_missing, object_in_text, plain
from conqret.io.columns import FIELDS, Layout, look_up, near
from conqret.io.documents import DocumentReader, identifier
from conqret.io.faults import kind, quoted
from conqret.io.notes import Notes
from conqret.io.rows import Row
from conqret.io.texts import looks_misread, text_problem

STANCES: Mapping[str, Stance] = {
    "pro": "pro",
    "for": "pro",
    "support": "pro",
    "supporting": "pro",
    "con": "con",
    "against": "con",
    "oppose": "con",
    "opposing": "con",
    "none": "none",
    "neutral": "none",
}
"""The words for a stance that are read, in any case; every other one is a fault."""


_SYNONYMS = ", ".join(word for word, stance in STANCES.items() if word != stance)


def read_item(row: Row, number: int, layout: Layout, name: str, notes: Notes) -> Item | list[Fault]:
    """Build the ``number``-th item of the input ``name`` from a record, or return all of its faults."""
    record = _Record(row, number, layout, name, notes)
    item = record.item()
    return record.faults if record.faults or item is None else item


class _Record:
    """One record while it is read. Faults name the column as the file does."""

    def __init__(self, row: Row, number: int, layout: Layout, name: str, notes: Notes) -> None:
        self.row, self.number, self.layout, self.name, self.notes = row, number, layout, name, notes
        self.place = f"line {row.line}"
        self.faults: list[Fault] = []
        self.found: dict[str, tuple[str, object]] = {}
        self.used: set[str] = set()
        for field in FIELDS:
            columns = layout.columns.get(field, (field,))
            pairs = [pair for pair in (look_up(row.record, column) for column in columns) if pair[0]]
            self.found[field] = next((p for p in pairs if not is_missing(p[1])), (columns[0], None))
            self.used.add(self.found[field][0])

    def report(self, field: str, problem: str, remedy: str) -> None:
        self.faults.append(Fault(self.name, self.row.line, field, problem, remedy))

    def item(self) -> Item | None:
        column, documents = self.found["documents"]
        reader = DocumentReader(self.layout, self.notes, self.report, self.place)
        fields = {
            "id": self._id(),
            "topic": self._topic(),
            "stance": self._stance(),
            "documents": reader.read(documents, column),
            "argument": self._argument("argument"),
            "second_argument": self._argument("second_argument"),
            "metadata": self._metadata(),
        }
        if self.faults:
            return None
        try:
            return Item.model_validate(fields)
        except ValidationError as error:
            for one in error.errors(include_url=False, include_input=False):
                self.report(".".join(map(str, one["loc"])), f"cannot be used: {one['msg']}", "Mend the value")
            return None

    def _id(self) -> str | None:
        column, value = self.found["id"]
        if is_missing(value):
            self.notes.add("items without an id are called by their place: item-1, item-2, …", self.place)
            return f"item-{self.number}"
        return identifier(value, column, self.report)

    def _topic(self) -> str | None:
        column, value = self.found["topic"]
        if is_missing(value):
            slip = next((key for key in self.row.record if near(str(key), [column])), None)
            hint = f"Rename {quoted(slip)} to it" if slip else "Add the question that is argued"
            self.report(column, "is missing", hint)
            return None
        text = self._text(column, value)
        if text is not None and not text.strip():
            self.report(column, "is empty", "Add the question that is argued")
            return None
        return text

    def _stance(self) -> Stance:
        column, value = self.found["stance"]
        if is_missing(value):
            return "none"
        text = self._text(column, value)
        if text is None or not text.strip():
            return "none"
        stance = STANCES.get(text.strip().lower())
        if stance is None:
            self.report(
                column,
                f"is {quoted(text)}, which is no stance that is known",
                f"Write pro, con or none (also read: {_SYNONYMS})",
            )
            return "none"
        if text != stance:
            self.notes.add(f"the stance {quoted(text)} is read as {stance}", self.place)
        return stance

    def _argument(self, field: str) -> str | None:
        column, value = self.found[field]
        if is_missing(value):
            return None
        text = self._text(column, value)
        if text is not None and not text.strip():
            self.notes.add(f"an empty {column} counts as absent", self.place)
            return None
        return text

    def _text(self, column: str, value: object) -> str | None:
        if not isinstance(value, str):
            self.report(column, f"is {kind(value)}, and a text is expected", "Write it as one text")
            return None
        if problem := text_problem(value):
            self.report(column, *problem)
            return None
        if looks_misread(value):
            self.notes.add(
                "a text holds C1 control characters: Windows-1252 read as Latin-1, perhaps",
                f"{column} in {self.place}",
            )
        return value

    def _metadata(self) -> dict[str, object]:
        column, value = self.found["metadata"]
        if isinstance(value, str):
            value = object_in_text(value)
            if isinstance(value, str):
                self.report(column, value, 'Write an object such as {"source": "…"}')
                return {}
        if not is_missing(value) and not isinstance(value, Mapping):
            self.report(
                column,
                f"is {kind(value)}, and an object is expected",
                'Write an object such as {"source": "…"}',
            )
            return {}
        metadata = self._plain(column, value) if isinstance(value, Mapping) else {}
        kept = []
        for key, extra in self.row.record.items():
            if key in self.used or is_missing(extra) or self._is_slip(str(key)):
                continue
            if key in metadata:
                self.report(str(key), f"stands both as a column and in {column}", "Delete one of them")
            metadata.update(self._plain(str(key), {key: extra}))
            kept.append(quoted(key, 30))
        if kept:
            shown = ", ".join(sorted(kept)[:8]) + (f" and {len(kept) - 8} more" if len(kept) > 8 else "")
            self.notes.add(f"columns kept as metadata: {shown}", self.place)
        return metadata

    def _plain(self, column: str, value: Mapping[str, object]) -> dict[str, object]:
        try:
            simple = plain(value)
        except TypeError as error:
            self.report(column, str(error), "Leave it out, or write it as a text")
            return {}
        if problem := _deep_problem(simple):
            self.report(column, *problem)
        return simple if isinstance(simple, dict) else {}

    def _is_slip(self, key: str) -> bool:
        """Report a column of the native layout that is a slip of a field which the record lacks (once in a file)."""
        if not self.layout.native:
            return False
        absent = [field for field in FIELDS if is_missing(self.found[field][1])]
        meant = near(key, absent)
        if meant and self.notes.once(key):
            self.report(
                quoted(key)[1:-1],
                f"is no field of an item: did you mean {meant!r}",
                "Rename it, or move it into metadata",
            )
        return meant is not None


def _deep_problem(value: object) -> tuple[str, str] | None:
    """Return what is wrong with the first text inside a metadata value that may not enter."""
    if isinstance(value, str):
        return text_problem(value)
    inner: list[object] = []
    if isinstance(value, Mapping):
        inner = [*value.keys(), *value.values()]
    elif isinstance(value, list):
        inner = value
    return next((problem for one in inner if (problem := _deep_problem(one))), None)

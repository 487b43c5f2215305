"""The reader of tables: a row is a dataclass, whose fields say which columns hold them and how they are checked.

What is read is declared::

    @dataclass(frozen=True, slots=True)
    class Grade:
        item: Annotated[Identifier, in_columns("item", "id", needed="Say which item the grade is for")]
        grade: Annotated[Number, in_columns("grade", "relevance", needed="Add the grade")]
        remark: Text = ""

    grades = read_table(path, Grade, wanted="grades")  # raises, with all faults of the file

A check takes a value, its place inside the row as messages show it, and the reader. It returns what is kept, and
raises :class:`~conqret.io.rows.InvalidCell` or tells the reader's :meth:`TableReader.fault` what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from pydantic import BaseModel, ValidationError

from conqret.errors import DeclarationError, Fault, FaultsError, ItemsError, check_known
from conqret.io.cell_values import as_list, is_missing, structure_or_none
from conqret.io.files import file_rows
from conqret.io.jsonl import jsonl_rows
from conqret.io.rows import FaultList, InvalidCell, Row, Rows, listed, near, quoted
from conqret.options import fault_text

MAX_NOTES = 100
"""The most different notes, so that a hostile file cannot pile them up."""


Check = Callable[[Any, str, "TableReader"], Any]
Model = TypeVar("Model", bound=BaseModel)
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a schema.

    Attributes:
        columns: the columns that may hold the field; the first with a value is used. A dotted name
            reaches into objects (also JSON in a text) and into each element of a list, or the one at a
            number (from 0). Names joined by + give one list.
        check: a function that validates and converts the value.
        default: the value if no column has one.
        needed: the remedy in the fault for a missing value; empty if the field is optional.
    """

    columns: tuple[str, ...]
    check: Check
    default: object = None
    needed: str = ""


@dataclass(frozen=True, slots=True)
class Schema:
    """A table's fields by name; ``mapped`` holds the columns that the user named, by field."""

    fields: Mapping[str, Field]
    mapped: Mapping[str, str] = field(default_factory=dict)

    def with_columns(self, mapping: Mapping[str, str], table: str, others: Iterable[str] = ()) -> Schema:
        """Return the schema with the user's ``mapping`` from fields to columns applied.

        ``table`` names the table in messages; ``others`` are valid fields of other schemas, which are
        ignored here.

        Raises:
            UnknownNameError: the mapping has an unknown field.
        """
        known = {*self.fields, *others}
        check_known(f"field of {table}", known, *mapping)
        own_mapping = {name: column for name, column in mapping.items() if name in self.fields}
        named = {name: replace(self.fields[name], columns=(column,)) for name, column in own_mapping.items()}
        return replace(self, fields={**self.fields, **named}, mapped=own_mapping)

    def among(self, columns: Iterable[str]) -> Schema:
        """Return the schema with only the fields that occur in ``columns``, matched in any case and with spaces. A
        field keeps just the column that it was found in; a column serves one field only, the first in order. Fields
        that the user mapped always stay."""
        free = [column for column in columns if column not in self.mapped.values()]
        fields = {}
        for name, declared_field in self.fields.items():
            alike = [
                column for known in declared_field.columns for column in free if loose_name(column) == known
            ]
            if name in self.mapped:
                fields[name] = declared_field
            elif alike:
                fields[name] = replace(declared_field, columns=(alike[0],))
                free.remove(alike[0])
        return replace(self, fields=fields)


def table_schema(**fields: Field) -> Schema:
    """Build a schema from fields given as keyword arguments."""
    return Schema(fields)


NO_FIELDS = Schema({})


def in_columns(*names: str, needed: str = "") -> tuple[tuple[str, ...], str]:
    """Return the columns of a field and its remedy, for its ``Annotated`` type; see :class:`Field`."""
    return names, needed


_SCHEMAS: dict[type[Any], Schema] = {}


def schema_of(row: type[Any]) -> Schema:
    """Return the schema that a dataclass declares in the ``Annotated`` types of its fields.

    A field without a check is not read; a field without columns is read from the column of its own name.
    """
    if row in _SCHEMAS:
        return _SCHEMAS[row]
    hints, declared = get_type_hints(row, include_extras=True), dict[str, Field]()
    for row_field in fields(row):
        notes = getattr(hints[row_field.name], "__metadata__", ())
        check = next((note for note in notes if callable(note)), None)
        names, needed = next((note for note in notes if isinstance(note, tuple)), ((), ""))
        if check is not None:
            default = None if row_field.default is MISSING else row_field.default
            declared[row_field.name] = Field(names or (row_field.name,), check, default, needed)
    return _SCHEMAS.setdefault(row, Schema(declared))


@dataclass(slots=True)
class TableReader:
    """Reads a table row by row. Iteration yields the values of each valid row, by field.

    Attributes:
        table: the rows to read.
        schema: the fields of each row.
        faults: the faults found so far.
        within: the folder that files named in rows must lie in; None if rows may not name files.
        line, number: the line of the current row, and the number of rows read, including invalid ones.
        file: the name of the file that holds the current row.
        columns: for each field, the column in which the current row has it.
        heads: the top-level columns behind names with dots and +.
    """

    table: Rows
    schema: Schema = NO_FIELDS
    faults: FaultList = field(default_factory=FaultList)
    within: Path | None = None
    line: int = field(default=0, init=False)
    number: int = field(default=0, init=False)
    file: str = field(default="", init=False)
    columns: dict[str, str] = field(default_factory=dict, init=False)
    heads: set[str] = field(default_factory=set, init=False)
    _notes: dict[str, tuple[int, str]] = field(default_factory=dict, init=False)
    _met: dict[tuple[str, str], bool] = field(default_factory=dict, init=False)
    _lines: dict[str, tuple[str, int]] = field(default_factory=dict, init=False)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for row in self.rows():
            values = self.read(row.record, self.schema)
            if values is not None:
                yield values

    def read_as(
        self,
        row_type: type[Value],
        unique: str = "",
        prefix: str = "",
        records: Iterable[Row | Fault] | None = None,
    ) -> Iterator[Value]:
        """Yield the valid rows as objects of ``row_type``; see :func:`schema_of`.

        If ``unique`` is given, ids must be unique, and it is the remedy for a repeated one. A missing id
        is then ``prefix`` and the row's number.
        """
        if not self.schema.fields:
            self.schema = schema_of(row_type)
        for row in self.rows(records):
            values = self.read(row.record, self.schema)
            if values is None:
                continue
            if unique:
                values["id"] = values["id"] or f"{prefix}{self.number}"
                self.once("id", values["id"], unique)
            yield row_type(**values)

    def rows(self, records: Iterable[Row | Fault] | None = None) -> Iterator[Row]:
        """Yield the readable rows, and record unreadable ones as faults."""
        for row in self.table if records is None else records:
            self.number += 1
            if isinstance(row, Fault):
                self.faults.add(row)
            else:
                self.line, self.file = row.line, row.file or self.table.name
                yield row

    def read(self, record: Mapping[str, object], schema: Schema, inside: str = "") -> dict[str, Any] | None:
        """Return the checked values of a record by field, or None if it has faults.

        Faults are recorded in ``faults``; ``columns`` and ``heads`` are set. ``inside`` is a prefix of column
        names in messages.
        """
        before, columns, values = self.faults.total, dict[str, str](), dict[str, Any]()
        for name, mapped in schema.mapped.items():
            for column in _parts(record, mapped):
                there = bool(_head(record, column))
                self._met[name, column] = self._met.get((name, column), False) or there
        for name, declared_field in schema.fields.items():
            column, value = "", None
            for column in declared_field.columns:
                value = record[column] if column in record else look_up(record, column)
                if type(value) is str or not is_missing(value):
                    break
            else:
                values[name] = declared_field.default
                if declared_field.needed:
                    self._missing(record, declared_field, inside)
                continue
            if value == "" == declared_field.default:  # as it is written where there is nothing
                values[name] = ""
                continue
            columns[name] = column
            try:
                values[name] = declared_field.check(value, inside + column, self)
            except InvalidCell as invalid:
                self._add_invalid(invalid, inside + column)
                values[name] = None
        self.columns = columns
        self.heads = set(columns.values())
        if not self.heads <= record.keys():
            self.heads = {_head(record, part) for column in self.heads for part in _parts(record, column)}
        return values if self.faults.total == before else None

    def _missing(self, record: Mapping[str, object], declared: Field, inside: str) -> None:
        slip = next((key for key in record if near(str(key), declared.columns)), None)
        wanted = declared.columns[0]
        remedy = declared.needed if slip is None else f"Rename {quoted(slip)} to {wanted!r}"
        self.fault(inside + wanted, "is missing", remedy)

    def checked(self, check: Check, value: object, where: str) -> Any:
        """Return the result of ``check`` on a value; record a fault and return None if it is invalid."""
        try:
            return check(value, where, self)
        except InvalidCell as invalid:
            self._add_invalid(invalid, where)
            return None

    def _add_invalid(self, invalid: InvalidCell, where: str) -> None:
        self.fault(invalid.where or where, invalid.problem, invalid.remedy)

    def model(self, model: type[Model], values: Mapping[str, object]) -> Model | None:
        """Return the pydantic model of these values; record faults and return None if they are invalid."""
        try:
            return model.model_validate(values)
        except ValidationError as error:
            for problem in error.errors(include_url=False, include_input=False):
                place = ".".join(map(str, problem["loc"])) or "the object"
                self.fault(place, f"cannot be used: {fault_text(problem)}", "Correct it, or remove the line")
            return None

    @property
    def folder(self) -> Path | None:
        """The folder for relative paths in the current row; None if rows may not name files."""
        return None if self.within is None else Path(self.file).parent

    def column(self, name: str) -> str:
        """Return the column in which the current row has a field, or the first one that could hold it."""
        return self.columns.get(name, next(iter(self.schema.fields[name].columns), name))

    def once(self, name: str, value: str, remedy: str) -> None:
        """Record a fault of the field ``name`` if an earlier row has the same value."""
        file, line = self._lines.setdefault(value, (self.file, self.line))
        if (file, line) != (self.file, self.line):
            where = f"line {line}" if file == self.file else f"line {line} of {file}"
            self.fault(self.column(name), f"is {quoted(value)}, as in {where}", remedy)

    def fault(self, where: str, problem: str, remedy: str) -> None:
        """Record a fault in the current row: the field (``where``), the problem, and the remedy."""
        self.faults.add(Fault(self.file or self.table.name, self.line, where, problem, remedy))

    def note(self, text: str, where: str = "") -> None:
        """Record a remark such as "ids were made" with its position."""
        count, first = self._notes.get(text, (0, ""))
        place = f"{where} in line {self.line}" if where else f"line {self.line}"
        if count or len(self._notes) < MAX_NOTES:
            self._notes[text] = count + 1, first or place

    def notes(self) -> tuple[str, ...]:
        """Return each remark once in order of first occurrence, with its count and first position."""
        lines = []
        for text, (count, place) in self._notes.items():
            lines.append(f"{text} ({place})" if count == 1 else f"{text} ({count} times, first: {place})")
        return tuple(lines)

    def finish(self, error: type[FaultsError] = ItemsError, wanted: str = "") -> None:
        """Raise all faults together, also those of columns that the user named and no row has.

        Raises:
            FaultsError: of the class ``error``, if there are faults.
            DeclarationError: ``wanted`` names what rows hold, and the table has no rows.
        """
        head = self.table.columns
        remedy = "Correct the mapping" if head is None else f"Its columns are: {listed(head, 30)}"
        problem = "is not a column of this input, although --columns names it for"
        unmet = list[Fault]()
        for (name, column), met in self._met.items():
            if not met:
                unmet.append(Fault(self.table.name, 0, column, f"{problem} {name}", remedy))
        self.faults.kept[:0] = unmet
        self.faults.total += len(unmet)
        self.faults.raise_any(error)
        if wanted and not self.number:
            raise DeclarationError(f"{self.table.name} contains no {wanted}")


def read_table(
    source: str | Path | Rows,
    row_type: type[Value],
    unique: str = "",
    prefix: str = "",
    error: type[FaultsError] = ItemsError,
    wanted: str = "",
) -> tuple[Value, ...]:
    """Read all rows of a table as objects of ``row_type``.

    It raises ``error`` with all faults; see :meth:`TableReader.read_as` and :meth:`TableReader.finish` for
    the arguments.
    """
    reader = TableReader(file_rows(source) if isinstance(source, str | Path) else source)
    rows = tuple(reader.read_as(row_type, unique, prefix))
    reader.finish(error, wanted)
    return rows


def read_models(path: Path, model: type[Model]) -> Iterator[Model]:
    """Yield the lines of a JSON Lines file, each as a pydantic model.

    Raises:
        FaultsError: at the first line that cannot be read, or that the model refuses.
    """
    reader = TableReader(jsonl_rows(path))
    for row in reader.rows():
        parsed = reader.model(model, row.record)
        reader.faults.raise_any(FaultsError)
        if parsed is not None:
            yield parsed
    reader.faults.raise_any(FaultsError)


def look_up(record: Mapping[str, object], column: str) -> object:
    """Return the value of a column in a record, or None; dots and + in its name are resolved as in
    :class:`Field`."""
    if column in record:
        return record[column]
    if "+" not in column:
        steps = column.split(".")
        return _within(record, steps) if len(steps) > 1 else None
    values = [as_list(look_up(record, part)) for part in _parts(record, column)]
    return [
        part
        for value in values
        for part in (value if isinstance(value, list) else [value])
        if not is_missing(part) and part != ""
    ] or None


def how_far(record: Mapping[str, object], column: str) -> str:
    """Describe the deepest existing level of a dotted column name and its fields.

    The text is empty if the name resolves completely, or not at all.
    """
    steps = column.split(".")[:-1]
    for number in range(len(steps), 0, -1):
        value = _within(record, steps[:number])
        if isinstance(value, str):
            value = structure_or_none(value)
        listed_here = as_list(value)
        first = listed_here[0] if isinstance(listed_here, list) and listed_here else value
        if isinstance(first, Mapping):
            each = "" if first is value else "each of "
            return f"{each}{quoted('.'.join(steps[:number]))} holds {listed(first, 8)}"
    return ""


def _within(value: object, steps: Sequence[str]) -> object:
    """Return what stands at ``steps`` in a nested value, also in objects that a text holds as JSON; None if nothing
    does.

    In a list, a number from 0 picks an element; any other step is looked up in each element, and the results are joined
    to one list. A name in an object may itself contain dots: the longest match counts.
    """
    if not steps or value is None:
        return value
    if isinstance(value, str):
        value = structure_or_none(value)
    if isinstance(value, Mapping):
        for end in range(len(steps), 0, -1):
            if (name := ".".join(steps[:end])) in value:
                return _within(value[name], steps[end:])
        return None
    elements = as_list(value)
    if not isinstance(elements, list):
        return None
    if steps[0].isdecimal():
        place = int(steps[0])
        return _within(elements[place], steps[1:]) if place < len(elements) else None
    contents = [_within(element, steps) for element in elements]
    listed_all = [
        part for content in contents for part in (content if isinstance(content, list) else [content])
    ]
    return listed_all if any(part is not None for part in listed_all) else None


def _parts(record: Mapping[str, object], column: str) -> list[str]:
    """The columns of which a name with + is made; a column may itself be called so."""
    return [column] if column in record else [part.strip() for part in column.split("+")]


def _head(record: Mapping[str, object], column: str) -> str:
    """The column in which a name with dots begins; empty where there is none."""
    steps = column.split(".")
    names = (".".join(steps[:end]) for end in range(len(steps), 0, -1))
    return next((name for name in names if name in record), "")


def loose_name(column: str) -> str:
    """Return a column name in snake case: ``Retrieved Contexts`` and ``retrievedContexts`` are
    ``retrieved_contexts``."""
    return re.sub(r"[\s-]+|(?<=[a-z])(?=[A-Z])", "_", column.strip()).casefold()

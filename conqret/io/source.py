"""Open anything that holds items (:func:`open_items`) as a source that can be checked and iterated."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count, groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from conqret.data.digest import gathered
from conqret.data.item import Item
from conqret.errors import DeclarationError, Fault, ItemsError, check_known, number
from conqret.io.benchmarks import beir_rows
from conqret.io.cell_values import canonical
from conqret.io.columns import (
    CONQRET,
    DIALECTS,
    FIELDS,
    PLUGGED,
    SEPARATOR,
    Dialect,
    nearly,
    recognise,
    with_columns,
)
from conqret.io.conversations import holds_messages
from conqret.io.files import file_rows, several_files
from conqret.io.items import item_schema, read_items
from conqret.io.jsonl import compact
from conqret.io.reports import WITHOUT_TEXT, Requests, read_requests, report_records
from conqret.io.rows import (
    FaultList,
    FrameKind,
    Row,
    Rows,
    columns_of,
    frame_kind,
    frame_rows,
    item_record,
    kind,
    listed,
    near,
    object_rows,
    only_split,
)
from conqret.io.schema import TableReader, how_far, look_up
from conqret.text.language import item_language, language_code

if TYPE_CHECKING:
    from conqret.io.nugget_banks import NuggetBanks, NuggetSource

Share = Literal["all", "some", "none"]
KEPT = 32 << 20
"""The most bytes of items, as JSON lines, that are kept in memory when they are checked, so that a run
need not read them again.
"""
OF_NUGGETS = ("nuggets.importance", "nuggets.sub_narrative", "nuggets.assignment")
MANY_CELLS = 10
"""Cells of documents from which on one of them must have the separator that the user named."""
OPTIONAL = ("stance", "documents", "argument", "second_argument", "reference", "nuggets", *OF_NUGGETS)
"""Fields that an item may lack, and a format may need; after a dot, what its nuggets may lack."""


@dataclass(frozen=True, slots=True)
class CheckedItems:
    """A summary of the items in a source after all were checked.

    Attributes:
        count: the number of items.
        digest: a SHA-256 of the normalized items, equal for every file format.
        layout: the name of the layout that the file was read as.
        has: for each optional field "all", "some" or "none" of the items (for stance, one other than
            none).
        documents: the total number of documents.
        notes: remarks for the user: generated ids, columns kept as metadata.
        lines: the items as JSON lines without line ends; None if they are too many to store.
        turns: true if any item has earlier turns or images.
        languages: the detected languages as ISO 639-1 codes, most frequent first.
        left_out, reasons: the number of items left out because of faults, and a line for each kind of
            fault.
    """

    count: int
    digest: str
    layout: str
    has: Mapping[str, Share]
    documents: int
    notes: tuple[str, ...]
    left_out: int = 0
    reasons: tuple[str, ...] = ()
    lines: list[bytes] | None = field(default=None, repr=False, compare=False)
    turns: bool = False
    languages: tuple[str, ...] = ()

    @property
    def warning(self) -> str:
        """A sentence on how many items are left out because of faults; empty if none are."""
        if not self.left_out:
            return ""
        had = "it has" if self.left_out == 1 else "they have"
        total = number(self.count + self.left_out, "item")
        return f"{self.left_out:,} of {total} left out, because {had} faults"

    def items(self, source: Iterable[Item]) -> Iterator[Item]:
        """Iterate over the checked items; if they were too many to store, they are read again from
        ``source``."""
        return iter(source) if self.lines is None else map(Item.model_validate_json, self.lines)


REMEDY = "--skip-invalid (skip_invalid=True in Python) leaves such items out and continues with the others."


@dataclass(frozen=True, slots=True)
class ItemSource:
    """Items that can be read repeatedly, one at a time.

    Attributes:
        rows: the source of the records.
        layout: the meaning of their columns; show ``layout.name`` as "read as …".
        frame_kind: "polars", "pandas" or "pyarrow" if the input was a frame, else None.
        skip_invalid: if true, items with faults, or without one of ``needs`` (see :meth:`check`), are
            left out instead of raising an error. None: the caller does not offer this option.
        banks: nugget banks for items without nuggets of their own.
        judged: columns that a judge reads from the metadata; no note reports them as metadata.
        language: the language of all items, which overrides what they state.
    """

    rows: Rows
    layout: Dialect
    frame_kind: FrameKind | None = None
    skip_invalid: bool | None = None
    needs: Mapping[str, str] = field(default_factory=dict)
    banks: NuggetBanks | None = None
    judged: Collection[str] = ()
    language: str = ""

    @property
    def name(self) -> str:
        """The name of the input in messages: its path as given, or "polars frame"."""
        return self.rows.name

    def column(self, name: str) -> str:
        """Return the user's column that holds the item field ``name``; without one, the first that could."""
        columns, there = self.layout.columns.get(name, (name,)), columns_of(self.rows)
        return next((column for column in columns if re.split(r"[.+]", column)[0] in there), columns[0])

    def check(self, needs: Mapping[str, str] | None = None) -> CheckedItems:
        """Read and check all items, and return a summary.

        Args:
            needs: for "documents", "argument", "second_argument" or "stance" the sentence that says who
                needs it ("format rag-direct compares two arguments"); each item without it is a fault. By default
                those of the source.

        Raises:
            ItemsError: it lists every fault, with file, line, field, problem and remedy.
        """
        reader, items = self._read()
        counts, languages, sha = Counter[str](), Counter[str](), hashlib.sha256()
        lines: list[bytes] | None = []
        count = documents = size = 0
        turns = False
        for item in sound_items(items, reader, self.needs if needs is None else needs):
            if item is None:
                continue
            count += 1
            documents += len(item.documents)
            turns = turns or item.has_turns
            languages[item_language(item)] += 1
            for name in OPTIONAL:
                counts[name] += has_field(item, name)
            record = item_record(item)
            sha.update(canonical(record) + b"\n")
            if lines is not None:
                lines.append(compact(record))
                size += len(lines[-1])
                lines = lines if size <= KEPT else None
        if not reader.number:
            reader.fault("", "contains no item", "Give at least one item")
        left_out, reasons = 0, tuple[str, ...]()
        if self.skip_invalid and count:  # those faults no longer count
            left_out, reasons, faults = reader.number - count, tuple(reader.faults.lines()), reader.faults
            reader.faults = FaultList()
            for fault in faults.kept:
                if not fault.line:
                    reader.faults.add(fault)
        notes = reader.notes() + self._unseparated(reader, counts["documents"], documents)
        try:
            reader.finish()
        except ItemsError as error:
            skippable = self.skip_invalid is False and not self.layout.long
            if skippable and all(fault.line for fault in error.faults):
                error.add_note(REMEDY)
            raise
        has = dict[str, Share]()
        for name in OPTIONAL:
            has[name] = "none" if not counts[name] else "all" if counts[name] == count else "some"
        return CheckedItems(
            count,
            sha.hexdigest(),
            self.layout.name,
            has,
            documents,
            notes,
            left_out,
            reasons,
            lines,
            turns,
            tuple(filter(None, map(itemgetter(0), languages.most_common()))),
        )

    def _unseparated(self, reader: TableReader, cells: int, documents: int) -> tuple[str, ...]:
        """Return a note if none of the cells has the separator that the user named; with many cells also
        record a fault.

        ``cells`` counts the items with documents, ``documents`` all documents; they are equal where no cell
        was split.
        """
        mapped = self.layout.mapped
        if SEPARATOR not in mapped or not 0 < cells == documents:
            return ()
        problem = f"separator {mapped[SEPARATOR]!r} occurs in no row"
        if cells >= MANY_CELLS:
            remedy = "Correct it, or leave it out if each cell holds one document"
            column = mapped.get("documents", "documents")
            reader.faults.add(Fault(self.rows.name, 0, column, problem, remedy))
        return (f"{problem}: each cell is one document",)

    def __iter__(self) -> Iterator[Item]:
        """Yield the items.

        Raises:
            ItemsError: at the first item that has faults; :meth:`check` finds all of them beforehand.
        """
        for _, _, item in self.located():
            yield item

    def located(self) -> Iterator[tuple[str, int, Item]]:
        """Yield each item with its file and line.

        Raises:
            ItemsError: as iterating over the source itself.
        """
        reader, items = self._read()
        for item in sound_items(items, reader, self.needs) if self.skip_invalid else items:
            if not self.skip_invalid:
                reader.faults.raise_any()
            if item is not None:
                yield reader.file, reader.line, item
        if not self.skip_invalid:
            reader.faults.raise_any()

    def places(self) -> list[int | str | None]:
        """Return for each table row the index of its item, or a text that says why it is left out.

        In long tables several rows belong to one item.
        """
        if self.skip_invalid:
            return list(self._places())
        if not self.layout.long:
            return [number for number, _ in enumerate(self.rows)]
        groups = groupby(None if isinstance(row, Fault) else str(row.record["qid"]) for row in self.rows)
        return [number for number, (_, group) in enumerate(groups) for _ in group]

    def _places(self) -> Iterator[int | str]:
        (reader, items), numbers = self._read(), count()
        for item in sound_items(items, reader, self.needs):
            of_lines = gathered(((fault.file, fault.line), fault) for fault in reader.faults.kept)
            reader.faults = FaultList()
            faults = of_lines.pop((reader.file, reader.line), [])
            yield from map(_why, of_lines.values())  # lines that could not be read at all
            yield next(numbers) if item is not None else _why(faults)
        yield from (_why([fault]) for fault in reader.faults.kept)

    def _read(self) -> tuple[TableReader, Iterator[Item | None]]:
        """Return a new reader, and an iterator over the items that it reads, with None for each that has
        faults.
        """
        reader = TableReader(self.rows, item_schema(self.layout, self.language), within=self.rows.folder)
        items = read_items(reader, self.layout, self.layout.records(self.rows), self.judged)
        if self.language:
            items = (item and item.model_copy(update={"language": self.language}) for item in items)
        if self.banks is not None:
            items = self.banks.complete(items, reader)
        return reader, items


def open_items(
    source: str | Path | Iterable[Item | Mapping[str, object]] | Any,
    *,
    columns: Mapping[str, str] | None = None,
    topics: Requests | None = None,
    nuggets: NuggetSource | None = None,
    skip_invalid: bool | None = None,
    language: str | None = None,
) -> ItemSource:
    """Open items from a file, a folder of files, a frame, or memory, and return them as an ItemSource.

    Only the columns are looked at; the items are read and checked by :meth:`ItemSource.check` or by
    iterating.

    Args:
        source: a path, a polars or pandas frame, a pyarrow table, or an iterable of items and
            dictionaries. A path may be JSON Lines (also gzipped), a small JSON list, CSV, Parquet, a
            folder of such files of one kind, or an address that fsspec supports (s3://bucket/items). A
            one-time iterator is stored as a list.
        columns: a mapping from fields of an item to columns, which overrides the detected one:
            ``{"topic": "question", "documents": "ctx"}``. ``separator`` names what stands between documents in
            one text: ``{"documents": "ctx", "separator": "||"}``.
        topics: the requests of TREC RAG reports, as a file or as its records.
        nuggets: nugget banks, as a file or as its records; each item gets those of its topic.
        skip_invalid: True leaves out items with faults; False mentions in the error that this is
            possible.
        language: the language of all items, as a code or an English name, which overrides what they
            state.

    Raises:
        ItemsError: the file cannot be read at all, or its columns fit no layout.
        DeclarationError: ``source`` holds no items, ``columns`` or ``language`` is unknown, or
            ``topics`` are given for items that have their own. Also if items are to be left out of a long
            table, whose rows belong together.
    """
    source = only_split(source)
    kind = frame_kind(source)
    rows = frame_rows(source, kind) if kind else _rows(source)
    layout = _layout(rows, columns or {})
    if topics is not None:
        if layout.records is not report_records:
            raise DeclarationError(
                f"--topics is for TREC RAG reports, and {rows.name} is read as {layout.name}: leave --topics out"
            )
        layout = replace(layout, records=partial(report_records, request=read_requests(topics).get))
    if layout.long and rows.files > 1:
        raise DeclarationError(
            f"{rows.name} contains several long tables ({layout.name}): write them into one file"
        )
    if skip_invalid and layout.long:
        raise DeclarationError(
            f"{rows.name} is a long table ({layout.name}), of which no row can be left out: correct it"
        )
    banks = None
    if nuggets is not None:
        from conqret.io.nugget_banks import read_banks

        banks = read_banks(nuggets)
    code = language_code(language) if language else ""
    if code is None:
        raise DeclarationError(f"--language {language!r} is no known language: write its ISO 639-1 code (de)")
    return ItemSource(rows, layout, kind, skip_invalid, banks=banks, language=code)


def _why(faults: Iterable[Fault]) -> str:
    """Return the faults of a row as one text: place and problem of each, joined by semicolons."""
    return "; ".join(
        f"{fault.file}:{fault.line}{f' [{fault.field}]' if fault.field else ''} {fault.problem}"
        for fault in faults
    )


def _rows(source: object) -> Rows:
    if isinstance(source, str | Path):
        folder = Path(source)
        try:
            laid_out_as_beir = (folder / "corpus.jsonl").is_file() and (folder / "queries.jsonl").is_file()
        except OSError:  # no path at all, or none that may be looked at
            laid_out_as_beir = False
        if laid_out_as_beir:
            return beir_rows(folder)
        return several_files(source) or file_rows(source)
    if isinstance(source, Item | Mapping):
        raise DeclarationError("a list of items is expected, but one item was given: put it into a list")
    if isinstance(source, Iterator):
        return object_rows(list(source))
    if isinstance(source, Iterable):
        return object_rows(source)
    raise DeclarationError(f"items must be a path, a frame or a list, not {kind(source)}")


def _layout(rows: Rows, mapping: Mapping[str, str]) -> Dialect:
    """Return the layout of the rows, recognized by the columns (or by the fields of the first records), with the user's
    ``mapping`` applied.

    Raises:
        UnknownNameError: the mapping names a field that no item has.
        ItemsError: no layout fits, and no column is near ``topic``.
    """
    check_known("field of an item", (*FIELDS, SEPARATOR), *mapping)
    names = columns_of(rows)
    layout = recognise(names)
    if layout is not None and layout.turns:
        first = next((row.record for row in rows if isinstance(row, Row)), {})
        if not any(holds_messages(look_up(first, column)) for column in layout.columns["messages"]):
            layout = None
    fits = layout or "topic" in mapping or any(near(str(name), ["topic"]) for name in names)
    if names and not fits:
        known = ", ".join(dialect.name for dialect in (*DIALECTS, *PLUGGED.values()))
        alike = [f"{name} (it lacks {column})" for name, column in nearly(names).items()]
        fits_none = f", and are nearly those of {', or '.join(alike)}" if alike else f" ({known})"
        problem = f"its columns ({listed(names, 20)}) fit no known layout{fits_none}"
        remedy = (
            "Name the columns, as far as there are any: --columns topic=YOUR_QUESTION,documents=YOUR_CONTEXTS,"
            "argument=YOUR_ANSWER,reference=YOUR_REFERENCE_ANSWER,id=YOUR_ID; second_argument is an answer to compare "
            "with, and separator=TEXT stands between several documents in one cell (from Python columns={'topic': …}; "
            "pytest: --conqret-columns); dots reach into objects: topic=inputs.question"
        )
        raise ItemsError([Fault(rows.name, 0, "", problem, remedy)])
    layout = layout or CONQRET
    return with_columns(layout, mapping) if mapping else layout


def has_field(item: Item, field: str) -> bool:
    """Return True if an item has a value in an optional field; for stance, one other than "none".

    A dotted field such as ``nuggets.importance`` requires at least one nugget where it is set.
    """
    name, _, inside = field.partition(".")
    value = getattr(item, name)
    if inside:
        return any(map(attrgetter(inside), value))
    return value != "none" if field == "stance" else bool(value)


def sound_items(
    items: Iterable[Item | None], reader: TableReader, needs: Mapping[str, str]
) -> Iterator[Item | None]:
    """Yield the valid items, and None for each that has faults, repeats an id or lacks a needed field.

    Args:
        items: the items, None for each that has faults already.
        reader: the reader of the items, which collects the faults.
        needs: a mapping from each needed field to the sentence that says what needs it.
    """
    for item in items:
        if item is None:
            yield None
            continue
        before = reader.faults.total
        reader.once("id", item.id, "Give each item its own id")
        for name, reason in needs.items():
            if not has_field(item, name):
                mapped = reader.schema.mapped.get(name, "")
                if name == "documents" and WITHOUT_TEXT in item.metadata:
                    named = ' with the texts that the report cites by ids alone: {"ID": {"text": …}}'
                elif leads := how_far(item.metadata, mapped):
                    named = f", correct --columns {name}={mapped} ({leads})"
                elif item.metadata and not mapped:
                    named = f", name its column (--columns {name}=…; unused are {listed(item.metadata, 8)})"
                else:
                    named = ""
                other = (
                    ", or choose another format (conqret info formats)"
                    if reason.startswith("format ")
                    else ""
                )
                remedy = f"Add it{named}{other}"
                reader.fault(
                    reader.column(name.partition(".")[0]), f"is missing or empty, and {reason}", remedy
                )
        yield item if reader.faults.total == before else None

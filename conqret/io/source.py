"""``open_items``: anything that holds items, as one thing that can be checked and iterated."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count, groupby
from pathlib import Path, PurePosixPath
from typing import Any

from conqret._optional import require
from conqret.data.digest import gathered
from conqret.data.item import Item
from conqret.errors import ConqretError, DeclarationError, Fault, ItemsError, check_known
from conqret.io.benchmarks import beir_rows
from conqret.io.columns import CONQRET, DIALECTS, FIELDS, PLUGGED, Dialect, nearly, recognise, with_columns
from conqret.io.conversations import holds_messages
from conqret.io.files import ACCEPTED, file_rows
from conqret.io.item_check import CheckedItems, check_items, sound_items
from conqret.io.items import item_schema, read_items
from conqret.io.nuggets import NuggetBanks, NuggetSource, read_banks, with_nuggets
from conqret.io.reports import Requests, read_requests, report_records
from conqret.io.rows import (
    FaultList,
    FileRows,
    FrameKind,
    FrameRows,
    ObjectRows,
    Row,
    Rows,
    columns_of,
    frame_kind,
    is_beir,
    kind,
    listed,
    near,
    only_split,
)
from conqret.io.schema import TableReader, look_up
from conqret.text.language import language_code

ENDINGS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".pq", ".eval")
"""Of the files in a folder that are read; also behind them .gz."""

_ADDRESS = re.compile(r"\A([A-Za-z][A-Za-z0-9+.-]++):/++(?=[^/])")
"""A path loses one of an address's slashes; the letter of a drive is no address."""


OF_A_RUN = ("run.json", "items.jsonl")
"""The files by which the folder of a run of items is known."""


@dataclass(frozen=True, slots=True)
class FolderRows:
    """The records of several files, one file after the other; ``kept`` is what holds those that were fetched."""

    name: str
    files: tuple[Rows, ...]
    kept: object = field(default=None, repr=False, compare=False)

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The columns of the files, where all have the same."""
        first, *others = (rows.columns for rows in self.files)
        return first if all(other == first for other in others) else None

    def __iter__(self) -> Iterator[Row | Fault]:
        for rows in self.files:
            for row in rows:
                yield replace(row, file=rows.name) if isinstance(row, Row) else row


def several_files(source: str | Path) -> FolderRows | None:
    """The records of a folder, or of a file or folder at an address (``s3://…``), which is fetched first; None for
    what is one file here.

    The files come in the order of their names; those that begin with a dot or an underscore are passed over. Of a run's
    folder (arguments that were generated, say) only its items are read.

    Raises:
        ItemsError: the folder holds no such file, or files of several kinds; or one cannot be read.
        DeclarationError: nothing can be fetched from the address.
        MissingDependencyError: fsspec is not installed.
    """
    try:
        folder = Path(source).is_dir()
        address = None if Path(source).exists() else _ADDRESS.match(str(source))
    except OSError:  # no path at all, or none that may be looked at
        return None
    if address is not None:
        root = "/" if address[1].lower() == "file" else ""  # no host comes first
        return _fetched(f"{address[1]}://{root}{str(source)[address.end() :]}")
    if not folder:
        return None
    files = {
        path.relative_to(source).as_posix(): path
        for path in sorted(Path(source).rglob("*"))
        if path.is_file()
    }
    inside = [files[name] for name in _of_items(files)]
    return _folder_rows(str(source), [(path, str(path)) for path in inside])


def _fetched(address: str) -> FolderRows:
    """The files below an address, under names of our own."""
    fsspec = require("fsspec", extra="remote")
    name = re.sub(r"//[^/@]*@", "//", address.partition("?")[0])  # no password and no signature
    kept = tempfile.TemporaryDirectory(prefix="conqret-items-")
    files: list[tuple[Path, str]] = []
    try:
        system, root = fsspec.url_to_fs(address)
        alone = system.isfile(root)
        below = {} if alone else {path[len(root) :].lstrip("/"): path for path in sorted(system.find(root))}
        remotes = [root] if alone else [below[item] for item in _of_items(below)]
        for number, remote in enumerate(remotes):
            endings = "".join(PurePosixPath(remote.partition("?")[0]).suffixes[-2:])
            file = Path(kept.name) / f"{number}{endings}"
            system.get_file(remote, str(file))
            files.append((file, name if alone else f"{name.rstrip('/')}/{remote[len(root) :].lstrip('/')}"))
    except ConqretError:
        raise
    except Exception as error:  # noqa: BLE001 - each system has error classes of its own
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DeclarationError(f"{name} cannot be fetched: {reason}") from None
    return replace(_folder_rows(name, files), kept=kept)


def _of_items(paths: Collection[str]) -> list[str]:
    """Those of the files below a folder that hold items; of a run's folder one alone."""
    if all(name in paths for name in OF_A_RUN):
        return [OF_A_RUN[-1]]
    return [path for path in paths if _wanted(path)]


def _wanted(path: str) -> bool:
    """Whether a file below a folder is one of items, by its name."""
    parts = [part for part in path.split("/") if part]
    return not any(part.startswith((".", "_")) for part in parts) and bool(_ending(parts[-1]))


def _ending(name: str) -> str:
    bare = name.lower().removesuffix(".gz")
    return next((ending for ending in ENDINGS if bare.endswith(ending)), "")


def _folder_rows(name: str, files: list[tuple[Path, str]]) -> FolderRows:
    kinds = sorted({_ending(shown) for _, shown in files})
    if not files or len(kinds) > 1:
        problem = (
            f"holds files of several kinds ({', '.join(kinds)})" if files else "contains no file of items"
        )
        if files and any(PurePosixPath(shown).name == OF_A_RUN[0] for _, shown in files):
            problem = f"is the folder of a run, and contains no {OF_A_RUN[-1]}"
        remedy = f"Name one file, or a folder of files of one kind. Readable formats: {ACCEPTED}"
        raise ItemsError([Fault(name, 0, "", problem, remedy)])
    return FolderRows(name, tuple(file_rows(file, shown) for file, shown in files))


REMEDY = "--skip-invalid (skip_invalid=True in Python) leaves such items out and continues with the others."


@dataclass(frozen=True, slots=True)
class ItemSource:
    """Items that can be read again and again, one at a time.

    Attributes:
        rows: where the records come from.
        layout: what their columns mean; show ``layout.name`` as "read as …".
        frame_kind: "polars", "pandas" or "pyarrow" if the input was a frame, else ``None``.
        skip_invalid: items with faults are left out, instead of standing in the way of the others; and those that
            lack one of ``needs`` (see :meth:`check`). None: whoever reads them does not offer that.
        banks: the nuggets of their topics, which items get that have none.
        judged: columns beside the fields of an item in which a judge finds what it judges by; no note calls them
            metadata.
        language: that of all items, over what they say themselves.
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
        """How messages call the input: the path as it was given, or "polars frame"."""
        return self.rows.name

    def check(self, needs: Mapping[str, str] | None = None) -> CheckedItems:
        """Read everything once, before the first call, and return what there is.

        Args:
            needs: for "documents", "argument", "second_argument" or "stance" the sentence that says who
                needs it ("format rag-direct compares two arguments"); each item without it is a fault. By default
                those of the source.

        Raises:
            ItemsError: it lists every fault, with file, line, field, problem and remedy.
        """
        reader = self._reader()
        items = sound_items(self._items(reader), reader, self.needs if needs is None else needs)
        try:
            return check_items(items, reader, self.layout.name, skip=bool(self.skip_invalid))
        except ItemsError as error:
            if (
                self.skip_invalid is False
                and not self.layout.long
                and all(fault.line for fault in error.faults)
            ):
                error.add_note(REMEDY)
            raise

    def __iter__(self) -> Iterator[Item]:
        """Yield the items.

        Raises:
            ItemsError: at the first item that has faults; :meth:`check` finds all of them beforehand.
        """
        for _, _, item in self.located():
            yield item

    def located(self) -> Iterator[tuple[str, int, Item]]:
        """Yield the items, each behind its file and its line.

        Raises:
            ItemsError: as iterating over the source itself.
        """
        reader = self._reader()
        items = self._items(reader)
        for item in sound_items(items, reader, self.needs) if self.skip_invalid else items:
            if not self.skip_invalid:
                reader.faults.raise_any()
            if item is not None:
                yield reader.file, reader.line, item
        if not self.skip_invalid:
            reader.faults.raise_any()

    def places(self) -> list[int | str | None]:
        """For each row of a table the number of its item, from 0, or why it is left out: long tables have several rows
        an item."""
        if self.skip_invalid:
            return list(self._places())
        if not self.layout.long:
            return [number for number, _ in enumerate(self.rows)]
        groups = groupby(None if isinstance(row, Fault) else str(row.record["qid"]) for row in self.rows)
        return [number for number, (_, group) in enumerate(groups) for _ in group]

    def _places(self) -> Iterator[int | str]:
        reader, numbers = self._reader(), count()
        for item in sound_items(self._items(reader), reader, self.needs):
            of_lines = gathered(((fault.file, fault.line), fault) for fault in reader.faults.kept)
            reader.faults = FaultList()
            faults = of_lines.pop((reader.file, reader.line), [])
            yield from map(_why, of_lines.values())  # lines that could not be read at all
            yield next(numbers) if item is not None else _why(faults)
        yield from (_why([fault]) for fault in reader.faults.kept)

    def _reader(self) -> TableReader:
        rows, within = self.rows, None  # items from memory, or that were fetched, name no image in a file
        if isinstance(rows, FolderRows) and rows.kept is None:
            within = Path(rows.name)
        elif isinstance(rows, FileRows) and not is_beir(rows.path):
            within = rows.path.parent
        return TableReader(rows, item_schema(self.layout, self.language), within=within)

    def _items(self, reader: TableReader) -> Iterator[Item | None]:
        items = read_items(reader, self.layout, self.layout.records(self.rows), self.judged)
        if self.language:
            items = (item and item.model_copy(update={"language": self.language}) for item in items)
        if self.banks is None:
            return items
        return with_nuggets(items, reader, self.banks)


def open_items(
    source: str | Path | Iterable[Item | Mapping[str, object]] | Any,
    *,
    columns: Mapping[str, str] | None = None,
    topics: Requests | None = None,
    nuggets: NuggetSource | None = None,
    skip_invalid: bool | None = None,
    language: str | None = None,
) -> ItemSource:
    """Open a file, a folder of files, a frame, or items and dictionaries from memory.

    Args:
        source: a path (JSON Lines also gzipped, a small JSON list, CSV, Parquet; a folder of files of one such kind; or
            the address of either that fsspec knows, as s3://bucket/items), a polars or pandas frame, a pyarrow table,
            or an iterable of items and dictionaries; a one-time iterator is kept as a list.
        columns: which column holds which field of an item, over what is recognised:
            ``{"topic": "question", "documents": "ctx"}``.
        topics: the requests of TREC RAG reports, a file or what stands in its lines.
        nuggets: nugget banks, a file or what stands in its lines, of which each item gets that of its topic.
        skip_invalid: leave out items that have faults; False: say of them that they can be left out.
        language: that of all items, as a code or an English name, over what they say themselves.

    Raises:
        ItemsError: the file cannot be read at all, or its columns fit no layout.
        DeclarationError: ``source`` is nothing that holds items, ``columns`` or ``language`` is unknown, ``topics`` are
            given for items that have theirs, or items are to be left out of a long table, whose rows belong together.
    """
    source = only_split(source)
    kind = frame_kind(source)
    rows = FrameRows(source, kind) if kind else _rows(source)
    layout = _layout(rows, columns or {})
    if topics is not None:
        if layout.records is not report_records:
            raise DeclarationError(
                f"--topics is for TREC RAG reports, and {rows.name} is read as {layout.name}: leave --topics out"
            )
        layout = replace(layout, records=partial(report_records, request=read_requests(topics).get))
    if layout.long and isinstance(rows, FolderRows) and len(rows.files) > 1:
        raise DeclarationError(
            f"{rows.name} contains several long tables ({layout.name}), whose rows belong together: "
            "write them into one file"
        )
    if skip_invalid and layout.long:
        raise DeclarationError(
            f"{rows.name} is a long table ({layout.name}), of which no row can be left out: correct "
            "it, or write one row for each item"
        )
    banks = None
    if nuggets is not None:
        banks = read_banks(nuggets)
    code = language_code(language) if language else ""
    if code is None:
        raise DeclarationError(
            f"--language {language!r} is not a known language: write its ISO 639-1 code (de) or its English name"
        )
    return ItemSource(rows, layout, kind, skip_invalid, banks=banks, language=code)


def _why(faults: Iterable[Fault]) -> str:
    """What is wrong with a row that is left out."""
    return "; ".join(
        f"{fault.file}:{fault.line}{f' [{fault.field}]' if fault.field else ''} {fault.problem}"
        for fault in faults
    )


def _rows(source: object) -> Rows:
    if isinstance(source, str | Path):
        if is_beir(Path(source)):
            return beir_rows(Path(source))
        return several_files(source) or file_rows(source)
    if isinstance(source, Item | Mapping):
        raise DeclarationError("a list of items is expected, but one item was given: put it into a list")
    if isinstance(source, Iterator):
        return ObjectRows(list(source))
    if isinstance(source, Iterable):
        return ObjectRows(source)
    raise DeclarationError(f"items must be a path, a frame or a list, not {kind(source)}")


def _layout(rows: Rows, mapping: Mapping[str, str]) -> Dialect:
    """Recognise the layout by the columns, or by the fields of the first records."""
    check_known("field of an item", FIELDS, *mapping)
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
            "Name the columns: --columns topic=…,documents=…,argument=…,second_argument=… (from Python "
            "columns={'topic': …}; of conqret bias: --item-columns); dots reach into objects: topic=inputs.question"
        )
        raise ItemsError([Fault(rows.name, 0, "", problem, remedy)])
    return with_columns(layout or CONQRET, mapping)

"""What a layout of labels is, and which one a file has: by its content, or as the user says.

A layout turns a file into raw labels: one cell of one person on one thing. conqret's own are the modules of
:mod:`conqret.io.label_layouts`; a plug-in brings its own by an entry point in the group ``conqret.layouts``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from conqret.errors import DeclarationError, Fault, ItemsError, LabelsError
from conqret.io.files import file_rows
from conqret.io.jsonl import parse
from conqret.io.label_set import Scales
from conqret.io.limits import whole_bytes
from conqret.io.rows import FaultList, Row, Rows, readable_columns
from conqret.io.schema import TableReader
from conqret.registry import Registry
from conqret.text.words import dimension_name

TABLE = "table"
"""The layout of every file that has none of its own: a long or wide table."""

WIDE = "wide table"
"""What a table with a column for each dimension is called."""


@dataclass(frozen=True, slots=True)
class RawLabel:
    """One cell. ``annotator`` is empty where the file names none; ``text`` None where the cell is empty;
    ``for_estimation`` says "no" where the item was chosen for what the judge said of it, and
    ``inclusion_probability`` how likely the item was to be drawn for labeling."""

    line: int
    item: str
    dimension: str
    text: str | None
    annotator: str = ""
    part: str = ""
    topic: str = ""
    for_estimation: str = ""
    inclusion_probability: str = ""


class LabelFile:
    """A file of labels as its layout sees it; nothing is read before it is asked for.

    Attributes:
        path, name: the file, and how messages call it.
        mapping, dimensions: the columns by field and the label columns that the user named.
        faults, notes: what is wrong with the file, and what else is to be said of it; layouts add to both.
        title: what the layout is called, where that depends on the file.
        scales: the scales of its dimensions, where the file itself says them.
        unread: the dimensions that it has, and that the user did not ask for.
    """

    def __init__(
        self,
        path: Path,
        mapping: Mapping[str, str] | None = None,
        dimensions: Collection[str] = (),
        faults: FaultList | None = None,
    ) -> None:
        self.path, self.name, self.title = path, str(path), ""
        self.mapping, self.dimensions = mapping or {}, tuple(dimensions)
        self.faults, self.notes = FaultList() if faults is None else faults, list[str]()
        self.scales: Scales | None = None
        self.unread: set[str] = set()
        self._wanted = {dimension_name(dimension) for dimension in dimensions}

    @cached_property
    def table(self) -> Rows:
        """The file as a table: CSV, TSV, JSON Lines or Parquet. Raises LabelsError where it is none."""
        return _table(self.path)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the table's columns. Raises as :attr:`table`, and LabelsError where they cannot be read."""
        return readable_columns(self.table, LabelsError)

    @cached_property
    def records(self) -> list[Any]:
        """The list in a ``.json`` file, or the lines of JSON Lines; empty where the file holds something else."""
        if self.path.suffix.lower() in (".jsonl", ".ndjson"):
            rows = list(self.table)
            return [row.record for row in rows if isinstance(row, Row)]
        if self.path.suffix.lower() != ".json":
            return []
        try:
            records = parse(whole_bytes(self.path))
        except (OSError, ValueError, DeclarationError):
            return []
        return records if isinstance(records, list) else []

    def wants(self, dimension: str) -> bool:
        """Whether labels of this dimension are to be read: what is wrong with others is no fault."""
        wanted = not self._wanted or dimension in self._wanted
        if not wanted:
            self.unread.add(dimension)
        return wanted

    def rows(self, table: Rows | None = None) -> Iterator[Row]:
        """The rows of the table (or of this other one) that can be read; the others are faults."""
        return TableReader(table or self.table, faults=self.faults).rows()

    def fault(self, line: int, field: str, problem: str, remedy: str, *, inside: str = "") -> None:
        """Put down what is wrong in a line; ``inside`` names a file of an archive."""
        name = f"{self.name}!{inside}" if inside else self.name
        self.faults.add(Fault(name, line, field, problem, remedy))


@dataclass(frozen=True, slots=True)
class LabelLayout:
    """A layout of labels.

    Attributes:
        title: what it is called.
        summary: how a user recognises it.
        fits: whether a file is of this layout.
        cells: gives the labels of such a file, and puts what is wrong with it into its faults.
        scales: the scales of its dimensions, as far as the layout says.
        numbered: nobody is named in it, and the rows of one thing are numbered as annotators.
        order: the layouts are tried in rising order. Those that ask for the columns come from 50 upwards, when it
            is known that the file is no archive and no export; the table, which takes everything, has 100.
    """

    title: str
    summary: str
    fits: Callable[[LabelFile], bool]
    cells: Callable[[LabelFile], Iterator[RawLabel]]
    scales: Scales = field(default_factory=Scales)
    numbered: bool = False
    order: int = 50


LAYOUTS = Registry(
    "layout of labels",
    "conqret.layouts",
    LabelLayout,
    package="conqret.io.label_layouts",
    attribute="LAYOUT",
    shared=True,
)
"""The layouts by name. Sites of debates are layouts too, in the same group of entry points."""


def _table(path: Path) -> Rows:
    """The records of a file of labels. Raises LabelsError, where the reader of all files knows of items alone."""
    try:
        return file_rows(path)
    except ItemsError as error:
        raise LabelsError(error.faults) from error


def open_labels(
    path: Path,
    *,
    layout: str | None = None,
    columns: Mapping[str, str] | None = None,
    dimensions: Collection[str] = (),
    faults: FaultList | None = None,
) -> tuple[LabelLayout, LabelFile]:
    """A file of labels and its layout: the named one, ``table`` where ``columns`` are named, or the first that fits.
    What is wrong with the file goes to ``faults``, which several files may share.

    Raises:
        DeclarationError: the file is not there, or not in the layout.
        UnknownNameError: there is no such layout.
    """
    file = LabelFile(path, columns, dimensions, faults)
    name = TABLE if layout is None and columns else layout
    chosen = LAYOUTS[name] if name is not None else None
    if not path.is_file() or path.stat().st_size == 0:
        _table(path)  # raises, with the remedy
    if chosen is None:
        in_order = sorted(LAYOUTS.values(), key=lambda layout: layout.order)
        chosen = next(layout for layout in in_order if layout.fits(file))
    elif not chosen.fits(file):
        raise DeclarationError(f"{path} is not in the layout {name}: {chosen.summary}")
    return chosen, file

"""Find files of labels, and the layout of each.

Several files, a pattern and a folder are joined, one annotator a file where none is named in it. A layout turns a file
into raw labels, one cell of one annotator on one thing each; which one a file has, its content says, or the user.
conqret's own are in :mod:`conqret.io.label_layouts`; a plug-in brings its own by an entry point in the group
``conqret.layouts``.
"""

from __future__ import annotations

import glob
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from conqret.errors import DeclarationError, Fault, ItemsError
from conqret.io.files import file_rows
from conqret.io.jsonl import parse
from conqret.io.label_set import FORM_SOURCE, LabelScale, LabelsError, Scales
from conqret.io.limits import whole_bytes
from conqret.io.rows import FaultList, Row, Rows, listed, readable_columns
from conqret.io.safe_files import LABEL_SUFFIXES, is_result, unguarded
from conqret.io.schema import TableReader
from conqret.registry import Registry
from conqret.text.numbers import number_in
from conqret.text.words import dimension_name

TABLE = "table"
"""The layout of every file without one of its own: a long or wide table."""

WIDE = "wide table"
"""The name of a table with a column for each dimension."""


@dataclass(frozen=True, slots=True)
class RawLabel:
    """One cell of a label file.

    ``annotator`` is empty if the file names none; ``text`` is None if the cell is empty.
    ``for_estimation`` is "no" if the item was selected by its judgment. ``inclusion_probability`` is the
    probability that the item was drawn for labeling.
    """

    line: int
    item: str
    dimension: str
    text: str | None
    annotator: str = ""
    part: str = ""
    topic: str = ""
    for_estimation: str = ""
    inclusion_probability: str = ""


def form_scales(texts: Iterable[str]) -> Scales | None:
    """Return the scale that the rows of an annotation form state in ``texts``; None if they state none.

    The text has the form that :func:`conqret.io.label_set.written_scale` writes.

    Raises:
        DeclarationError: the rows state different scales.
    """
    scales = sorted({text.strip() for text in texts} - {""})
    if len(scales) > 1:
        raise DeclarationError(f"the form has several scales ({', '.join(scales)}): write a file for each")
    low, _, high = unguarded("".join(scales)).partition(" to ")
    try:
        ends = number_in(low), number_in(high)
    except ValueError:
        return None
    return Scales(LabelScale(low=ends[0], high=ends[1], source=FORM_SOURCE)) if ends[0] < ends[1] else None


class LabelFile:
    """A label file as a layout sees it; its content is read on demand.

    Attributes:
        path, name: the file, and its name in messages.
        mapping, dimensions: the columns by field, and the label columns, that the user named.
        faults, notes: faults and remarks on the file, to which layouts add.
        title: the layout's title, if it depends on the file.
        scales: the scales of the dimensions, if the file states them.
        unread: dimensions in the file that the user did not request.
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
        """The file as a table: CSV, TSV, JSON Lines or Parquet. Raises LabelsError if it is none of
        these."""
        return _table(self.path)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The column names of the table. Raises LabelsError if the file is no table or they cannot be
        read."""
        return readable_columns(self.table, LabelsError)

    @cached_property
    def records(self) -> list[Any]:
        """The list in a ``.json`` file, or the objects of a JSON Lines file. Empty for any other file, for JSON that is
        no list, and for a ``.json`` file that cannot be read."""
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
        """Return True if labels of this dimension are requested; otherwise record it as unread and return
        False."""
        wanted = not self._wanted or dimension in self._wanted
        if not wanted:
            self.unread.add(dimension)
        return wanted

    def rows(self, table: Rows | None = None) -> Iterator[Row]:
        """Yield the readable rows of ``table`` (by default the file's own).

        Other rows are recorded as faults while the rows are read, not before.
        """
        return TableReader(table or self.table, faults=self.faults).rows()

    def fault(self, line: int, field: str, problem: str, remedy: str, *, inside: str = "") -> None:
        """Record a fault at a line and field; ``inside`` names the file within an archive."""
        name = f"{self.name}!{inside}" if inside else self.name
        self.faults.add(Fault(name, line, field, problem, remedy))


@dataclass(frozen=True, slots=True)
class LabelLayout:
    """One supported layout of label files.

    Attributes:
        name: its name on the command line (``--layout``).
        title: its title in messages.
        summary: a description by which a user recognizes it.
        fits: returns True if a file has this layout.
        cells: yields the labels of a file, and records invalid ones as faults.
        scales: the scales of its dimensions, if the layout fixes them.
        numbered: if true, it names no annotators, and the rows of one item are numbered as annotators.
        order: layouts are tried in ascending order. Those that look at columns have 50 or more; the
            table layout, which accepts every table, has 100.
    """

    name: str
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
    attribute="LAYOUTS",
    shared=True,
)
"""The layouts by name. Layouts of debate sites are in the same group of entry points."""


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
    """Open a label file, and return its layout and the opened file.

    The layout is the named one, else ``table`` if ``columns`` are given, else the first that fits, in
    ascending ``order``. Faults are added to ``faults``, which several files may share.

    Raises:
        DeclarationError: the file is not there, or not in the layout.
        UnknownNameError: there is no such layout.
        LabelsError: the file is missing or empty.
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


BESIDE = (".plan.json", ".config.xml")
"""The endings of files that ``conqret labels sample`` writes next to an annotation form, which are not
read.
"""
STUDY, RUN = "labels.sqlite", "run.json"
"""The files by which the folder of a study, or of a run, is distinguished from a folder of label files."""


def label_files(paths: Iterable[Path]) -> list[Path]:
    """Return the files that ``paths`` refer to: files, patterns such as ``labels/*.csv``, and folders.

    Raises:
        DeclarationError: a pattern or a folder has no file, a folder is that of a study or of a run, or a file is named
            twice.
    """
    files: dict[Path, Path] = {}
    for path in (file for pattern in paths for file in _expanded(pattern)):
        first = files.setdefault(path.resolve(), path)
        if first is not path:
            raise DeclarationError(f"{path} is given twice as a file of labels: leave one out")
    return list(files.values())


def _expanded(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from _in_folder(path)
    elif not path.exists() and glob.has_magic(str(path)):
        below = Path(path.anchor)
        fitting = sorted(match for match in below.glob(str(path.relative_to(below))) if match.is_file())
        if not fitting:
            raise DeclarationError(f"no file matches the pattern {str(path)!r}: check the path")
        yield from fitting
    else:
        yield path


def _in_folder(folder: Path) -> list[Path]:
    if (folder / STUDY).exists():
        raise DeclarationError(
            f"{folder} is a study of conqret labels collect: run conqret labels export {folder}"
        )
    if (folder / RUN).exists():
        raise DeclarationError(f"{folder} contains a run and no labels: give the file of the labels")
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    fitting = []
    for file in files:
        name = file.name.casefold()
        known = name.removesuffix(".gz").endswith(LABEL_SUFFIXES) and not name.endswith(BESIDE)
        if known and not (name.endswith(".json") and is_result(file)):
            fitting.append(file)
    if not fitting:
        there = f" (it contains {listed((file.name for file in files), 5)})" if files else ""
        raise DeclarationError(
            f"{folder} contains no file of labels{there}: its name must end in {', '.join(LABEL_SUFFIXES[:6])}, …"
        )
    return fitting

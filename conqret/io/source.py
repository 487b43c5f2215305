"""``open_items``: anything that holds items, as one thing that can be checked and iterated."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conqret.data.item import Item
from conqret.errors import DeclarationError, Fault
from conqret.io.check import Checked, check_rows
from conqret.io.columns import CONQRET, LAYOUTS, Layout, recognise, with_columns
from conqret.io.faults import items_error, kind, quoted
from conqret.io.files import file_rows
from conqret.io.frames import FrameKind, FrameRows, frame_kind
from conqret.io.grouping import grouped
from conqret.io.items import read_item
from conqret.io.notes import Notes
from conqret.io.rows import ObjectRows, Row, Rows

SAMPLE = 50
"""Records whose fields are looked at to recognise the layout of a file without a head."""


@dataclass(frozen=True, slots=True)
class ItemSource:
    """Items that can be read again and again, one at a time.

    Attributes:
        rows: where the records come from.
        layout: what their columns mean; show ``layout.name`` as "read as …".
        frame_kind: "polars", "pandas" or "pyarrow" if the input was a frame, else ``None``.
    """

    rows: Rows
    layout: Layout
    frame_kind: FrameKind | None = None

    @property
    def name(self) -> str:
        """How messages call the input: the path as it was given, or "polars frame"."""
        return self.rows.name

    def check(self, needs: Mapping[str, str] | None = None) -> Checked:
        """Read everything once, before the first call, and return what there is.

        Args:
            needs: for "documents", "argument", "second_argument" or "stance" the sentence that says who
                needs it ("format rag-direct compares two arguments"); each item without it is a fault.

        Raises:
            ItemsError: it lists every fault, with file, line, field, problem and remedy.
        """
        return check_rows(self.rows, self._records(), self.layout, needs or {})

    def __iter__(self) -> Iterator[Item]:
        """Yield the items.

        Raises:
            ItemsError: at the first item that has faults; :meth:`check` finds all of them beforehand.
        """
        notes = Notes()
        for number, row in enumerate(self._records(), start=1):
            if isinstance(row, Fault):
                raise items_error([row])
            item = read_item(row, number, self.layout, self.name, notes)
            if isinstance(item, list):
                raise items_error(item)
            yield item

    def _records(self) -> Iterator[Row | Fault]:
        return grouped(self.rows) if self.layout.long else iter(self.rows)


def open_items(
    source: str | Path | Iterable[Item | Mapping[str, object]] | Any,
    *,
    columns: Mapping[str, str] | None = None,
) -> ItemSource:
    """Open a file, a frame, or items and dictionaries from memory.

    Args:
        source: a path (JSON Lines also gzipped, a small JSON list, CSV, Parquet), a polars or pandas frame,
            a pyarrow table, or an iterable of items and dictionaries; a one-time iterator is kept as a list.
        columns: which column holds which field of an item, over what is recognised:
            ``{"topic": "question", "documents": "ctx"}``.

    Raises:
        ItemsError: the file cannot be read at all, or its columns fit no layout.
        DeclarationError: ``source`` is nothing that holds items, or ``columns`` names an unknown field.
    """
    kind = frame_kind(source)
    rows = FrameRows(source, kind) if kind else _rows(source)
    return ItemSource(rows, _layout(rows, columns or {}), kind)


def _rows(source: object) -> Rows:
    if isinstance(source, str | Path):
        return file_rows(source)
    if isinstance(source, Item | Mapping):
        raise DeclarationError("one item was given where a list of items is expected: put it into a list")
    if isinstance(source, Iterator):
        return ObjectRows(list(source))
    if isinstance(source, Iterable):
        return ObjectRows(source)
    raise DeclarationError(f"{kind(source)} holds no items: give a path, a frame or a list")


def _layout(rows: Rows, mapping: Mapping[str, str]) -> Layout:
    """Recognise the layout by the columns, or by the fields of the first records."""
    names: Iterable[str] | None = rows.columns
    if names is None:
        sample = [row for row in itertools.islice(rows, SAMPLE) if isinstance(row, Row)]
        if not sample:
            return with_columns(CONQRET, mapping)
        names = dict.fromkeys(key for row in sample for key in row.record)
    layout = recognise(names)
    if layout is None and "topic" not in mapping:
        if any(_like_topic(name) for name in names):
            return with_columns(CONQRET, mapping)
        shown = ", ".join(quoted(name, 30) for name in list(names)[:20]) or "none"
        known = ", ".join(one.name for one in LAYOUTS)
        raise items_error(
            [
                Fault(
                    rows.name,
                    0,
                    "",
                    f"its columns ({shown}) fit no known layout ({known})",
                    "Say which column holds what: --columns topic=…,documents=…,argument=…",
                )
            ]
        )
    return with_columns(layout or CONQRET, mapping)


def _like_topic(name: str) -> bool:
    from conqret.io.columns import near

    return near(str(name), ["topic"]) is not None

"""One streaming pass over all items, before anything is asked of a model."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from conqret.data.item import Item
from conqret.errors import Fault
from conqret.io.cells import canonical
from conqret.io.columns import FIELDS, Layout
from conqret.io.faults import FaultList, quoted
from conqret.io.items import read_item
from conqret.io.notes import Notes
from conqret.io.rows import Row, Rows, item_record

Share = Literal["all", "some", "none"]
OPTIONAL = ("stance", "documents", "argument", "second_argument")
"""Fields that an item may lack, and a format may need."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a file of items holds, after every item passed.

    Attributes:
        count: items.
        digest: sha256 over the normalised items, the same in every file format.
        layout: the name of the layout the file was read as.
        has: for each optional field whether all, some or no items have it (a stance other than none).
        documents: documents of all items together.
        longest_document: characters of the longest document.
        notes: remarks for the user: ids that were made, columns kept as metadata, very long documents.
    """

    count: int
    digest: str
    layout: str
    has: Mapping[str, Share]
    documents: int
    longest_document: int
    notes: tuple[str, ...]


class _Tally:
    """What is gathered over the items."""

    def __init__(self) -> None:
        self.count = self.documents = self.longest = 0
        self.having = dict.fromkeys(OPTIONAL, 0)
        self.lines: dict[str, int] = {}
        self.sha = hashlib.sha256()

    def add(self, item: Item, line: int) -> None:
        self.count += 1
        self.lines.setdefault(item.id, line)
        self.documents += len(item.documents)
        self.longest = max([self.longest, *(len(document.text) for document in item.documents)])
        for field in OPTIONAL:
            self.having[field] += has_field(item, field)
        self.sha.update(canonical(item_record(item)) + b"\n")

    def share(self, field: str) -> Share:
        having = self.having[field]
        return "none" if not having else "all" if having == self.count else "some"


def has_field(item: Item, field: str) -> bool:
    """Whether an item has an optional field: some documents, a text, a stance other than none."""
    value = getattr(item, field)
    return value != "none" if field == "stance" else bool(value)


def check_rows(
    rows: Rows, records: Iterable[Row | Fault], layout: Layout, needs: Mapping[str, str]
) -> Checked:
    """Read every record and return what they hold.

    Args:
        rows: the input, for its name and columns.
        records: its records, grouped where a layout asks for it.
        layout: what the columns mean.
        needs: for a field of an item the sentence that says who needs it; an item without it has a fault.

    Raises:
        ItemsError: there are faults; it lists all of them (see :mod:`conqret.io.faults` for the bounds).
    """
    faults, notes, tally = FaultList(), Notes(), _Tally()
    unseen = _unseen(rows, layout, faults)
    number = 0
    for row in records:
        if isinstance(row, Fault):
            faults.add(row)
            number += 1
            continue
        number += 1
        unseen.difference_update([column for column in unseen if _has_column(row.record, column)])
        read = read_item(row, number, layout, rows.name, notes)
        if isinstance(read, list):
            for fault in read:
                faults.add(fault)
            continue
        first = tally.lines.get(read.id)
        if first is not None:
            faults.add(
                Fault(
                    rows.name,
                    row.line,
                    layout.columns.get("id", ("id",))[-1],
                    f"is {quoted(read.id)}, as in line {first}",
                    "Give each item its own id",
                )
            )
        for field, reason in needs.items():
            if not has_field(read, field):
                faults.add(
                    Fault(
                        rows.name,
                        row.line,
                        layout.columns.get(field, (field,))[0],
                        f"is missing or empty, and {reason}",
                        "Add it, or choose another format",
                    )
                )
        tally.add(read, row.line)
    for column in sorted(unseen):
        faults.add(
            Fault(
                rows.name,
                0,
                column,
                "is the column of no item, although --columns names it",
                "Correct the mapping",
            )
        )
    if not number:
        faults.add(Fault(rows.name, 0, "", "holds no item", "Give at least one item"))
    faults.raise_any()
    return Checked(
        tally.count,
        tally.sha.hexdigest(),
        layout.name,
        {f: tally.share(f) for f in OPTIONAL},
        tally.documents,
        tally.longest,
        notes.lines(),
    )


def _has_column(record: Mapping[str, object], column: str) -> bool:
    return column in record or column.split(".")[0] in record


def _unseen(rows: Rows, layout: Layout, faults: FaultList) -> set[str]:
    """Return the mapped columns still to be met; those that a table's head lacks are faults at once."""
    mapped = {column for field, column in layout.mapped.items() if field in FIELDS}
    if rows.columns is None:
        return mapped
    for column in sorted(mapped):
        if not _has_column(dict.fromkeys(rows.columns), column):
            faults.add(
                Fault(
                    rows.name,
                    0,
                    column,
                    "is no column of this input, although --columns names it",
                    f"Its columns are: {', '.join(quoted(name, 30) for name in rows.columns[:30])}",
                )
            )
    return set()

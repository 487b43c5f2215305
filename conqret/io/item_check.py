"""One streaming pass over all items, before anything is asked of a model."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter, itemgetter
from typing import Literal

from conqret.data.item import Item
from conqret.errors import number
from conqret.io.cell_values import canonical
from conqret.io.jsonl import compact
from conqret.io.reports import WITHOUT_TEXT
from conqret.io.rows import FaultList, item_record, listed
from conqret.io.schema import TableReader, how_far
from conqret.text.language import item_language

Share = Literal["all", "some", "none"]
KEPT = 32 << 20
"""Bytes of items, as JSON lines, that are kept in memory when they are checked, so that a run need not read them
again."""
OF_NUGGETS = ("nuggets.importance", "nuggets.sub_narrative", "nuggets.assignment")
OPTIONAL = ("stance", "documents", "argument", "second_argument", "reference", "nuggets", *OF_NUGGETS)
"""Fields that an item may lack, and a format may need; behind a dot, what its nuggets may lack."""


@dataclass(frozen=True, slots=True)
class CheckedItems:
    """What a file of items holds, after every item passed.

    Attributes:
        count: items.
        digest: sha256 over the normalised items, the same in every file format.
        layout: the name of the layout the file was read as.
        has: for each optional field whether all, some or no items have it (a stance other than none).
        documents: documents of all items together.
        notes: remarks for the user: ids that were made, columns kept as metadata, very long documents.
        lines: the items as JSON lines without their ends; None where they are more than is kept.
        turns: whether any item has earlier turns or images.
        languages: the languages of the items, as ISO 639-1 codes, most frequent first; none that cannot be told.
        left_out, reasons: how many items were left out because of faults, and a line for each kind of fault.
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
        """How many items are left out, where any are: to be said wherever results of the others are shown."""
        if not self.left_out:
            return ""
        had = "it has" if self.left_out == 1 else "they have"
        total = number(self.count + self.left_out, "item")
        return f"{self.left_out:,} of {total} left out, because {had} faults"

    def items(self, source: Iterable[Item]) -> Iterator[Item]:
        """The items as they were checked; those that are too many to be kept are read again from ``source``."""
        return iter(source) if self.lines is None else map(Item.model_validate_json, self.lines)


def check_items(
    items: Iterable[Item | None], reader: TableReader, layout: str, *, skip: bool = False
) -> CheckedItems:
    """Read every item and return what they hold.

    Args:
        items: the items, None for each that has faults (:func:`sound_items`).
        reader: what reads them; it has their faults and remarks.
        layout: what the result calls their layout.
        skip: leave out items that have faults, and say so, as long as any is left.

    Raises:
        ItemsError: there are faults; it lists all of them (see :mod:`conqret.io.rows` for the bounds).
    """
    count = documents = 0
    turns = False
    having, languages, sha = Counter[str](), Counter[str](), hashlib.sha256()
    lines: list[bytes] | None = []
    size = 0
    for item in items:
        if item is None:
            continue
        count += 1
        documents += len(item.documents)
        turns = turns or item.has_turns
        languages[item_language(item)] += 1
        having.update(filter(partial(has_field, item), OPTIONAL))
        record = item_record(item)
        sha.update(canonical(record) + b"\n")
        if lines is not None:
            lines.append(compact(record))
            size += len(lines[-1])
            lines = lines if size <= KEPT else None
    if not reader.number:
        reader.fault("", "contains no item", "Give at least one item")
    left_out, reasons = 0, tuple[str, ...]()
    if skip and count:  # those faults stand in nobody's way any more
        left_out, reasons = reader.number - count, tuple(reader.faults.lines())
        reader.faults = FaultList(fault for fault in reader.faults.kept if not fault.line)
    reader.finish()
    has: dict[str, Share] = {
        field: "none" if not having[field] else "all" if having[field] == count else "some"
        for field in OPTIONAL
    }
    notes = reader.notes()
    return CheckedItems(
        count,
        sha.hexdigest(),
        layout,
        has,
        documents,
        notes,
        left_out,
        reasons,
        lines,
        turns,
        tuple(filter(None, map(itemgetter(0), languages.most_common()))),
    )


def has_field(item: Item, field: str) -> bool:
    """Whether an item has an optional field: some documents, a text, a stance other than none, a nugget with it."""
    name, _, inside = field.partition(".")
    value = getattr(item, name)
    if inside:
        return any(map(attrgetter(inside), value))
    return value != "none" if field == "stance" else bool(value)


def sound_items(
    items: Iterable[Item | None], reader: TableReader, needs: Mapping[str, str]
) -> Iterator[Item | None]:
    """The items; None for each that has faults, which an id that was met before is, and the lack of a field.

    Args:
        items: the items, None for each that has faults already.
        reader: what reads them, and gets the faults.
        needs: for a field of an item the sentence that says who needs it.
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

"""Items that have faults: which they are, and how many of them ``--skip-invalid`` leaves out, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from conqret.data.item import Item
from conqret.io.faults import listed
from conqret.io.reports import WITHOUT_TEXT
from conqret.io.schema import TableReader, way


@dataclass(frozen=True, slots=True)
class SkippedItems:
    """How many items were left out because of faults, and a line for each kind of fault."""

    items: int = 0
    reasons: tuple[str, ...] = ()


def leave_out(reader: TableReader, sound: int) -> SkippedItems:
    """Leave out what ``reader`` read but for ``sound`` items; those faults stand in nobody's way any more."""
    reasons, reader.faults = tuple(reader.faults.lines()), reader.faults.of_the_file()
    return SkippedItems(reader.number - sound, reasons)


def has_field(item: Item, field: str) -> bool:
    """Whether an item has an optional field: some documents, a text, a stance other than none, a nugget with it."""
    name, _, inside = field.partition(".")
    value = getattr(item, name)
    if inside:
        return any(getattr(part, inside) for part in value)
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
                elif leads := way(item.metadata, mapped):
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

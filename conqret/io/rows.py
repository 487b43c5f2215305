"""What every kind of input gives: records one after the other, as often as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from conqret.data.item import Item
from conqret.errors import Fault, FaultsError, ItemsError
from conqret.io.faults import kind

SAMPLE = 50
"""Records whose fields are gathered where a file has no head."""


@dataclass(frozen=True, slots=True)
class Row:
    """One record and the line it starts on (in arrays, Parquet files and frames: its number); ``file`` is the name of
    what holds it, where that is another than the input's."""

    line: int
    record: Mapping[str, object]
    file: str = ""


class Rows(Protocol):
    """An input that can be read again and again; a record that cannot be read comes as a fault."""

    @property
    def name(self) -> str:
        """How messages call the input: the path as it was given, or "polars frame"."""

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The names of the columns, or ``None`` where each record brings its own."""

    def __iter__(self) -> Iterator[Row | Fault]: ...


@dataclass(frozen=True, slots=True)
class ObjectRows:
    """Items and dictionaries from memory."""

    objects: Iterable[object]
    name: str = "items"
    columns: tuple[str, ...] | None = None

    def __iter__(self) -> Iterator[Row | Fault]:
        for number, value in enumerate(self.objects, start=1):
            if isinstance(value, Item):
                yield Row(number, item_record(value))
            elif isinstance(value, Mapping):
                yield Row(number, value)
            else:
                yield Fault(
                    self.name,
                    number,
                    "",
                    f"is {kind(value)}",
                    "Give conqret.Item objects or dictionaries",
                )


def mapped(rows: Iterable[Row | Fault], of: Callable[[Row], Iterable[Row | Fault]]) -> Iterator[Row | Fault]:
    """What ``of`` makes of each row; a fault stays one."""
    for row in rows:
        yield from of(row) if isinstance(row, Row) else (row,)


def columns_of(rows: Rows) -> tuple[str, ...]:
    """The names of the columns: those in the head, or else the fields of the first :data:`SAMPLE` records."""
    if rows.columns is not None:
        return rows.columns
    sample = [row for row in islice(rows, SAMPLE) if isinstance(row, Row)]
    return tuple(dict.fromkeys(str(key) for row in sample for key in row.record))


def readable_columns(rows: Rows, error: type[FaultsError] = ItemsError) -> tuple[str, ...]:
    """As :func:`columns_of`; raises ``error`` where there are none because the first rows cannot be read: what then
    lacks is no column."""
    columns = columns_of(rows)
    faults = () if columns else [row for row in islice(rows, SAMPLE) if isinstance(row, Fault)]
    if faults:
        raise error(faults)
    return columns


def item_record(item: Item) -> dict[str, object]:
    """Return an item as the record of the native layout: the object that a JSONL line holds. Turns, images, nuggets
    and a language stand there only where there are any."""
    conversation = {
        "messages": [turn.model_dump(exclude_defaults=True) for turn in item.messages],
        "images": list(item.images),
    }
    record: dict[str, object] = {
        "id": item.id,
        "topic": item.topic,
        "stance": item.stance,
        "documents": [
            {
                "id": document.id,
                "text": document.text,
                "title": document.title,
                "url": document.url,
                **({"image": document.image} if document.image else {}),
            }
            for document in item.documents
        ],
        "argument": item.argument,
        "second_argument": item.second_argument,
        "reference": item.reference,
        **{name: value for name, value in conversation.items() if value},
        "metadata": dict(item.metadata),
    }
    if item.language:
        record["language"] = item.language
    if item.nuggets:
        record["nuggets"] = [nugget.model_dump(exclude_none=True) for nugget in item.nuggets]
    return record

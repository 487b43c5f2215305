"""The items that are compared with each other, how many pairs of them, and two of them as one item for a judge."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Interval

from conqret.data import Item
from conqret.data.digest import gathered
from conqret.errors import DeclarationError, UnknownNameError, check_known
from conqret.io.reports import RUN
from conqret.options import check_ranges

Design = Literal["adaptive", "random", "exhaustive"]
"""How the pairs of items are chosen that are compared."""


@dataclass(frozen=True, slots=True)
class TournamentOptions:
    """Which items are compared with which, and how often. With a ``reliability`` it ends after the round in which the
    scale separation reliability reaches that value (0 to 1). ``system`` is the field of the items' metadata that names
    the system that an item is from; by default `run_id`, else `system`, where all items have it.

    Pairs:
        by: What items must have in common to be compared with each other: `topic`, `stance`, a metadata field, or
            several, comma-separated. Items of different topics are never compared.
        design: How pairs of items are chosen for comparison: `adaptive` (first at random, then those whose result is
            expected to tell most about the ranking), `random` (each item equally often) or `exhaustive` (every pair).
        comparisons: How many comparisons each item takes part in, on average. Has no effect with `--design exhaustive`,
            which compares every pair.
        both_orders (--both-orders/--no-both-orders): Compare each pair in both orders.
        top: Stop comparing items of a topic as soon as its best items, this many, are known with a probability
            of 95%.

    Raises:
        DeclarationError: a value is out of its range.
    """

    by: str = "topic"
    design: Design = "adaptive"
    comparisons: Annotated[float, Interval(ge=1)] = 4.0
    both_orders: bool = False
    reliability: float | None = None
    top: Annotated[int | None, Interval(ge=1)] = None
    system: str | None = None

    def __post_init__(self) -> None:
        check_ranges(self)
        if not self.fields:
            raise DeclarationError("--by names what items share: topic, stance or a field of their metadata")

    @property
    def stops_early(self) -> bool:
        """True if the tournament may end before all comparisons are made."""
        return self.reliability is not None or self.top is not None

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields by which items are grouped."""
        return tuple(name for part in self.by.split(",") if (name := part.strip()))


LONGEST_ID = 200
PAIR_SEED = 13
OWN_FIELDS = ("topic", "stance")
BESIDE = ("documents", "reference", "nuggets", "language")
"""What a judge is shown apart from the arguments, where both items of a pair have the same."""


@dataclass(frozen=True, slots=True)
class ItemGroup:
    """A named group of items that are compared with each other."""

    name: str
    items: tuple[Item, ...]


def item_groups(items: Iterable[Item], fields: Sequence[str]) -> tuple[ItemGroup, ...]:
    """Group items by their values in ``fields``, in order of first occurrence.

    Raises:
        UnknownNameError: no item has such a field.
        DeclarationError: an item lacks a field, a group has one item, or items of a group differ in topic,
            earlier turns or images.
    """
    every = list(items)
    known = [*OWN_FIELDS, *dict.fromkeys(name for item in every for name in item.metadata)]
    for field in fields:
        if field not in known:
            raise UnknownNameError("field to compare items by (--by)", field, known)
    groups = gathered((tuple(_value(item, field) for field in fields), item) for item in every)
    for values, members in groups.items():
        topics = list(dict.fromkeys(item.topic for item in members))
        wrong = ""
        if len(members) == 1:
            wrong = (
                f"one item ({members[0].id}), with nothing to compare it with: leave it out, or change --by"
            )
        elif len(topics) > 1:
            shown = " and ".join(repr(topic[:60]) for topic in topics[:2])
            wrong = f"items of {len(topics)} topics ({shown}): compare within a topic, --by topic,{','.join(fields)}"
        elif len({(item.messages, item.images) for item in members}) > 1:
            wrong = (
                "items with different earlier turns or images, which answer different questions: group by a metadata "
                f"field that names the question, too (--by {','.join(fields)},FIELD)"
            )
        if wrong:
            raise DeclarationError(f"{', '.join(values)[:80]!r} has {wrong}")
    names = [", ".join(values) for values in groups]
    if len(set(names)) < len(names):  # values that have commas themselves
        names = [json.dumps(values, ensure_ascii=False) for values in groups]
    return tuple(ItemGroup(name, tuple(each)) for name, each in zip(names, groups.values(), strict=True))


def _value(item: Item, field: str) -> str:
    value = getattr(item, field) if field in OWN_FIELDS else item.metadata.get(field)
    if value is None or not isinstance(value, str | int | float):
        raise DeclarationError(f"item {item.id} has no {field} to be grouped by (--by)")
    return str(value)


SYSTEM_FIELDS = (RUN, "system")
"""Fields of metadata that name an item's system, where no other is named."""


def item_systems(groups: Sequence[ItemGroup], field: str | None) -> dict[str, str]:
    """Return the system of each item by its id; empty if no field is given and no usual field is in all
    items.

    Raises:
        DeclarationError: an item lacks the given field.
        UnknownNameError: no item has it.
    """
    items = [item for group in groups for item in group.items]
    if field is None:
        field = next((name for name in SYSTEM_FIELDS if all(name in item.metadata for item in items)), None)
        if field is None:
            return {}
    known = list(dict.fromkeys(name for item in items for name in item.metadata))
    check_known("field of the items' metadata (system)", known, field)
    if lacking := [item.id for item in items if item.metadata.get(field) is None]:
        raise DeclarationError(f"item {lacking[0]} has no {field} that names its system")
    return {item.id: str(item.metadata[field]) for item in items}


def pair_id(first: Item, second: Item) -> str:
    """Return the id of a comparison: both ids joined, or a digest if that is long or ambiguous."""
    name = f"{first.id} | {second.id}"
    if " |" in first.id or "| " in second.id:
        name = json.dumps([first.id, second.id])
    elif len(name) <= LONGEST_ID:
        return name
    return hashlib.sha256(name.encode()).hexdigest()[:32]


def comparison_id(pair: str, judge: str) -> str:
    """Return the id of a comparison by one judge: the pair's id, with the judge's name if there are several
    judges.
    """
    return json.dumps([judge, pair], ensure_ascii=False) if judge else pair


def pair_item(first: Item, second: Item) -> Item:
    """Return one item with the arguments of both items, under their common question.

    Stance, documents, reference, nuggets and language are kept only where both items have the same.
    """
    alike = {name: value for name in BESIDE if (value := getattr(first, name)) == getattr(second, name)}
    return Item(
        id=pair_id(first, second),
        topic=first.topic,
        messages=first.messages,
        images=first.images,
        stance=first.stance if first.stance == second.stance else "none",
        argument=first.argument,
        second_argument=second.argument,
        **alike,
    )

"""Rubrics: lists of criteria, one for all items or one for each topic or item."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conqret.data import Item
from conqret.data.criterion import Criterion
from conqret.errors import DeclarationError, Fault, FaultsError, number
from conqret.io.reports import TOPIC_IDS, topic_names
from conqret.io.rows import FaultList, listed, quoted

ITEM_KEYS = ("item", "item_id")
"""Names of what says for which item a rubric is."""
TOPIC_KEYS = (
    *TOPIC_IDS,
    *("question_id", "prompt_id", "sample_id", "task_id", "id", "topic", "question", "prompt"),
)
"""Names of what says for which topic a rubric is, and of what of an item's metadata says its topic."""


class RubricError(FaultsError):
    """Raised where a rubric has faults; it lists them all."""

    of = "rubric"


@dataclass(frozen=True)
class Rubrics:
    """One rubric for all items (``shared``), or one rubric per topic or item (``by_key``).

    ``items`` are the keys that name an item rather than a topic. ``places`` maps each key to its file and
    line. ``name`` is the rubric's name in messages. ``columns`` is set where the items have rubrics of their
    own in these columns; every key is then an item's id.
    """

    shared: tuple[Criterion, ...] = ()
    by_key: Mapping[str, tuple[Criterion, ...]] = field(default_factory=dict)
    items: frozenset[str] = frozenset()
    places: Mapping[str, tuple[str, int]] = field(default_factory=dict, compare=False, repr=False)
    name: str = field(default="rubric", compare=False)
    columns: tuple[str, ...] = field(default=(), compare=False)

    def for_item(self, item: Item) -> tuple[Criterion, ...]:
        """Return the criteria of the rubric for an item; an empty tuple where it has no rubric."""
        key = self.key_of(item)
        return self.shared if key is None else self.by_key[key]

    def key_of(self, item: Item) -> str | None:
        """Return the key of the rubric for an item: its id, or else its topic; None where there is none.

        Keys in ``items`` are compared with ids only. Other keys are compared with the topic first, then with
        the id.
        """
        ids = item_ids(item)
        items = self.by_key if self.columns else self.items
        named = next((key for key in ids if key in items and key in self.by_key), None)
        if named is not None or self.columns:
            return named
        keys = (key for key in (*topics_of(item), *ids) if key in self.by_key and key not in items)
        return next(keys, None)

    @property
    def each(self) -> tuple[tuple[Criterion, ...], ...]:
        """All rubrics, each a tuple of criteria."""
        return (self.shared,) if self.shared else tuple(self.by_key.values())

    def plain(self) -> dict[str, Any]:
        """Return the rubrics as JSON data, which :func:`rubrics_of` reads."""
        if self.shared:
            return {"criteria": [criterion.plain() for criterion in self.shared]}
        by_key = {key: [criterion.plain() for criterion in every] for key, every in self.by_key.items()}
        return {"for": by_key, "items": sorted(self.items)}

    def check(self, items: Iterable[Item]) -> list[str]:
        """Return warnings: how many items have no rubric, and how many rubrics match no item.

        Raises:
            RubricError: a rubric names an item that does not exist.
            DeclarationError: no item has a rubric.
        """
        if self.shared:
            return []
        met, lacking, total, first = set[str](), 0, 0, ""
        for item in items:
            key = self.key_of(item)
            total += 1
            if key is None:
                lacking, first = lacking + 1, first or item.id
            else:
                met.add(key)
        unmet = [key for key in self.by_key if key not in met]
        faults = FaultList()
        for key in unmet:
            if key in self.items and key in self.places and not self.columns:
                problem = f"is a rubric for {quoted(key)}, but there is no such item"
                faults.add(Fault(*self.places[key], "", problem, _NO_ITEM))
        faults.raise_any(RubricError)
        if not met and total:
            raise DeclarationError(
                f"{self.name} has no rubric for any of the {number(total, 'item')}: its rubrics are for "
                f"{listed(unmet, 3)}, and the first item is {quoted(first)}: write ids or topics of the items"
            )
        notes = []
        if unmet:
            notes.append(
                f"{len(unmet)} of {len(self.by_key)} rubrics of {self.name} are for topics of no item"
            )
        if lacking:
            notes.append(f"{lacking} of {total} items have no rubric (the first: {first}), and are unscored")
        return notes


_NO_ITEM = "Correct the id, or remove the rubric"


def item_ids(item: Item) -> tuple[str, ...]:
    """Return the id of an item, followed by the id of its original where the item is a changed version."""
    return (item.id,) if item.version is None else (item.id, item.version.original)


def topics_of(item: Item) -> Iterator[str]:
    """Yield the possible names of an item's topic: fields of its metadata, then the topic itself."""
    yield from topic_names(item, TOPIC_KEYS)
    yield item.topic

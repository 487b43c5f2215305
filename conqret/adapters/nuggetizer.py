"""Items as requests of nuggetizer, and its nuggets as those of conqret's banks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from conqret._optional import require
from conqret.io import open_items
from conqret.judging.judge import Items
from conqret.judging.nugget_measures import SUPPORT
from conqret.studies.systems.ranked_systems import ListedNugget

types: Any = require("nuggetizer.core.types", extra="nuggetizer")


def as_requests(items: Items) -> list[Any]:
    """Items (a file, a frame or a list) as requests, from which nuggetizer makes nuggets: topic and documents with ids
    and titles. It has no place for the rest; ``qid`` is the item's id, by which it is found again."""
    requests = []
    for item in open_items(items):
        documents = [types.Document(each.id, each.text, each.title or None) for each in item.documents]
        requests.append(types.Request(types.Query(item.id, item.topic), documents))
    return requests


def nuggets_of(nuggets: Iterable[Any], system: str = "") -> list[ListedNugget]:
    """nuggetizer's nuggets as those of :mod:`conqret.studies.systems.ranked_systems`.

    Where they are assigned, that is their coverage by ``system`` under ``support``; a word that nuggetizer does not
    know is no value, and never 0. Importance stays in nuggetizer's objects: ours have none.
    """
    return [
        ListedNugget(nugget.text, {} if value is None else {"support": {system: value}})
        for nugget in nuggets
        for value in (SUPPORT.get(getattr(nugget, "assignment", "")),)
    ]

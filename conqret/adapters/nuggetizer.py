"""Items as requests of nuggetizer, and its nuggets as those of conqret's banks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from conqret._optional import require
from conqret.io import open_items
from conqret.judges.nugget_assignments import SUPPORT
from conqret.judging.judge import Items
from conqret.studies.systems.ranked_systems import ListedNugget

types: Any = require("nuggetizer.core.types", extra="nuggetizer")


def as_requests(items: Items) -> list[Any]:
    """Convert items (a file, a frame or a list) into nuggetizer requests with topic, document ids and titles.

    Other fields are dropped. Each request's ``qid`` is the item's id.
    """
    requests = []
    for item in open_items(items):
        documents = [types.Document(each.id, each.text, each.title or None) for each in item.documents]
        requests.append(types.Request(types.Query(item.id, item.topic), documents))
    return requests


def nuggets_of(nuggets: Iterable[Any], system: str = "") -> list[ListedNugget]:
    """Convert nuggetizer's nuggets into :class:`ListedNugget` objects.

    An assigned nugget gets the coverage of ``system`` under ``support``: 1 for support, a half for partial
    support, 0 for none. An assignment label that is not known gives no value, and never 0. nuggetizer's
    importance is dropped.
    """
    return [
        ListedNugget(nugget.text, {} if value is None else {"support": {system: value}})
        for nugget in nuggets
        for value in (SUPPORT.get(getattr(nugget, "assignment", "")),)
    ]

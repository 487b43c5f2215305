"""Verdicts that were given before, elsewhere: a log of them, as a judge that answers what it was asked then.

A row is one item (or one pair, as it was shown) with what was said of it. The log may have the texts itself, or name
items of a file by their ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from conqret.data import Item
from conqret.errors import DeclarationError, number
from conqret.io import ItemSource
from conqret.io.columns import CONQRET
from conqret.io.rows import ObjectRows
from conqret.judging.judge_parts import Judge
from conqret.judging.orders import swap_item
from conqret.judging.own_judge import PAIRED, own_judge, plain
from conqret.judging.verdict_rows import VerdictRows, verdict_rows
from conqret.llm.backends.verdicts import admit, texts_of
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions


@dataclass(frozen=True)
class VerdictLog:
    """What a log says: ``items``, each once, with the arguments in the order in which it was met first; by the texts of
    an item what was ``said`` of it, in the log's order; and for which ``metrics``."""

    name: str
    items: tuple[Item, ...]
    metrics: tuple[str, ...]
    said: Mapping[str, Sequence[Mapping[str, float | None]]]
    notes: tuple[str, ...] = ()
    skip_invalid: bool = False

    @property
    def source(self) -> ItemSource:
        """The items, to be judged."""
        return ItemSource(ObjectRows(self.items, self.name), CONQRET, skip_invalid=self.skip_invalid)

    @cached_property
    def both_orders(self) -> bool:
        """Whether every pair was judged in both orders: only then a verdict can be that of both."""
        return all(self.times(item) and self.times(swap_item(item)) for item in self.items)

    def times(self, item: Item, *, pair: bool = True) -> int:
        """How often the item was judged: as a ``pair`` in this order, or its argument alone."""
        return len(self.said.get(texts_of(plain(item, pair=pair)), ()))

    def answers(
        self, item: Item, metrics: Iterable[str], sample: int = 0, *, one_order: bool = False
    ) -> bool:
        """Whether the log says what would be asked of the item as this sample."""
        for metric in metrics:
            pair = metric == PAIRED
            shown = [item, swap_item(item)] if pair and self.both_orders and not one_order else [item]
            if not all(self.times(item, pair=pair) > sample for item in shown):
                return False
        return True


def log_of(verdicts: Any, items: Any, other: object, **reading: Any) -> VerdictLog | None:
    """:func:`read_log` where there are ``verdicts``; ``other`` is a further judge of one's own.

    Raises:
        FaultsError: rows are faulty.
        DeclarationError: as there; or there is another judge, nothing to be judged, or a scale without numbers.
    """
    if verdicts is None:
        if items is None:
            raise DeclarationError(
                "nothing is given to be judged: name a file of items, or a log of verdicts (--verdicts)"
            )
        if reading.get("scale") is not None:
            raise DeclarationError("--verdict-scale is the scale of a log of verdicts: add --verdicts")
        return None
    if other is not None:
        raise DeclarationError(
            f"the judge is a log of verdicts (--verdicts) or {other}: give only one of them"
        )
    return read_log(verdicts, items, **reading)


def read_log(
    verdicts: Any,
    items: Any = None,
    *,
    metrics: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    scale: str | None = None,
    skip_invalid: bool = False,
) -> VerdictLog:
    """Read a log of verdicts.

    Args:
        verdicts: a file (JSON Lines, CSV, Parquet) or rows from memory. Without ``items`` a row has the texts as they
            were shown, under the columns of an item; with them it has the id of one, and perhaps ``swapped``.
        items: the items that the log's ids mean.
        metrics: what is read: ``preference`` from a verdict, any other from numbers. By default preference where there
            are verdicts, else overall_quality.
        columns: which column holds what: ``{"score": "rating", "id": "question_id"}``.
        scale: the ends of the numbers, ``1:10``, or of one metric's, ``groundedness=1:5``; without it 0 to 1.
        skip_invalid: leave out those of the ``items`` that have faults.

    Raises:
        FaultsError: rows are faulty.
        DeclarationError: no column holds verdicts or scores, or a column or scale is said wrongly.
    """
    rows = verdict_rows(
        verdicts, items, metrics=metrics, columns=columns, scale=scale, skip_invalid=skip_invalid
    )
    return replace(_gathered(rows), skip_invalid=skip_invalid)


def logged_judge(log: VerdictLog, client: ClientOptions) -> tuple[Judge, ClientOptions]:
    """The format and the client that answer from the log. A preference is that of both orders where every pair was
    judged in both, and else the verdict in the order of the item.

    Raises:
        DeclarationError: the client names a model.
    """
    if client.model != OFFLINE_MODEL:
        raise DeclarationError(f"a log of verdicts needs no model: leave {client.model} out")
    judge = own_judge(log.metrics)
    asks = tuple(replace(ask, both_orders=ask.both_orders and log.both_orders) for ask in judge.asks)
    return replace(judge, asks=asks), replace(client, model=admit(log.name, log.said))


def _gathered(rows: VerdictRows) -> VerdictLog:
    """The log of what was judged, each item once."""
    verdicts: dict[str, list[Mapping[str, float | None]]] = {}
    items: dict[str, Item] = {}
    met: set[str] = set()
    count = 0
    for item, values in rows.judged:
        count += 1
        for pair in (True, False):
            asked = {metric: value for metric, value in values.items() if (metric == PAIRED) is pair}
            if asked:
                verdicts.setdefault(texts_of(plain(item, pair=pair)), []).append(asked)
        shown = {texts_of(plain(version, pair=True)) for version in (item, swap_item(item))}
        if rows.known is None and not shown & met:
            apart = _apart(item, items)
            items[apart.id] = apart
        met |= shown
    every = items if rows.known is None else rows.known
    log = VerdictLog(rows.name, tuple(every.values()), rows.metrics, verdicts)
    return replace(log, notes=(*rows.notes, *_told(log, count)))


def _apart(item: Item, items: Mapping[str, Item]) -> Item:
    """The item under an id that no other has: several pairs of one question often share its id."""
    name, again = item.id, 1
    while name in items:
        again += 1
        name = f"{item.id}#{again}"
    return item if again == 1 else item.model_copy(update={"id": name})


def _told(log: VerdictLog, count: int) -> Iterator[str]:
    if PAIRED not in log.metrics:
        yield f"{number(count, 'judgment')} of {number(len(log.items), 'item')}"
        return
    both = sum(bool(log.times(item) and log.times(swap_item(item))) for item in log.items)
    counts = "" if log.both_orders else ": the verdict in the order of the item counts"
    of = number(len(log.items), "pair")
    yield f"{number(count, 'verdict')} of {of}, {both} of them in both orders{counts}"

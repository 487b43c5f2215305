"""The list of items of the page: the scores beside each, and what the script filters and sorts by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from conqret.data import Judgment, Measure
from conqret.judging.item_parts import PREFERRED, Cell, cell
from conqret.judging.overview import DIMENSION_NAMES, OVERALL, plain_metrics
from conqret.judging.summary import Summary
from conqret.show import words
from conqret.show.visible_text import cut

MOST_HEADS = 7
"""Metrics that find room beside an item in the list, and in the table of groups."""


@dataclass(frozen=True, slots=True)
class ListedItem:
    """One item of the list with the scores beside it."""

    number: int
    judgment: Judgment
    heads: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class ItemList:
    """``columns`` holds (metric, label) of all metrics; ``heads`` are the places of those that stand beside an item.
    ``data`` is what the script filters and sorts by."""

    columns: tuple[tuple[str, str], ...]
    rows: tuple[ListedItem, ...]
    heads: tuple[int, ...]
    data: dict[str, Any]


def item_list(shown: Sequence[tuple[int, Judgment]], summary: Summary) -> ItemList:
    """The list of the judgments shown, in their order."""
    plain = plain_metrics(summary)
    ordered = [*plain, *(metric for metric in summary.metrics if metric in DIMENSION_NAMES)]
    heads = ([*plain, OVERALL] if OVERALL in ordered else plain)[:MOST_HEADS]
    return ItemList(
        columns=tuple((metric, words.label(metric)) for metric in ordered),
        rows=tuple(
            ListedItem(number, judgment, tuple(_cell(m, judgment.measures.get(m)) for m in heads))
            for number, judgment in shown
        ),
        heads=tuple(ordered.index(metric) for metric in heads),
        data={
            "metrics": ordered,
            "rows": [_facts(number, judgment, ordered) for number, judgment in shown],
        },
    )


def _cell(metric: str, measure: Measure | None) -> Cell:
    name = words.label(metric)
    if measure is None:
        return Cell("", None, f"{name}: not judged")
    value_text = words.score(measure.value)
    if measure.value is None:
        value_text = f"{measure.status.value}, {words.reason(measure.reason)}"
    return cell(measure.value, PREFERRED.get(measure.label or "", ""), f"{name}: {value_text}")


def _facts(number: int, judgment: Judgment, metrics: Sequence[str]) -> dict[str, Any]:
    """What the script knows of an item."""
    values = {name: measure.value for name, measure in judgment.measures.items()}
    return {
        "n": number,
        "id": cut(judgment.item, 200),
        "topic": cut(judgment.topic, 300),
        "stance": judgment.stance,
        "status": judgment.status.value,
        "flagged": bool(judgment.addressed),
        "trimmed": bool(judgment.trims),
        "values": [values.get(metric) for metric in metrics],
    }

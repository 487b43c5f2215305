"""The two maps of the page, a row for each item that is shown: item by metric, and item by document rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from conqret.data import Judgment, Measure, Part
from conqret.judging.item_parts import PREFERRED, Cell, cell
from conqret.judging.overview import DIMENSION_NAMES, OVERALL, plain_metrics
from conqret.judging.summary import Summary
from conqret.judging.tally import RANKS, Tally, document_measure
from conqret.show import words
from conqret.show.visible_text import cut

MOST_ROWS = 40
"""Rows of a map that all stand open; with more it becomes a box that scrolls, under its head and over its means."""
MOST_HEADS = 7
"""Metrics that find room beside an item in the list, and in the table of groups."""


@dataclass(frozen=True, slots=True)
class MapRow:
    """One item in both maps and, with its ``heads``, in the list, where a score has the room to be written in full;
    ``documents`` is empty where the format rates no single document."""

    number: int
    judgment: Judgment
    cells: tuple[Cell, ...]
    documents: tuple[Cell, ...]
    heads: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class ScoreMaps:
    """Columns and rows of both maps. ``columns`` holds (metric, label); ``heads`` are those that the list shows too;
    ``first_quality`` is set apart from the metrics on its left (-1: none). ``data`` is what the script filters and
    sorts by."""

    columns: tuple[tuple[str, str], ...]
    means: tuple[Cell, ...]
    rank_means: tuple[Cell, ...]
    rows: tuple[MapRow, ...]
    heads: tuple[int, ...]
    first_quality: int
    data: dict[str, Any]

    @property
    def long(self) -> bool:
        """Whether the maps have more rows than can stand open."""
        return len(self.rows) > MOST_ROWS


def maps(shown: Sequence[tuple[int, Judgment]], summary: Summary, tally: Tally) -> ScoreMaps:
    """The maps of the judgments shown, in their order; the means stand over all judgments."""
    plain = plain_metrics(summary)
    ordered = [*plain, *(metric for metric in summary.metrics if metric in DIMENSION_NAMES)]
    heads = ([*plain, OVERALL] if OVERALL in ordered else plain)[:MOST_HEADS]
    whole = all(
        part.raw is None or part.raw.is_integer() for _, judgment in shown for part in _documents(judgment)
    )
    rows = tuple(_row(number, judgment, ordered, heads, 0 if whole else 1) for number, judgment in shown)
    first_quality = len(plain) if 0 < len(plain) < len(ordered) else -1
    ranks = max((len(row.documents) for row in rows), default=0)
    return ScoreMaps(
        columns=tuple((metric, words.label(metric)) for metric in ordered),
        means=tuple(_mean(summary.metrics[metric].mean, words.label(metric)) for metric in ordered),
        rank_means=tuple(_rank_mean(rank, tally.rank_mean(rank)) for rank in range(1, ranks + 1)),
        rows=rows,
        heads=tuple(ordered.index(metric) for metric in heads),
        first_quality=first_quality,
        data={
            "metrics": ordered,
            "firstQuality": first_quality,
            "rows": [_facts(number, judgment, ordered) for number, judgment in shown],
        },
    )


def _row(
    number: int, judgment: Judgment, metrics: Sequence[str], heads: Sequence[str], decimals: int
) -> MapRow:
    places = {name: index for index, name in enumerate(judgment.measures)}
    # The item shows what it says of the second argument beside what it says of the first.
    rows = {m: places.get(m.removeprefix(words.SECOND), places.get(m)) for m in metrics}
    lost = all(measure.value is None for measure in judgment.measures.values())
    cells = [_cell(number, None if lost else rows[m], m, judgment.measures.get(m)) for m in metrics]
    documents = [
        cell(
            part.value,
            words.short(part.value) if part.raw is None else f"{part.raw:.{decimals}f}",
            f"Document {rank} ({part.id}): {cut(part.explanation, 300)}",
            f"i{number}-d{rank}",
        )
        for rank, part in enumerate(_documents(judgment), start=1)
    ]
    listed = [_cell(number, None, m, judgment.measures.get(m), words.score) for m in heads]
    return MapRow(number, judgment, tuple(cells), tuple(documents), tuple(listed))


def _documents(judgment: Judgment) -> Sequence[Part]:
    """The ratings of the documents that have a column, where the format rates them one by one."""
    rated = document_measure(judgment)
    return rated.parts[:RANKS] if rated else ()


def _cell(
    number: int,
    index: int | None,
    metric: str,
    measure: Measure | None,
    written: Callable[[float | None], str] = words.short,
) -> Cell:
    name = words.label(metric)
    if measure is None:
        return Cell("", None, f"{name}: not judged", f"i{number}")
    value_text = words.score(measure.value)
    if measure.value is None:
        value_text = f"{measure.status.value}, {words.reason(measure.reason)}"
    text = PREFERRED.get(measure.label or "", written(measure.value))
    return cell(
        measure.value, text, f"{name}: {value_text}", f"i{number}" if index is None else f"i{number}-m{index}"
    )


def _mean(mean: float | None, name: str) -> Cell:
    mean_text = "no mean" if mean is None else f"mean {words.score(mean)} over all items"
    return cell(mean, words.short(mean), f"{name}: {mean_text}")


def _rank_mean(rank: int, means: tuple[float, float] | None) -> Cell:
    """The mean of a rank, on the scale of the ratings above it."""
    if means is None:
        return cell(None, title=f"document {rank}: no mean")
    title = f"document {rank}: mean rating {means[1]:.2f} over all items"
    return cell(means[0], f"{means[1]:.1f}", title)


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

"""The two maps of the page, a row for each item that is shown: item by metric, and item by document rank."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from conqret.data import Judgment, Measure
from conqret.report import words
from conqret.report.figures import level
from conqret.report.overview import DIMENSION_NAMES
from conqret.report.tally import RANKS, Tally, document_measure
from conqret.report.texts import cut

_VERDICTS = {"first": "1st", "second": "2nd", "tie": "tie"}


@dataclass(frozen=True, slots=True)
class MapCell:
    """One cell: what it says, its level (None: nothing to colour), where it leads, and the whole in words."""

    text: str
    level: int | None
    target: str
    title: str


@dataclass(frozen=True, slots=True)
class MapRow:
    """One item in both maps; ``documents`` is empty where the format rates no single document."""

    number: int
    id: str
    topic: str
    stance: str
    status: str
    reason: str
    flagged: bool
    trimmed: bool
    cells: tuple[MapCell, ...]
    documents: tuple[MapCell, ...]


@dataclass(frozen=True, slots=True)
class Maps:
    """Columns and rows of both maps. ``columns`` holds (metric, label, is a quality dimension); ``heads`` are
    those that the list shows too; ``first_quality`` is set apart from the metrics on its left (-1: none)."""

    columns: tuple[tuple[str, str, bool], ...]
    ranks: int
    rank_means: tuple[MapCell, ...]
    means: tuple[MapCell, ...]
    rows: tuple[MapRow, ...]
    heads: tuple[int, ...]
    first_quality: int
    data: Markup


def maps(shown: Sequence[tuple[int, Judgment]], metrics: Sequence[str], tally: Tally) -> Maps:
    """The maps of the judgments shown, in their order; the means stand over all judgments."""
    plain = [metric for metric in metrics if metric not in DIMENSION_NAMES]
    ordered = [*plain, *(metric for metric in metrics if metric in DIMENSION_NAMES)]
    rows = tuple(_row(number, judgment, ordered) for number, judgment in shown)
    summary = tally.summariser.summary().metrics
    means = [summary[metric].mean if metric in summary else None for metric in ordered]
    heads = [*plain, "overall_quality"] if "overall_quality" in ordered else plain
    return Maps(
        columns=tuple((metric, words.label(metric), metric in DIMENSION_NAMES) for metric in ordered),
        ranks=max((len(row.documents) for row in rows), default=0),
        rank_means=tuple(_mean(mean, f"document {n}") for n, mean in enumerate(tally.rank_means(), start=1)),
        means=tuple(_mean(mean, words.label(m)) for mean, m in zip(means, ordered, strict=True)),
        rows=rows,
        heads=tuple(ordered.index(metric) for metric in heads[:5]),
        first_quality=len(plain) if 0 < len(plain) < len(ordered) else -1,
        data=_embed(shown, ordered),
    )


def _row(number: int, judgment: Judgment, metrics: Sequence[str]) -> MapRow:
    places = {name: index for index, name in enumerate(judgment.measures)}
    # The item shows what it says of the second argument beside what it says of the first.
    rows = {m: places.get(m.removeprefix(words.SECOND), places.get(m)) for m in metrics}
    lost = all(measure.value is None for measure in judgment.measures.values())
    cells = [_cell(number, None if lost else rows[m], m, judgment.measures.get(m)) for m in metrics]
    rated = document_measure(judgment)
    documents = (
        []
        if rated is None
        else [
            MapCell(
                text=words.rating(part.raw) or ("–" if part.value is None else words.short(part.value)),
                level=None if part.value is None else level(part.value),
                target=f"i{number}-d{rank}",
                title=f"Document {rank} ({part.id}): {cut(part.explanation, 300)}",
            )
            for rank, part in enumerate(rated.parts[:RANKS], start=1)
        ]
    )
    return MapRow(
        number=number,
        id=judgment.item,
        topic=cut(judgment.topic, 120),
        stance=words.STANCES.get(judgment.stance, judgment.stance),
        status=judgment.status.value,
        reason=words.reason(judgment.reason) if judgment.reason else "",
        flagged=bool(judgment.flags),
        trimmed=bool(judgment.trims),
        cells=tuple(cells),
        documents=tuple(documents),
    )


def _cell(number: int, index: int | None, metric: str, measure: Measure | None) -> MapCell:
    name = words.label(metric)
    if measure is None:
        return MapCell("", None, f"i{number}", f"{name}: not judged")
    target = f"i{number}" if index is None else f"i{number}-m{index}"
    if measure.value is None:
        return MapCell("–", None, target, f"{name}: {measure.status.value}, {words.reason(measure.reason)}")
    text = _VERDICTS.get(measure.label or "", words.short(measure.value))
    return MapCell(text, level(measure.value), target, f"{name}: {words.score(measure.value)}")


def _mean(mean: float | None, name: str) -> MapCell:
    if mean is None:
        return MapCell("–", None, "", f"{name}: no mean")
    return MapCell(words.short(mean), level(mean), "", f"{name}: mean {words.score(mean)} over all items")


def _embed(shown: Sequence[tuple[int, Judgment]], metrics: Sequence[str]) -> Markup:
    """What the script filters and sorts by, as JSON that cannot end the element it stands in."""
    rows: list[dict[str, Any]] = [
        {
            "n": number,
            "id": cut(judgment.item, 200),
            "topic": cut(judgment.topic, 300),
            "stance": judgment.stance,
            "status": judgment.status.value,
            "flagged": bool(judgment.flags),
            "trimmed": bool(judgment.trims),
            "values": [
                None if (measure := judgment.measures.get(metric)) is None else measure.value
                for metric in metrics
            ],
        }
        for number, judgment in shown
    ]
    text = json.dumps({"metrics": list(metrics), "rows": rows}, ensure_ascii=True, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 (escaped above: what is left of it is inert in any element)

"""One judged item as the page shows it: plain data, made from an item and its judgment. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conqret.data import Flag, Item, Judgment, Measure, Status
from conqret.data.digest import gathered
from conqret.judging.evidence_view import (
    DOCUMENTS,
    EXPLANATION,
    TURNS,
    ArgumentView,
    DocumentView,
    ImageView,
    TurnView,
    arguments,
    documents,
    explained,
    turns,
)
from conqret.judging.item_parts import PartTable, tables
from conqret.judging.overview import DIMENSION_NAMES
from conqret.show import words
from conqret.show.score_cells import Cell, measure_cell
from conqret.show.visible_text import cut, passages


@dataclass(frozen=True, slots=True)
class MeasureRow:
    """One metric of the item; ``second`` is the same of the second argument, where the format rates both."""

    index: int
    label: str
    cell: Cell
    second: Cell | None
    explanation: str
    extras: tuple[str, ...]
    missing: str


@dataclass(frozen=True, slots=True)
class FlagView:
    """A passage that addresses the judge: where it stands, all that it does, and its words."""

    where: str
    anchor: str
    kinds: tuple[str, ...]
    excerpt: str


@dataclass(frozen=True, slots=True)
class ItemView:
    """What the page shows of an item beside what its line in the list says."""

    turns: tuple[TurnView, ...]
    turns_omitted: int
    images: tuple[ImageView, ...]
    arguments: tuple[ArgumentView, ...]
    documents: tuple[DocumentView, ...]
    documents_omitted: int
    measures: tuple[MeasureRow, ...]
    dimensions: tuple[MeasureRow, ...]
    tables: tuple[PartTable, ...]
    flags: tuple[FlagView, ...]
    metadata: tuple[tuple[str, str], ...]
    known: bool

    @property
    def lost(self) -> str:
        """Why nothing at all was scored, where one sentence says it for every metric; else empty."""
        rows = (*self.measures, *self.dimensions)
        reasons = {row.missing for row in rows}
        return reasons.pop() if len(rows) > 1 and len(reasons) == 1 else ""

    @property
    def paired(self) -> bool:
        """Whether any metric is rated for both arguments."""
        return any(row.second is not None for row in (*self.measures, *self.dimensions))


def item_view(item: Item | None, judgment: Judgment) -> ItemView:
    """The view of ``judgment`` and of its item (None: the run directory does not hold it)."""
    rows = list(_measures(judgment))
    citing = tuple(arguments(judgment, item)) if item else ()
    return ItemView(
        turns=tuple(turns(judgment, item)) if item else (),
        turns_omitted=max(len(item.messages) - TURNS, 0) if item else 0,
        images=ImageView.of(item.images) if item else (),
        arguments=citing,
        documents=tuple(documents(judgment, item, citing)) if item else (),
        documents_omitted=max(len(item.documents) - DOCUMENTS, 0) if item else 0,
        measures=tuple(row for name, row in rows if name not in DIMENSION_NAMES),
        dimensions=tuple(row for name, row in rows if name in DIMENSION_NAMES),
        tables=tuple(tables(judgment, item)),
        flags=tuple(_flags(judgment.flags[:100], item)),
        metadata=tuple((cut(k, 100), cut(str(v), 500)) for k, v in item.metadata.items()) if item else (),
        known=item is not None,
    )


def _measures(judgment: Judgment) -> Iterator[tuple[str, MeasureRow]]:
    for index, (name, measure) in enumerate(judgment.measures.items()):
        if name.startswith(words.SECOND) and name.removeprefix(words.SECOND) in judgment.measures:
            continue
        other = judgment.measures.get(words.SECOND + name)
        yield (
            name,
            MeasureRow(
                index=index,
                label=words.label(name),
                cell=measure_cell(measure),
                second=measure_cell(other) if other is not None else None,
                explanation=explained(measure, measure.explanation),
                extras=tuple(_extras(measure) if other is None else _both(measure, other)),
                missing=_missing(measure) or (_missing(other) if other is not None else ""),
            ),
        )


def _both(first: Measure, second: Measure) -> Iterator[str]:
    """The same of either argument."""
    for name, measure in (("first", first), ("second", second)):
        yield from (f"{name}: {extra}" for extra in _extras(measure))


def _extras(measure: Measure) -> Iterator[str]:
    """What stands beside the score: the rating on the format's scale, flips, the method, every sample."""
    if measure.label is not None:
        verdicts = {"first": "first argument better", "second": "second argument better"}
        yield verdicts.get(measure.label, measure.label)
    if measure.flipped is not None:
        yield "the verdict flipped with the order" if measure.flipped else "the same in both orders"
    if measure.raw is not None:
        sampled = len(measure.samples) > 1
        yield f"mean rating {measure.raw:.2f}" if sampled else f"rating {words.rating(measure.raw)}"
    if measure.method is not None:
        yield f"read from {measure.method}"
    if measure.samples:
        yield "scores of the samples " + " · ".join(words.score(value) for value in measure.samples[:50])
    if measure.majority is not None:
        often = Counter(value for value in measure.samples if value is not None).most_common(2)
        tied = len({times for _, times in often}) < len(often)
        name = "no score is the most frequent; median" if tied else "most frequent score"
        yield f"{name} {words.score(measure.majority)}"
    if measure.value is not None and measure.detail:
        yield cut(measure.detail, 500)


def _missing(measure: Measure) -> str:
    if measure.status is Status.SCORED:
        return ""
    detail = f" ({cut(measure.detail, EXPLANATION)})" if measure.detail else ""
    return f"{measure.status.value.capitalize()}: {words.reason(measure.reason)}{detail}"


def _flags(flags: Sequence[Flag], item: Item | None) -> Iterator[FlagView]:
    """The passages, each once with all that is said of it."""
    for where, place_flags in gathered((flag.where, flag) for flag in flags).items():
        name, anchor, text = _place(where, item)
        spans = passages(text, [flag.excerpt for flag in place_flags])
        quotes = [
            ("… " * (start > 0) + " ".join(text[start:stop].split()) + " …" * (stop < len(text)), places)
            for start, stop, places in spans
        ]
        seen = {place for _, places in quotes for place in places}
        quotes += [
            (f"… {flag.excerpt} …", [place]) for place, flag in enumerate(place_flags) if place not in seen
        ]
        for quote, places in quotes:
            kinds = dict.fromkeys(
                words.FLAGS.get(place_flags[place].kind, place_flags[place].kind) for place in places
            )
            yield FlagView(cut(name, 300), anchor, tuple(kinds), cut(quote, 1000))


def _place(where: str, item: Item | None) -> tuple[str, str, str]:
    """What a field of the item is called, where the page shows it, and its text."""
    turn = where.removeprefix("message:")
    if item is not None and turn != where and turn.isdecimal() and 0 < int(turn) <= len(item.messages):
        return f"earlier message {turn}", "t", item.messages[int(turn) - 1].content
    if item is None or not where.startswith("document:"):
        anchor = {"argument": "a", "second_argument": "b"}.get(where, "")
        known = where in {"topic", "argument", "second_argument", "reference"}
        return where.replace("_", " "), anchor, (getattr(item, where, "") or "") if known else ""
    name = where.removeprefix("document:")
    for number, document in enumerate(item.documents[:DOCUMENTS], start=1):
        if document.id == name:
            return f"document {number} ({name})", f"d{number}", document.text
    return where, "", ""

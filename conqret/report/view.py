"""One judged item as the page shows it: plain data, made from an item and its judgment. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from conqret.data import Call, Document, Flag, Item, Judgment, Measure, Part, Status
from conqret.report import words
from conqret.report.figures import level
from conqret.report.overview import DIMENSION_NAMES
from conqret.report.parts import (
    Cell,
    CitationVerdicts,
    PartTable,
    VerdictRow,
    cell,
    is_documents,
    tables,
    verdict_rows,
)
from conqret.report.texts import Piece, cited, cut, flagged, link

ITEM_CHARACTERS = 400_000
"""Characters of an item's documents that the page shows; a longer one is cut, and says so."""

TEXT_CHARACTERS = 30_000
"""Characters of a single text that the page shows at most."""

DOCUMENTS = 200
"""Documents of an item that the page shows."""

EXPLANATION = 4_000


@dataclass(frozen=True, slots=True)
class MeasureRow:
    """One metric of the item; ``second`` is the same of the second argument, where the format rates both."""

    index: int
    label: str
    question: str
    cell: Cell
    second: Cell | None
    explanation: str
    extras: tuple[str, ...]
    missing: str


@dataclass(frozen=True, slots=True)
class ArgumentView:
    """An argument in pieces. ``key`` is "a" for the first and "b" for the second."""

    key: str
    title: str
    pieces: tuple[Piece, ...]
    omitted: int


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document, the argument's citations of it, and its rating where the format rates documents."""

    number: int
    id: str
    title: str
    url: str
    href: str | None
    pieces: tuple[Piece, ...]
    omitted: int
    words: str
    rating: Cell | None
    explanation: str
    cited: tuple[tuple[str, tuple[int, ...]], ...]
    flagged: bool
    trim: str


@dataclass(frozen=True, slots=True)
class FlagView:
    """A passage that addresses the judge: where it stands, what it does, and its words."""

    where: str
    anchor: str
    kind: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class ItemView:
    """All that the page shows of an item. ``number`` is its place in the file, from 1."""

    number: int
    id: str
    topic: str
    stance: str
    status: str
    arguments: tuple[ArgumentView, ...]
    documents: tuple[DocumentView, ...]
    documents_omitted: int
    measures: tuple[MeasureRow, ...]
    dimensions: tuple[MeasureRow, ...]
    tables: tuple[PartTable, ...]
    verdicts: tuple[VerdictRow, ...]
    flags: tuple[FlagView, ...]
    metadata: tuple[tuple[str, str], ...]
    calls: tuple[Call, ...]
    cost: str
    known: bool

    @property
    def lost(self) -> str:
        """Why nothing at all was scored, where one sentence says it for every metric; else empty."""
        rows = (*self.measures, *self.dimensions)
        said = {row.missing for row in rows}
        return said.pop() if len(rows) > 1 and len(said) == 1 else ""

    @property
    def paired(self) -> bool:
        """Whether any metric is rated for both arguments."""
        return any(row.second is not None for row in (*self.measures, *self.dimensions))


def item_view(number: int, item: Item | None, judgment: Judgment) -> ItemView:
    """The view of ``judgment`` and of its item (None: the run directory does not hold it)."""
    rows = list(_measures(judgment))
    cost = judgment.trace.cost_usd
    return ItemView(
        number=number,
        id=judgment.item,
        topic=cut(judgment.topic, 1000),
        stance=words.STANCES.get(judgment.stance, judgment.stance),
        status=judgment.status.value,
        arguments=tuple(_arguments(judgment, item)),
        documents=tuple(_documents(judgment, item)),
        documents_omitted=max(len(item.documents) - DOCUMENTS, 0) if item else 0,
        measures=tuple(row for name, row in rows if name not in DIMENSION_NAMES),
        dimensions=tuple(row for name, row in rows if name in DIMENSION_NAMES),
        tables=tuple(tables(judgment, item)),
        verdicts=tuple(verdict_rows(judgment, item)),
        flags=tuple(_flag(flag, item) for flag in judgment.flags[:100]),
        metadata=tuple((cut(k, 100), cut(str(v), 500)) for k, v in item.metadata.items()) if item else (),
        calls=judgment.trace.calls[:200],
        cost="unknown" if cost is None else words.money(cost),
        known=item is not None,
    )


def measure_cell(measure: Measure) -> Cell:
    """A measure as one cell: its verdict or its score; a dash and the reason where it has none."""
    if measure.value is None:
        return Cell("–", None, f"{measure.status.value}: {words.reason(measure.reason)}")
    note = f"verdict {measure.label}" if measure.label else ""
    return Cell(words.score(measure.value), level(measure.value), note)


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
                question=words.question(name),
                cell=measure_cell(measure),
                second=measure_cell(other) if other is not None else None,
                explanation=cut(measure.explanation, EXPLANATION),
                extras=tuple(_extras(measure)),
                missing=_missing(measure) or (_missing(other) if other is not None else ""),
            ),
        )


def _extras(measure: Measure) -> Iterator[str]:
    """What stands beside the score: the rating on the format's scale, flips, the method, every sample."""
    if measure.label is not None:
        verdicts = {"first": "first argument better", "second": "second argument better"}
        yield verdicts.get(measure.label, measure.label)
    if measure.flipped is not None:
        yield "the verdict flipped with the order" if measure.flipped else "the same in both orders"
    if measure.raw is not None:
        yield f"rating {words.rating(measure.raw)}"
    if measure.method is not None:
        yield f"read from {measure.method}"
    if measure.samples:
        yield "samples " + " · ".join(words.score(value) for value in measure.samples[:50])
    if measure.majority is not None:
        yield f"majority {words.score(measure.majority)}"
    if measure.value is not None and measure.detail:
        yield cut(measure.detail, 500)


def _missing(measure: Measure) -> str:
    if measure.status is Status.SCORED:
        return ""
    detail = f" ({cut(measure.detail, EXPLANATION)})" if measure.detail else ""
    return f"{measure.status.value.capitalize()}: {words.reason(measure.reason)}{detail}"


def _arguments(judgment: Judgment, item: Item | None) -> Iterator[ArgumentView]:
    if item is None:
        return
    for key, title, text in (
        ("a", "Argument", item.argument),
        ("b", "Second argument", item.second_argument),
    ):
        if text:
            shown = text[:TEXT_CHARACTERS]
            verdict = CitationVerdicts(judgment, shown) if key == "a" else lambda start, cites: ""
            pieces = cited(shown, min(len(item.documents), DOCUMENTS), verdict)
            yield ArgumentView(key, title, tuple(pieces), len(text) - len(shown))


def _documents(judgment: Judgment, item: Item | None) -> Iterator[DocumentView]:
    if item is None:
        return
    limit = min(TEXT_CHARACTERS, ITEM_CHARACTERS // max(min(len(item.documents), DOCUMENTS), 1))
    ratings = _ratings(judgment, item)
    trims = {trim.document: f"{words.count(trim.before)} to {words.count(trim.after)}" for trim in judgment.trims}
    back: dict[int, dict[str, list[int]]] = {}
    for argument in _arguments(judgment, item):
        for piece in argument.pieces:
            if piece.cites is not None:
                back.setdefault(piece.cites, {}).setdefault(argument.key, []).append(piece.mark)
    for number, document in enumerate(item.documents[:DOCUMENTS], start=1):
        excerpts = [flag.excerpt for flag in judgment.flags if flag.where == f"document:{document.id}"]
        shown = document.text[:limit]
        part = ratings.get(document.id)
        yield DocumentView(
            number=number,
            id=document.id,
            title=_title(document),
            url=cut(document.url, 300),
            href=link(document.url),
            pieces=tuple(flagged(shown, excerpts)),
            omitted=len(document.text) - len(shown),
            words=words.count(len(document.text.split())),
            rating=cell(part) if part else None,
            explanation=cut(part.explanation, EXPLANATION) if part else "",
            cited=tuple((key, tuple(marks[:50])) for key, marks in back.get(number, {}).items()),
            flagged=bool(excerpts),
            trim=trims.get(document.id, ""),
        )


def _ratings(judgment: Judgment, item: Item) -> dict[str, Part]:
    measures = (measure for measure in judgment.measures.values() if is_documents(measure, item))
    return {part.id: part for measure in measures for part in measure.parts}


def _title(document: Document) -> str:
    return cut(document.title or " ".join(document.text[:400].split()), 160)


def _flag(flag: Flag, item: Item | None) -> FlagView:
    where, anchor = flag.where.replace("_", " "), ""
    if flag.where in {"argument", "second_argument"}:
        anchor = "a" if flag.where == "argument" else "b"
    elif flag.where.startswith("document:") and item is not None:
        name = flag.where.removeprefix("document:")
        ids = [document.id for document in item.documents[:DOCUMENTS]]
        if name in ids:
            where, anchor = f"document {ids.index(name) + 1} ({name})", f"d{ids.index(name) + 1}"
    return FlagView(cut(where, 300), anchor, words.FLAGS.get(flag.kind, flag.kind), cut(flag.excerpt, 1000))

"""The texts of one item as the page shows them: its arguments, and the documents that they cite. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from conqret.data import Document, Item, Judgment, Measure, Part
from conqret.io.images import described, inline
from conqret.judging.item_parts import citation_verdicts, is_documents
from conqret.show import words
from conqret.show.score_cells import Cell, part_cell
from conqret.show.visible_text import Piece, cited, cut, flagged, link
from conqret.text.words import count_words

ITEM_CHARACTERS = 400_000
"""Characters of an item's documents that the page shows; a longer one is cut, and says so."""

TEXT_CHARACTERS = 30_000
"""Characters of a single text that the page shows at most."""

DOCUMENTS = 200
"""Documents of an item that the page shows."""

EXPLANATION = 4_000


@dataclass(frozen=True, slots=True)
class ArgumentView:
    """An argument in pieces. ``key`` is "a" for the first and "b" for the second."""

    key: str
    title: str
    pieces: tuple[Piece, ...]
    omitted: int


@dataclass(frozen=True, slots=True)
class ImageView:
    """An image: its URL where the page itself can show it, and what it is in words."""

    url: str
    words: str

    @classmethod
    def of(cls, images: Iterable[str]) -> tuple[ImageView, ...]:
        """The views of images by their URLs."""
        return tuple(cls(inline(url), cut(described(url), 300)) for url in images)


@dataclass(frozen=True, slots=True)
class TurnView:
    """A message before the question. ``document`` is the number of the document that holds what a tool gave back."""

    role: str
    name: str
    pieces: tuple[Piece, ...]
    omitted: int
    calls: tuple[str, ...]
    document: int
    images: tuple[ImageView, ...]


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
    images: tuple[ImageView, ...]


TURNS = 200
"""Earlier messages of an item that the page shows: the last ones."""


def turns(judgment: Judgment, item: Item) -> Iterator[TurnView]:
    """The messages before the question, in their order."""
    limit = min(TEXT_CHARACTERS, ITEM_CHARACTERS // max(min(len(item.messages), TURNS), 1))
    places = {document.id: place for place, document in enumerate(item.documents[:DOCUMENTS], start=1)}
    for number, turn in list(enumerate(item.messages, start=1))[-TURNS:]:
        excerpts = [flag.excerpt for flag in judgment.flags if flag.where == f"message:{number}"]
        shown = turn.content[:limit]
        yield TurnView(
            role=turn.role,
            name=cut(turn.name, 100),
            pieces=tuple(flagged(shown, excerpts)),
            omitted=len(turn.content) - len(shown),
            calls=tuple(cut(call, 1000) for call in turn.calls[:50]),
            document=places.get(turn.document, 0),
            images=ImageView.of(turn.images),
        )


def arguments(judgment: Judgment, item: Item) -> Iterator[ArgumentView]:
    """The arguments that the item has, with their citations found and, where they were judged, marked."""
    for key, title, text in (
        ("a", "Argument", item.argument),
        ("b", "Second argument", item.second_argument),
    ):
        if text:
            shown = text[:TEXT_CHARACTERS]
            verdict = citation_verdicts(judgment, shown) if key == "a" else lambda start, cites: ""
            pieces = cited(shown, min(len(item.documents), DOCUMENTS), verdict, judgment.strays)
            yield ArgumentView(key, title, tuple(pieces), len(text) - len(shown))


def documents(judgment: Judgment, item: Item, citing: Sequence[ArgumentView]) -> Iterator[DocumentView]:
    """The documents in their order, with what the judge says of each and where the arguments cite it."""
    limit = min(TEXT_CHARACTERS, ITEM_CHARACTERS // max(min(len(item.documents), DOCUMENTS), 1))
    rated = _rated(judgment, item)
    trims = {
        trim.document: f"{words.count(trim.before)} to {words.count(trim.after)}" for trim in judgment.trims
    }
    back: dict[int, dict[str, list[int]]] = {}
    for argument in citing:
        for piece in argument.pieces:
            if piece.cites is not None:
                back.setdefault(piece.cites, {}).setdefault(argument.key, []).append(piece.mark)
    for number, document in enumerate(item.documents[:DOCUMENTS], start=1):
        flags = [flag for flag in judgment.flags if flag.where == f"document:{document.id}"]
        shown = document.text[:limit]
        measure, part = rated.get(document.id, (None, None))
        yield DocumentView(
            number=number,
            id=document.id,
            title=_title(document),
            url=cut(document.url, 300),
            href=link(document.url),
            pieces=tuple(flagged(shown, [flag.excerpt for flag in flags])),
            omitted=len(document.text) - len(shown),
            words=words.count(count_words(document.text)),
            rating=part_cell(part) if part else None,
            explanation=explained(measure, part.explanation) if measure and part else "",
            cited=tuple((key, tuple(marks[:50])) for key, marks in back.get(number, {}).items()),
            flagged=any(flag in judgment.addressed for flag in flags),
            trim=trims.get(document.id, ""),
            images=ImageView.of([document.image] if document.image else []),
        )


def explained(measure: Measure, text: str) -> str:
    """What the judge says; of several samples it is said by the first that has a score, and which that is."""
    place = next((n for n, value in enumerate(measure.samples, start=1) if value is not None), 0)
    return cut(f"Sample {place}: {text}" if text and len(measure.samples) > 1 else text, EXPLANATION)


def _rated(judgment: Judgment, item: Item) -> dict[str, tuple[Measure, Part]]:
    """The ratings of single documents by their ids, with the measure that they make."""
    measures = (measure for measure in judgment.measures.values() if is_documents(measure, item))
    return {part.id: (measure, part) for measure in measures for part in measure.parts}


def _title(document: Document) -> str:
    return cut(document.title or " ".join(document.text[:400].split()), 160)

"""A text with places that are marked, in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from conqret.debate.two_turn.two_turn_files import quoted_in
from conqret.labels.screens import ScreenPassage


def pieces(passage: ScreenPassage) -> Iterator[tuple[str, bool]]:
    """The text piece by piece, each with whether it is marked."""
    at = 0
    for start, end in sorted(passage.lit):
        if at < start:
            yield passage.text[at:start], False
        yield passage.text[max(at, start) : end], True
        at = max(at, end)
    if at < len(passage.text):
        yield passage.text[at:], False


@dataclass(frozen=True, slots=True)
class NumberedSnippet:
    """A snippet of a passage under the name of its place there, with its number in the text that cites it."""

    name: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class ScreenPiece:
    """A piece of a passage: the names of the snippets that begin with it, and of those that hold it."""

    text: str
    begins: tuple[str, ...]
    within: tuple[str, ...]


def quoted_pieces(passage: str, quotes: Sequence[NumberedSnippet]) -> Iterator[ScreenPiece]:
    """The passage, cut wherever a snippet begins or ends; a snippet that is not in it has no place."""
    places: dict[str, tuple[int, int]] = {}
    for quote in quotes:
        words = quoted_in(passage, quote.text) if passage else None
        if words is not None:
            start = passage.index(words)
            places[quote.name] = start, start + len(words)
    cuts = sorted({0, len(passage), *(cut for place in places.values() for cut in place)})
    for start, end in pairwise(cuts):
        yield ScreenPiece(
            passage[start:end],
            tuple(name for name, place in places.items() if place[0] == start),
            tuple(name for name, place in places.items() if place[0] <= start < place[1]),
        )

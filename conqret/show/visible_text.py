"""Prepare texts from outside for display: hidden characters written out, long texts cut, citations and
flagged passages marked.

Escaping is not done here: the templates escape everything that they are given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from conqret.text.citations import quoted_span, written_numbers

_CONTROLS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\ud800-\udfff"
    r"\U000e0000-\U000e007f]+|[\u200b\u2060\ufeff]{3,}"  # a few zero-width spaces are common in web text
)
_USUAL = re.compile(r"[\t\n -~\xa0-\u200a\u2010-\u2027\u202f-\u205f\u2070-\ud7ff]*")
"""What most texts consist of: nothing in it is written out, and to see that is quicker than to look for what is."""
_COMMAND = re.compile(r"(?:(?<=: )|\A)conqret (?:check|labels collect) [^\n]*\Z")
_NAMED = 8
_WORD = 40
_ELLIPSIS = " …"


def before_command(text: str) -> tuple[str, str]:
    """Return a text without the command line that ends it, and that; empty where there is none."""
    match = _COMMAND.search(text)
    start = match.start() if match else len(text)
    return text[:start], text[start:]


class Alarm(str):
    """A cell text that needs attention: red in a terminal, bold in Markdown."""

    __slots__ = ()
    alarm = True


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text for display.

    If it is a citation, ``cites`` is the document's number and ``mark`` the running number of the
    citation. ``stray`` marks a citation of a document that does not exist, and ``hit`` a part of a flagged
    passage.
    """

    text: str
    cites: int | None = None
    mark: int = 0
    verdict: str = ""
    hit: bool = False
    stray: bool = False


def visible(text: str) -> str:
    """Return ``text`` with invisible, reordering and control characters written out, as in ``[U+202E]``.

    Line breaks and tabs stay. A long sequence of such characters is shortened to the first few and their
    number.
    """
    if (text.isascii() and text.isprintable()) or _USUAL.fullmatch(text):
        return text
    return _CONTROLS.sub(_name, text.replace("\r\n", "\n"))


def _name(match: re.Match[str]) -> str:
    characters = match.group()
    named = "".join(f"[U+{ord(character):04X}]" for character in characters[:_NAMED])
    return named if len(characters) <= _NAMED else f"{named}[and {len(characters) - _NAMED} more]"


def cut(text: str, limit: int) -> str:
    """Return the first ``limit`` characters of ``text``, with an ellipsis if it was longer."""
    return text if len(text) <= limit else text[:limit].rstrip() + _ELLIPSIS


def link(url: str) -> str | None:
    """Return ``url`` if it is a safe link, else None.

    A safe link is http or https and has a host, but no whitespace or control characters.
    """
    if not url or len(url) > 2000 or _CONTROLS.search(url) or url.split() != [url]:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return url if parts.scheme in {"http", "https"} and parts.hostname else None


def cited(
    text: str,
    documents: int,
    verdict: Callable[[int, int], str] | None = None,
    invalid_citations: Collection[int] = (),
) -> list[Piece]:
    """Split ``text`` into pieces, so that each cited number is a piece of its own.

    ``documents`` is the number of documents; a number is cited if it is from 1 to that, or in
    ``invalid_citations``. ``verdict(start, number)`` returns the verdict on the citation of ``number`` in
    the mark that starts at that character.
    """
    marked: list[tuple[int, Piece]] = []
    known = 0
    for mark, start, end, cites in written_numbers(text):
        piece = Piece(text[start:end], stray=cites in invalid_citations)
        if 1 <= cites <= documents:
            known += 1
            piece = Piece(piece.text, cites, known, verdict(mark, cites) if verdict else "")
        marked.append((start, piece))
    return _pieces(text, marked)


def flagged(text: str, excerpts: Sequence[str]) -> list[Piece]:
    """Split ``text`` into pieces, with the passages of ``excerpts`` marked (``hit``); all whitespace counts
    as equal.
    """
    marked = []
    for start, stop, _ in passages(text, excerpts):
        marked.append((start, Piece(text[start:stop], hit=True)))
    return _pieces(text, marked)


def passages(text: str, excerpts: Sequence[str]) -> list[tuple[int, int, list[int]]]:
    """Find ``excerpts`` in ``text``, extended to whole words.

    Each result is start and end (in characters, end exclusive) and the indices of the excerpts in it.
    Overlapping passages are merged; excerpts that are not found are left out.
    """
    spans: list[tuple[tuple[int, int], int]] = []
    for place, excerpt in enumerate(excerpts):
        if span := quoted_span(text, excerpt):
            spans.append((_whole(text, *span), place))
    joined: list[tuple[int, int, list[int]]] = []
    for (start, stop), place in sorted(spans):
        if joined and start <= joined[-1][1]:
            first, last, places = joined[-1]
            joined[-1] = (first, max(stop, last), [*places, place])
        else:
            joined.append((start, stop, [place]))
    return joined


def _pieces(text: str, marked: Iterable[tuple[int, Piece]]) -> list[Piece]:
    """Return ``text`` in pieces: those ``marked`` at their places (in order, without overlaps), and the texts between
    them."""
    pieces: list[Piece] = []
    end = 0
    for start, piece in marked:
        if start > end:
            pieces.append(Piece(text[end:start]))
        if piece.text:
            pieces.append(piece)
        end = start + len(piece.text)
    return [*pieces, Piece(text[end:])] if end < len(text) else pieces


def _whole(text: str, start: int, stop: int) -> tuple[int, int]:
    """A stretch of ``text`` with all of the words at its ends, as far as these are words."""
    before = re.search(r"(?<!\S)\S*\Z", text[max(0, start - _WORD) : start])
    behind = re.match(r"\S*", text[stop : stop + _WORD])
    return start - len(before[0] if before else ""), stop + len(behind[0] if behind else "")

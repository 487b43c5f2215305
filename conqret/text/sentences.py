"""Sentences of a text, with their character spans.

By rule, in one pass and in linear time: a sentence ends at a full stop, exclamation or question mark that
is followed by white space and is not part of an abbreviation or a decimal; at a blank line; and at a line
break before a list mark. Closing quotation marks and citation marks stay with the sentence that they
close, whether they stand before its full stop or after it (``It ends. [3]``).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from conqret.text.citations import MARK


class Span(NamedTuple):
    """One sentence: ``text[start:end]`` of what was split."""

    start: int
    end: int
    text: str


END_MARKS, CLOSING = ".!?\u2026", "\"'\u2019\u201d)"
"""What ends a sentence, and what may stand behind that: for ``str.rstrip``, which takes them off in linear time."""

_CLOSERS = "\"'\u2019\u201d\u00bb)\\]*_"
_OPENERS = "([\"'\u2018\u201c"
_LIST_MARK = r"[-*\u2022\u25cf\u2605\u2013\u2014>#|]|\(?[0-9]{1,3}[.)]\s"
# The pattern starts with one character class, and no run in it is unbounded, so that the
# search is linear even in a text of full stops.
_break = re.compile(
    r"[.!?\u2026\n\u3002\uff01\uff1f](?:"
    rf"(?<=[.!?\u2026])[.!?\u2026]{{0,20}}[{_CLOSERS}]{{0,9}}"  # an end mark and what closes it
    rf"(?:[ \t]{{0,9}}{MARK}){{0,20}}(?=\s|\Z)"  # its citations, and white space
    rf"|(?<=[\u3002\uff01\uff1f])[\u3002\uff01\uff1f]{{0,20}}[{_CLOSERS}]{{0,9}}"  # Chinese and Japanese need no space
    r"|(?<=\n)[ \t\r]*\n"
    rf"|(?<=\n)(?=[ \t]*(?:{_LIST_MARK})))"
)
_marks_alone = re.compile(rf"\A\s*+(?:{MARK}[\s.,;:!?)]{{0,9}}){{1,20}}")
_LONGEST_ABBREVIATION = 12
_LONGEST_LIST_NUMBER = 3
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof rev hon sen rep gov gen col sgt capt lt st sr jr vs etc al cf eg ie e.g i.e viz approx "
    "ca no nos vol pp p ed eds fig figs eq sec ch art dept est inc ltd co corp jan feb mar apr jun jul aug "
    "sep sept oct nov dec mon tue wed thu fri sat sun u.s u.k u.n e.u a.m p.m d.c".split()
)
_ENDS_TOO = frozenset("etc al inc ltd co corp u.s u.k u.n e.u a.m p.m d.c jr sr".split())


def sentences(text: str) -> tuple[Span, ...]:
    """The sentences of ``text`` in order, without surrounding white space; none of them is empty.

    Together they hold every character of ``text`` that is not white space.
    """
    spans = []
    for start, end in boundaries(text):
        piece = text[start:end]
        start += len(piece) - len(piece.lstrip())
        stripped = piece.strip()
        spans.append(Span(start, start + len(stripped), stripped))
    return tuple(spans)


def boundaries(text: str) -> list[tuple[int, int]]:
    """Where the sentences start and end, white space around them included; none is blank."""
    bounds: list[tuple[int, int]] = []
    start = 0
    for match in _break.finditer(text):
        stop, end = match.span()
        if text[stop] == "." and not _ends_sentence(text, stop, end):
            continue
        _add(bounds, text, start, end)
        start = end
    _add(bounds, text, start, len(text))
    return bounds


def _add(bounds: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    """Add a sentence; citation marks that stand alone belong to the one before them."""
    piece = text[start:end]
    if not piece or piece.isspace():
        return
    if bounds and "[" in piece[:10] and _marks_alone.fullmatch(piece):
        bounds[-1] = (bounds[-1][0], end)
    else:
        bounds.append((start, end))


def _ends_sentence(text: str, stop: int, end: int) -> bool:
    """Whether the full stop at ``stop`` ends a sentence: false in ``Dr. Who``, ``J. Smith`` and ``p. 4``."""
    if stop + 1 < end and text[stop + 1] == ".":  # an ellipsis ends it only before a capital
        return _next_is_upper(text, end)
    pieces = text[max(0, stop - _LONGEST_ABBREVIATION) : stop].split()
    if not pieces or text[stop - 1].isspace():
        return True
    word = pieces[-1].lstrip(_OPENERS)
    if word.isdigit() and len(word) <= _LONGEST_LIST_NUMBER:  # the 3. of a list, at the start of its line
        before = text[max(0, stop - len(word) - 1) : stop - len(word)]
        return before not in ("", "\n")
    if len(word) == 1 and word.isalpha() and word.isupper() and word != "I":
        return False
    word = word.lower()
    if word in _ENDS_TOO:
        return _next_is_upper(text, end)
    return word not in _ABBREVIATIONS


def _next_is_upper(text: str, end: int) -> bool:
    following = text[end : end + 8].lstrip()
    return not following or not (following[0].islower() or following[0].isdigit())

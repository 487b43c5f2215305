"""Citation marks in an argument: ``[3]``, ``[1, 4]``, ``[2-5]``, ``[1][2]``.

A mark cites documents by their place in the item, counted from 1. Whether that place exists is the
caller's business.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conqret.data.item import DebateArgument

_word = re.compile(r"\S+")


def quoted_span(text: str, quotation: str) -> tuple[int, int] | None:
    """Start and end of the first place of ``text`` where ``quotation`` stands; None where it does not, or is blank.

    All white space counts as equal. A pattern of the words would take time with the product of both lengths where one
    word is repeated.
    """
    wanted = " ".join(quotation.split())
    if not wanted:
        return None
    even = " ".join(text.split())
    place = even.find(wanted)
    if place < 0:
        return None
    last = place + len(wanted) - 1
    first_word, last_word = even.count(" ", 0, place), even.count(" ", 0, last)
    spans = itertools.islice(_word.finditer(text), first_word, last_word + 1)
    starts = [match.start() for match in spans]

    def original(offset: int, word: int) -> int:
        return starts[word - first_word] + offset - (even.rfind(" ", 0, offset) + 1)

    return original(place, first_word), original(last, last_word) + 1


_RANGE_LIMIT = 100  # a wider range ([1-2000]) is no citation of so many documents: only its ends count

_SHORT = 40  # characters of a mark whose numbers are kept: the same marks come again and again

_DASH = r"[-\u2010-\u2015]"
_NUMBER = r"[0-9]{1,4}"
_PART = rf"{_NUMBER}(?:\s?{_DASH}\s?{_NUMBER})?"
MARK = rf"\[\s?{_PART}(?:\s?[,;]\s?{_PART})*\s?\]"
"""The pattern of one mark, for use inside other patterns."""

_mark = re.compile(MARK)
_part = re.compile(rf"({_NUMBER})(?:\s?{_DASH}\s?({_NUMBER}))?")
_mark_and_space = re.compile(rf"(?P<space>[ \t]{{0,9}})(?P<mark>{MARK})")
_mark_with_space = re.compile(rf"\s{{0,9}}{MARK}")


def citations(text: str) -> tuple[int, ...]:
    """The numbers cited in ``text``, in order of first mention and without duplicates.

    A range includes both ends (``[2-5]`` is 2, 3, 4, 5; ``[5-2]`` is read as 5 and 2, and so is a range
    of more than 100 numbers: its two ends). ``citations("so it is [2][1, 2].")`` is ``(2, 1)``.
    """
    if "[" not in text:
        return ()
    array: dict[int, None] = {}
    for mark in _mark.finditer(text):
        written = mark.group()
        read = _numbers if len(written) <= _SHORT else _numbers.__wrapped__
        array.update(dict.fromkeys(read(written)))
    return tuple(array)


@lru_cache(maxsize=1024)
def _numbers(mark: str) -> tuple[int, ...]:
    """The numbers of one mark, in their order."""
    numbers: dict[int, None] = {}
    for first, last in _part.findall(mark):
        low, high = int(first), int(last or first)
        numbers.update(dict.fromkeys(range(low, high + 1) if 0 <= high - low < _RANGE_LIMIT else (low, high)))
    return tuple(numbers)


def strays(text: str, documents: int) -> tuple[int, ...]:
    """The numbers cited in ``text`` that none of so many documents has: ``strays("It rose [7].", 1)`` is ``(7,)``."""
    return tuple(number for number in citations(text) if not 1 <= number <= documents)


def cited_by(arguments: Iterable[DebateArgument]) -> tuple[int, ...]:
    """The numbers that the arguments of a debate page cite, in title or paragraphs, in order of first mention."""
    return citations(
        "\n\n".join(text for argument in arguments for text in (argument.title, *argument.paragraphs))
    )


def cited_against(arguments: Iterable[DebateArgument]) -> tuple[int, ...]:
    """The numbers that the counterpoints to the arguments cite: evidence of the other side."""
    return citations("\n\n".join(text for argument in arguments for text in argument.counterpoint))


def strip_citations(text: str) -> str:
    """``text`` without its citation marks and the white space in front of them.

    ``strip_citations("It rose [1]. It fell. [2]")`` is ``"It rose. It fell."``.
    """
    return _mark_with_space.sub("", text) if "[" in text else text


def marks(text: str) -> list[tuple[int, ...]]:
    """The numbers that each mark cites, in text order."""
    return [citations(match.group()) for match in _mark.finditer(text)]


def replace_marks(
    text: str, mark: Callable[[int, tuple[int, ...]], Iterable[int]], *, apart: bool = False
) -> str:
    """``text`` with each citation mark written again.

    ``mark`` gets the place of the mark in the text (from 0) and the numbers that it cites, and returns the numbers to
    cite, which are written ``[2, 3]``, or ``[2][3]`` where they shall stand ``apart``. A mark that is left without
    numbers goes, with the white space before it; one whose numbers stay is left as it is, but where they stand apart.
    """
    places = itertools.count()

    def other(match: re.Match[str]) -> str:
        old = citations(match["mark"])
        new = tuple(dict.fromkeys(mark(next(places), old)))
        if new == old and not apart:
            return match.group()
        written = ("][" if apart else ", ").join(map(str, new))
        return f"{match['space']}[{written}]" if new else ""

    return _mark_and_space.sub(other, text)

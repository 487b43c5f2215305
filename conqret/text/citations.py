"""Citation marks in an argument: ``[3]``, ``[1, 4]``, ``[2-5]``, ``[1][2]``, ``[Doc 3]``, ``【3】``, ``[٣]``,
``³``.

A mark cites documents by their place in the item, counted from 1. Places are not checked here, except by
:func:`invalid_citations`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import filterfalse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conqret.data.corpus import DebateArgument

_word = re.compile(r"\S+")


def quoted_span(text: str, quotation: str) -> tuple[int, int] | None:
    """Return start and end (in characters, end exclusive) of the first occurrence of ``quotation`` in
    ``text``; None if it does not occur or is blank.

    All whitespace counts as equal. The time is linear, also if one word is repeated.
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

_DASH = r"[-\u2010-\u2015\u2212\uff0d~\u301c\uff5e]"
_COMMA = r"[,;\uff0c\uff1b\u3001\u060c\u061b]"
_SPACE = r"[\s\u200e\u200f\u061c]{0,3}"
"""White space, and the invisible marks that set the direction of a text."""

_NUMBER = r"\d{1,4}"
_RANGE = rf"{_NUMBER}(?:{_SPACE}{_DASH}{_SPACE}{_NUMBER})?"
_LABEL = (
    r"(?:(?i:documents?|docs?|sources?|citations?|cite|references?|refs?|passages?|contexts?|snippets?|chunks?"
    r"|dokumente?|quellen?|documentos?|fuentes?|fontes?|документы?|источники?|مصدر|المصدر|وثيقة|स्रोत|दस्तावेज़)"
    r"|文档|文檔|文件|来源|來源|资料|資料|引用|文書|出典)\.?[\s:：#_-]{0,3}|\#"
)
"""What may stand before a number: ``[Doc 1]``, ``[citation:1]``, ``[Quelle 1]``, ``[#1]``."""
_LOCATOR = (
    rf"(?:{_SPACE},?{_SPACE}(?i:pp?|pages?|seiten?|s|§)\.?\s?\d{{1,5}}(?:{_SPACE}{_DASH}{_SPACE}\d{{1,5}})?)"
)
"""Where in a document: ``[1, p. 5]``."""
_PART = rf"(?:{_LABEL})?{_RANGE}{_LOCATOR}?"
_AND = r"(?:and|und|et|y|e|и|و|और|和|及|と|&)"
_PARTS = rf"{_PART}(?:{_SPACE}(?:{_COMMA}(?:{_SPACE}{_AND})?|{_AND}){_SPACE}{_PART})*(?:{_SPACE}{_COMMA})?"
_OPEN, _CLOSE = r"[\[\u3010\uff3b\u3014]", r"[\]\u3011\uff3d\u3015]"
_INSIDE = rf"{_SPACE}\^?{_PARTS}\^?{_SPACE}(?:\u2020[^\]\u3011\uff3d\u3015\n]{{0,80}})?"
_YEAR = r"\[(?:19|20)[0-9]{2}\]"
_BRACKETED = rf"(?:\[\[{_INSIDE}\]\]|(?!{_YEAR}){_OPEN}{_INSIDE}{_CLOSE})"

_RAISED = "\u00b9\u00b2\u00b3\u2070\u2074-\u2079"
_NO_POWER = (
    rf"(?=[{_RAISED}])(?<![\d%\u2030{_RAISED}\u207a-\u207e\u2080-\u208e+*/\u00d7=^-])"
    r"(?<!\b[A-Za-z\u00b5\u0370-\u03ff\u0400-\u04ff])(?<!\b[kcdmn\u00b5\u03bc\u043a\u0441\u0434][m\u043c])"
    r"(?<!\b[Cc][Oo])(?<!\b[Nn][Oo])(?<!\bft)(?<!\byd)(?<!\bmi)(?<!\bha)"
)
"""What does not stand before a citation in superscript: a figure, a unit of length, a variable, or a gas."""

_RAISED_PART = rf"[{_RAISED}]{{1,3}}(?:[\u207b\u2010-\u2015-][{_RAISED}]{{1,3}})?"
_SUPERSCRIPT = rf"{_NO_POWER}{_RAISED_PART}(?:{_COMMA}\s?{_RAISED_PART}|[\u02d2\u2e32]{_RAISED_PART}){{0,40}}"

MARK = rf"(?:{_BRACKETED}|{_SUPERSCRIPT})"
"""The pattern of one mark, for use inside other patterns: in square, lenticular or tortoise shell brackets of any width
(``[1]``, ``【1】``, ``［1］``, ``【1†source】``, ``[^1]``, ``[Doc 1]``, ``[1 and 2]``), in the digits of any script
(``[١]``, ``[१]``), or raised (``¹``). A year alone (``[2024]``) is none."""

_RAISED_DIGITS = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
_ASCII = str.maketrans(f"{_RAISED_DIGITS}\u207b", "0123456789-")

_mark = re.compile(MARK)
_bracketed = re.compile(_BRACKETED)
_raised = re.compile(f"[{_RAISED}]")
_opening = re.compile(rf"(?:\[\[|{_OPEN})(?:\^|{_LABEL})?")
_part = re.compile(rf"{_LOCATOR}|(?P<first>{_NUMBER})(?:{_SPACE}{_DASH}{_SPACE}(?P<last>{_NUMBER}))?")
_number = re.compile(rf"{_LOCATOR}|(?P<number>[{_RAISED}]{{1,3}}|{_NUMBER})")
_opening_bracket = re.compile("[\\[\u3010\uff3b\u3014]")
_mark_and_space = re.compile(rf"(?P<space>[ \t]{{0,9}})(?P<mark>{MARK})")
_mark_with_space = re.compile(rf"\s{{0,9}}{_BRACKETED}")
_any_mark_with_space = re.compile(rf"(?:\s{{0,9}}{_BRACKETED}|{_SUPERSCRIPT})")


def find_marks(text: str) -> Iterator[re.Match[str]]:
    """Iterate over the citation marks of a text, such as ``[1]``, in order."""
    form = _marks(text)
    return (_mark if form == "raised" else _bracketed).finditer(text) if form else iter(())


def _marks(text: str) -> str:
    """Which marks a text may have: "raised" (and others), "bracketed", or none."""
    if text.isascii():
        return "bracketed" if "[" in text else ""
    if _raised.search(text) is not None:
        return "raised"
    return "bracketed" if _opening_bracket.search(text) is not None else ""


def citations(text: str) -> tuple[int, ...]:
    """Return the numbers cited in ``text``, in order of first mention and without duplicates.

    A range includes both ends: ``[2-5]`` is 2, 3, 4, 5. Of a descending range, or one of more than 100
    numbers, only the two ends count. ``citations("so it is [2][1, 2].")`` is ``(2, 1)``.
    """
    array: dict[int, None] = {}
    for mark in find_marks(text):
        array.update(dict.fromkeys(_numbers(mark.group())))
    return tuple(array)


@lru_cache(maxsize=1024)
def _numbers(mark: str) -> tuple[int, ...]:
    """Return the numbers of one mark in their order, each once; a range stands for all its numbers, an
    overlong one for its ends.
    """
    numbers: dict[int, None] = {}
    for part in _part.finditer(mark.partition("\u2020")[0].translate(_ASCII)):
        if part["first"] is None:  # a page
            continue
        low, high = int(part["first"]), int(part["last"] or part["first"])
        numbers.update(dict.fromkeys(range(low, high + 1) if 0 <= high - low < _RANGE_LIMIT else (low, high)))
    return tuple(numbers)


def written_numbers(text: str) -> Iterator[tuple[int, int, int, int]]:
    """Yield each number written in a citation mark: the index of the mark's start, start and end of the
    number (in characters of ``text``, end exclusive), and its value.

    Numbers inside a range, which are not written out, are skipped.
    """
    for mark in find_marks(text):
        stop = text.find("\u2020", mark.start(), mark.end())
        for number in _number.finditer(text, mark.start(), mark.end() if stop < 0 else stop):
            if number["number"] is not None:
                yield mark.start(), number.start(), number.end(), int(number.group().translate(_ASCII))


def invalid_citations(text: str, documents: int) -> tuple[int, ...]:
    """Return the numbers cited in ``text`` that are not from 1 to ``documents``, the number of documents.

    ``invalid_citations("It rose [7].", 1)`` is ``(7,)``.
    """
    return tuple(filterfalse(range(1, documents + 1).__contains__, citations(text)))


def cited_by(arguments: Iterable[DebateArgument]) -> tuple[int, ...]:
    """Return the numbers cited in titles and paragraphs of the arguments, in order of first mention."""
    return citations(
        "\n\n".join(text for argument in arguments for text in (argument.title, *argument.paragraphs))
    )


def cited_against(arguments: Iterable[DebateArgument]) -> tuple[int, ...]:
    """Return the numbers cited in the counterpoints to the arguments, which are evidence of the other
    side."""
    return citations("\n\n".join(text for argument in arguments for text in argument.counterpoint))


def strip_citations(text: str) -> str:
    """Return ``text`` without its citation marks and the whitespace before them.

    ``strip_citations("It rose [1]. It fell. [2]")`` is ``"It rose. It fell."``.
    """
    form = _marks(text)
    if not form:
        return text
    return (_any_mark_with_space if form == "raised" else _mark_with_space).sub("", text)


_BRACKETS = "[]\u3010\u3011\uff3b\uff3d\u3014\u3015"


def round_marks(text: str) -> str:
    """Return ``text`` with its citation marks in parentheses, so that they no longer count as citations.

    ``[1]`` and ``¹`` both become ``(1)``.
    """
    if not _marks(text):
        return text

    def other(match: re.Match[str]) -> str:
        mark = match.group()
        return f"({mark.translate(_ASCII) if _raised.match(mark) else mark.strip(_BRACKETS)})"

    return _mark.sub(other, text)


def marks(text: str) -> list[tuple[int, ...]]:
    """Return the numbers that each citation mark cites, in text order."""
    return [_numbers(match.group()) for match in find_marks(text)]


def replace_marks(
    text: str, mark: Callable[[int, tuple[int, ...]], Iterable[int]], *, apart: bool = False
) -> str:
    """Return ``text`` with its citation marks rewritten.

    ``mark`` is called with the index of a mark (from 0) and the numbers that it cites, and returns the new
    numbers. They are written as ``[2, 3]``, or ``[2][3]`` if ``apart`` is true, in the style of the
    original mark. A mark without new numbers is removed with the whitespace before it. A mark with
    unchanged numbers stays as it is, unless ``apart`` is true.
    """
    places = itertools.count()

    def other(match: re.Match[str]) -> str:
        old = _numbers(match["mark"])
        new = tuple(dict.fromkeys(mark(next(places), old)))
        if new == old and not apart:
            return match.group()
        return match["space"] + _written(new, match["mark"], apart=apart) if new else ""

    return _mark_and_space.sub(other, text)


def _written(numbers: Iterable[int], mark: str, *, apart: bool) -> str:
    """Return ``numbers`` written in the style of another ``mark``: its brackets, its digits (also raised or of another
    script), and its separators; ``apart`` gives each number brackets of its own."""
    if _raised.match(mark):
        return ",".join(
            str(number).translate(str.maketrans("0123456789", _RAISED_DIGITS)) for number in numbers
        )
    first = next(character for character in mark if character.isdecimal())
    zero = ord(first) - int(first)
    digits = {ord("0") + digit: zero + digit for digit in range(10)}
    opening = _opening.match(mark)
    before, after = opening.group() if opening else "[", "]]" if mark.endswith("]]") else mark[-1]
    parted = (after + before) if apart or "^" in mark else ", "
    return before + parted.join(str(number).translate(digits) for number in numbers) + after

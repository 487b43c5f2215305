"""Where a text quotes another, white space apart, in time that grows with the length of both."""

from __future__ import annotations

import re
from bisect import bisect_right

_word = re.compile(r"\S+")


def quoted_span(text: str, quotation: str) -> tuple[int, int] | None:
    """Start and end of the first place of ``text`` where ``quotation`` stands; None where it does not, or is blank.

    All white space counts as equal. A pattern of the words would take time with the product of both lengths where one
    word is repeated.
    """
    words = quotation.split()
    if not words:
        return None
    spans = [match.span() for match in _word.finditer(text)]
    place = " ".join(text.split()).find(wanted := " ".join(words))
    if place < 0:
        return None
    starts, at = [], 0
    for start, end in spans:
        starts.append(at)
        at += end - start + 1

    def original(offset: int) -> int:
        number = bisect_right(starts, offset) - 1
        return spans[number][0] + offset - starts[number]

    return original(place), original(place + len(wanted) - 1) + 1

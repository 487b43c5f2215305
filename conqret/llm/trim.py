"""Cutting documents to a budget of tokens, so that each loses the same share."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from dataclasses import dataclass

from conqret.errors import DeclarationError
from conqret.llm.tokens import O200K, Encode, encoder, pieces

FLOOR = 100
"""Tokens: some 75 words, about the shortest passage from which relevance can still be told."""

NEAR = 300
"""Characters that a cut may move back to end with a sentence; two or three sentences."""

_SENTENCE_END = re.compile(r"""[.!?…。！？]["'”’)\]]*(?=\s|$)|\n""")


@dataclass(frozen=True, slots=True)
class TrimmedText:
    """A text after trimming, and its tokens before and after."""

    text: str
    before: int
    after: int


def trim_proportionally(
    texts: Sequence[str], budget: int, *, floor: int = FLOOR, encode: Encode | None = None
) -> tuple[TrimmedText, ...]:
    """Cut ``texts`` so that they have at most ``budget`` tokens together (as ``count_tokens`` counts with ``encode``).

    If they fit, they stay as they are. Else each keeps its first ``share * tokens``, with one share for
    all, but at least ``floor`` tokens or all it has. If even the floors do not fit, the floor itself sinks,
    the same for all, until they do. A cut is moved back to the end of a sentence, or of a word, if one is
    near. What a text keeps is always a beginning of it.

    Raises:
        DeclarationError: the budget or the floor is negative.
    """
    if budget < 0 or floor < 0:
        raise DeclarationError(f"the token budget {budget} and the least tokens {floor} must not be negative")
    measured = [_MeasuredText(text, encode or encoder(O200K)) for text in texts]
    before = [document.tokens for document in measured]
    if sum(before) <= budget:
        return tuple(TrimmedText(text, count, count) for text, count in zip(texts, before, strict=True))
    allowed = allot(before, budget, floor)
    return tuple(document.cut(tokens) for document, tokens in zip(measured, allowed, strict=True))


def allot(sizes: Sequence[int], budget: int, floor: int) -> list[int]:
    """How many tokens each of ``sizes`` may keep; the sum is at most ``budget``.

    With share r: keep_i = max(min(size_i, floor), int(r * size_i)), where r makes the sum meet the budget;
    if sum(min(size_i, floor)) > budget: keep_i = min(size_i, f) with the largest f that fits.
    """
    if sum(sizes) <= budget:
        return list(sizes)
    least = [min(size, floor) for size in sizes]
    if sum(least) > budget:
        return _level(least, budget)
    fixed = {index for index, size in enumerate(sizes) if size <= floor}
    while True:
        room = budget - sum(least[index] for index in fixed)
        rest = sum(size for index, size in enumerate(sizes) if index not in fixed)
        under = {i for i, size in enumerate(sizes) if i not in fixed and size * room < least[i] * rest}
        if not under:
            return [least[i] if i in fixed else size * room // rest for i, size in enumerate(sizes)]
        fixed |= under


def _level(sizes: Sequence[int], budget: int) -> list[int]:
    """min(size, f) for the largest whole f whose sum fits the budget, by water-filling."""
    level, left = 0, budget
    for done, size in enumerate(sorted(sizes)):
        level = left // (len(sizes) - done)
        if size > level:
            break
        left -= size
    return [min(size, level) for size in sizes]


class _MeasuredText:
    """A text with the tokens of each of its pieces counted once."""

    def __init__(self, text: str, encode: Encode) -> None:
        self.text = text
        self._encode = encode
        self._starts: list[int] = []
        self._counts: list[int] = []
        at = 0
        for piece in pieces(text):
            self._starts.append(at)
            self._counts.append(len(self._encode(piece)))
            at += len(piece)
        self.tokens = sum(self._counts)

    def cut(self, allowed: int) -> TrimmedText:
        """The longest beginning within ``allowed`` tokens, moved back to a good end."""
        if self.tokens <= allowed:
            return TrimmedText(self.text, self.tokens, self.tokens)
        end = self._reach(allowed)
        good = self._good_end(end)
        while good and self._count(good) > allowed:  # a shorter text may take a token more
            good -= 1
        return TrimmedText(self.text[:good], self.tokens, self._count(good))

    def _reach(self, allowed: int) -> int:
        """The end of the longest beginning within ``allowed`` tokens (found by halving the last piece)."""
        left, index = allowed, 0
        while self._counts[index] <= left:
            left -= self._counts[index]
            index += 1
        start = self._starts[index]
        piece = self.text[start : self._starts[index + 1] if index + 1 < len(self._starts) else None]
        low, high = 0, len(piece)
        while low < high:
            middle = (low + high + 1) // 2
            if len(self._encode(piece[:middle])) <= left:
                low = middle
            else:
                high = middle - 1
        return start + low

    def _good_end(self, end: int) -> int:
        window = max(0, end - NEAR)
        ends = [
            match.end() for match in _SENTENCE_END.finditer(self.text, window, min(end + 1, len(self.text)))
        ]
        inside = [position for position in ends if position <= end]
        if inside:
            return window + len(self.text[window : inside[-1]].rstrip())
        if self.text[end : end + 1].isspace():
            return end
        space = max(self.text.rfind(mark, window, end) for mark in " \t\n")
        return space if space > 0 else end

    def _count(self, end: int) -> int:
        """The tokens of the first ``end`` characters; all pieces but the last are those of the whole text."""
        last = bisect.bisect_left(self._starts, end) - 1
        return sum(self._counts[:last]) + len(self._encode(self.text[self._starts[last] : end])) if end else 0

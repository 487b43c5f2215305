"""Cut texts to a number of tokens together: every text keeps the same share of its tokens (ConQRet, 3.2.2)."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from dataclasses import dataclass

from conqret.llm.tokens import O200K, Encode, encoder, pieces

MIN_TOKENS = 100
"""The fewest tokens that trimming leaves of a document, where there is room: some 75 words, about the
shortest passage from which relevance can still be told.
"""

NEAR = 300
"""Characters that a cut may move back to end with a sentence: two or three sentences."""

_SENTENCE_END = re.compile(r"""[.!?…。！？]["'”’)\]]*(?=\s|$)|\n""")


@dataclass(frozen=True, slots=True)
class TrimmedText:
    """A text after trimming, with its number of tokens before and after."""

    text: str
    before: int
    after: int


def trim_proportionally(
    texts: Sequence[str], budget: int, *, min_tokens: int = MIN_TOKENS, encode: Encode | None = None
) -> tuple[TrimmedText, ...]:
    """Cut ``texts`` to at most ``budget`` tokens together, and return them with their tokens before and
    after.

    Texts that fit are unchanged. Otherwise each keeps the same share of its tokens from its beginning, but at
    least ``min_tokens`` or all it has. If even these minimums do not fit, one lower minimum applies to all. A
    cut moves back to the end of a sentence or a word, if one is near. Tokens are counted with ``encode``.
    """
    measured = [_MeasuredText(text, encode or encoder(O200K)) for text in texts]
    before = [document.tokens for document in measured]
    if sum(before) <= budget:
        return tuple(TrimmedText(text, count, count) for text, count in zip(texts, before, strict=True))
    allowed = allot(before, budget, min_tokens)
    return tuple(document.cut(tokens) for document, tokens in zip(measured, allowed, strict=True))


def allot(sizes: Sequence[int], budget: int, min_tokens: int) -> list[int]:
    """Return how many tokens each of ``sizes`` may keep; the sum is at most ``budget``.

    With share r: keep_i = max(min(size_i, min_tokens), int(r * size_i)), where r makes the sum meet the
    budget; if sum(min(size_i, min_tokens)) > budget: keep_i = min(size_i, f) with the largest f that fits.
    """
    if sum(sizes) <= budget:
        return list(sizes)
    least = [min(size, min_tokens) for size in sizes]
    if sum(least) > budget:
        return _level(least, budget)
    fixed = {index for index, size in enumerate(sizes) if size <= min_tokens}
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
        """Return the end of the longest beginning within ``allowed`` tokens, found by halving the last piece. The whole
        text must have more tokens than that."""
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

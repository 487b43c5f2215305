"""Trim a prompt's documents so that it fits the model's window: every document keeps the same share of its
tokens (ConQRet, 3.2.2).
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conqret.data import Document, Trim
from conqret.llm.client_options import backend_of
from conqret.llm.tokens import O200K, Encode, encoder, pieces
from conqret.prompts import RenderedPrompt

if TYPE_CHECKING:
    from conqret.llm.client import Client

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
        """Return the longest beginning within ``allowed`` tokens, moved back to the end of a sentence or word
        if one is near.
        """
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


ANSWER_ROOM = 4096
"""Tokens kept free for the answer: twice the longest answer of any format (rag-fine-grained over 25 documents)."""

MESSAGE_OVERHEAD = 64
"""Tokens kept free for what providers add around two messages and an answer schema's name."""

ATTEMPTS = 4
"""How often a prompt is trimmed further: its parts may take a few tokens more together than apart."""


@dataclass(frozen=True, slots=True)
class FittedPrompt:
    """A prompt that fits the context window: its text, its documents as shown, and how each was trimmed.

    ``cuts`` has one entry per document (None: not trimmed), and ``tokens`` is the whole prompt's number.
    Where nothing was trimmed, ``cuts`` is empty and ``tokens`` None.
    """

    rendered: RenderedPrompt
    documents: tuple[Document, ...]
    cuts: tuple[Trim | None, ...] = ()
    tokens: int | None = None

    @property
    def trims(self) -> tuple[Trim, ...]:
        """The trims of the documents that were trimmed."""
        return tuple(filter(None, self.cuts))


def fit(
    documents: Sequence[Document],
    render: Callable[[Sequence[Document]], RenderedPrompt],
    client: Client,
    *,
    answer_room: int = ANSWER_ROOM,
    min_tokens: int = MIN_TOKENS,
) -> FittedPrompt | None:
    """Return the filled prompt, with its documents trimmed if needed; None if it does not fit even without
    them.

    The prompt may have ``context_window - answer_room - MESSAGE_OVERHEAD`` tokens, by the client's count.
    All text other than the documents is reserved first. Nothing is counted where the prompt has fewer bytes
    than the window has tokens, because a token has at least one byte.

    Args:
        documents: the documents of the prompt.
        render: fills the prompt with documents, which may be trimmed.
        client: the client of the model; without a known context window, nothing is trimmed.
        answer_room: the tokens reserved for the response.
        min_tokens: the fewest tokens that are left of a document, where there is room.
    """
    whole = FittedPrompt(render(documents), tuple(documents))
    if client.context_window is None:
        return whole
    room = client.context_window - answer_room - MESSAGE_OVERHEAD
    if len((whole.rendered.system + whole.rendered.user).encode("utf-8", "replace")) <= room:
        return whole
    if prompt_tokens(whole.rendered, client) <= room:
        return whole
    budget = room - prompt_tokens(render(with_texts(documents, [""] * len(documents))), client)
    encode = backend_of(client.model_id).encoder(client.model_id)
    for _ in range(ATTEMPTS):
        if budget < len(documents):
            return None
        trimmed = trim_proportionally(
            [document.text for document in documents], budget, min_tokens=min_tokens, encode=encode
        )
        shown = with_texts(documents, [cut.text for cut in trimmed])
        rendered = render(shown)
        tokens = prompt_tokens(rendered, client)
        if tokens <= room:
            cuts = tuple(
                Trim(document=document.id, before=cut.before, after=cut.after)
                if cut.after < cut.before
                else None
                for document, cut in zip(documents, trimmed, strict=True)
            )
            return FittedPrompt(rendered, shown, cuts, tokens)
        budget = min(budget, sum(cut.after for cut in trimmed)) - (tokens - room)
    return None


def with_texts(documents: Sequence[Document], texts: Sequence[str]) -> tuple[Document, ...]:
    """Return copies of the documents with the given texts, in order."""
    pairs = zip(documents, texts, strict=True)
    return tuple(document.model_copy(update={"text": text}) for document, text in pairs)


def prompt_tokens(rendered: RenderedPrompt, client: Client) -> int:
    """Return the number of tokens of a filled prompt."""
    return client.count_tokens(rendered.system) + client.count_tokens(rendered.user)

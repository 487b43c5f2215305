"""Texts to tokens: where the answer stands in the prefix, and where the target begins.

The prefix is one text (wrapping, template and answer) and is tokenised as one; the target is tokenised by itself,
without special tokens, so that its N tokens are the same under every context. The tokens that the tokenizer puts
before a plain text (Llama's ``<s>``) stand before a prefix without a chat template; a template brings its own.
Names of special tokens inside an answer or a target are plain text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from conqret.errors import DeclarationError
from conqret.local.wrapping import around, released_context


@dataclass(frozen=True, slots=True)
class Prefix:
    """The tokens before a target; those from ``begin`` to ``end`` are wholly the answer's and may be trimmed."""

    ids: tuple[int, ...]
    begin: int
    end: int


class PrefixEncoder:
    """A tokenizer with its wrapping and template settled.

    Raises:
        DeclarationError: the tokenizer is a slow one (it cannot say which characters a token stands for), or
            there is nothing that a text without context could begin with.
    """

    def __init__(self, tokenizer: Any, wrapping: int, chat: bool | None) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise DeclarationError(
                "the model's tokenizer is a slow one, but a fast one is needed (tokenizer.json)"
            )
        self._tokenizer = tokenizer
        self._head, self._tail, self.templated = around(tokenizer, wrapping, chat)
        plain = tuple(tokenizer("a", add_special_tokens=False).input_ids)
        full = tuple(tokenizer("a").input_ids)
        place = next((i for i in range(len(full)) if full[i : i + len(plain)] == plain), 0)
        self.opening = full[:place]
        self._special = tuple(sorted({*tokenizer.all_special_tokens, *tokenizer.get_added_vocab()}))

    def prefix(self, answer: str | None) -> Prefix:
        """The tokens of the wrapped answer; None is no context at all: what a text begins with, alone."""
        if answer is None:
            return self._bare()
        text = self._head + answer + self._tail
        opening = () if self.templated else self.opening
        if any(name in answer for name in self._special):
            pieces = [self._ids(self._head), self.target(answer), self._ids(self._tail)]
            begin = len(opening) + len(pieces[0])
            return Prefix((*opening, *pieces[0], *pieces[1], *pieces[2]), begin, begin + len(pieces[1]))
        encoded = self._tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        first, last = len(self._head), len(self._head) + len(answer)
        inside = [
            place
            for place, (low, high) in enumerate(encoded.offset_mapping)
            if low >= first and high <= last and high > low
        ]
        begin = len(opening) + (inside[0] if inside else 0)
        ids = (*opening, *encoded.input_ids)
        if not ids:
            return self._bare()
        return Prefix(ids, begin, begin + len(inside))

    def target(self, text: str) -> tuple[int, ...]:
        """The target's tokens; names of special tokens in it are text."""
        return tuple(
            self._tokenizer(
                text, add_special_tokens=False, split_special_tokens=True, verbose=False
            ).input_ids
        )

    @property
    def around(self) -> tuple[str, str]:
        """What stands before and after an answer: wrapping and template."""
        return self._head, self._tail

    def released(self, answer: str, target: str, limit: int) -> tuple[tuple[int, ...], int, int]:
        """The released script's row, where it takes the target to begin, and how many tokens it cuts off.

        Context and target are tokenised as one text; rows are cut off on the right at ``limit`` tokens, and special
        tokens inside the texts act, as they do there.
        """
        context = released_context(self._tokenizer, answer)
        length = len(self._ids(context))
        ids = self._tokenizer(context + target, verbose=False).input_ids
        return tuple(ids[:limit]), length, max(0, len(ids) - limit)

    def _ids(self, text: str) -> tuple[int, ...]:
        return tuple(self._tokenizer(text, add_special_tokens=False, verbose=False).input_ids)

    def _bare(self) -> Prefix:
        marks = (self._tokenizer.bos_token_id, self._tokenizer.eos_token_id)
        begin = self.opening or next(((int(mark),) for mark in marks if mark is not None), ())
        if not begin:
            raise DeclarationError("this model has no token with which a text begins: give a context")
        return Prefix(begin, len(begin), len(begin))

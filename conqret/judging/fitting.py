"""Make a prompt fit the model's window: every document loses the same share of its tokens (ConQRet, 3.2.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from conqret.data import Item, Trim
from conqret.llm.backend import backend_of
from conqret.llm.trim import trim_proportionally
from conqret.prompts import Rendered

ANSWER_ROOM = 4096
"""Tokens kept free for the answer: twice the longest answer of any format (rag-fine-grained over 25 documents)."""

MESSAGE_OVERHEAD = 64
"""Tokens kept free for what providers add around two messages and an answer schema's name."""


class Window(Protocol):
    """What is known of a model's window: its size in tokens (None: unknown) and how its tokens are counted."""

    @property
    def context_window(self) -> int | None:
        """Tokens of prompt and answer together."""

    @property
    def model_id(self) -> str:
        """The model's name, which says how tokens are counted."""

    def count_tokens(self, text: str) -> int:
        """The number of tokens of a text."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The prompt as it is sent, and what each document lost for it."""

    rendered: Rendered
    trims: tuple[Trim, ...] = ()


def fit(
    item: Item, render: Callable[[Item], Rendered], window: Window, answer_room: int = ANSWER_ROOM
) -> Fitted | None:
    """The rendered prompt, its documents trimmed if it would not fit; None if it cannot fit at all.

    ``answer_room`` tokens are kept free. Nothing is counted where the prompt has fewer bytes than the window has
    tokens: no token is shorter.
    """
    rendered = render(item)
    if window.context_window is None:
        return Fitted(rendered)
    room = window.context_window - answer_room - MESSAGE_OVERHEAD
    if len((rendered.system + rendered.user).encode("utf-8", "replace")) <= room:
        return Fitted(rendered)
    used = window.count_tokens(rendered.system) + window.count_tokens(rendered.user)
    if used <= room:
        return Fitted(rendered)
    texts = [document.text for document in item.documents]
    budget = room - (used - sum(map(window.count_tokens, texts)))
    if budget < len(texts):
        return None
    encode = backend_of(window.model_id).encoder(window.model_id)
    trimmed = trim_proportionally(texts, budget, encode=encode)
    documents = tuple(
        document.model_copy(update={"text": cut.text})
        for document, cut in zip(item.documents, trimmed, strict=True)
    )
    return Fitted(
        render(item.model_copy(update={"documents": documents})),
        tuple(
            Trim(document=document.id, before=cut.before, after=cut.after)
            for document, cut in zip(item.documents, trimmed, strict=True)
            if cut.after < cut.before
        ),
    )

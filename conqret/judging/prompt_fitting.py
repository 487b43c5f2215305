"""Make a prompt fit the model's window: every document loses the same share of its tokens (ConQRet, 3.2.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from conqret.data import Document, Trim
from conqret.llm.backend import backend_of
from conqret.llm.trim import FLOOR, trim_proportionally
from conqret.prompts import RenderedPrompt

ANSWER_ROOM = 4096
"""Tokens kept free for the answer: twice the longest answer of any format (rag-fine-grained over 25 documents)."""

MESSAGE_OVERHEAD = 64
"""Tokens kept free for what providers add around two messages and an answer schema's name."""

ATTEMPTS = 4
"""Parts of a prompt may take a few tokens more together than apart; so often it is cut a little further."""


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
class FittedPrompt:
    """The prompt as it is sent, its documents as it shows them, and what each of them lost for it (None: nothing).

    ``cuts`` is empty, and ``tokens`` None, where nothing had to be cut.
    """

    rendered: RenderedPrompt
    documents: tuple[Document, ...]
    cuts: tuple[Trim | None, ...] = ()
    tokens: int | None = None

    @property
    def trims(self) -> tuple[Trim, ...]:
        """What was lost, of the documents that lost anything."""
        return lost(self.cuts)


def lost(cuts: Iterable[Trim | None]) -> tuple[Trim, ...]:
    """The cuts that there are."""
    return tuple(cut for cut in cuts if cut is not None)


def fit(
    documents: Sequence[Document],
    render: Callable[[Sequence[Document]], RenderedPrompt],
    window: Window,
    *,
    answer_room: int = ANSWER_ROOM,
    floor: int = FLOOR,
) -> FittedPrompt | None:
    """The rendered prompt, its documents trimmed if it would not fit; None if it does not fit without them either.

    The prompt has at most ``context_window - answer_room - MESSAGE_OVERHEAD`` tokens, as the window counts them. What
    it holds besides the documents' texts is reserved first. Nothing is counted where the prompt has fewer bytes than
    the window has tokens: no token is shorter.
    """
    whole = FittedPrompt(render(documents), tuple(documents))
    if window.context_window is None:
        return whole
    room = window.context_window - answer_room - MESSAGE_OVERHEAD
    if len((whole.rendered.system + whole.rendered.user).encode("utf-8", "replace")) <= room:
        return whole
    if prompt_tokens(whole.rendered, window) <= room:
        return whole
    budget = room - prompt_tokens(render(with_texts(documents, [""] * len(documents))), window)
    encode = backend_of(window.model_id).encoder(window.model_id)
    for _ in range(ATTEMPTS):
        if budget < len(documents):
            return None
        trimmed = trim_proportionally(
            [document.text for document in documents], budget, floor=floor, encode=encode
        )
        shown = with_texts(documents, [cut.text for cut in trimmed])
        rendered = render(shown)
        tokens = prompt_tokens(rendered, window)
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
    """The documents with other texts."""
    pairs = zip(documents, texts, strict=True)
    return tuple(document.model_copy(update={"text": text}) for document, text in pairs)


def prompt_tokens(rendered: RenderedPrompt, window: Window) -> int:
    """The tokens of a filled prompt."""
    return window.count_tokens(rendered.system) + window.count_tokens(rendered.user)

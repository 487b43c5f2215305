"""Trim a prompt's documents so that it fits the model's window: every document keeps the same share of its
tokens (ConQRet, 3.2.2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conqret.data import Document, Trim
from conqret.llm.client_options import backend_of
from conqret.prompts import RenderedPrompt

if TYPE_CHECKING:
    from conqret.llm.client import Client

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
    """
    whole = FittedPrompt(render(documents), tuple(documents))
    if client.context_window is None:
        return whole
    room = client.context_window - answer_room - MESSAGE_OVERHEAD
    if len((whole.rendered.system + whole.rendered.user).encode("utf-8", "replace")) <= room:
        return whole
    if prompt_tokens(whole.rendered, client) <= room:
        return whole
    from conqret.llm.text_trimming import trim_proportionally

    budget = room - prompt_tokens(render(with_texts(documents, [""] * len(documents))), client)
    encode = backend_of(client.model_id).encoder(client.model_id)
    for _ in range(ATTEMPTS):
        if budget < len(documents):
            return None
        trimmed = trim_proportionally([document.text for document in documents], budget, encode=encode)
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

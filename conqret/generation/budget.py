"""Make a generator's prompt fit the model: every document loses the same share of its tokens.

ConQRet, section 3.2.2: ten documents and three examples can exceed the window, and cutting only at the end would
lose whole documents. The instructions, what the examples argue and room for the answer are reserved first;
what is left is shared among all documents, the examples' and the topic's own alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conqret.data import Document, Trim
from conqret.generation.examples import Example
from conqret.judging.fitting import MESSAGE_OVERHEAD, Window
from conqret.llm.tokens import encoding_for
from conqret.llm.trim import FLOOR, trim_proportionally
from conqret.prompts import Prompt, Rendered

ANSWER_ROOM = 4096
"""Tokens kept free for the answer: an expert's side of a debate has 600 to 1,500 words, which as JSON and with
reasons for what is left out is well under 3,000."""

ATTEMPTS = 4
"""Parts of a prompt may take a few tokens more together than apart; so often it is cut a little further."""


@dataclass(frozen=True, slots=True)
class FittedPrompt:
    """The prompt as it is sent, what each document lost for it, and how many tokens it may have.

    ``documents`` are the topic's own as the prompt shows them. ``trims`` says what they lost, ``example_trims``
    what the examples' lost; documents that lost nothing are not listed. ``tokens`` of the prompt are None where
    nothing had to be counted.
    """

    rendered: Rendered
    documents: tuple[Document, ...]
    trims: tuple[Trim, ...] = ()
    example_trims: tuple[Trim, ...] = ()
    tokens: int | None = None


def fit_prompt(
    prompt: Prompt,
    topic: str,
    documents: Sequence[Document],
    examples: Sequence[Example],
    window: Window,
    *,
    answer_room: int = ANSWER_ROOM,
    floor: int = FLOOR,
) -> FittedPrompt | None:
    """Fill the prompt, its documents trimmed if they would not fit; None if it does not fit without them either.

    The prompt has at most ``context_window - answer_room - MESSAGE_OVERHEAD`` tokens, as the window counts them.
    Nothing is trimmed where that is unknown, or where the prompt fits as it is.
    """
    texts = [document.text for one in (*examples, None) for document in (one.documents if one else documents)]
    if window.context_window is None:
        return FittedPrompt(_render(prompt, topic, documents, examples, texts), tuple(documents))
    room = window.context_window - answer_room - MESSAGE_OVERHEAD
    whole = _render(prompt, topic, documents, examples, texts)
    if len((whole.system + whole.user).encode("utf-8", "replace")) <= room:  # no token is shorter than a byte
        return FittedPrompt(whole, tuple(documents))
    budget = room - _count(bare_prompt(prompt, topic, documents, examples), window)
    own = len(texts) - len(documents)
    for _ in range(ATTEMPTS):
        if budget < len(texts):
            return None
        trimmed = trim_proportionally(texts, budget, floor=floor, encoding=encoding_for(window.model_id))
        rendered = _render(prompt, topic, documents, examples, [cut.text for cut in trimmed])
        tokens = _count(rendered, window)
        if tokens <= room:
            names = [document.id for one in examples for document in one.documents]
            names += [document.id for document in documents]
            lost = [
                Trim(document=name, before=cut.before, after=cut.after) if cut.after < cut.before else None
                for name, cut in zip(names, trimmed, strict=True)
            ]
            return FittedPrompt(
                rendered,
                tuple(
                    document.model_copy(update={"text": cut.text})
                    for document, cut in zip(documents, trimmed[own:], strict=True)
                ),
                tuple(trim for trim in lost[own:] if trim is not None),
                tuple(trim for trim in lost[:own] if trim is not None),
                tokens,
            )
        budget = min(budget, sum(cut.after for cut in trimmed)) - (tokens - room)
    return None


def bare_prompt(
    prompt: Prompt, topic: str, documents: Sequence[Document], examples: Sequence[Example]
) -> Rendered:
    """The prompt without the texts of its documents: what is reserved before they share the rest."""
    count = len(documents) + sum(len(example.documents) for example in examples)
    return _render(prompt, topic, documents, examples, [""] * count)


def _render(
    prompt: Prompt,
    topic: str,
    documents: Sequence[Document],
    examples: Sequence[Example],
    texts: Sequence[str],
) -> Rendered:
    """The prompt with ``texts`` in place of the documents' own, the examples' first."""
    left = iter(texts)
    shown = [
        {
            "topic": example.expert.question,
            "argument": example.expert.text(),
            "documents": [_shown(document, next(left)) for document in example.documents],
        }
        for example in examples
    ]
    own = [_shown(document, next(left)) for document in documents]
    return prompt.render({"topic": topic, "documents": own, "examples": shown})


def _shown(document: Document, text: str) -> dict[str, str]:
    return {"title": document.title, "text": text}


def _count(rendered: Rendered, window: Window) -> int:
    return window.count_tokens(rendered.system) + window.count_tokens(rendered.user)

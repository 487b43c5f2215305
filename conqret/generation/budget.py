"""Make a generator's prompt fit the model: every document loses the same share of its tokens.

ConQRet, section 3.2.2: ten documents and three examples can exceed the window, and cutting only at the end would
lose whole documents. The instructions, what the examples argue and room for the answer are reserved first;
what is left is shared among all documents, the examples' and the topic's own alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from conqret.data import Document, Stance, Trim
from conqret.generation.examples import Example
from conqret.judging.fitting import MESSAGE_OVERHEAD, Window
from conqret.llm.backend import backend_of
from conqret.llm.trim import FLOOR, Trimmed, trim_proportionally
from conqret.prompts import Prompt, Rendered

ANSWER_ROOM = 4096
"""Tokens kept free for the answer: an expert's side of a debate has 600 to 1,500 words, which as JSON and with
reasons for what is left out is well under 3,000."""

ATTEMPTS = 4
"""Parts of a prompt may take a few tokens more together than apart; so often it is cut a little further."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a prompt is filled with: the topic, the side, its documents, and the examples with theirs."""

    prompt: Prompt
    topic: str
    stance: Stance
    documents: Sequence[Document]
    examples: Sequence[Example] = ()

    @property
    def shown(self) -> list[Document]:
        """Every document of the prompt: the examples' first, then the topic's own."""
        return [*(document for one in self.examples for document in one.documents), *self.documents]

    def bare(self) -> Rendered:
        """The prompt without the texts of its documents: what is reserved before they share the rest."""
        return self.rendered([""] * len(self.shown))

    def rendered(self, texts: Sequence[str]) -> Rendered:
        """The prompt with ``texts`` in place of those of :attr:`shown`."""
        pieces = iter(
            {"title": document.title, "text": text} for document, text in zip(self.shown, texts, strict=True)
        )
        examples = [
            {
                "topic": one.expert.question,
                "argument": one.expert.text(),
                "documents": list(islice(pieces, len(one.documents))),
            }
            for one in self.examples
        ]
        variables = {"topic": self.topic, "documents": list(pieces), "examples": examples}
        return self.prompt.render(variables, {"stance": self.stance})


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
    question: Question, window: Window, *, answer_room: int = ANSWER_ROOM, floor: int = FLOOR
) -> FittedPrompt | None:
    """Fill the prompt, its documents trimmed if they would not fit; None if it does not fit without them either.

    The prompt has at most ``context_window - answer_room - MESSAGE_OVERHEAD`` tokens, as the window counts them.
    Nothing is trimmed where that is unknown, or where the prompt fits as it is.
    """
    shown, documents = question.shown, question.documents
    texts = [document.text for document in shown]
    whole = FittedPrompt(question.rendered(texts), tuple(documents))
    if window.context_window is None:
        return whole
    room = window.context_window - answer_room - MESSAGE_OVERHEAD
    if len((whole.rendered.system + whole.rendered.user).encode("utf-8", "replace")) <= room:
        return whole  # no token is shorter than a byte
    budget = room - _count(question.bare(), window)
    own = len(texts) - len(documents)
    for _ in range(ATTEMPTS):
        if budget < len(texts):
            return None
        encode = backend_of(window.model_id).encoder(window.model_id)
        trimmed = trim_proportionally(texts, budget, floor=floor, encode=encode)
        rendered = question.rendered([cut.text for cut in trimmed])
        tokens = _count(rendered, window)
        if tokens <= room:
            pairs = list(zip(shown, trimmed, strict=True))
            return FittedPrompt(
                rendered,
                tuple(document.model_copy(update={"text": cut.text}) for document, cut in pairs[own:]),
                _lost(pairs[own:]),
                _lost(pairs[:own]),
                tokens,
            )
        budget = min(budget, sum(cut.after for cut in trimmed)) - (tokens - room)
    return None


def _lost(pairs: Iterable[tuple[Document, Trimmed]]) -> tuple[Trim, ...]:
    return tuple(
        Trim(document=document.id, before=cut.before, after=cut.after)
        for document, cut in pairs
        if cut.after < cut.before
    )


def _count(rendered: Rendered, window: Window) -> int:
    return window.count_tokens(rendered.system) + window.count_tokens(rendered.user)

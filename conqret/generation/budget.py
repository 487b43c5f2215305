"""Make a generator's prompt fit the model: every document loses the same share of its tokens.

ConQRet, section 3.2.2: ten documents and three examples can exceed the window, and cutting only at the end would
lose whole documents. The instructions, what the examples argue and room for the answer are reserved first;
what is left is shared among all documents, the examples' and the topic's own alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from conqret.data import Document, Stance, Trim
from conqret.generation.examples import Example
from conqret.llm.prompt_fitting import MESSAGE_OVERHEAD, FittedPrompt, Window, fit, lost, with_texts
from conqret.prompts import Prompt, RenderedPrompt

ANSWER_ROOM = 4096
"""Tokens kept free for the answer where ``max_tokens`` does not say how long it may be: an expert's side of a debate
has 600 to 1,500 words, which as JSON and with reasons for what is left out is well under 3,000."""


@dataclass(frozen=True, slots=True)
class BudgetedQuestion:
    """What a prompt is filled with: the topic, the side, its documents, the examples with theirs, and what was said
    before, by name."""

    prompt: Prompt
    topic: str
    stance: Stance
    documents: Sequence[Document]
    examples: Sequence[Example] = ()
    said: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> list[Document]:
        """Every document of the prompt: the examples' first, then the topic's own."""
        return [*(document for example in self.examples for document in example.documents), *self.documents]

    def bare(self) -> RenderedPrompt:
        """The prompt without the texts of its documents: what is reserved before they share the rest."""
        return self.rendered(with_texts(self.shown, [""] * len(self.shown)))

    def rendered(self, documents: Sequence[Document]) -> RenderedPrompt:
        """The prompt with ``documents`` in place of those of :attr:`shown`."""
        left = iter(documents)
        examples = [
            {
                "topic": example.expert.question,
                "argument": example.expert.text(),
                "documents": list(islice(left, len(example.documents))),
            }
            for example in self.examples
        ]
        variables = {"topic": self.topic, "documents": list(left), "examples": examples, **self.said}
        return self.prompt.render(variables, {"stance": self.stance})

    def fitted(self, window: Window, *, answer_room: int = ANSWER_ROOM) -> FittedPrompt | None:
        """The prompt as it is sent, every document cut by the same share if it would not fit the window; None if it
        does not fit without them either (see :func:`conqret.llm.prompt_fitting.fit`)."""
        return fit(self.shown, self.rendered, window, answer_room=answer_room)

    def own(self, fitted: FittedPrompt) -> tuple[tuple[Document, ...], tuple[Trim, ...], tuple[Trim, ...]]:
        """The topic's own documents as the prompt shows them, what they lost, and what the examples' lost."""
        first = len(self.shown) - len(self.documents)
        return fitted.documents[first:], lost(fitted.cuts[first:]), lost(fitted.cuts[:first])


def shortage(needed: int, window: Window, answer_room: int, *, shots: int) -> str:
    """What is missing where a prompt takes ``needed`` tokens without its documents' texts, a token for each document
    included, and what to do; empty where it fits."""
    size = window.context_window
    if size is None or needed <= size - answer_room - MESSAGE_OVERHEAD:
        return ""
    left = max(0, size - answer_room - MESSAGE_OVERHEAD)
    return (
        f"the prompt needs {needed:,} tokens even without its documents' texts, and {left:,} are available of the "
        f"context window of {size:,}: {'lower --shots, ' * bool(shots)}give a lower --max-tokens, or take a model with "
        "a larger context window"
    )

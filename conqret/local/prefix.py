"""Tokens of prompts and targets: the texts around an answer, its place in the prefix, and where the target
begins.

Around the answer stand one of five prompts, and a chat template where the model has one. The prefix is one text
(wrapping, template and answer) and is tokenized as one; the target is tokenized by itself, without special tokens, so
that its N tokens are the same under every context. The tokens that the tokenizer puts before a plain text (Llama's
``<s>``) stand before a prefix without a chat template; a template brings its own. Names of special tokens inside an
answer or a target are plain text. Where they do not fit into the model's window, the answer gives way from its left,
the target never.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conqret.errors import DeclarationError, UnknownNameError

PLACE = "{answer}"
WRAPPINGS: Mapping[int, str] = {
    1: "{answer} Please restate.",
    2: "A text follows: {answer} What does the text describe?",
    3: "Take the text below: {answer} Say the same in other words.",
    4: "Read this text: {answer} What can be concluded from it?",
    5: "{answer}",
}
"""The wrapping prompts (DebateQA, Table 12). The first is part of Equation 1; the second to the fourth say what
Table 12's say, in our words; the fifth adds nothing."""
DEFAULT_WRAPPING, NO_WRAPPING = 1, 5

PLAIN_END = "\n"
"""The text between prompt and target for a model without a chat template (GPT-2): a line break."""

TEMPLATE_DATE = "26 Jul 2024"
"""The date that Llama 3's templates get: else they write today's date into every prompt, and the same row
would be another one tomorrow. It is their own fallback.
"""

PLAIN_TEMPLATE = (
    "{% for message in messages %}{{ ('' if loop.first else '\\n\\n') + '### ' + message['role'].capitalize() + ':\\n' "
    "+ message['content'] + (eos_token if message['role'] == 'assistant' else '') }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '\\n\\n### Assistant:\\n' }}{% endif %}"
)
"""The chat template that a model without one is tuned and used with: each message under a heading, and the
assistant's ends in the token by which the model ends a text."""

_MARK = "\u2402\u241fANSWER\u241f\u2403"
"""Stands in for the answer while the template is rendered: no template treats it specially."""


def around(tokenizer: Any, wrapping: int, chat: bool | None) -> tuple[str, str, bool]:
    """Return the text before the answer, the text between answer and target, and True if a chat template made
    them.

    With a template, the wrapped answer is the user's message, and the target starts the assistant's message.

    Args:
        tokenizer: the model's tokenizer.
        wrapping: the number of the prompt around the answer.
        chat: True requires the chat template, False never uses it, and None uses it if the tokenizer has
            one.

    Raises:
        UnknownNameError: there is no such wrapping.
        DeclarationError: the required chat template does not exist, or a template does not contain the
            answer exactly once.
    """
    if wrapping not in WRAPPINGS:
        raise UnknownNameError("wrapping prompt", str(wrapping), map(str, WRAPPINGS))
    text = WRAPPINGS[wrapping].replace(PLACE, _MARK)
    has_template = getattr(tokenizer, "chat_template", None) is not None
    if chat and not has_template:
        raise DeclarationError("this model has no chat template; set --chat-template to auto or never")
    templated = has_template and chat is not False
    if templated:
        message = [{"role": "user", "content": text}]
        text = rendered(tokenizer, message, add_generation_prompt=True)
    else:
        text += PLAIN_END
    head, mark, tail = text.partition(_MARK)
    if not mark or _MARK in tail:
        raise DeclarationError(
            "the model's chat template does not contain the message exactly once; set --chat-template to never"
        )
    return head, tail, templated


def rendered(tokenizer: Any, messages: Sequence[Mapping[str, str]], **settings: Any) -> str:
    """Return messages (role and content) as one text, formatted by the tokenizer's chat template."""
    return str(tokenizer.apply_chat_template(messages, tokenize=False, date_string=TEMPLATE_DATE, **settings))


@dataclass(frozen=True, slots=True)
class Prefix:
    """The tokens before a target.

    The tokens from ``begin`` to ``end`` (exclusive) belong to the answer alone and may be trimmed.
    """

    ids: tuple[int, ...]
    begin: int
    end: int


class PrefixEncoder:
    """A tokenizer together with the prompt and chat template that it puts around each answer.

    Raises:
        DeclarationError: the tokenizer is not a fast one, so it cannot map tokens to characters.
    """

    def __init__(self, tokenizer: Any, wrapping: int, chat: bool | None) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise DeclarationError(
                "the model's tokenizer is a slow one, but a fast one is needed (tokenizer.json)"
            )
        self._tokenizer, self._wrapping = tokenizer, wrapping
        self._head, self._tail, self.templated = around(tokenizer, wrapping, chat)
        plain = tuple(tokenizer("a", add_special_tokens=False).input_ids)
        full = tuple(tokenizer("a").input_ids)
        place = next((i for i in range(len(full)) if full[i : i + len(plain)] == plain), 0)
        self.opening = full[:place]
        self._special = tuple(sorted({*tokenizer.all_special_tokens, *tokenizer.get_added_vocab()}))

    def prefix(self, answer: str | None) -> Prefix:
        """Return the tokens of the wrapped answer; for None (no context), only the token with which a text
        begins.

        Raises:
            DeclarationError: there is no context, and the model has no token with which a text begins.
        """
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
        """Return the tokens of a target; names of special tokens in it are read as plain text."""
        settings = {"add_special_tokens": False, "split_special_tokens": True, "verbose": False}
        return tuple(self._tokenizer(text, **settings).input_ids)

    @property
    def around(self) -> tuple[str, str]:
        """Return the texts of prompt and chat template before and after an answer."""
        return self._head, self._tail

    def released(self, answer: str, target: str, limit: int) -> tuple[tuple[int, ...], int, int]:
        """Tokenize answer and target as DebateQA's released script does.

        The context is the wrapped answer in the chat template, without an assistant turn after it. Without a
        template, it is the wrapped answer and the end-of-text token. Special tokens inside the texts are read as
        special tokens, as in the script.

        Returns:
            The tokens of context and target (at most ``limit``), the context's number of tokens, and how
                many tokens were cut off on the right.
        """
        wrapped = WRAPPINGS[self._wrapping].replace(PLACE, answer)
        if getattr(self._tokenizer, "chat_template", None) is None:
            context = wrapped + (self._tokenizer.eos_token or "")
        else:
            context = rendered(self._tokenizer, [{"role": "user", "content": wrapped}])
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


def fit(prefix: Prefix, target: int, window: int) -> tuple[tuple[int, ...], int] | None:
    """Trim the start of a prefix's answer until prefix and target fit into the window.

    The last token of the target needs no place in the window, because it is predicted and never read.

    Args:
        prefix: the tokens before the target.
        target: the number of tokens of the target.
        window: the number of tokens that the model can read.

    Returns:
        The prefix's tokens and the number of tokens removed; None where no token of the answer would be
            left.
    """
    over = len(prefix.ids) + target - 1 - window
    if over <= 0:
        return prefix.ids, 0
    if over >= prefix.end - prefix.begin:
        return None
    return prefix.ids[: prefix.begin] + prefix.ids[prefix.begin + over :], over

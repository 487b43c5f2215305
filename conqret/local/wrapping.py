"""What stands around the answer before the target: five prompts, and a chat template where the model has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
"""The wrapping prompts (DebateQA, Table 12). The first is part of Equation 1; the second to the fourth ask what
Table 12's ask, in our words; the fifth adds nothing."""
DEFAULT_WRAPPING = 1

PLAIN_END = "\n"
"""What parts prompt and target for a model without a chat template (GPT-2): nothing but a line break."""

TEMPLATE_DATE = "26 Jul 2024"
"""The day that Llama 3's templates are told it is: else they write today's date into every prompt, and the same row
would be another one tomorrow. It is the day that they fall back on themselves."""

PLAIN_TEMPLATE = (
    "{% for message in messages %}{{ ('' if loop.first else '\\n\\n') + '### ' + message['role'].capitalize() + ':\\n' "
    "+ message['content'] + (eos_token if message['role'] == 'assistant' else '') }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '\\n\\n### Assistant:\\n' }}{% endif %}"
)
"""The chat template that a model without one is tuned and asked in: each message under a heading, and the
assistant's ends in the token by which the model ends a text."""

_MARK = "\u2402\u241fANSWER\u241f\u2403"
"""Stands in for the answer while the template is rendered: no template treats it specially."""


def around(tokenizer: Any, wrapping: int, chat: bool | None) -> tuple[str, str, bool]:
    """The text before the answer, the text between answer and target, and whether a chat template made them.

    With a template the wrapped answer is the user's message, and the target begins the assistant's. ``chat`` of
    None uses the template where the tokenizer has one, False never does.

    Raises:
        DeclarationError: there is no such wrapping; a template is wanted and there is none; or it loses the answer.
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


def released_context(tokenizer: Any, answer: str) -> str:
    """The context as the released script has it: the bare answer in the chat template, no turn opened after it.

    For a model without a template it is the answer and the end-of-text token, which transformers used then.
    """
    if getattr(tokenizer, "chat_template", None) is None:
        return answer + (tokenizer.eos_token or "")
    return rendered(tokenizer, [{"role": "user", "content": answer}])


def rendered(tokenizer: Any, messages: Sequence[Mapping[str, str]], **settings: Any) -> str:
    """Messages (role and content) in the tokenizer's chat template."""
    return str(tokenizer.apply_chat_template(messages, tokenize=False, date_string=TEMPLATE_DATE, **settings))

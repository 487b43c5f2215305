"""From a raw completion to a typed value, or to the reason why there is none, in plain words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from conqret.data import Reason
from conqret.errors import shortened
from conqret.io.jsonl import parse
from conqret.llm.request import Completion, Message, Response

CONTEXT_OVERFLOW = "context_overflow"
"""The finish reason under which a prompt too long for the model is recorded."""

MAX_FAULTS = 8
"""So many faults of an answer are named; the model mends the rest along with them, or is asked again."""

MAX_EXCERPT = 80
"""Characters of a wrong value that are quoted: enough to recognise it, too few to echo a document."""

MAX_ECHO = 20_000
"""Characters of an earlier answer that are sent back with its fault."""

_DECLINES = re.compile(
    r"\W*(i'?m |i am )?(very |truly |so )?(sorry|afraid)\b.{0,80}\b(can'?t|cannot|can not|unable|won'?t|not able)\b"
    r"|\W*(as an ai|i )[^{]{0,60}?\b(can'?t|cannot|can not|won'?t|will not|must decline|am unable|'m unable"
    r"|am not able|'m not able)\b[^{]{0,60}?\b(assist|help|comply|fulfil|provide|rate|judge|answer|engage|do that)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a completion gives no value; ``fault`` tells the model (and the reader) what to mend."""

    reason: Reason
    fault: str


def read_reply(
    completion: Completion, response: type[Response], context: Mapping[str, Any]
) -> Response | Rejection:
    """Validate the completion's text as ``response``, with pydantic's validation ``context``.

    JSON inside prose or a Markdown fence is taken out (the last object there is), and so is JSON before a closing
    sentence; nothing is ever guessed: an object that gives a key twice is invalid.
    """
    if completion.refusal is not None or completion.finish_reason == "content_filter":
        return Rejection(
            Reason.REFUSAL, shortened(completion.refusal or "the provider's content filter", 200)
        )
    if completion.finish_reason == CONTEXT_OVERFLOW:
        return Rejection(Reason.CONTEXT_OVERFLOW, shortened(completion.text, 200))
    if completion.finish_reason == "length":
        tokens = completion.completion_tokens
        after = f" after {tokens} tokens" if tokens else ""
        return Rejection(Reason.TRUNCATED, f"the answer was cut off{after}")
    text = completion.text.strip()
    try:
        found = _json_within(text)
        value = response.model_validate_json(found, context=context)
    except ValidationError as error:
        if any(
            fault["type"] == "json_invalid" for fault in error.errors(include_url=False, include_input=False)
        ):
            return _not_json(text, error)
        return Rejection(Reason.INVALID_ANSWER, describe(error))
    except ValueError as error:
        return Rejection(Reason.INVALID_JSON, shortened(str(error), 200))
    try:
        if found.startswith("{"):
            parse(found)
    except ValueError as error:
        return Rejection(Reason.INVALID_ANSWER, shortened(str(error), 200))
    return value


def describe(error: ValidationError) -> str:
    """The faults of an answer, one a line: the place, what is wrong, and the value shortened."""
    faults = error.errors(include_url=False, include_context=False)
    lines = []
    for fault in faults[:MAX_FAULTS]:
        place = ".".join(str(step) for step in fault["loc"]) or "the whole answer"
        message = shortened(fault["msg"].removeprefix("Value error, "), 300)
        value = fault["input"]
        plain = isinstance(value, str | int | float | bool) and fault["loc"]
        lines.append(
            f"{place}: {message}" + (f" (it was {shortened(repr(value), MAX_EXCERPT)})" if plain else "")
        )
    if len(faults) > MAX_FAULTS:
        lines.append(f"and {len(faults) - MAX_FAULTS} more of the kind")
    return "\n".join(lines)


def ask_again(
    messages: Sequence[Message], completion: Completion, rejection: Rejection
) -> tuple[Message, ...]:
    """The conversation so far, the answer that could not be used, and what was wrong with it."""
    answer = completion.text[:MAX_ECHO] or "(empty)"
    wish = (
        "Your answer could not be used:\n"
        f"{rejection.fault}\n"
        "Answer the question again in full, with this mended: one JSON object that follows the schema, "
        "and nothing else."
    )
    return (*messages, Message("assistant", answer), Message("user", wish))


def _not_json(text: str, error: ValidationError) -> Rejection:
    if not text:
        return Rejection(Reason.INVALID_JSON, "the answer was empty")
    if "{" not in text and _DECLINES.match(text.replace("’", "'")):
        return Rejection(Reason.REFUSAL, shortened(text, 200))
    message = error.errors(include_url=False, include_input=False)[0]["msg"].removeprefix("Invalid JSON: ")
    return Rejection(Reason.INVALID_JSON, f"it is not valid JSON: {shortened(message, 200)}")


def _json_within(text: str) -> str:
    if text.startswith("{"):
        return text[: text.rfind("}") + 1]
    if "{" not in text:
        return text
    from instructor.utils import extract_json_from_codeblock

    return extract_json_from_codeblock(text)

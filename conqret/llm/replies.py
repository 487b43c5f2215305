"""From a raw completion to a typed value, or to the reason why there is none, in plain words."""

from __future__ import annotations

import bisect
import itertools
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from conqret.data import Reason
from conqret.errors import shortened
from conqret.io.jsonl import parse
from conqret.llm.request import Answer, Completion, Message, Plain, Request, Response, TokenLogprobs

ROUNDING = 1e-3
"""A log-probability so little above 0 is a 0 that was rounded; what is greater is none."""


def rating_distribution(
    logprobs: Sequence[TokenLogprobs] | None, field: str, choices: Sequence[int]
) -> dict[int, float] | None:
    """P(choice) for the number that follows ``"field":`` in the generated JSON, over ``choices``.

    The probabilities exp(logprob) of the alternatives that are one of ``choices`` as a whole number,
    divided by their sum (G-Eval, Liu et al. 2023, equation 1 uses them as weights). None where there are
    no log-probabilities, the field does not occur, its value starts in the middle of a token, the number
    goes on in the next token (10 after 1), or no choice is among the alternatives; nor where one of the alternatives'
    numbers is no log-probability: not finite, or above 0 by more than :data:`ROUNDING`.
    """
    if not logprobs:
        return None
    text = "".join(token.token for token in logprobs)
    places = [match.end() for match in re.finditer(rf'"{re.escape(field)}"\s*:\s*(?=[-\d])', text)]
    if not places:
        return None
    place = places[-1]  # as in the JSON itself, the last one counts
    ends = list(itertools.accumulate(len(token.token) for token in logprobs))
    index = bisect.bisect_right(ends, place)
    token = logprobs[index]
    if text[ends[index] - len(token.token) : place].strip() or _goes_on(logprobs, index):
        return None
    if not all(-math.inf < logprob <= ROUNDING for logprob in token.alternatives.values()):
        return None
    masses = dict.fromkeys(choices, 0.0)
    choice_of = {str(choice): choice for choice in choices}
    for alternative, logprob in token.alternatives.items():
        choice = choice_of.get(alternative.strip())
        if choice is not None:
            masses[choice] += math.exp(logprob)
    total = math.fsum(masses.values())
    return {choice: mass / total for choice, mass in masses.items()} if total > 0 else None


def _goes_on(logprobs: Sequence[TokenLogprobs], index: int) -> bool:
    if not logprobs[index].token.strip().isdigit():
        return True
    return index + 1 < len(logprobs) and logprobs[index + 1].token[:1].isdigit()


CONTEXT_OVERFLOW = "context_overflow"
"""The finish reason under which a prompt too long for the model is recorded."""

MAX_FAULTS = 8
"""So many faults of an answer are named; the model mends the rest along with them, or is asked again."""

MAX_EXCERPT = 80
"""Characters of a wrong value that are quoted: enough to recognise it, too few to echo a document."""

MAX_ECHO = 20_000
"""Characters of an earlier answer that are sent back with its fault."""

MAX_SEARCHED = 2**20
"""Characters of an answer with words around its JSON: ten times the longest."""

MAX_OPENINGS = 200
"""Brackets of such an answer that are tried: each try may read all that is left of it."""

NO_OBJECT = "no complete JSON object was found in the answer"
"""What is said of prose, and of an answer that breaks off."""

_OBJECT, _WHOLE = "one JSON object is wanted here", "a whole number is wanted here"
_WANTED: Mapping[str, str] = {
    "missing": "this is missing, and it has to be there",
    "extra_forbidden": "nothing of this name is asked for: leave it out",
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "dict_type": _OBJECT,
    "list_type": "a list is wanted here",
    "string_type": "a text is wanted here",
    "bool_type": "true or false is wanted here",
    "bool_parsing": "true or false is wanted here",
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_from_float": _WHOLE,
    "literal_error": "one of these is wanted here: {expected}",
    "greater_than_equal": "a number of at least {ge} is wanted here",
    "less_than_equal": "a number of at most {le} is wanted here",
    "too_short": "at least {min_length} entries are wanted here, and there are {actual_length}",
    "too_long": "at most {max_length} entries are wanted here, and there are {actual_length}",
}
"""What was wanted, by pydantic's name for the fault; it knows the numbers. Any other fault is said in its own words."""

_OPENING, _DECODER = re.compile(r"[{\[]"), json.JSONDecoder()

_DECLINES = re.compile(
    r"\A\W*+"
    r"(?:(i'?m |i am )?(very |truly |so )?(sorry|afraid)\b.{0,80}\b(can'?t|cannot|can not|unable|won'?t|not able)\b"
    r"|(as an ai|i )[^{]{0,60}?\b(can'?t|cannot|can not|won'?t|will not|must decline|am unable|'m unable"
    r"|am not able|'m not able)\b[^{]{0,60}?\b(assist|help|comply|fulfil|provide|rate|judge|answer|engage|do that))",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a completion gives no value; ``fault`` tells the model (and the reader) what to mend.

    ``given`` is the object that was given where the answer is one, all of whose keys are told apart.
    """

    reason: Reason
    fault: str
    given: Mapping[str, Any] = field(default_factory=dict)


def read_reply(
    completion: Completion, response: type[Response], context: Mapping[str, Any]
) -> Response | Rejection:
    """Validate the completion's text as ``response``, with pydantic's validation ``context``.

    A plain text is taken as it stands. JSON inside prose or a Markdown fence is taken out (the last object there is),
    and so is JSON before a closing sentence; nothing is ever guessed: an object that gives a key twice is invalid.
    """
    if completion.refusal is not None or completion.finish_reason == "content_filter":
        return Rejection(
            Reason.REFUSAL, shortened(completion.refusal or "the provider's content filter", 200)
        )
    if completion.finish_reason == CONTEXT_OVERFLOW:
        return Rejection(Reason.CONTEXT_OVERFLOW, shortened(completion.text, 200))
    if issubclass(response, Plain):
        text = completion.text.strip()
        cut = completion.finish_reason == "length"
        return (
            response(text=text, cut=cut) if text else Rejection(Reason.INVALID_ANSWER, "the answer was empty")
        )
    if completion.finish_reason == "length":
        tokens = completion.completion_tokens
        after = f" after {tokens} tokens" if tokens else ""
        return Rejection(Reason.TRUNCATED, f"the answer was cut off{after}")
    text = completion.text.strip()
    json_text = ""
    try:
        json_text = _json_within(text)
        value = response.model_validate_json(json_text, context=context)
    except ValidationError as error:
        return _invalid(text, json_text, error)
    except ValueError as error:
        return Rejection(Reason.INVALID_JSON, shortened(str(error), 200))
    try:
        if json_text.startswith("{"):
            parse(json_text)
    except ValueError as error:
        return Rejection(Reason.INVALID_ANSWER, shortened(str(error), 200))
    return value


def is_valid(completion: Completion, request: Request[Any]) -> bool:
    """Whether a completion answers a request."""
    return not isinstance(read_reply(completion, request.response, request.context), Rejection)


def of_use(answer: Answer[Any], request: Request[Any]) -> float:
    """How much of what was asked for an answer may hold: of an invalid one how many of the fields."""
    if answer.reason is None:
        return math.inf
    return len(answer.given.keys() & request.response.model_fields.keys())


def describe(error: ValidationError) -> str:
    """The faults of an answer, one a line: the path, what was wanted there, and the value shortened."""
    faults = error.errors(include_url=False)
    lines = []
    for fault in faults[:MAX_FAULTS]:
        wanted = _WANTED.get(fault["type"])
        message = (
            fault["msg"].removeprefix("Value error, ")
            if wanted is None
            else wanted.format_map(fault.get("ctx", {}))
        )
        value = fault["input"]
        plain = isinstance(value, str | int | float | bool) and fault["loc"]
        was = f" (it was {shortened(repr(value), MAX_EXCERPT)})" if plain else ""
        lines.append(f"{_path(fault['loc'])}: {shortened(message, 300)}{was}")
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


def _invalid(text: str, json_text: str, error: ValidationError) -> Rejection:
    """Why ``text`` gives no value: ``json_text`` is what was taken for its JSON."""
    if not text:
        return Rejection(Reason.INVALID_JSON, "the answer was empty")
    if "{" not in text and _DECLINES.match(text.replace("’", "'")):
        return Rejection(Reason.REFUSAL, shortened(text, 200))
    fault = error.errors(include_url=False, include_input=False)[0]
    unread = fault["type"] == "json_invalid"
    message = fault["msg"].removeprefix("Invalid JSON: ")
    if "{" not in text and unread:
        return Rejection(Reason.INVALID_JSON, NO_OBJECT)
    if (unread and message.startswith("EOF")) or (
        "{" in text and not text.startswith("[") and json_text[:1] != "{"
    ):
        return Rejection(Reason.INVALID_JSON, f"{NO_OBJECT}: it breaks off before the object's end")
    if unread:
        return Rejection(Reason.INVALID_JSON, f"the answer is not valid JSON: {shortened(message, 200)}")
    return Rejection(Reason.INVALID_ANSWER, describe(error), _object(json_text))


def _object(json_text: str) -> Mapping[str, Any]:
    try:
        data = parse(json_text)
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def _path(steps: Sequence[str | int]) -> str:
    """A place in the answer as it is written in code: ``documents[0].rating``."""
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return shortened(path.removeprefix("."), MAX_EXCERPT) or "the whole answer"


def _json_within(text: str) -> str:
    if text.startswith("{"):
        return text[: text.rfind("}") + 1]
    if "{" not in text:
        return text
    return _last_json(text)


def _last_json(text: str) -> str:
    """The last list or object among other words, or the text where there is none.

    What comes last is the answer; what a model quotes from our documents on its way there comes before.
    """
    if len(text) > MAX_SEARCHED:
        raise ValueError(f"an answer of {len(text)} characters is too long to look for JSON in it")
    span_text, at = text, 0
    for _ in range(MAX_OPENINGS):
        opening = _OPENING.search(text, at)
        if opening is None:
            return span_text
        at = opening.start() + 1
        try:
            _, end = _DECODER.raw_decode(text, opening.start())
        except ValueError:
            continue
        except RecursionError:
            raise ValueError("the answer is nested too deeply") from None
        span_text, at = text[opening.start() : end], end
    raise ValueError(f"the answer opens more than {MAX_OPENINGS} lists and objects")

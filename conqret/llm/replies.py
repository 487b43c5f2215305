"""Convert a raw completion to a typed value, or to the reason why there is none in plain words, with the
messages of the repeated request.

Models mark their reasoning in many ways, and servers leave the marks in, or only the closing one (the
opening one stood in the prompt). What follows the last closing mark is the answer; where reasoning is open
at the end, none came.
"""

from __future__ import annotations

import bisect
import itertools
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

_NAME = r"(?:\w{1,20}[:_])?(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis)"
_CLOSING = re.compile(
    rf"(?i:<\|?/{_NAME}\|?>)"
    r"|\[/THINK\]|◁/think▷"
    r"|(?i:<\|end_(?:of_)?(?:think(?:ing)?|thoughts?)\|>)"
    r"|<\|channel\|>\s*+final\b[^{}\n]{0,60}?<\|message\|>"  # gpt-oss
    r"|assistantfinal"  # the same without its special tokens
    r"|<channel\|>"  # Gemma
)
_OPENING = re.compile(
    rf"(?i:<\|?{_NAME}(?:\s[^<>]{{0,200}})?\|?>)"
    r"|\[THINK\]|◁think▷"
    r"|(?i:<\|(?:begin|start)_(?:of_)?(?:think(?:ing)?|thoughts?)\|>)"
    r"|<\|channel\|>\s*+(?:analysis|commentary)\b"
    r"|\Aanalysis(?=[A-Z])"
    r"|<\|channel>\s*+thought\b"
)
"""Tags of Qwen, DeepSeek, EXAONE, Seed, Claude and others, Magistral, Kimi, Sky-T1 and Command A, gpt-oss, Gemma."""

_BEFORE = (
    "<|begin_of_solution|>",
    "<|START_RESPONSE|>",
    "<|START_TEXT|>",
    "◁answer▷",
    "<answer>",
    "<final_answer>",
    "<output>",
    "<response>",
)
_ENDS = ("<|return|>", "<|end|>", "<|im_end|>", "<|eot_id|>", "<|endoftext|>", "</s>", "<|END_RESPONSE|>")
_AFTER = (
    *_ENDS,
    "<|end_of_solution|>",
    "<|END_TEXT|>",
    "◁/answer▷",
    "</answer>",
    "</final_answer>",
    "</output>",
    "</response>",
)
"""What models put around an answer."""

_OPENING_BRACE = re.compile(r'\{(?=\s*["}])')
_BRACES = re.compile(r'"(?:[^"\\]|\\.)*+"?|[{}]', re.DOTALL)
"""The parts of an object: a string (which may break off), or a brace."""

_FENCE = re.compile(r"(?:```\w*+)?")


def after_thoughts(text: str) -> str | None:
    """Return the part of a response after the model's reasoning; None where the reasoning does not end.

    A single JSON object is returned unchanged, because its texts may mention the tags of reasoning.
    """
    if is_lone_object(text):
        return text
    end = 0
    for closing in _CLOSING.finditer(text):
        end = closing.end()
    answer = text[end:]
    return None if _OPENING.search(answer) else answer


def written_text(text: str) -> str | None:
    """Return the text of a response without reasoning and surrounding marks; None where the reasoning does
    not end.
    """
    answer = after_thoughts(text)
    if answer is None:
        return None
    text = answer.strip()
    for mark in _BEFORE:
        text = text.removeprefix(mark).lstrip()
    for mark in _AFTER:
        text = text.removesuffix(mark).rstrip()
    return text


def objects_in(text: str) -> tuple[list[str], bool]:
    """Return the JSON objects in a text as texts, valid or not, and True if one is cut off at the end.

    Objects inside another object, or inside one that is cut off, are not listed.
    """
    objects, at = list[str](), 0
    while opening := _OPENING_BRACE.search(text, at):
        at = _end_of(text, opening.start())
        if not at:
            return objects, True
        objects.append(text[opening.start() : at])
    return objects, False


def is_lone_object(text: str) -> bool:
    """Return True if a text is a single JSON object, optionally in a Markdown code fence, and nothing
    else.
    """
    opening = _OPENING_BRACE.search(text)
    if opening is None or not _FENCE.fullmatch(text[: opening.start()].strip()):
        return False
    end = _end_of(text, opening.start())
    return bool(end and _FENCE.fullmatch(text[end:].strip()))


def _end_of(text: str, start: int) -> int:
    """Return the end of the object that starts at ``start``; 0 if it breaks off."""
    depth = 0
    for part in _BRACES.finditer(text, start):
        brace = part.group()
        depth += (brace == "{") - (brace == "}")
        if not depth:
            return part.end()
    return 0


ROUNDING = 1e-3
"""A log-probability above 0 by no more than this is a rounded 0; a greater one is invalid."""


def rating_distribution(
    logprobs: Sequence[TokenLogprobs] | None, field: str, choices: Sequence[int]
) -> dict[int, float] | None:
    """Return the probability of each of ``choices`` for the number after ``"field":`` in the generated JSON.

    The probabilities exp(logprob) of the alternatives among ``choices`` are divided by their sum (G-Eval, Liu
    et al. 2023, equation 1 uses them as weights). The result is None where log-probabilities are missing or
    invalid (not finite, or above 0 by more than :data:`ROUNDING`). It is also None where the field does not
    occur, or also occurs outside of the response's object; where its value starts inside a token or continues
    in the next one (10 after 1); or where no choice is among the alternatives.
    """
    if not logprobs:
        return None
    text = "".join(token.token for token in logprobs)
    named = re.compile(rf'"{re.escape(field)}"\s*:\s*(?=[-\d])')
    places = [match.end() for match in named.finditer(text)]
    answer = after_thoughts(text) or ""
    objects, _ = objects_in(answer)
    within = max((len(named.findall(json_text)) for json_text in objects), default=0)
    if not places or (objects and len(named.findall(answer)) > within):
        return None
    place = places[-1]  # as in the JSON itself, the last one counts
    ends = list(itertools.accumulate(len(token.token) for token in logprobs))
    index = bisect.bisect_right(ends, place)
    token = logprobs[index]
    goes_on = index + 1 < len(logprobs) and logprobs[index + 1].token[:1].isdigit()
    if text[ends[index] - len(token.token) : place].strip() or goes_on or not token.token.strip().isdigit():
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


CONTEXT_OVERFLOW = "context_overflow"
"""The finish reason under which a prompt too long for the model is recorded."""

MAX_FAULTS = 8
"""The most faults of a response that are listed in a re-prompt."""

MAX_EXCERPT = 80
"""Characters of a wrong value that are quoted: enough to recognize it, too few to echo a document."""

MAX_ECHO = 20_000
"""The most characters of an invalid response that a re-prompt repeats."""

NO_OBJECT = "no complete JSON object was found in the answer"
"""The fault of prose, and of a response that breaks off."""

_NO_ANSWER = "no answer came: the model's thoughts do not end"
_EMPTY = "the answer was empty"
_DIFFERENT = "two valid objects that differ were given: give only the one that is the answer"

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

_DECLINES = re.compile(
    r"\A\W*+"
    r"(?:(i'?m |i am )?(very |truly |so )?(sorry|afraid)\b.{0,80}\b(can'?t|cannot|can not|unable|won'?t|not able)\b"
    r"|(as an ai|i )[^{]{0,60}?\b(can'?t|cannot|can not|won'?t|will not|must decline|am unable|'m unable"
    r"|am not able|'m not able)\b[^{]{0,60}?\b(assist|help|comply|fulfil|provide|rate|judge|answer|engage|do that))",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Rejection:
    """The reason why a completion has no valid value; ``fault`` is the text for the re-prompt and the
    reader.

    ``given`` is the invalid object, if the response is one object without repeated keys; else empty.
    """

    reason: Reason
    fault: str
    given: Mapping[str, Any] = field(default_factory=dict)


def read_reply(
    completion: Completion, response: type[Response], context: Mapping[str, Any]
) -> Response | Rejection:
    """Validate the completion's text as ``response``; returns the value, or a rejection with the reason.

    Args:
        completion: the raw response.
        response: the pydantic model of the response.
        context: pydantic's validation context.

    Only the text after the model's reasoning counts: plain text, or the one valid JSON object among other
    words. Two different objects are invalid, and so is an object that repeats a key.
    """
    if completion.refusal is not None or completion.finish_reason == "content_filter":
        return Rejection(
            Reason.REFUSAL, shortened(completion.refusal or "the provider's content filter", 200)
        )
    if completion.finish_reason == CONTEXT_OVERFLOW:
        return Rejection(Reason.CONTEXT_OVERFLOW, shortened(completion.text, 200))
    cut = completion.finish_reason == "length"
    empty = f"{_EMPTY}: the server sent only the model's reasoning" if completion.reasoning else _EMPTY
    if issubclass(response, Plain):
        text = written_text(completion.text)
        if text:
            return response(text=text, cut=cut)
        if not cut:
            return Rejection(Reason.INVALID_ANSWER, _NO_ANSWER if text is None else empty)
    if cut:
        tokens = completion.completion_tokens
        after = f" after {tokens} tokens" if tokens else ""
        return Rejection(Reason.TRUNCATED, f"the answer was cut off{after}")
    text = after_thoughts(completion.text)
    if text is None:
        return Rejection(Reason.INVALID_JSON, _NO_ANSWER)
    if not text.strip():
        text = after_thoughts(completion.reasoning or "")
        if text is None or not is_lone_object(text):
            return Rejection(Reason.INVALID_JSON, empty)
    return _validated(text.strip(), response, context)


def _validated(text: str, response: type[Response], context: Mapping[str, Any]) -> Response | Rejection:
    """Return the one valid value among the JSON objects in a text; equal ones count once. Otherwise a rejection: for
    different valid objects that, else the fault of the last object (or of the text, if it has none)."""
    objects, broken = objects_in(text)
    values = list[Response]()
    rejection = Rejection(Reason.INVALID_JSON, NO_OBJECT)
    for json_text in dict.fromkeys(objects or [text]):
        try:
            value = response.model_validate_json(json_text, context=context)
            if objects:
                parse(json_text)
        except ValidationError as error:
            rejection = _invalid(json_text, error, broken=broken)
        except ValueError as error:  # a key that is given twice
            rejection = Rejection(Reason.INVALID_ANSWER, shortened(str(error), 200))
        else:
            values += [] if value in values else [value]
    if len(values) > 1:
        return Rejection(Reason.INVALID_ANSWER, _DIFFERENT)
    return values[0] if values else rejection


def is_valid(completion: Completion, request: Request[Any]) -> bool:
    """Return True if a completion is a valid response to a request."""
    return not isinstance(read_reply(completion, request.response, request.context), Rejection)


def of_use(answer: Answer[Any], request: Request[Any]) -> float:
    """Return how much of the request an answer covers: infinity if it is valid, else how many of the
    response's fields its invalid object has.
    """
    if answer.reason is None:
        return math.inf
    return len(answer.given.keys() & request.response.model_fields.keys())


def describe(error: ValidationError) -> str:
    """Return the validation errors of a response, one per line (path, what was expected, the value), at
    most :data:`MAX_FAULTS` of them and a count of the rest.
    """
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


def retry_messages(
    messages: Sequence[Message], completion: Completion, rejection: Rejection
) -> tuple[Message, ...]:
    """Return the messages of a re-prompt: the conversation, the invalid response, and what was wrong
    with it.
    """
    answer = (after_thoughts(completion.text) or "")[:MAX_ECHO] or "(empty)"
    wish = (
        f"Your answer could not be used:\n{rejection.fault}\nAnswer the question again in full, with this mended: one "
        "JSON object that follows the schema, and nothing else."
    )
    return (*messages, Message("assistant", answer), Message("user", wish))


def _invalid(json_text: str, error: ValidationError, *, broken: bool) -> Rejection:
    """Return the rejection of ``json_text``, the last object in a response, or the whole response if it has none.

    A text without an object in which the model declines is a REFUSAL. Valid JSON of another form is an INVALID_ANSWER,
    with its faults for the re-prompt. All else is INVALID_JSON; if ``broken``, an object breaks off at the response's
    end, and the fault says so.
    """
    if "{" not in json_text and _DECLINES.match(json_text.replace("’", "'")):
        return Rejection(Reason.REFUSAL, shortened(json_text, 200))
    fault = error.errors(include_url=False, include_input=False)[0]
    if fault["type"] != "json_invalid":
        return Rejection(Reason.INVALID_ANSWER, describe(error), _object(json_text))
    if broken:
        return Rejection(Reason.INVALID_JSON, f"{NO_OBJECT}: it breaks off before the object's end")
    if not json_text.startswith("{"):
        return Rejection(Reason.INVALID_JSON, NO_OBJECT)
    message = shortened(fault["msg"].removeprefix("Invalid JSON: "), 200)
    return Rejection(Reason.INVALID_JSON, f"the answer is not valid JSON: {message}")


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

"""Convert what a provider sent with an error (status, body in any of the shapes in use, headers, an
exception) to a :class:`ProviderError` with a reason, a delay, and a message without secrets.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from conqret.data import Reason
from conqret.errors import shortened
from conqret.llm.failed_requests import ProviderError, retry_after_of

MAX_MESSAGE = 400
"""The most characters of a provider's message that are kept."""

MAX_READ = 4_000
"""The last characters of a message in which a delay is looked for."""

MAX_DEPTH = 8
"""The most levels of an error's body that are read: some providers pass on another's body as a text."""

_BY_CLASS = (
    ("Timeout", Reason.TIMEOUT),
    ("APITimeoutError", Reason.TIMEOUT),
    ("TimeoutError", Reason.TIMEOUT),
    ("APIConnectionError", Reason.CONNECTION),
    ("TransportError", Reason.CONNECTION),
    ("ClientError", Reason.CONNECTION),
    ("ConnectionError", Reason.CONNECTION),
)
_SECRETS = re.compile(r"\b(sk|pk|gsk|xai|hf|AIza)[-_]?[A-Za-z0-9_\-*]{12,}|(?i:bearer)\s+[^\s'\",]+")
_WRAPPINGS = re.compile(r"^((litellm\.)?\w+(Error|Exception|Timeout)\s*(:|-)\s*)+")
_BROKEN_OFF = re.compile(
    r"disconnected|connection (error|reset|refused|closed|lost)|payload|incomplete", re.I
)

_WORDED = ("error", "errors", "message", "detail", "msg", "base_resp", "status_msg")
"""Where a body has its words, or the object that has them."""

_CODED = frozenset(
    {"code", "type", "status", "reason", "error_type", "error_code", "status_code", "blockReason", "quotaId"}
)
"""Where a body has its codes."""

_DELAYS = frozenset({"retryDelay", "retry_after", "retryAfter", "retry_after_seconds", "estimated_time"})
"""Where a body says how long to wait, in seconds."""

_SECONDS_TOLD = re.compile(r"\d+(\.\d+)?s?")

_FLAGGED = "flagged_input"
"""What OpenRouter adds to the error of a moderated request."""

# Codes are compared in lower case, without what is no letter and no digit.
_QUOTA_CODES = re.compile(
    r"insufficient(quota|balance|credit|fund)|billing|exceededcurrentquota|arrearage|paymentrequired|perday"
)
_FILTER_CODES = re.compile(
    r"contentfilter|contentpolicy|contentblocked|responsibleai|datainspection|invalidprompt|moderation|flaggedinput"
    r"|prohibitedcontent|recitation|blocklist|spii|safety|guardrail|refusal|sensitive"
)
_LENGTH_CODES = re.compile(
    r"contextlength|contextsize|contextwindow|stringabovemaxlength|requesttoolarge|tokenslimitreached|prompttoolong"
    r"|maxprompttokens"
)
_MODEL_CODES = re.compile(r"notfound|invalidmodel|unknownmodel|modelnotexist|decommissioned")
_KEY_CODES = re.compile(r"apikey|authentication|unauthori[sz]ed|unauthenticated|permission|accessdenied")
_RATE_CODES = re.compile(r"ratelimit|throttl|toomanyrequests|resourceexhausted")
_REQUEST_CODES = re.compile(r"invalidrequest|badrequest|invalidargument|invalidparameter|validation")

_QUOTA = re.compile(
    r"insufficient (quota|balance|credit|fund)|credit balance|exceeded your current quota|billing (details|hard limit)"
    r"|out of credits|more credits|(credit|spend\w*) limit|all available credits|no credits left",
    re.I,
)
_FILTERED = re.compile(
    r"content[ _-](policy|filter|management|moderation)|safety (system|filter|check)|usage (policy|policies|guidelines)"
    r"|\bflagged\b|requires moderation|content exists risk|inappropriate content|responsible ai"
    r"|violat\w+ [^.]{0,40}(polic|guideline|terms)|敏感",
    re.I,
)
_ACCOUNT = re.compile(r"\b(account|organi[sz]ation|api[ _-]?key)\b", re.I)
_TOO_LONG = re.compile(
    r"context[ _](length|window|size|limit)|maximum (model|prompt|input|sequence) length|model token limit"
    r"|\b(prompt|inputs?|messages?)\b[^.]{0,30} (is|are) too (long|large)|too many (input |prompt )?tokens"
    r"|\b(input|prompt)\b.{0,20}\btokens?\b.{0,60}\b(exceed|up to|too large)|exceed\w* .{0,40}input tokens"
    r"|(input tokens|prompt|input|payload size) exceeds?\b"
    r"|`?inputs`?.{0,50}(must be <=|must have less than)|longer than the (maximum )?model|range of input length"
    r"|reduce the length of|(request|body|entity) (is )?too large",
    re.I,
)
_ROOM = re.compile(r"max_(completion_)?tokens\W+must", re.I)
"""A room for answers that no model has, which is no fault of the prompt."""

_TOO_LARGE = re.compile(r"request too large|reduce your message size|tokens must be reduced", re.I)
_NO_MODEL = re.compile(
    r"\bmodel\b.{0,120}?\b(not found|not exist|no longer (available|supported)|been (deprecated|decommissioned))"
    r"|(invalid|unknown|no such|not a valid|access to( the)?) model\b|not a chat model|model identifier is invalid",
    re.I,
)
_KEY = re.compile(
    r"api[ _-]?key.{0,30}(not valid|invalid|expired|missing|required)|(invalid|incorrect) api[ _-]?key", re.I
)
_SHAPE = re.compile(
    r"response[ _]?format|json[ _]?(schema|mode|validate)|json_object|\bschema|structured[ _]?outputs?"
    r"|output_(format|config)|tool_choice|\btools?\b|function[ _]call|grammar|guided|samplers|failed_generation",
    re.I,
)
_GENERATION = re.compile(r"failed_generation|json_validate_failed|tool_use_failed")

_DURATION = r"\d+(?:\.\d+)?\s*(?:milliseconds?|seconds?|minutes?|hours?|secs?|mins?|ms|s|m|h)(?![a-z])\s*"
_WAIT = re.compile(
    rf"\b(?:retry|again|wait|resets?)\s+(?:(?:in|after|for|about)\s+)*((?:{_DURATION})+)", re.I
)
_PART = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)\s*([a-z]+)", re.I)
_SECONDS = {"ms": 1e-3, "milli": 1e-3, "m": 60.0, "h": 3600.0}
"""By how a unit begins, the longer beginnings first; any other is a second."""


def provider_error(error: Exception) -> ProviderError:
    """Convert an exception to a provider error with a short message, without anything that looks like a key.

    Keys in use are replaced by :class:`conqret.llm.key_redaction.KeyRedaction`.
    """
    cause: BaseException | None = error
    while cause is not None:  # the libraries between call an answer that is too long a broken connection
        if isinstance(cause, ProviderError):
            return cause
        cause = cause.__cause__ or cause.__context__
    names = [kind.__name__ for kind in type(error).__mro__]
    status, body = getattr(error, "status_code", None), getattr(error, "body", None)
    text = _WRAPPINGS.sub("", str(error)) or names[0]
    judged = error_in(
        body if isinstance(body, Mapping) and body else text,
        status if isinstance(status, int) else None,
        _headers(error),
        names=names if isinstance(status, int) else (),
    )
    reason = next((reason for name, reason in _BY_CLASS if name in names), None)
    if reason is None and judged.code is Reason.SERVER_ERROR and _BROKEN_OFF.search(text):
        reason = Reason.CONNECTION
    return ProviderError(reason or judged.code, str(judged), retry_after=judged.retry_after)


def error_in(
    body: Any, status: int | None, headers: Mapping[str, str] | None = None, *, names: Iterable[str] = ()
) -> ProviderError:
    """Return the provider error for an error body, which is JSON data or text.

    Its ``retry_after`` is the delay in seconds from the headers, else from the body's fields, else from its
    words; None without any.

    Args:
        body: what the server sent.
        status: the HTTP status; None where the error has none of its own, so that only the body's codes
            count.
        headers: the headers of the response.
        names: further codes, such as the names of an exception's classes.
    """
    said = [
        name if name == _FLAGGED else str(value)[:100]
        for name, value in _entries(body)
        if name == _FLAGGED or (name in _CODED and isinstance(value, str | int))
    ]
    codes = " ".join(_bare(code) for code in (*said, *names))
    text = error_text(body) or (f"status {status} without a word" if status else "an error without a word")
    if status is None:
        status = next((int(code) for code in said if re.fullmatch(r"[45]\d\d", code)), None)
        text = f"error {status}: {text}" if status else text
    delay = retry_after_of(headers or {})
    if delay is None:
        waits = (str(value) for name, value in _entries(body) if name in _DELAYS)
        delay = next((float(wait.removesuffix("s")) for wait in waits if _SECONDS_TOLD.fullmatch(wait)), None)
    if delay is None:
        delay = _wait_in(text[-MAX_READ:])
    message = scrub(text)
    return ProviderError(_reason(status, codes, message, delay), message, retry_after=delay)


def filtered(finish_reason: str) -> bool:
    """Return True if a response's finish reason is a content filter, by any provider's name for it."""
    return _FILTER_CODES.search(_bare(finish_reason)) is not None


def about_shape(error: ProviderError) -> bool:
    """Return True if an error may be due to the requested method for structured output."""
    kinds = (Reason.BAD_REQUEST, Reason.SERVER_ERROR, Reason.NOT_FOUND)
    return error.code in kinds and _SHAPE.search(str(error)) is not None


def about_generation(error: ProviderError) -> bool:
    """Return True if the server accepted the schema but the model did not follow it, so that a retry may
    succeed.
    """
    return _GENERATION.search(str(error)) is not None


def scrub(message: str) -> str:
    """Return ``message`` on one line, cut to :data:`MAX_MESSAGE` characters, with anything like a key
    removed.
    """
    return shortened(_SECRETS.sub("[key]", " ".join(message.split())), MAX_MESSAGE)


def _reason(status: int | None, codes: str, message: str, delay: float | None) -> Reason:
    ours = status is None or 400 <= status < 500
    if status == 402 or _QUOTA_CODES.search(codes):
        return Reason.QUOTA
    # a request is refused for its content, and not an account for what it sent before
    about_content = _FILTERED.search(message) and (status not in (401, 403) or not _ACCOUNT.search(message))
    if _FILTER_CODES.search(codes) or (ours and status != 429 and about_content):
        return Reason.REFUSAL
    if ours and delay is None and _QUOTA.search(message):
        return Reason.QUOTA
    too_long = _TOO_LARGE if status == 429 else _TOO_LONG
    worded = status not in (401, 404) and too_long.search(message) and not _ROOM.search(message)
    if status == 413 or _LENGTH_CODES.search(codes) or worded:
        return Reason.CONTEXT_OVERFLOW
    if status == 408:
        return Reason.TIMEOUT
    if ours and (status == 429 or _RATE_CODES.search(codes)):
        return Reason.RATE_LIMITED
    if ours and (status == 404 or _MODEL_CODES.search(codes) or _NO_MODEL.search(message)):
        return Reason.NOT_FOUND
    if ours and (status in (401, 403) or _KEY_CODES.search(codes) or _KEY.search(message)):
        return Reason.AUTHENTICATION
    refused = ours if status is not None else _REQUEST_CODES.search(codes)
    return Reason.BAD_REQUEST if refused else Reason.SERVER_ERROR


def error_text(body: Any, depth: int = MAX_DEPTH) -> str:
    """Return the message in an error body, with its code; the whole body without a message; empty for an
    empty body.
    """
    if not body or depth == 0:
        return ""
    if isinstance(body, str):
        return error_text(_data_in(body), depth - 1) or body
    if isinstance(body, list) and isinstance(body[0], Mapping):
        words, place = error_text(body[0], depth - 1), body[0].get("loc")  # FastAPI's, of status 422
        where = ".".join(str(step) for step in place if step != "body") if isinstance(place, list) else ""
        return f"{where}: {words}" if where else words
    if not isinstance(body, Mapping):
        return json.dumps(body, ensure_ascii=False)
    words = next((words for name in _WORDED if (words := error_text(body.get(name), depth - 1))), "")
    if not words:
        return json.dumps(body, ensure_ascii=False, default=str)
    passed_on = body.get("metadata")
    if isinstance(passed_on, Mapping) and (raw := error_text(passed_on.get("raw"), depth - 1)):
        words = f"{words}: {raw}"
    code = next((body[name] for name in ("code", "type") if isinstance(body.get(name), str)), "")
    plain = code in ("", "error") or code.isdigit() or code in words
    return words if plain else f"{words} ({code})"


def _data_in(text: str) -> Any:
    """Return the error body (an object, or a list that begins with one) that a text contains, as proxies pass it on;
    None if there is none, or it has no message."""
    start = text.find("{")
    if start < 0:
        return None
    start -= text[max(0, start - 1)] == "["
    try:
        data, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    first = data[0] if isinstance(data, list) and data else data
    return data if isinstance(first, Mapping) and any(first.get(name) for name in _WORDED) else None


def _entries(body: Any, depth: int = MAX_DEPTH) -> Iterator[tuple[str, Any]]:
    """Yield every name in a nested body with its value, the outer ones first. Bodies inside of texts are searched, too,
    down to ``depth`` levels and the first 100 values of each."""
    if isinstance(body, str):
        body = _data_in(body)
    if depth == 0 or not isinstance(body, Mapping | list):
        return
    values: Sequence[Any] = body if isinstance(body, list) else list(body.values())
    if isinstance(body, Mapping):
        yield from body.items()
    for value in values[:100]:
        yield from _entries(value, depth - 1)


def _wait_in(text: str) -> float | None:
    """Return the seconds for which a text says to wait (``try again in 1m3.5s``, ``retry after 20 seconds``);
    None without any.
    """
    found = _WAIT.search(text)
    if found is None:
        return None
    return sum(
        float(number) * next((each for name, each in _SECONDS.items() if unit.lower().startswith(name)), 1.0)
        for number, unit in _PART.findall(found[1])
    )


def _bare(code: str) -> str:
    return re.sub(r"[^a-z0-9]", "", code.lower())


def _headers(error: Any) -> Mapping[str, str]:
    for headers in (
        getattr(getattr(error, "response", None), "headers", None),
        getattr(error, "litellm_response_headers", None),
        getattr(error, "headers", None),
    ):
        if headers and retry_after_of(headers) is not None:
            return dict(headers)
    return {}

"""What a provider's error means: statuses and exceptions sorted into our reasons, and stripped of secrets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from conqret.data import Reason
from conqret.errors import shortened
from conqret.llm.hosted.unpacking import TooLongError
from conqret.llm.retry import ProviderError, retry_after_of

MAX_MESSAGE = 400
"""Characters of a provider's message that are kept."""

_BY_CLASS = (
    ("ContextWindowExceededError", Reason.CONTEXT_OVERFLOW),
    ("ContentPolicyViolationError", Reason.REFUSAL),
    ("RateLimitError", Reason.RATE_LIMITED),
    ("AuthenticationError", Reason.AUTHENTICATION),
    ("PermissionDeniedError", Reason.AUTHENTICATION),
    ("Timeout", Reason.TIMEOUT),
    ("APITimeoutError", Reason.TIMEOUT),
    ("TimeoutError", Reason.TIMEOUT),
    ("BadRequestError", Reason.BAD_REQUEST),
    ("NotFoundError", Reason.BAD_REQUEST),
    ("UnprocessableEntityError", Reason.BAD_REQUEST),
    ("APIResponseValidationError", Reason.SERVER_ERROR),
    ("InternalServerError", Reason.SERVER_ERROR),
    ("APIConnectionError", Reason.CONNECTION),
    ("TransportError", Reason.CONNECTION),
    ("ClientError", Reason.CONNECTION),
    ("ConnectionError", Reason.CONNECTION),
)
_BY_STATUS = {
    401: Reason.AUTHENTICATION,
    403: Reason.AUTHENTICATION,
    408: Reason.TIMEOUT,
    429: Reason.RATE_LIMITED,
}
_SECRETS = re.compile(r"\b(sk|pk|gsk|xai|hf|AIza)[-_]?[A-Za-z0-9_\-*]{12,}|(?i:bearer)\s+[^\s'\",]+")
_WRAPPINGS = re.compile(r"^((litellm\.)?\w+(Error|Exception|Timeout)\s*(:|-)\s*)+")
_BROKEN_OFF = re.compile(
    r"disconnected|connection (error|reset|refused|closed|lost)|payload|incomplete", re.I
)
_TOO_LONG = re.compile(
    r"context (length|window)|maximum (context|model) length|prompt is too long|too many tokens", re.I
)

_POLICY = re.compile(r"content[ _](policy|filter|management)|safety system", re.I)


def provider_error(error: Exception) -> ProviderError:
    """The provider error that ``error`` amounts to; its message is short, with nothing in it that looks like a key.

    Keys that are in use are replaced by :mod:`conqret.llm.redaction`.
    """
    if isinstance(error, ProviderError):
        return error
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, TooLongError | ProviderError):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, ProviderError):
        return cause
    if cause is not None:  # the libraries between call it a broken connection
        return ProviderError(Reason.SERVER_ERROR, str(cause))
    message = scrub(_WRAPPINGS.sub("", str(error)) or type(error).__name__)
    return ProviderError(_reason(error, message), message, retry_after=retry_after_of(_headers(error)))


def status_error(status: int, message: str, headers: Mapping[str, str]) -> ProviderError:
    """The provider error that an HTTP status amounts to, with what the server said."""
    scrubbed = scrub(message)
    reason = _BY_STATUS.get(status, Reason.BAD_REQUEST if 400 <= status < 500 else Reason.SERVER_ERROR)
    return ProviderError(_verdict(reason, scrubbed), scrubbed, retry_after=retry_after_of(headers))


def scrub(message: str) -> str:
    """``message`` on one line, at most :data:`MAX_MESSAGE` characters, with anything like a key removed."""
    return shortened(_SECRETS.sub("[key]", " ".join(message.split())), MAX_MESSAGE)


def _reason(error: Exception, message: str) -> Reason:
    names = {kind.__name__ for kind in type(error).__mro__}
    reason = next((reason for name, reason in _BY_CLASS if name in names), None)
    status = getattr(error, "status_code", None)
    if reason in (None, Reason.SERVER_ERROR) and _BROKEN_OFF.search(message) and not isinstance(status, str):
        return Reason.CONNECTION
    if reason is not None:
        return _verdict(reason, message)
    if not isinstance(status, int):
        return Reason.SERVER_ERROR
    return _BY_STATUS.get(status, Reason.BAD_REQUEST if 400 <= status < 500 else Reason.SERVER_ERROR)


def _verdict(reason: Reason, message: str) -> Reason:
    """A request that is refused for its length or its content says something of the question."""
    if reason is Reason.BAD_REQUEST and _TOO_LONG.search(message):
        return Reason.CONTEXT_OVERFLOW
    if reason is Reason.BAD_REQUEST and _POLICY.search(message):
        return Reason.REFUSAL
    return reason


def _headers(error: Any) -> Mapping[str, str]:
    for headers in (
        getattr(getattr(error, "response", None), "headers", None),
        getattr(error, "litellm_response_headers", None),
        getattr(error, "headers", None),
    ):
        if headers and retry_after_of(headers) is not None:
            return dict(headers)
    return {}

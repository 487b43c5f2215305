"""Read a completion from the body of a chat response, whose content is not trusted.

A megabyte of gzip can hold a gigabyte: bodies are decompressed here in bounded pieces, and refused above a
limit.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import AsyncIterable, AsyncIterator, Callable, Mapping
from typing import Any

from conqret.data import Reason
from conqret.io.jsonl import compact
from conqret.io.limits import ANSWER
from conqret.llm.failed_requests import ProviderError
from conqret.llm.provider_errors import error_in, filtered, scrub
from conqret.llm.request import Completion, TokenLogprobs

Price = Callable[[int | None, int | None, int | None], float | None]
"""Takes the tokens of prompt and response, and the cached ones among the prompt's, and returns dollars
(None: unknown).
"""

_CUT_OFF = frozenset({"length", "max_tokens", "model_length"})
"""What servers call an answer that was cut off."""

FAILED = "error"
"""OpenRouter's finish reason for a response whose provider failed while writing it."""

_THOUGHTS = ("thinking", "reasoning")
"""The types of an answer's parts that are thoughts."""

_HALVES = re.compile("[\ud800-\udfff]")
"""Halves of surrogate pairs, which could be neither recorded nor shown."""


def completion_of(body: Mapping[str, Any], price: Price, seconds: float) -> Completion:
    """Read the completion from a response body in OpenAI's chat format; invalid fields other than the text
    are left out.

    Args:
        body: the response body.
        price: returns the dollars for the tokens of the call.
        seconds: how long the call took.

    Raises:
        ProviderError: the body has no response, or an error (some servers send errors with status 200).
    """
    choice = _first(body.get("choices"))
    if choice is not None:  # litellm keeps apart what a provider has besides
        choice = {**mapping(choice.get("provider_specific_fields")), **choice}
    for place in (body, choice or {}):
        if place.get("error"):
            raise error_in(place["error"], None)
    if choice is None and any(body.get(name) for name in ("message", "detail", "base_resp")):
        raise error_in(body, None)
    if choice is None:
        raise ProviderError(Reason.SERVER_ERROR, "the server's response contains no choice")
    message = mapping(choice.get("message"))
    call = mapping(mapping(_first(message.get("tool_calls"))).get("function"))
    arguments = call.get("arguments")
    if isinstance(arguments, Mapping):  # an object where OpenAI writes its JSON
        arguments = compact(arguments).decode()
    text = _whole(str(arguments)) if arguments else _content(message)
    prompt, completed, cached = usage_of(body.get("usage"))
    if not completed:
        completed = None if text else 0
    reason = _finish_of(choice)
    refusal = message.get("refusal") or mapping(message.get("provider_specific_fields")).get("refusal")
    thoughts = message.get("reasoning_content") or message.get("reasoning")  # which a server sends apart
    return Completion(
        text=text,
        finish_reason=reason,
        refusal=scrub(str(refusal)) if refusal else None,
        model=_whole(str(body.get("model") or "")),
        prompt_tokens=prompt,
        completion_tokens=completed,
        cached_tokens=cached,
        cost_usd=price(prompt, completed, cached),
        seconds=seconds,
        logprobs=_logprobs(choice),
        system_fingerprint=_whole(str(body.get("system_fingerprint") or "")) or None,
        reasoning=_whole(thoughts) if thoughts and isinstance(thoughts, str) and not text.strip() else None,
    )


def _finish_of(choice: Mapping[str, Any]) -> str:
    """Return why a response ended, as far as it matters for its use: ``length``, ``content_filter``, else
    ``stop``.

    Raises:
        ProviderError: it ended in an error.
    """
    reasons = [choice.get(name) for name in ("finish_reason", "native_finish_reason")]
    said = [reason.lower() for reason in reasons if isinstance(reason, str)]
    if FAILED in said:
        raise ProviderError(Reason.SERVER_ERROR, "the provider ended the answer with an error")
    if any(map(filtered, said)):
        return "content_filter"
    return "stop" if _CUT_OFF.isdisjoint(said) else "length"


def usage_of(usage: Any) -> tuple[int | None, int | None, int | None]:
    """Return the tokens of the prompt, of the response, and the cached ones among the prompt's, from the
    body's ``usage``; None for each that is missing or invalid.

    A prompt has at least one token, so 0 prompt tokens count as missing.
    """
    counts = mapping(usage)
    cached = mapping(counts.get("prompt_tokens_details")).get("cached_tokens")
    prompt, completed = _count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens"))
    return prompt or None, completed, _count(cached)


def _first(several: Any) -> Mapping[str, Any] | None:
    first = several[0] if isinstance(several, list) and several else None
    return first if isinstance(first, Mapping) else None


def mapping(sent: Any) -> Mapping[str, Any]:
    """Return ``sent`` if it is a mapping, else an empty one."""
    return sent if isinstance(sent, Mapping) else {}


def _content(message: Mapping[str, Any]) -> str:
    """The text of an answer, its parts put together but for thoughts; those inside a text stay."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [mapping(part) for part in content]
        content = "".join(str(part.get("text") or "") for part in parts if part.get("type") not in _THOUGHTS)
    return _whole(str(content or ""))


def _whole(text: str) -> str:
    return text if text.isascii() else _HALVES.sub("\ufffd", text)


def _count(sent: Any) -> int | None:
    """The number of tokens; None where it is none (negative, say)."""
    try:
        number = int(sent)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if number >= 0 else None


def _logprobs(choice: Mapping[str, Any]) -> tuple[TokenLogprobs, ...] | None:
    """Return the log-probabilities of all tokens of a choice. None if there are none, or if any is missing or not
    finite: then no other could be trusted."""
    content = mapping(choice.get("logprobs")).get("content")
    if not content:
        return None
    tokens = []
    try:
        for token in content:
            listed = (token, *(token.get("top_logprobs") or ()))
            alternatives = {str(one["token"]): float(one["logprob"]) for one in listed}
            if not all(map(math.isfinite, alternatives.values())):
                return None
            tokens.append(TokenLogprobs(str(token["token"]), alternatives))
    except (TypeError, ValueError, KeyError, OverflowError, AttributeError):
        return None
    return tuple(tokens)


ACCEPTED = "gzip, deflate"
"""The compressions of responses that are accepted."""

_PIECE = 2**20
_WINDOWS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


def packing(header: str | None) -> str:
    """Return the compression of a body from its Content-Encoding header; empty without one.

    Raises:
        ProviderError: the compression was not requested.
    """
    packed = (header or "").strip().lower().replace("identity", "")
    if packed and packed not in _WINDOWS:
        message = f"the response is compressed as {packed[:40]!r}, which conqret did not request"
        raise ProviderError(Reason.SERVER_ERROR, message)
    return packed


async def unpacked(chunks: AsyncIterable[bytes], packed: str) -> AsyncIterator[bytes]:
    """Yield the decompressed pieces of a body; ``packed`` is the compression that :func:`packing` returned.

    Raises:
        ProviderError: the decompressed body is longer than the limit, or not compressed as declared.
    """
    unpacker = zlib.decompressobj(_WINDOWS[packed]) if packed else None
    left = ANSWER.most
    async for chunk in chunks:
        rest = chunk
        while rest:
            piece = rest
            if unpacker is not None:
                try:
                    piece = unpacker.decompress(rest, _PIECE)
                except zlib.error as error:
                    message = f"the response is declared as {packed}, but is not"
                    raise ProviderError(Reason.SERVER_ERROR, message) from error
            left -= len(piece)
            if left < 0:
                raise ProviderError(Reason.SERVER_ERROR, f"the response is longer than {ANSWER}")
            yield piece
            rest = unpacker.unconsumed_tail if unpacker is not None else b""

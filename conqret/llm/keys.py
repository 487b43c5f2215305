"""The identity of a request: the key under which its answer is recorded."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, TypeAdapter

from conqret.llm.request import Message, Request, image_digest

KEY_VERSION = 1
"""Changes whenever keys are made in another way, so that old recordings are never mistaken for new."""

_LISTS = TypeAdapter(list[list[Any]])
_encode = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode

KEPT = 256
"""The digests of so many schemas are kept; a run has a handful."""


def parameters(request: Request[Any], *, read: bool) -> Mapping[str, Any]:
    """The settings that change the answer; none of those of a writer change what a model reads (``read``)."""
    if read:
        return {"logprobs": request.logprobs}
    return {
        "logprobs": request.logprobs,
        "max_tokens": request.max_tokens,
        "seed": None,  # none is ever set, but the keys of all recordings so far were made with it
        "temperature": request.sampling_temperature,
        **({} if request.top_p is None else {"top_p": request.top_p}),
    }


def request_key(model: str, request: Request[Any], *, read: bool = False) -> str:
    """sha256 (hex) over canonical JSON of model, parameters, messages (with images' digests), response schema, sample.

    The request is the one that is sent: a question asked again (with its fault named, or with more room) has another
    key. Where it has texts to be read, they are part of the key: the messages need not hold them. What a model reads
    (``read``) is the same each time, so a reading's key has neither sample nor temperature and max_tokens: one
    recording answers them all.
    """
    response: type[BaseModel] = request.response
    identity = [
        _canonical(KEY_VERSION),
        _canonical(model),
        _canonical(parameters(request, read=read)),
        _messages(request.messages),
        _canonical(schema_digest(response)),
        _canonical(0 if read else request.sample),
    ]
    if request.reading is not None:
        identity.append(_texts([[context, list(targets)] for context, targets in request.reading.pairs]))
    return hashlib.sha256(b"[" + b",".join(identity) + b"]").hexdigest()


def _told(message: Message) -> list[Any]:
    """What of a message is part of the key: of an image its digest, and not its megabytes."""
    images = [[number, image_digest(url)] for number, url in message.images]
    return [message.role, message.content, *([images] if images else [])]


@functools.lru_cache(maxsize=KEPT)
def schema_digest(response: type[BaseModel]) -> str:
    """sha256 (hex) of the JSON schema of ``response``, computed once for each class."""
    return hashlib.sha256(_canonical(response.model_json_schema())).hexdigest()


def _messages(messages: Sequence[Message]) -> bytes:
    """The same as :func:`_texts` of what each message tells."""
    try:
        if not any(message.images for message in messages):
            pairs = [b"[%s,%s]" % (_canonical(message.role), message.encoded) for message in messages]
            return b"[%s]" % b",".join(pairs)
    except ValueError:  # half a surrogate pair
        pass
    return _texts([_told(message) for message in messages])


def _texts(value: list[list[Any]]) -> bytes:
    """The same as :func:`_canonical` for long texts, and quicker."""
    try:
        return _LISTS.dump_json(value)
    except ValueError:  # half a surrogate pair
        return _canonical(value)


def _canonical(value: Any) -> bytes:
    return _encode(value).encode("utf-8", "surrogatepass")

"""Completions as JSON, for the store and its exports."""

from __future__ import annotations

import dataclasses
import functools
import json
from typing import Any

from pydantic import TypeAdapter

from conqret.llm.request import Completion, TokenLogprobs

_NAMES = tuple(field.name for field in dataclasses.fields(Completion))


def completion_to_json(completion: Completion) -> str:
    """The completion as compact JSON; fields that are None are left out."""
    record: dict[str, Any] = {}
    for name in _NAMES:
        value = getattr(completion, name)
        if value is not None:
            record[name] = value
    if completion.logprobs is not None:
        record["logprobs"] = [[token.token, dict(token.alternatives)] for token in completion.logprobs]
    return json.dumps(record, ensure_ascii=True, separators=(",", ":"))


def completion_from_json(text: str) -> Completion:
    """The completion that :func:`completion_to_json` wrote.

    Raises:
        ValueError: the text is no such completion.
    """
    record = json.loads(text)
    if not isinstance(record, dict) or not isinstance(record.get("text"), str):
        raise ValueError("a completion must be an object with a text")
    logprobs = record.pop("logprobs", None)
    if logprobs is not None:
        record["logprobs"] = tuple(TokenLogprobs(token, alternatives) for token, alternatives in logprobs)
    return _adapter().validate_python(record)


@functools.cache
def _adapter() -> TypeAdapter[Completion]:
    return TypeAdapter(Completion)

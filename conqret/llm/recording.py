"""One recording: a row of the store, and a line of the form in which recordings are shared."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, TypeAdapter

from conqret.llm.request import Completion

_COMPLETION = TypeAdapter(Completion)


class Recording(BaseModel):
    """An answer with its key, what it was asked with, and labels for people."""

    key: str
    completion: Completion
    ask: str
    item: str
    model: str
    params: dict[str, Any]
    sample: int
    created: str

    def row(self) -> tuple[Any, ...]:
        """The row of the store; completion and params are JSON there."""
        completion, params = completion_to_json(self.completion), dumps(self.params)
        return self.key, completion, self.ask, self.item, self.model, params, self.sample, self.created


def line_of(row: Sequence[Any]) -> bytes:
    """The line of an export for a row of the store."""
    record = dict(zip(Recording.model_fields, row, strict=True))
    parsed = {name: json.loads(record[name]) for name in ("completion", "params")}
    return dumps(record | parsed).encode() + b"\n"


def completion_to_json(completion: Completion) -> str:
    """The completion as compact JSON; fields that are None are left out."""
    return json.dumps(_COMPLETION.dump_python(completion, exclude_none=True), separators=(",", ":"))


def completion_from_json(text: str) -> Completion:
    """The completion that :func:`completion_to_json` wrote.

    Raises:
        ValueError: the text is no such completion.
    """
    return _COMPLETION.validate_python(json.loads(text))


def dumps(value: Any) -> str:
    """Compact JSON with sorted keys, readable in every language; half a surrogate pair is escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return text.encode("utf-8", "backslashreplace").decode()

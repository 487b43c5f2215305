"""One recording: a row of the store, and a line of the form in which recordings are shared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Self

from pydantic import BaseModel, TypeAdapter, model_validator

from conqret.io.jsonl import compact
from conqret.llm.request import Completion

_COMPLETION = TypeAdapter(Completion)


class Recording(BaseModel):
    """An answer with its key, what it was asked with, and labels for people.

    A row and a line end with a checksum of all that they hold. It shows what has changed by accident; it is no
    signature. A line may lack it.
    """

    key: str
    completion: Completion
    ask: str
    item: str
    model: str
    params: dict[str, Any]
    sample: int
    created: str

    @model_validator(mode="before")
    @classmethod
    def _as_written(cls, given: Any) -> Any:
        if isinstance(given, dict) and "checksum" in given:
            content = {name: value for name, value in given.items() if name != "checksum"}
            if checksum(content) != given["checksum"]:
                raise ValueError("it is not what was recorded: its checksum is another")
        return given

    @classmethod
    def of_row(cls, row: Sequence[Any]) -> Self:
        """The recording that :meth:`row` wrote.

        Raises:
            ValueError: the row is damaged.
        """
        *content, digest = row
        try:
            if checksum(content) != digest:
                raise ValueError("its checksum is another")
            record = dict(zip(cls.model_fields, content, strict=True))
            parsed = {name: json.loads(record[name]) for name in ("completion", "params")}
            return cls.model_validate(record | parsed)
        except (TypeError, RecursionError) as error:
            raise ValueError(f"it is no recording: {error}") from None

    def row(self) -> tuple[Any, ...]:
        """The row of the store; completion and params are JSON there."""
        completion, params = completion_to_json(self.completion), dumps(self.params)
        content = (self.key, completion, self.ask, self.item, self.model, params, self.sample, self.created)
        return *content, checksum(content)

    def line(self) -> bytes:
        """The line of an export."""
        completion = json.loads(completion_to_json(self.completion))
        content = self.model_dump(exclude={"completion"}) | {"completion": completion}
        return dumps(content | {"checksum": checksum(content)}).encode() + b"\n"

    def __str__(self) -> str:
        """What was asked, in a few words."""
        return f"{self.ask} of item {self.item}, sample {self.sample} (key {self.key[:12]})"


COLUMNS = (*Recording.model_fields, "checksum")
"""The columns of the store."""


def checksum(content: Any) -> str:
    """The first 16 hex digits of the sha256 of plain data."""
    data = compact(content) if isinstance(content, (tuple, list)) else dumps(content).encode()
    return hashlib.sha256(data).hexdigest()[:16]


def completion_to_json(completion: Completion) -> str:
    """The completion as compact JSON; fields that are None are left out."""
    return json.dumps(_COMPLETION.dump_python(completion, exclude_none=True), separators=(",", ":"))


def dumps(value: Any) -> str:
    """Compact JSON with sorted keys, readable in every language; half a surrogate pair is escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return text.encode("utf-8", "backslashreplace").decode()

"""The identity of a request: what is sent, and the key under which its answer is recorded."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from conqret.llm.request import Message, Reading

KEY_VERSION = 1
"""Changes whenever keys are made in another way, so that old recordings are never mistaken for new."""

KEPT = 256
"""The digests of so many schemas are kept; a run has a handful."""


@dataclass(frozen=True, slots=True)
class Sending:
    """One question exactly as it is sent: a request with the client's settings filled in.

    A question asked again (with its fault named, or with more room) is another sending with another key.
    ``reading`` is there where the messages do not hold all that is asked, or the model answers by reading (``read``).
    """

    model: str
    ask: str
    item: str
    messages: tuple[Message, ...]
    response: type[BaseModel]
    temperature: float
    max_tokens: int | None
    sample: int
    logprobs: bool
    baseline: Callable[[], Any] | None = None
    reading: Reading | None = None
    read: bool = False

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The settings that change the answer; none of those of a writer change what a model reads."""
        if self.read:
            return {"logprobs": self.logprobs}
        return {
            "logprobs": self.logprobs,
            "max_tokens": self.max_tokens,
            "seed": None,  # none is ever set, but the keys of all recordings so far were made with it
            "temperature": self.temperature,
        }

    def key(self) -> str:
        """sha256 (hex) over canonical JSON of model, parameters, messages, response schema and sample.

        Where there are texts to be read, they are part of it: the messages need not hold them. What a model reads
        is the same each time, so a reading's key has neither sample nor temperature and max_tokens: one
        recording answers them all.
        """
        identity = [
            KEY_VERSION,
            self.model,
            self.parameters,
            [[message.role, message.content] for message in self.messages],
            schema_digest(self.response),
            0 if self.read else self.sample,
        ]
        if self.reading is not None:
            identity.append([[context, list(targets)] for context, targets in self.reading.pairs])
        return hashlib.sha256(_canonical(identity)).hexdigest()


@functools.lru_cache(maxsize=KEPT)
def schema_digest(response: type[BaseModel]) -> str:
    """sha256 (hex) of the JSON schema of ``response``, computed once for each class."""
    return hashlib.sha256(_canonical(response.model_json_schema())).hexdigest()


def _canonical(value: Any) -> bytes:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")

"""OpenAI's batches: a file of requests is uploaded, a batch is made of it, and answers and errors are files again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from typing import Any, ClassVar
from urllib.parse import quote

import aiohttp

from conqret.data import Reason
from conqret.llm.batches.batch_service import LISTED, BatchProgress, BatchService, Result, listed
from conqret.llm.hosted.connection import stated_by
from conqret.llm.hosted.direct_http import Direct
from conqret.llm.hosted.response_bodies import completion_of
from conqret.llm.provider_errors import error_in, scrub, told
from conqret.llm.request import Request
from conqret.llm.retry import ProviderError
from conqret.llm.structured import choose_shape

_ENDED = frozenset({"completed", "expired", "cancelled", "failed"})
_AT = "/v1/chat/completions"
NAME = "conqret_batch"
"""Under this name a batch's metadata hold what we call it."""


class OpenAIBatches(BatchService):
    """``POST /files`` and ``POST /batches`` of OpenAI and of servers that have them too."""

    most: ClassVar[int] = 50_000
    most_bytes: ClassVar[int] = 190 * 2**20  # of 200 MB

    def line(self, key: str, request: Request[Any]) -> bytes:
        """The request as the direct way sends it."""
        shape = choose_shape(self.server.provider, self.facts)
        direct = Direct(self.options)
        direct.provider = self.server.provider
        body = direct.body(request, self.server.model, shape)
        return b'{"custom_id":"%s","method":"POST","url":"%s","body":%s}' % (key.encode(), _AT.encode(), body)

    async def hand_in(self, lines: Sequence[bytes], name: str) -> str:
        """Upload, and make a batch that has a day's time and our name in its metadata."""
        form = aiohttp.FormData()
        form.add_field("purpose", "batch")
        form.add_field(
            "file", b"\n".join(lines) + b"\n", filename="conqret.jsonl", content_type="application/jsonl"
        )
        file = await self.post("/files", data=form)
        asked = {
            "input_file_id": str(file["id"]),
            "endpoint": _AT,
            "completion_window": "24h",
            "metadata": {NAME: name},
        }
        return str((await self.post("/batches", json=asked))["id"])

    async def find(self, name: str, begun: datetime, count: int, known: Set[str]) -> str | None:
        """By our name."""
        for batch in listed(await self.get(f"/batches?limit={LISTED}")):
            metadata = batch.get("metadata")
            if isinstance(metadata, Mapping) and metadata.get(NAME) == name:
                return str(batch["id"])
        return None

    async def look(self, batch: str) -> BatchProgress:
        """By its status; a batch that failed as a whole says why. One that is completed ends with its files."""
        batch_data = await self.get(f"/batches/{quote(batch, safe='')}")
        files = [batch_data.get(name) for name in ("output_file_id", "error_file_id")]
        output, errors = (file if isinstance(file, str) and file else None for file in files)
        status = str(batch_data.get("status"))
        late = status == "completed" and output is None and (errors is None or _completed(batch_data) > 0)
        return BatchProgress(
            status in _ENDED and not late,
            scrub(status)
            + (", and its results are not there yet" if late else _why(batch_data.get("errors"))),
            tuple(f"/files/{quote(file_id, safe='')}/content" for file_id in (output, errors) if file_id),
        )

    def read(self, line: Mapping[str, Any], seconds: float) -> Result:
        """An answer with its status, or an error instead."""
        key, response, error = str(line["custom_id"]), line.get("response"), line.get("error")
        if isinstance(response, Mapping):
            status, body = response.get("status_code"), response.get("body")
            if status == 200 and isinstance(body, Mapping):
                return Result(key, completion_of(body, self.cost, seconds))
            failure = error_in(body, int(status or 500))
            return Result(key, stated_by(failure), failure)
        return Result(key, None, ProviderError(Reason.SERVER_ERROR, scrub(told(error) or "no answer")))


def _completed(batch: Mapping[str, Any]) -> int:
    """How many of its questions a batch says that it has answered."""
    counts = batch.get("request_counts")
    count = counts.get("completed") if isinstance(counts, Mapping) else 0
    return count if isinstance(count, int) else 0


def _why(errors: Any) -> str:
    """What the first fault of a batch that failed as a whole was."""
    data = errors.get("data") if isinstance(errors, Mapping) else None
    first = data[0] if isinstance(data, list) and data else None
    return f": {scrub(told(first))}" if first else ""

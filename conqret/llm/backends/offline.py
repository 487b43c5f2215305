"""The offline model: each request brings its own lexical baseline, which answers it."""

from __future__ import annotations

import json
import time
from typing import Any

from conqret.errors import DeclarationError
from conqret.llm.client_options import Backend, Connection, on_this_machine
from conqret.llm.request import Completion, Request

REVISION = 4
"""Part of every offline key. Raise it when a baseline changes, so that old answers are not replayed."""


class OfflineConnection(Connection):
    """A connection whose responses come from ``request.baseline()``: deterministic, free and immediate."""

    async def complete(self, request: Request[Any]) -> Completion:
        """Return the baseline's response as JSON, or as text where plain text is requested.

        Raises:
            DeclarationError: the request has no baseline.
        """
        if request.baseline is None:
            raise DeclarationError(
                f"{request.ask} has no offline baseline, so --model offline cannot be used: name a model"
            )
        began = time.perf_counter()
        made = request.baseline()
        text = str(made) if request.plain else json.dumps(made, ensure_ascii=False)
        seconds = time.perf_counter() - began
        return Completion(
            text, model="offline", prompt_tokens=0, completion_tokens=0, cost_usd=0.0, seconds=seconds
        )


BACKEND = Backend(
    prefix="offline",
    open=lambda options: OfflineConnection(),
    reads=True,
    baseline=True,
    identity=lambda model: f"{model}-{REVISION}",
    facts=on_this_machine,
)

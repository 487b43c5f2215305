"""No model: for formats that compute their metrics from the items
(:class:`conqret.judging.computed_metrics.ComputedMetrics`)."""

from __future__ import annotations

from typing import Any

from conqret.errors import DeclarationError
from conqret.llm.client_options import NO_MODEL, Backend, Connection, on_this_machine
from conqret.llm.request import Completion, Request


class NoModel(Connection):
    """A connection without a model, for formats that send no request."""

    async def complete(self, request: Request[Any]) -> Completion:
        """Refuse the request.

        Raises:
            DeclarationError: always, because there is no model.
        """
        raise DeclarationError(
            f"{request.ask} needs a model, and {NO_MODEL} is not one: name a model with --model"
        )


BACKEND = Backend(
    prefix=NO_MODEL,
    open=lambda options: NoModel(),
    writes=False,
    cannot="needs a model, and `no-model` is none: name one",
    facts=on_this_machine,
)

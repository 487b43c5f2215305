"""Logs of verdicts: recorded verdicts stand in the place of a model's responses.

A model's name alone opens no file: a log answers only after it was handed over (:func:`admit`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from conqret.data import Reason
from conqret.errors import DeclarationError, number
from conqret.llm.backends.function import VERDICT, item_of
from conqret.llm.client_options import Backend, ClientOptions, Connection, ModelFacts, on_this_machine
from conqret.llm.failed_requests import ProviderError
from conqret.llm.request import Completion, Request

PREFIX = "verdicts/"

Sayings = Mapping[str, Sequence[Mapping[str, float | None]]]
"""Maps the texts of an item (:func:`texts_of`) to its verdicts: a mapping from metric to value (None:
unscored) for each time that the item was judged.
"""

_admitted: dict[str, Sayings] = {}


def texts_of(item: Mapping[str, Any]) -> str:
    """Return an item's fields other than its language as JSON with sorted keys, under which a log has its
    verdicts.
    """
    return json.dumps({name: value for name, value in item.items() if name != "language"}, sort_keys=True)


def admit(name: str, answer_log: Sayings) -> str:
    """Register a log of verdicts as a model, and return the model's name: ``verdicts/NAME@`` and 12
    hexadecimal digits of the log's sha256.
    """
    sha = hashlib.sha256(json.dumps(answer_log, sort_keys=True, default=list).encode())
    model = f"{PREFIX}{name}@{sha.hexdigest()[:12]}"
    _admitted[model] = answer_log
    return model


class LogConnection(Connection):
    """A connection whose responses come from a log of verdicts; sample n is the item's verdict number n in
    the log.
    """

    def __init__(self, options: ClientOptions) -> None:
        self._model = options.model

    async def prepare(self) -> None:
        """Check that the log was registered.

        Raises:
            DeclarationError: it was not.
        """
        if self._model not in _admitted:
            raise DeclarationError(
                f"{self._model} is a log of verdicts, and conqret reads one only on request: give it with --verdicts"
            )

    async def complete(self, request: Request[Any]) -> Completion:
        """Return the verdict in the log for the request's item and sample, as JSON; it costs 0 dollars.

        Raises:
            DeclarationError: the log was not registered, or the request is not about an item as plain data.
            ProviderError: with the reason NOT_RECORDED, if the log has no such verdict.
        """
        await self.prepare()
        answers = _admitted[self._model].get(texts_of(item_of(request)), ())
        if request.sample >= len(answers):
            times = number(len(answers), "verdict") if answers else "no verdict of the requested kind"
            raise ProviderError(Reason.NOT_RECORDED, f"the log has {times} for it")
        text = json.dumps({VERDICT: dict(answers[request.sample])})
        return Completion(text, model=self._model, prompt_tokens=0, completion_tokens=0, cost_usd=0.0)


def _facts(options: ClientOptions) -> ModelFacts:
    return replace(on_this_machine(options), vision=True)  # the judge saw the item itself


BACKEND = Backend(prefix=PREFIX, open=LogConnection, facts=_facts, here=True)

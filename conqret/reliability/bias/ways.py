"""The ways in which a judge is asked: as it is, turned round, in one order, or once more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from conqret.judging.instrument import Instrument
from conqret.judging.setup import Setup
from conqret.llm.client import Client
from conqret.llm.request import Answer, Request
from conqret.reliability.bias.contrast import AGAIN, AS_IS, ONE_ORDER, PREFERENCE, REVERSED


def fingerprint_of(way: str, setup: Setup) -> str:
    """The name under which the judgments of this way are kept: that of the instrument, and the way."""
    return setup.fingerprint if way == AS_IS else f"{setup.fingerprint}/{way}"


def instrument_for(way: str, setup: Setup, client: Client) -> Instrument:
    """The instrument that asks in this way (see :mod:`conqret.reliability.bias.contrast`)."""
    asked = replace(setup.instrument(client), fingerprint=fingerprint_of(way, setup))
    if way == AS_IS:
        return asked
    if way == REVERSED:
        return replace(asked, options=replace(setup.options, order="reversed"))
    if way == ONE_ORDER:
        judge = replace(setup.judge, asks=tuple(replace(ask, both_orders=False) for ask in setup.judge.asks))
        return replace(asked, judge=judge, options=replace(setup.options, metrics=(PREFERENCE,)))
    number = int(way.removeprefix(AGAIN))
    return replace(asked, client=_Again(client, number * setup.options.samples))


@dataclass(frozen=True)
class _Again:
    """A client that asks for further samples of the same requests."""

    client: Client
    offset: int

    async def ask(self, request: Request[Any]) -> Answer[Any]:
        return await self.client.ask(replace(request, sample=request.sample + self.offset))

    @property
    def context_window(self) -> int | None:
        return self.client.context_window

    @property
    def model_id(self) -> str:
        return self.client.model_id

    def count_tokens(self, text: str) -> int:
        return self.client.count_tokens(text)

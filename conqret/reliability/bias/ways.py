"""The ways in which a judge is asked: as it is, turned round, in one order, or once more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from conqret.judging.base import Ask
from conqret.judging.instrument import Instrument
from conqret.judging.setup import Setup
from conqret.llm.client import Client
from conqret.llm.request import Answer, Request
from conqret.reliability.bias.contrast import AGAIN, AS_IS, ONE_ORDER, PREFERENCE, REVERSED


def instrument_for(way: str, setup: Setup, client: Client) -> Instrument:
    """The instrument that asks in this way (see :mod:`conqret.reliability.bias.contrast`)."""
    if way == AS_IS:
        return setup.instrument(client)
    if way == REVERSED:
        options = replace(setup.options, order="reversed")
        return replace(setup, options=options).instrument(client)
    if way == ONE_ORDER:
        judge = replace(setup.judge, asks=tuple(map(_one_order, setup.judge.asks)))
        options = replace(setup.options, metrics=(PREFERENCE,))
        return replace(setup.instrument(client), judge=judge, options=options)
    number = int(way.removeprefix(AGAIN))
    again = _Again(client, number * setup.options.samples)
    return replace(setup.instrument(client), client=again)


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


def _one_order(ask: Ask[Any]) -> Ask[Any]:
    return replace(ask, both_orders=False)

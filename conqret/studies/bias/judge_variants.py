"""The ways in which a judge is asked: as it is, turned round, in one order, or once more."""

from __future__ import annotations

from dataclasses import replace

from conqret.judging.instrument import Instrument
from conqret.judging.setup import Setup
from conqret.llm.client import Client
from conqret.studies.bias.contrast import AGAIN, AS_IS, ONE_ORDER, PREFERENCE, REVERSED


def fingerprint_of(way: str, setup: Setup) -> str:
    """The name under which the judgments of this way are kept: that of the instrument, and the way."""
    return setup.fingerprint if way == AS_IS else f"{setup.fingerprint}/{way}"


def setup_for(way: str, setup: Setup) -> Setup:
    """The judge and the options that ask in this way (see :mod:`conqret.studies.bias.contrast`)."""
    if way == REVERSED:
        return replace(setup, options=replace(setup.options, order="reversed"))
    if way == ONE_ORDER:
        asks = [replace(ask, both_orders=False) for ask in setup.asks if PREFERENCE in ask.metrics]
        metrics = tuple(metric for ask in asks for metric in ask.metrics)  # the very same request
        judge = replace(setup.judge, asks=tuple(asks))
        return replace(setup, judge=judge, options=replace(setup.options, metrics=metrics))
    return setup


def instrument_for(way: str, setup: Setup, client: Client) -> Instrument:
    """The instrument that asks in this way."""
    asked = replace(setup_for(way, setup).instrument(client), fingerprint=fingerprint_of(way, setup))
    if not way.startswith(AGAIN):
        return asked
    return replace(asked, first_sample=int(way.removeprefix(AGAIN)) * setup.options.samples)

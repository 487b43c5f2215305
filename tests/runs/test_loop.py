"""Interrupts of work that is asynchronous in name and computes without a pause."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time

import pytest

from conqret.runs import loop as loops
from conqret.runs.loop import Loop


async def computing(seconds: float) -> float:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
    await asyncio.sleep(0)
    return seconds


async def waiting(ended: list[str]) -> None:
    try:
        await asyncio.sleep(60)
    finally:
        await asyncio.sleep(0.6)  # what a run waits for where it is stopped
        ended.append("in order")


@pytest.fixture
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "PATIENCE", 0.3)


def interrupted_soon() -> None:
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()


@pytest.mark.usefixtures("_patience")
def test_a_step_that_does_not_end_is_interrupted() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Loop() as loop:
        interrupted_soon()
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            loop.run(computing(60))
        assert time.monotonic() - began < 20
        assert signal.getsignal(signal.SIGINT) is before
    with Loop() as loop:
        assert loop.run(computing(0.01)) == 0.01


@pytest.mark.usefixtures("_patience")
def test_what_ends_in_order_is_interrupted_once() -> None:
    ended = list[str]()
    with Loop() as loop:
        interrupted_soon()
        with pytest.raises(KeyboardInterrupt):
            loop.run(waiting(ended))
    assert ended == ["in order"]

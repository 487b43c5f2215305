"""Waiting: backoff, Retry-After, places, buckets, money."""

import asyncio
import random
import time

import pytest

from conqret.llm import quota as limits
from conqret.llm.failed_requests import backoff, retry_after_of
from conqret.llm.quota import AdaptiveGate, TokenBucket


def test_backoff_is_full_jitter_and_the_same_for_the_same_seed():
    for attempt in range(1, 12):
        waits = [backoff(attempt, random.Random(seed)) for seed in range(300)]
        most = min(30.0, 0.5 * 2 ** (attempt - 1))
        assert 0 <= min(waits) < 0.1 * most
        assert 0.9 * most < max(waits) <= most
    assert backoff(3, random.Random(1)) == backoff(3, random.Random(1))
    assert 7.0 <= backoff(1, random.Random(1), 7.0) <= 7.5


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "3"}, 3.0),
        ({"Retry-After-Ms": "1500", "Retry-After": "9"}, 1.5),
        ({"x-ms-retry-after-ms": "20"}, 0.02),
        ({"Retry-After": "Thu, 01 Jan 1970 00:01:40 GMT"}, 40.0),
        ({"Retry-After": "Thu, 01 Jan 1970 00:00:10 GMT"}, 0.0),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "nan"}, None),
    ],
)
def test_retry_after(headers, seconds):
    assert retry_after_of(headers, now=60.0) == seconds


async def test_the_gate_survives_those_who_give_up_waiting():
    gate = AdaptiveGate(1)
    await gate.__aenter__()
    waiting = [asyncio.create_task(gate.__aenter__()) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    await gate.__aexit__()  # hands the place to the first that still waits
    waiting[1].cancel()
    await asyncio.gather(*waiting[:2], return_exceptions=True)
    await asyncio.wait_for(waiting[2], 1)
    await gate.__aexit__()
    await asyncio.wait_for(gate.__aenter__(), 1)


def test_the_limit_halves_once_a_round_and_rises_by_one_a_round():
    gate = AdaptiveGate(16)
    sent = time.monotonic()
    for _ in range(5):
        gate.throttled(sent)
    assert gate.limit == 8
    for _ in range(9):
        gate.answered()
    assert gate.limit == 9
    for _ in range(10):
        gate.throttled(time.monotonic())
    assert gate.limit == 1
    for _ in range(500):
        gate.answered()
    assert gate.limit == 16


async def test_a_bucket_keeps_the_rate_and_bears_big_requests(monkeypatch):
    now, waited = 0.0, []

    async def sleep(seconds):
        nonlocal now
        now += seconds
        waited.append(seconds)

    monkeypatch.setattr(limits.time, "monotonic", lambda: now)
    monkeypatch.setattr(limits.asyncio, "sleep", sleep)
    bucket = TokenBucket(6000)  # 100 a second
    for _ in range(3):
        await bucket.take(100)
    assert waited == pytest.approx([1.0, 1.0])
    bucket = TokenBucket(6000)
    await bucket.take(150)  # more than the bucket holds: at once, with a debt of 50
    assert len(waited) == 2
    await bucket.take(10)
    assert waited[2:] == pytest.approx([0.6])

"""One quota for several workers, one of which may be killed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from conqret.data import Reason
from conqret.judging.engines.governor import Governor, SharedQuota
from conqret.llm.retry import ProviderError


class Remote:
    """An actor in this process."""

    def __init__(self, actor: object) -> None:
        self.actor = actor

    def __getattr__(self, name: str) -> Any:
        class Method:
            remote = staticmethod(lambda *given: asyncio.ensure_future(getattr(self.actor, name)(*given)))

        return Method


async def test_money_is_counted_over_all_workers_and_what_a_killed_one_held_is_spent() -> None:
    governor = Remote(Governor(None, None, 1.4))
    one = SharedQuota(governor, "one")
    async with one.reserve(0, 0.4) as used:
        used(10, 0.5)
    await governor.reserve.remote("other", 0, 0.4)  # and it is killed
    waiting = asyncio.ensure_future(one.reserve(0, 0.4).__aenter__())
    await asyncio.sleep(0.01)
    assert not waiting.done()
    await governor.begin.remote("other")
    with pytest.raises(ProviderError) as refused:
        await waiting
    assert refused.value.code is Reason.BUDGET
    assert "$1.000000 spent" in str(refused.value)  # the other was held at what an answer costs


async def test_what_nobody_waits_for_any_more_is_given_back() -> None:
    governor = Remote(Governor(None, None, 1.0))
    one, other = SharedQuota(governor, "one"), SharedQuota(governor, "other")
    async with one.reserve(0, 1.0):
        late = asyncio.ensure_future(other.reserve(0, 0.6).__aenter__())
        await asyncio.sleep(0.01)
        late.cancel()
        await asyncio.gather(late, return_exceptions=True)
    await asyncio.sleep(0.01)
    async with one.reserve(0, 1.0) as used:
        used(1, 1.0)

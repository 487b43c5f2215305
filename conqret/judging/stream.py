"""Judge many items at once without piling them up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from itertools import islice

from conqret.data import Item, Judgment
from conqret.judging.instrument import Instrument, judge_item


async def judge_stream(
    items: Iterable[Item], instrument: Instrument, *, in_flight: int
) -> AsyncIterator[Judgment]:
    """Yield a judgment for each item as it is done; at most ``in_flight`` items are under way at a time.

    Items are taken from ``items`` only as there is room. With ``in_flight`` of 1 they come in their order.
    """
    if in_flight == 1:
        for item in items:
            yield await judge_item(item, instrument)
        return
    source = iter(items)
    pending: set[asyncio.Task[Judgment]] = set()
    try:
        while True:
            for item in islice(source, in_flight - len(pending)):
                pending.add(asyncio.create_task(judge_item(item, instrument)))
            if not pending:
                return
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result()
    finally:
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)

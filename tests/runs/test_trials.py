"""The loop over trials: each once, in order or many at a time; what is kept is not done again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator

import pytest
from pydantic import BaseModel

from conqret.runs.trials import Memory, Rows, Trial, perform


class Row(BaseModel):
    key: str
    text: str = ""
    good: bool = True


def in_memory() -> Memory[Row]:
    return Memory(lambda row: row.key)


def trial(key: str, text: str = "new") -> Trial[Row]:
    async def work() -> Row:
        return Row(key=key, text=text)

    return Trial(key, work)


def done(trials: Iterable[Trial[Row]], rows: Rows[Row], in_flight: int) -> list[str]:
    async def all_of_them() -> list[str]:
        return [row.key async for row in perform(trials, rows, in_flight=in_flight)]

    return asyncio.run(all_of_them())


def test_no_more_than_allowed_are_under_way_and_none_is_taken_early() -> None:
    running = most = taken = 0
    kept = in_memory()

    async def work(key: str) -> Row:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001)
        running -= 1
        return Row(key=key)

    def trials() -> Iterator[Trial[Row]]:
        nonlocal taken
        for number in range(20):
            assert taken < len(kept) + 3
            taken += 1
            yield Trial(f"{number}", lambda key=f"{number}": work(key))

    done(trials(), kept, 3)
    assert (most, taken, len(kept)) == (3, 20, 20)


def test_an_error_ends_what_is_under_way() -> None:
    ended = []

    async def long() -> Row:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("long")
            raise
        raise AssertionError

    async def wrong() -> Row:
        await asyncio.sleep(0.01)
        raise ValueError("a fault of the program")

    with pytest.raises(ValueError, match="a fault of the program"):
        done([Trial("long", long), Trial("wrong", wrong)], in_memory(), 4)
    assert ended == ["long"]

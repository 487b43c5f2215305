"""Items are taken as there is room, and no more than in flight pile up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator
from typing import Any

import pytest

from conqret import Item
from conqret.data import Judgment
from conqret.errors import DeclarationError
from conqret.judging.instrument import Instrument
from conqret.judging.judge_folder import judgment_key
from conqret.judging.judge_run import judging
from conqret.llm.request import Answer, Request
from conqret.runs.trials import Memory, perform
from tests.judging.scripted import ITEM, instrument


class Slow:
    """Answers in turn, and counts how many wait."""

    context_window = None
    model_id = "slow"
    baseline = False

    def __init__(self) -> None:
        self.running = self.most = 0

    def count_tokens(self, text: str) -> int:
        return len(text)

    async def ask(self, request: Request[Any]) -> Answer[Any]:
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0.001 * (hash(request.item) % 5))
        self.running -= 1
        if request.item == "bad":
            raise DeclarationError("wrong")
        return Answer(request.response.model_validate({"score": 5}), ())


def judged(items: Iterable[Item], made: Instrument, *, in_flight: int) -> AsyncGenerator[Judgment, None]:
    return perform(judging(items, made, in_flight).trials, Memory(judgment_key), in_flight=in_flight)


def setting(client: Slow) -> Any:
    from dataclasses import replace

    return replace(instrument("direct", lambda request: None, metrics=("context_relevance",)), client=client)


@pytest.mark.parametrize("in_flight", [1, 2, 7])
async def test_no_more_items_are_taken_than_there_is_room_for(in_flight: int) -> None:
    taken = done = most_ahead = 0

    def items() -> Iterator[Item]:
        nonlocal taken, most_ahead
        for number in range(40):
            taken += 1
            most_ahead = max(most_ahead, taken - done)
            yield ITEM.model_copy(update={"id": str(number)})

    client, found = Slow(), []
    async for judgment in judged(items(), setting(client), in_flight=in_flight):
        done += 1
        found.append(judgment.item)
    assert sorted(map(int, found)) == list(range(40))
    assert client.most <= in_flight
    assert most_ahead <= 2 * in_flight  # those under way, and those done that wait to be taken
    if in_flight == 1:
        assert found == [str(number) for number in range(40)]


async def test_what_goes_wrong_ends_the_others() -> None:
    client = Slow()
    items = [ITEM.model_copy(update={"id": name}) for name in ("a", "b", "bad", "c")]
    with pytest.raises(DeclarationError, match="wrong"):
        async for _ in judged(items, setting(client), in_flight=3):
            pass
    assert len(asyncio.all_tasks()) == 1


async def test_no_items() -> None:
    assert [j async for j in judged([], setting(Slow()), in_flight=4)] == []

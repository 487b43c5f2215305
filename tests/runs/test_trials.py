"""The loop over trials: each once, in order or many at a time, those that wait after what they wait for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest
from pydantic import BaseModel

from conqret.errors import DeclarationError
from conqret.runs.row_store import RowStore
from conqret.runs.trials import Memory, Sink, Trial, perform


class Row(BaseModel):
    key: str
    text: str
    good: bool = True


def in_memory() -> Memory[Row]:
    return Memory(lambda row: row.key)


def trial(key: str, *after: str, seconds: float = 0.0, good: bool = True) -> Trial[Row]:
    async def work(earlier: Mapping[str, Row]) -> Row:
        await asyncio.sleep(seconds)
        said = " ".join(f"{name}={row.text}" for name, row in earlier.items())
        return Row(key=key, text=f"{key}({said})", good=good)

    return Trial(key, work, after)


def done(trials: Iterable[Trial[Row]], sink: Sink[Row], in_flight: int) -> list[str]:
    async def all_of_them() -> list[str]:
        return [row.key async for row in perform(trials, sink, in_flight=in_flight)]

    return asyncio.run(all_of_them())


@pytest.mark.parametrize("in_flight", [1, 2, 16])
def test_those_that_wait_get_the_rows_that_they_wait_for(in_flight: int) -> None:
    sink = in_memory()
    debate = [trial("end", "pro 2", "con 2")]
    debate += [trial(f"{side} 2", "pro 1", "con 1") for side in ("pro", "con")]
    debate += [trial(f"{side} 1") for side in ("pro", "con")]
    order = done(debate, sink, in_flight)
    assert sorted(order) == ["con 1", "con 2", "end", "pro 1", "pro 2"]
    assert order[-1] == "end"
    first = "pro 1=pro 1() con 1=con 1()"
    assert sink["end"].text == f"end(pro 2=pro 2({first}) con 2=con 2({first}))"


def test_no_more_than_allowed_are_under_way_and_none_is_taken_early() -> None:
    running = most = taken = 0
    sink = in_memory()

    async def work(key: str) -> Row:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001)
        running -= 1
        return Row(key=key, text="")

    def trials() -> Iterator[Trial[Row]]:
        nonlocal taken
        for number in range(20):
            assert taken < len(sink) + 3
            taken += 1
            yield Trial(f"{number}", lambda earlier, key=f"{number}": work(key))

    done(trials(), sink, 3)
    assert (most, taken, len(sink)) == (3, 20, 20)


def test_what_is_kept_is_not_done_again_but_is_handed_on(tmp_path: Path) -> None:
    with store(tmp_path) as rows:
        rows.add(Row(key="a", text="from before"))
        assert done([trial("b", "a"), trial("a")], rows, 4) == ["b"]
        found = rows.get("b")
    assert found is not None
    assert found.text == "b(a=from before)"


def test_a_row_that_failed_is_made_again_before_those_that_wait_for_it(tmp_path: Path) -> None:
    with store(tmp_path) as rows:
        rows.add(Row(key="a", text="failed", good=False))
        assert done([trial("b", "a"), trial("a")], rows, 4) == ["a", "b"]
        found = rows.get("b")
    assert found is not None
    assert found.text == "b(a=a())"


@pytest.mark.parametrize("in_flight", [1, 4])
def test_waiting_for_what_never_comes_is_a_wrong_call(in_flight: int) -> None:
    sink = in_memory()
    with pytest.raises(DeclarationError, match="b waits for nobody, which no trial produces"):
        done([trial("b", "a", "nobody"), trial("a")], sink, in_flight)
    assert list(sink) == ["a"]


def test_an_error_ends_what_is_under_way() -> None:
    ended = []

    async def long(earlier: object) -> Row:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("long")
            raise
        raise AssertionError

    async def wrong(earlier: object) -> Row:
        await asyncio.sleep(0.01)
        raise ValueError("a fault of the program")

    with pytest.raises(ValueError, match="a fault of the program"):
        done([Trial("long", long), Trial("wrong", wrong)], in_memory(), 4)
    assert ended == ["long"]


def store(folder: Path) -> RowStore[Row]:
    return RowStore(folder / "rows.jsonl", Row, lambda row: row.key, finished=lambda row: row.good)


@pytest.mark.parametrize("in_flight", [1, 8])
def test_what_cannot_be_made_yet_is_left_out_with_what_comes_after_it(in_flight: int) -> None:
    async def later(earlier: Mapping[str, Row]) -> None:
        return None

    sink = in_memory()
    trials = [Trial("a", later), trial("b"), trial("after a", "a", "b"), trial("after b", "b")]
    assert done(trials, sink, in_flight) == ["b", "after b"]
    assert set(sink) == {"b", "after b"}

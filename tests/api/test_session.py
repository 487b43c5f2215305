"""One session for many calls of ``ajudge``: one client, one store, one budget."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import conqret
from tests.server import FaultServer

AT_ONCE = 100


def item(number: int) -> dict[str, Any]:
    return {
        "topic": f"Ban zoo {number}?",
        "argument": "Cages are small [1].",
        "documents": ["Cages are small."],
    }


def asked(session: conqret.Session, number: int) -> Any:
    return conqret.ajudge(item(number), format="direct", metrics=["groundedness"], session=session)


def test_a_hundred_at_once_share_client_store_and_limit(tmp_path: Path) -> None:
    store = tmp_path / "answers.sqlite"

    async def ask(session: conqret.Session) -> list[conqret.Judgments]:
        async with session:
            client = session.client
            found = await asyncio.gather(*(asked(session, number) for number in range(AT_ONCE)))
            assert session.client is client, "nobody opened another"
            return found

    with FaultServer(latency=0.02, constant=True) as server:
        options = conqret.ClientOptions(
            "openai/mine", api_base=server.url, api_key="none", max_concurrency=20
        )
        first = asyncio.run(ask(conqret.Session(options, recordings=store)))
        assert len(server.requests) == AT_ONCE
        assert 1 < server.most_at_once <= 20
        session = conqret.Session(options, recordings=store)
        again = asyncio.run(ask(session))
        assert len(server.requests) == AT_ONCE, "all of them are recorded"
    assert [one[0].measures for one in again] == [one[0].measures for one in first]
    assert {one[0].topic for one in first} == {item(number)["topic"] for number in range(AT_ONCE)}
    assert (session.counts.sent, session.counts.recorded) == (0, AT_ONCE)


def test_closing_records_what_is_under_way(tmp_path: Path) -> None:
    store = tmp_path / "answers.sqlite"

    async def stopped(server: FaultServer, session: conqret.Session) -> None:
        async with session:
            asking = asyncio.ensure_future(asked(session, 1))
            while not server.requests:  # noqa: ASYNC110 - the server is in another thread
                await asyncio.sleep(0.001)
            asking.cancel()  # who asked is gone

    with FaultServer(latency=0.05) as server:
        options = conqret.ClientOptions("openai/mine", api_base=server.url, api_key="none")
        asyncio.run(stopped(server, conqret.Session(options, recordings=store)))
        again = conqret.judge(
            item(1),
            format="direct",
            metrics=["groundedness"],
            session=conqret.Session(options, recordings=store),
        )
        assert len(server.requests) == 1
    assert again[0].status == "scored"


def test_what_a_session_has_cannot_be_given_beside_it() -> None:
    given: dict[str, Any] = {"budget_usd": 1.0, "prompts": "p"}
    with pytest.raises(conqret.DeclarationError, match="the session already sets budget_usd, prompts"):
        conqret.judge(item(1), format="direct", session=conqret.Session("offline"), **given)


async def test_a_session_has_to_be_open() -> None:
    with pytest.raises(conqret.DeclarationError, match="inside 'async with session:'"):
        await asked(conqret.Session("offline"), 1)


def test_code_that_is_not_asynchronous_shares_one_too() -> None:
    with conqret.Session("offline") as session:
        values = [conqret.judge(item(n), format="direct", session=session)[0].values for n in (1, 2)]
        assert session.counts.sent == 4
    assert values[0] == conqret.judge(item(1), format="direct")[0].values

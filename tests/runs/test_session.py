"""Models to be asked: one client and one store, honest counts, and a budget that holds for all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conqret.data import Judgment
from conqret.judging.instrument import judge_item
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.setup import set_up
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.runs.session import Session, SessionCounts
from conqret.runs.sessions import Sessions
from tests.contract.items import demo

OFFLINE = ClientOptions("offline")
SETUP = set_up("direct", OFFLINE, JudgeOptions(("groundedness",)))


async def judged(client: Client) -> Judgment:
    return await judge_item(demo()[0], SETUP.instrument(client))


def test_sessions_share_store_library_and_loop(tmp_path: Path) -> None:
    other = ClientOptions("offline", max_tokens=100)
    with Sessions() as sessions:
        one = sessions.session(OFFLINE)
        assert sessions.session(ClientOptions("offline")) is one
        sessions.run(judged(one.client))
        sessions.keep_in(tmp_path / "made" / "recordings.sqlite")
        second = sessions.session(other)
        assert second is not one
        assert second.library is one.library is sessions.library
        second.run(judged)
        second.run(judged)
        assert sessions.counts == SessionCounts(sent=2, recorded=1)
        before = sessions.counts
        second.run(judged)
        assert sessions.counts.since(before, kept=7) == SessionCounts(sent=0, recorded=1, kept=7)
    assert (tmp_path / "made" / "recordings.sqlite").is_file()


def test_whoever_interrupts_is_told_what_is_kept() -> None:
    async def interrupted(client: Client) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        Session(OFFLINE).run(interrupted)
    assert "the same call goes on from there" in stopped.value.__notes__[0]

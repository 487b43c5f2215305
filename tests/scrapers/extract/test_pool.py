"""Parsing in other processes: hangs, crashes and any bytes cost one page and never the run."""

import asyncio
import os
import signal
import time

import pytest

from conqret.scrapers.worker_pool import Extractor
from tests.scrapers.raw_server import PROSE, page

PAGE = page(PROSE).encode()


async def test_a_hang_and_a_crash_cost_one_page_each_and_no_process_is_left() -> None:
    async with Extractor(1, seconds=20.0) as extractor:
        assert (await extractor.extract(PAGE)).ok
        extractor._seconds = 0.05
        started = time.monotonic()
        slow = await extractor.extract(page(PROSE * 5_000).encode(), "text/html")
        assert slow.problem == "parsing took more than 0.05 seconds"
        assert time.monotonic() - started < 15  # and not the 20 that a page may take
        extractor._seconds = 20.0
        assert (await extractor.extract(PAGE)).ok
        process = extractor._workers[0]._process
        assert process is not None
        os.kill(process.pid, signal.SIGSTOP)
        task = asyncio.create_task(extractor.extract(PAGE))
        await asyncio.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        assert (await task).problem == "the parser crashed"
        assert (await extractor.extract(PAGE)).ok
        process = extractor._workers[0]._process
    assert process is not None
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


async def test_keys_are_not_handed_to_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    from conqret.scrapers.worker_pool import _environment

    monkeypatch.setenv("BRAVE_API_KEY", "x")
    monkeypatch.setenv("SOME_SECRET", "x")
    assert {"BRAVE_API_KEY", "SOME_SECRET"}.isdisjoint(_environment())
    assert "PATH" in _environment()

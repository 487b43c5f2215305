"""A killed run goes on where it was, and processes share a store."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conqret.llm.recordings import Recordings
from tests.llm.samples import ask_all, options, request
from tests.server import FaultServer

ROOT = Path(__file__).resolve().parents[2]
CONCURRENCY = 8
CHILD = """
import asyncio, sys
from conqret.llm.recordings import Recordings
from tests.llm.samples import ask_all, options, request
url, path, first, last = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
with Recordings(path) as store:
    answers, _ = asyncio.run(
        ask_all(options(url, max_concurrency=8), [request(n) for n in range(first, last)], store)
    )
print(sum(answer.value is not None for answer in answers))
"""


def start(url: str, path: Path, first: int, last: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", CHILD, url, str(path), str(first), str(last)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_after_kill_9_no_recorded_answer_is_asked_for_twice(tmp_path):
    path, count = tmp_path / "recordings.sqlite", 120
    with FaultServer(latency=0.05) as server:
        child = start(server.url, path, 0, count)
        while len(server.requests) < count // 2:
            assert child.poll() is None
            time.sleep(0.005)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        time.sleep(0.2)
        at_kill = len(server.requests)
        with Recordings(path) as store:
            recorded = len([*store.recorded()])
            assert at_kill - CONCURRENCY <= recorded <= at_kill < count
            answers, client = asyncio.run(
                ask_all(options(server.url), [request(n) for n in range(count)], store)
            )
        assert [(a.reason, a.detail, a.calls) for a in answers if a.value is None] == []
        repeated = sum(times - 1 for times in server.counts.values())
        assert repeated == at_kill - recorded <= CONCURRENCY
        assert client.progress.recorded == recorded
    with FaultServer() as server:
        whole, _ = asyncio.run(ask_all(options(server.url), [request(n) for n in range(count)]))
    assert [a.value for a in whole] == [a.value for a in answers]

"""A run that is stopped, by a signal or a full disk: one sentence, its exit code, and nothing paid for is lost."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conqret.llm.client import GRACE
from conqret.llm.recordings import Recordings
from tests.cli.conftest import Cli
from tests.contract.items import demo
from tests.judging.runs import write_items
from tests.runs.killed import ROOT, Forks, kill
from tests.server import FaultPlan, FaultServer

STOPPED = "error: stopped: finished work is kept, and the same command continues from there\n"


def command(folder: Path, server: FaultServer, *more: object) -> list[str]:
    items = write_items(folder / "items.jsonl", demo())
    model = ("--model", "openai/judge", "--api-base", server.url, "--max-concurrency", 4)
    words = ("judge", items, *"-f direct --metric groundedness -q -o".split(), folder / "run", *model, *more)
    return [str(word) for word in words]


@contextlib.contextmanager
def program(arguments: list[str]) -> Iterator[subprocess.Popen[str]]:
    """The command as a user's: from the start of Python to its end."""
    env = {**os.environ, "OPENAI_API_KEY": "sk-none", "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    process = subprocess.Popen(
        [sys.executable, "-c", "from conqret.cli.main import main; main()", *arguments],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@dataclass
class Started:
    """A command under way."""

    forks: Forks
    number: int
    folder: Path
    ended: bool = False

    def stop(self, sent: signal.Signals) -> tuple[int, str, str]:
        """Send it a signal, and wait for it: its exit code, and what it said."""
        os.kill(self.number, sent)
        self.ended, code = True, self.forks.end()
        return code, (self.folder / "out").read_text(), (self.folder / "err").read_text()


@contextlib.contextmanager
def started(
    forks: Forks, folder: Path, arguments: Sequence[object], *, ignoring: int | None = None
) -> Iterator[Started]:
    number = forks.start(*arguments, out=folder / "out", err=folder / "err", ignoring=ignoring)
    command = Started(forks, number, folder)
    try:
        yield command
    finally:
        if not command.ended:
            kill(number)
            forks.end()


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")


def wait_for(server: FaultServer, requests: int) -> None:
    until = time.monotonic() + 60
    while len(server.requests) < requests and time.monotonic() < until:
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("sent", "ignoring", "code"), [(signal.SIGINT, None, 130), (signal.SIGTERM, int(signal.SIGINT), 143)]
)
def test_a_signal_ends_a_run_in_order(
    tmp_path: Path, cli: Cli, key: None, forks: Forks, sent: signal.Signals, ignoring: int | None, code: int
) -> None:
    with FaultServer(latency=0.4) as server:
        arguments = command(tmp_path, server)
        with started(forks, tmp_path, arguments, ignoring=ignoring) as process:
            wait_for(server, 10)
            ended, out, err = process.stop(sent)
        asked = len(server.requests)
        assert (ended, out) == (code, "")
        with Recordings(tmp_path / "run" / "recordings.sqlite") as store:
            assert len([*store.recorded()]) == asked < 24
        summary = json.loads((tmp_path / "run" / "summary.json").read_text())
        done, page = summary["total"], (tmp_path / "run" / "report.html").read_text()
        assert (done <= asked, summary["outstanding"], summary["failed"]) == (True, 24 - done, 0)
        assert f"{24 - done} of 24 items have no judgment yet" in page
        assert not (tmp_path / "run" / "scores.parquet").exists()
        told, *waited, stopped = err.splitlines(keepends=True)
        assert (told, stopped) == (f"note: {done} of 24 items are judged so far\n", STOPPED)
        assert re.fullmatch(
            r"(note: waiting for [1-4] responses? under way, for at most 8 s\n)?", "".join(waited)
        )
        for made in ("summary.json", "report.html"):  # as after a kill
            (tmp_path / "run" / made).unlink()
        again = cli("runs", "report", tmp_path / "run")
        assert (again.code, f"{24 - done} not judged yet" in again.out) == (0, True)
        assert cli(*arguments).code == 0
        assert len(server.requests) == 24
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["outstanding"] == 0


def test_a_second_signal_does_not_wait(tmp_path: Path) -> None:
    with FaultServer(FaultPlan({"hang": 1.0})) as server, program(command(tmp_path, server)) as process:
        wait_for(server, 4)
        assert process.stderr is not None
        process.terminate()
        assert process.stderr.readline() == "note: 0 of 24 items are judged so far\n"
        assert "waiting for 4 responses" in process.stderr.readline()
        process.terminate()
        began = time.monotonic()
        assert process.stderr.readline() == STOPPED
        assert time.monotonic() - began < GRACE / 2
        assert process.stderr.read() == ""  # no traceback
        assert process.wait(30) == 143


@contextlib.contextmanager
def full_from(size: int) -> Iterator[None]:
    """No file of this process can grow beyond ``size`` bytes: what a full disk says, without one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_one_sentence_and_the_command_goes_on(tmp_path: Path, cli: Cli, key: None) -> None:
    def lengthen(body: dict[str, Any]) -> None:
        body["choices"][0]["message"]["content"] += " " * 150_000

    with FaultServer(latency=0.1, alter=lengthen) as server:
        arguments = command(tmp_path, server, "--recordings", tmp_path / "store.sqlite")
        with full_from(1_000_000):
            done = cli(*arguments)
        asked, lines = len(server.requests), done.err.splitlines()
        assert (done.code, done.out, sum("error" in line for line in lines)) == (1, "", 1)
        assert lines[-1].startswith(f"error: {tmp_path / 'store.sqlite'}: an answer could not be recorded:")
        assert lines[-1].endswith("free some space, and run the command again")
        assert 4 < asked < 24
        assert cli(*arguments).code == 0
        assert len(server.requests) < 24 + asked

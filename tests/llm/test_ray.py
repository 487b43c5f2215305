"""A run whose items are judged by the workers of a Ray cluster is the run that one process makes."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import conqret
from conqret.data import Document, Item
from conqret.errors import DeclarationError
from conqret.llm.recordings import Recordings
from tests.cli.conftest import Cli
from tests.cli.conftest import cli as cli
from tests.cli.test_batched_commands import CASES, at_once, contents
from tests.judging.runs import write_items
from tests.runs.killed import ROOT, results
from tests.server import FaultServer

WORKERS = 2
AT_ONCE = 8


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """A cluster on this machine, which this process has joined; its address."""
    ray = pytest.importorskip("ray", reason="the extra ray is not installed")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    found = ray.init(
        "local",
        num_cpus=WORKERS,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
        object_store_memory=100 * 2**20,
    )
    yield found.address_info["gcs_address"]
    ray.shutdown()


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with FaultServer(latency=0.02, keep_bodies=False) as found:
        yield found


def items(folder: Path, count: int) -> Path:
    made = [
        Item(
            id=f"item-{n}",
            topic=f"Should bus {n} run at night?",
            documents=(Document(id=f"d{n}", text=f"Bus {n} had {n % 7} riders a night."),),
            argument=f"It should: {n % 7} people ride it [1].",
        )
        for n in range(count)
    ]
    return write_items(folder / f"{count}.jsonl", made)


def asked(server: FaultServer, **more: Any) -> dict[str, Any]:
    return {
        "format": "direct",
        "metrics": ["groundedness"],
        "model": "openai/judge",
        "api_base": server.url,
        "api_key": "none",
        "max_concurrency": AT_ONCE,
        **more,
    }


def workers() -> list[int]:
    """The numbers of the processes that judge for this one."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            if b"ray::Worker" in status.with_name("cmdline").read_bytes() and os.getpid() in ancestors(
                status
            ):
                found.append(int(status.parent.name))
        except OSError:
            continue
    return found


def ancestors(status: Path) -> list[int]:
    above = next(line for line in status.read_text().splitlines() if line.startswith("PPid:"))
    number = int(above.split()[1])
    return [number, *ancestors(Path(f"/proc/{number}/status"))] if number > 1 else []


def wait_for(server: FaultServer, requests: int, driver: subprocess.Popen[bytes]) -> None:
    while len(server.requests) < requests and driver.poll() is None:
        time.sleep(0.002)
    assert driver.poll() is None


@pytest.mark.slow
def test_with_worker_and_driver_killed_the_run_is_that_of_one_process(
    cluster: str, server: FaultServer, tmp_path: Path
) -> None:
    """Nothing is lost, and nothing is asked again but what was under way where a process was killed."""
    count, folder = 120, tmp_path / "ray"
    source = items(tmp_path, count)
    conqret.judge(source, **asked(server), output=tmp_path / "process")
    before = len(server.requests)
    asking = (
        "import sys, conqret; conqret.judge(sys.argv[1], format='direct', metrics=['groundedness'], "
        f"model='openai/judge', api_base={server.url!r}, api_key='none', max_concurrency={AT_ONCE}, "
        f"engine='ray', workers={WORKERS}, output=sys.argv[2])"
    )
    environment = os.environ | {"RAY_ADDRESS": cluster}
    with (tmp_path / "said").open("wb") as said:
        driver = subprocess.Popen(
            [sys.executable, "-c", asking, source, folder], env=environment, cwd=ROOT, stdout=said
        )
    wait_for(server, before + count // 4, driver)
    os.kill(workers()[0], signal.SIGKILL)
    wait_for(server, before + 2 * count // 3, driver)
    driver.kill()
    assert driver.wait() == -signal.SIGKILL
    assert (tmp_path / "said").read_bytes() == b""  # Ray's own words are none of the results

    found = conqret.judge(source, **asked(server, engine="ray", workers=WORKERS), output=folder)
    assert found.summary.scored == count
    assert 0 < found.session.kept < count
    # Lost with the worker: what it had under way; with the driver: that of all.
    assert count <= len(server.requests) - before <= count + AT_ONCE // WORKERS + AT_ONCE
    assert server.most_at_once <= AT_ONCE
    assert results(folder) == results(tmp_path / "process")
    with Recordings(folder / "recordings.sqlite") as store:
        assert store.count() == count == len(list(store.recorded()))
    again = conqret.judge(source, **asked(server, engine="ray", workers=WORKERS), output=folder)
    assert (again.session.sent, again.session.kept) == (0, count)


def test_commands_have_workers_ask_what_one_process_asks(
    cli: Cli, cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    case, out = CASES["generate"], tmp_path / "spread"
    arguments = case.arguments(tmp_path)
    with FaultServer(answer=case.answer) as own:
        spread = ("--engine", "ray", "--workers", 1)
        call = (*arguments, "--model", "openai/m", "--api-base", own.url, "-o", out, *spread)
        for _ in range(2):
            done = cli(*call)
            assert done.code == 0, done.err
            assert len(own.requests) == case.asked
    assert contents(out) == at_once(cli, case, arguments, tmp_path / "at-once")


def test_what_cannot_be_spread_is_said_before_anything_is_written(
    cluster: str, server: FaultServer, tmp_path: Path
) -> None:
    source, run = items(tmp_path, 2), tmp_path / "run"
    Recordings(tmp_path / "answers.sqlite").close()
    for wrong, said in (
        ({"engine": "dask"}, "must be process or ray"),
        ({"engine": "process", "workers": 2}, "workers need the engine ray"),
        ({"workers": 0}, "at least 1"),
        ({"replay": tmp_path / "answers.sqlite"}, "leave out the engine ray"),
        ({"batch": True}, "leave out the engine ray"),
    ):
        with pytest.raises(DeclarationError, match=said):
            conqret.judge(source, **{**asked(server), "engine": "ray", "output": run, **wrong})
        assert not run.exists()


def test_a_judge_of_ones_own_is_asked_where_it_lives(tmp_path: Path) -> None:
    source, run = items(tmp_path, 2), tmp_path / "run"
    with pytest.raises(DeclarationError, match="runs in this process only cannot be distributed"):
        conqret.judge(source, judge=lambda item: 0.5, engine="ray", output=run)
    assert not run.exists()

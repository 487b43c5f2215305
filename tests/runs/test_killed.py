"""Every kind of run, killed at random moments and given again, ends with the files of a run that was left alone."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.items import demo
from tests.judging.runs import write_items
from tests.runs.killed import Forks, kill, results
from tests.server import FaultServer

SEED = 20
KILLS = 3
LATENCY = 0.02

KINDS = {
    "judge": ("judge", "--format", "direct", "--metric", "groundedness"),
    "sensitivity": (
        "sensitivity", "--format", "direct,rag-direct", "--metric", "groundedness", "--perturb", "hallucinate:2",
    ),
    "bias": (
        "bias", "--format", "rag-direct", "--metric", "groundedness", "--metric", "preference", "--resamples", "50",
        "--probe", "repeatability", "--probe", "position", "--probe", "document order",
    ),
}  # fmt: skip
"""The command of each kind of run, but for its items, its model and its folder."""


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    with Forks() as found:
        yield found


@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_run_ends_like_one_that_was_left_alone(kind: str, forks: Forks, tmp_path: Path) -> None:
    items = write_items(tmp_path / "items.jsonl", demo()[:6])
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    with FaultServer(latency=LATENCY, keep_bodies=False) as server:
        command = (
            *KINDS[kind][:1], items, *KINDS[kind][1:], "--model", "openai/judge", "--api-base", server.url,
            "--max-concurrency", "4", "-q", "-o",
        )  # fmt: skip
        assert forks.run(*command, whole) == 0
        total = len(server.requests)
        assert total >= 6
        rng = random.Random(f"{SEED}/{kind}")
        # The last one is when all answers are in, or while the results are being written.
        for moment in [*sorted(rng.sample(range(1, total), KILLS - 1)), total]:
            number = forks.start(*command, killed)
            until = time.monotonic() + 20
            while len(server.requests) < total + moment and time.monotonic() < until and _alive(number):
                time.sleep(0.002)
            time.sleep(rng.uniform(0, 2 * LATENCY))
            kill(number)
            assert forks.end() in (0, -signal.SIGKILL)
        assert forks.run(*command, killed) == 0
        asked = len(server.requests)
        assert asked <= 2 * total + KILLS * 4  # at most those under way at each kill are sent again
        assert forks.run(*command, killed) == 0
        assert len(server.requests) == asked
    assert results(killed) == results(whole)


def _alive(number: int) -> bool:
    """Whether a process runs; one that has ended is not waited for here."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{number}/status").read_text()
    except FileNotFoundError:
        return False

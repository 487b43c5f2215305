"""Long runs under bad conditions: all faults at once, hardly any file may be open, a clock that goes backwards."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from conqret.llm.recordings import Recordings
from tests.contract.items import demo
from tests.judging.runs import execute, execution, write_items
from tests.llm.samples import options
from tests.runs.killed import ROOT
from tests.server import FaultPlan, FaultServer
from tests.torture.effort import FULL, times

ITEMS = times(40, 2_000)
FLAT = 96 * 2**20
"""Bytes by which four times the items may raise the peak: noise of the allocator, and the counts of a run."""

RATES = dict.fromkeys(("rate_limit", "server_error", "bad_json", "bad_schema"), 0.04)
RATES |= dict.fromkeys(("drop", "bad_body", "truncated", "refusal", "declines", "no_choices"), 0.03)
RATES |= dict.fromkeys(("filtered", "policy", "echo", "bad_request", "overflow", "odd_packing"), 0.01)
RATES |= dict.fromkeys(("bomb", "endless"), 0.002)

JUDGE = "-f direct --metric groundedness --model openai/judge -q".split()

SOAK = """
import resource, sys
from conqret.cli.main import main
try:
    main()
finally:
    print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, file=sys.stderr)
"""


FEW_FILES = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n{SOAK}"


def program(code: str, command: Sequence[object]) -> subprocess.CompletedProcess[str]:
    """A command of conqret in a process of its own, and what it said."""
    env = {**os.environ, "OPENAI_API_KEY": "sk-soak-secret-0815", "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", code, *map(str, command)]
    return subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, timeout=800, check=False)


def many(count: int) -> list[object]:
    found = demo()
    return [
        found[place % len(found)].model_copy(update={"id": f"item-{place}", "topic": f"{place}: is it so?"})
        for place in range(count)
    ]


def soak(folder: Path, server: FaultServer, count: int) -> tuple[int, int, str]:
    """Exit code, peak memory in bytes, and what was said, of a run of so many items in a process of its own."""
    items = write_items(folder / f"{count}.jsonl", many(count))
    command = [
        *("judge", items, *JUDGE, "--api-base", server.url, "--max-concurrency", "16"),
        *("--timeout", "20", "--stop-after-failures", "1", "-o", folder / f"run-{count}"),
    ]
    done = program(SOAK, command)
    assert "Traceback" not in done.stderr
    return done.returncode, int(done.stderr.rpartition("peak ")[2]), done.stderr


def test_all_faults_at_once_lose_nothing_and_memory_stays_flat(tmp_path: Path) -> None:
    with FaultServer(FaultPlan(RATES, seed=1), keep_bodies=False) as server:
        small = soak(tmp_path, server, ITEMS // 4)[1] if FULL else 0
        code, peak, _ = soak(tmp_path, server, ITEMS)
    assert code == 1  # some failed
    assert not small or peak - small < FLAT
    rows = [json.loads(line) for line in (tmp_path / f"run-{ITEMS}" / "judgments.jsonl").open()]
    assert [row["item"] for row in rows] == [f"item-{place}" for place in range(ITEMS)]
    measures = [row["measures"]["groundedness"] for row in rows]
    scored = sum(measure["status"] == "scored" for measure in measures)
    assert ITEMS / 2 < scored < ITEMS  # some faults last
    for measure in measures:
        assert (
            (measure["status"] == "scored") == (measure["value"] is not None) == (measure["reason"] is None)
        )
        assert measure["value"] is None or 0 <= measure["value"] <= 1
    left = b"".join(file.read_bytes() for file in (tmp_path / f"run-{ITEMS}").iterdir() if file.is_file())
    assert b"soak-secret" not in left


def test_few_open_files_are_enough(tmp_path: Path) -> None:
    items = write_items(tmp_path / "items.jsonl", many(40))
    with FaultServer(latency=0.05, keep_bodies=False) as server:
        command = [
            *("judge", items, *JUDGE, "--api-base", server.url, "--max-concurrency", "100"),
            *("-o", tmp_path / "run"),
        ]
        done = program(FEW_FILES, command)
        assert "Traceback" not in done.stderr
        asked = len(server.requests)
        if done.returncode:  # it ran out of files: what came is kept, and the rest is asked later
            assert done.returncode in (1, 2)
            assert "Too many open files" in done.stderr or "connection" in done.stderr
        assert program(SOAK, command).returncode == 0
        assert len(server.requests) <= max(asked, 40) + 40
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["scored"] == 40


def test_a_clock_that_goes_backwards_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def values(folder: Path, server: FaultServer) -> list[float | None]:
        settings = options(server.url, max_attempts=4, max_concurrency=4, rpm=6000)
        outcome = execute(execution(folder, name="direct", client=settings, metrics=("groundedness",)))
        return [judgment.measures["groundedness"].value for judgment in outcome.rows.rows()]

    plan = FaultPlan({"rate_limit": 0.2, "server_error": 0.1}, seed=3)
    with FaultServer(plan) as server:
        steady = values(tmp_path / "steady", server)
    real, began = time.time, time.time()
    monkeypatch.setattr(time, "time", lambda: 2 * began - real() - 86_400 * 365)

    class Backwards(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
            return datetime.datetime.fromtimestamp(time.time(), tz)

    monkeypatch.setattr("conqret.llm.recordings.datetime.datetime", Backwards)
    with FaultServer(plan, retry_after={"Retry-After": "Mon, 01 Jan 2001 00:00:00 GMT"}) as server:
        assert values(tmp_path / "back", server) == steady
        asked = len(server.requests)
        assert values(tmp_path / "back", server) == steady
        assert len(server.requests) == asked
    with Recordings.open_for_replay(tmp_path / "back") as store:
        assert all(datetime.datetime.fromisoformat(one.created) for one in store.recorded())
    assert None not in steady

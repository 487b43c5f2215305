"""A budget is one for a store: over commands, kills and processes, and whatever a provider does."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from conqret.llm.recordings import Recordings
from conqret.llm.spending_ledger import SpendingLedger
from tests.runs.killed import ROOT, Forks, kill
from tests.server import FaultPlan, FaultServer

DEMO = ROOT / "fixtures" / "demo" / "items.jsonl"
PRICE = 30.0
"""US dollars for a million tokens, so that an item of the demo costs some twenty cents."""


def words(
    server: FaultServer, out: Path, *more: object, budget: float = 1, room: int = 200
) -> tuple[object, ...]:
    judge = ("judge", DEMO, "--format", "direct", "--metric", "groundedness", "--model", "openai/m", "-q")
    prices = ("--input-price", PRICE, "--output-price", PRICE, "--max-tokens", room, "--budget-usd", budget)
    return (*judge, *prices, "--api-base", server.url, "-o", out, *more)


def paid(server: FaultServer) -> float:
    """What the provider's answers have cost."""
    return sum(used["total_tokens"] for used in server.used) * PRICE * 1e-6


def dearest(server: FaultServer) -> float:
    """What the dearest answer has cost."""
    return max(used["total_tokens"] for used in server.used) * PRICE * 1e-6


class Counting(FaultServer):
    """Keeps what it said each answer used; ``times`` as many tokens as it should."""

    def __init__(self, *given: Any, times: int = 1, **more: Any) -> None:
        self.used: list[dict[str, int]] = []
        self.times = times
        super().__init__(*given, alter=self._count, **more)

    def _count(self, body: dict[str, Any]) -> None:
        if "usage" in body:
            body["usage"]["completion_tokens"] *= self.times
            body["usage"]["total_tokens"] = (
                body["usage"]["prompt_tokens"] + body["usage"]["completion_tokens"]
            )
            self.used.append(dict(body["usage"]))


def reasons(folder: Path) -> dict[str, int]:
    found: dict[str, int] = json.loads((folder / "summary.json").read_text())["reasons"]
    return found


def test_the_same_command_again_spends_no_more(forks: Forks, tmp_path: Path) -> None:
    with Counting() as server:
        for _ in range(3):
            assert forks.run(*words(server, tmp_path / "run")) == 1
        assert 0.5 < paid(server) <= 1.0
    assert reasons(tmp_path / "run") == {"budget": 24 - len(server.used)}


def test_a_run_that_costs_less_than_its_budget_ends_whole(forks: Forks, tmp_path: Path) -> None:
    """However long answers may be: what is held for a request is what answers cost."""
    with Counting() as server:
        assert forks.run(*words(server, tmp_path / "free", budget=100, room=4000)) == 0
        cost = paid(server)
        assert forks.run(*words(server, tmp_path / "run", budget=1.05 * cost, room=4000)) == 0
        assert paid(server) == pytest.approx(2 * cost)


@pytest.mark.slow
def test_processes_at_once_share_the_budget(forks: Forks, tmp_path: Path) -> None:
    more = ("--recordings", tmp_path / "shared.sqlite", "--metric")
    with Counting(latency=0.05) as server:
        started = {
            metric: forks.start(
                *words(server, tmp_path / metric, *more, metric), err=tmp_path / f"{metric}.txt"
            )
            for metric in ("context_relevance", "preference")
        }
        for metric, number in started.items():
            forks.end(number)
            assert "Traceback" not in (tmp_path / f"{metric}.txt").read_text()
        assert 0.5 < paid(server) <= 1.0 + dearest(server)


def test_what_was_spent_before_a_kill_counts(forks: Forks, tmp_path: Path) -> None:
    with Counting(latency=0.2) as server:
        for _ in range(2):
            number = forks.start(*words(server, tmp_path / "run", "--max-concurrency", 2))
            before = len(server.requests)
            deadline = time.monotonic() + 20
            while len(server.requests) < before + 2 and time.monotonic() < deadline:
                time.sleep(0.02)
                if before and len(server.requests) == before and (tmp_path / "run" / "summary.json").exists():
                    break
            kill(number)
            forks.end()
        forks.run(*words(server, tmp_path / "run"))
        assert paid(server) <= 1.0


def test_answers_far_dearer_than_allowed_end_the_run_soon(forks: Forks, tmp_path: Path) -> None:
    with Counting(times=400) as server:
        assert forks.run(*words(server, tmp_path / "run", "--max-concurrency", 10)) == 1
        assert paid(server) <= 1.0 + dearest(server)
        assert len(server.used) <= 1 + int(1.0 / dearest(server))


def test_requests_that_a_server_loses_count(forks: Forks, tmp_path: Path) -> None:
    with Counting(FaultPlan(always="server_error")) as server:
        for _ in range(3):
            assert (
                forks.run(*words(server, tmp_path / "run", "--stop-after-failures", 1, "--timeout", 3)) == 1
            )
        held = min(float(len(json.dumps(request.body))) for request in server.requests) / 5 * PRICE * 1e-6
        assert len(server.requests) * held / 2 <= 1.0
        asked = len(server.requests)
        forks.run(*words(server, tmp_path / "run", "--timeout", 3))
        assert len(server.requests) - asked <= 2


def test_nothing_is_held_where_all_was_given_back(tmp_path: Path) -> None:
    """Sums of tenths round: what they leave is waited for by nobody."""
    with Recordings(tmp_path / "recordings.sqlite") as store:
        ledger = SpendingLedger(store, "openai/m")
        for _ in range(3):
            assert ledger.hold(0.1, 1.0)
        assert ledger.total() == (0.0, pytest.approx(0.3))
        for _ in range(3):
            ledger.release_and_record(0.1, 0.1)
        assert ledger.total() == (pytest.approx(0.3), 0.0)

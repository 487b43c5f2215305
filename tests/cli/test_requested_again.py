"""A run at a server that answered rubbish is healed by the same command at a healthy one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conqret.judging.judge_folder import JudgeFolder
from conqret.llm import failed_requests
from tests.cli.conftest import Cli
from tests.contract.items import demo
from tests.judging.runs import write_items
from tests.server import FaultPlan, FaultServer

RUBBISH = FaultPlan(always="bad_json")
ASKED = 4 * 2
"""Questions of `rag-direct` about four items."""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failed_requests, "BACKOFF_BASE", 0.01)


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(RUBBISH) as found:
        yield found


@pytest.fixture
def items(tmp_path: Path) -> Path:
    return write_items(tmp_path / "items.jsonl", demo()[:4])


def sent(server: FaultServer, plan: FaultPlan = FaultPlan()) -> int:  # noqa: B008 - it is frozen
    """How many requests came since the last call; ``plan`` holds from now on."""
    count = len(server.requests)
    server.requests.clear()
    server.plan = plan
    return count


def judging(server: FaultServer, items: Path, out: Path, *more: object) -> tuple[object, ...]:
    model = ("--model", "openai/judge", "--api-base", server.url)
    return ("judge", items, "--format", "rag-direct", *model, "-o", out, *more)


def test_the_same_command_heals_a_run(cli: Cli, server: FaultServer, items: Path, tmp_path: Path) -> None:
    given = judging(server, items, tmp_path / "r")
    assert cli(*given).code == 1
    assert sent(server) == ASKED * 3
    spoilt = cli(*judging(server, items, tmp_path / "spoilt", "--replay", tmp_path / "r"))
    assert (spoilt.code, sent(server)) == (1, 0)  # whatever the recordings hold, a replay never sends
    done = cli(*given)
    assert done.code == 0
    assert sent(server) == ASKED
    assert "4 items: 4 scored" in done.out
    assert f"{ASKED} invalid responses of an earlier run requested again" in done.err
    first = [judgment.model_dump(exclude={"trace"}) for judgment in JudgeFolder(tmp_path / "r").judgments()]

    done = cli(*given)
    assert (done.code, sent(server)) == (0, 0)
    assert "requested again" not in done.err
    replayed = cli(*judging(server, items, tmp_path / "replayed", "--replay", tmp_path / "r"))
    assert (replayed.code, sent(server)) == (0, 0)
    again = [
        judgment.model_dump(exclude={"trace"}) for judgment in JudgeFolder(tmp_path / "replayed").judgments()
    ]
    assert again == first


def test_a_server_that_is_down_takes_nothing_away(
    cli: Cli, server: FaultServer, items: Path, tmp_path: Path
) -> None:
    """Nor does one that answers less than the one before."""
    server.plan, server.length = FaultPlan(), 2  # of twelve documents: all but the relevance is valid
    given = ("judge", items, "--model", "openai/judge", "--api-base", server.url, "-o", tmp_path / "r")

    def found() -> tuple[int, int, list[dict[str, Any]]]:
        judgments = JudgeFolder(tmp_path / "r").judgments()
        return done.code, sent(server), [judgment.model_dump(exclude={"trace"}) for judgment in judgments]

    done = cli(*given)
    code, asked, before = found()
    assert (code, asked) == (0, 4 * 3)
    server.plan = FaultPlan(always="bad_request")
    done = cli(*given)
    assert "did not accept the request" in done.err
    assert found() == (2, 4, before)
    server.plan = RUBBISH
    done = cli(*given)
    assert found() == (0, 4 * 3, before)
    server.length = 12
    done = cli(*given)
    assert found()[:2] == (0, 4)
    assert JudgeFolder(tmp_path / "r").summary().scored == 4

"""What a user sees where a model fails: why it stopped, what is commonest, and never exit code 0 for nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conqret.judging.judge_folder import JudgeFolder
from conqret.llm import failed_requests
from tests.cli.conftest import Cli
from tests.contract.items import DEMO, demo
from tests.judging.runs import write_items
from tests.server import FaultPlan, FaultServer

ITEMS = "ITEMS"
"""Stands for the file of items."""
STATEMENTS = Path(__file__).parents[2] / "fixtures" / "examples" / "statements" / "ours.jsonl"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failed_requests, "BACKOFF_BASE", 0.01)


@pytest.fixture
def items(tmp_path: Path) -> Path:
    return write_items(tmp_path / "items.jsonl", demo()[:4])


@pytest.fixture
def broken() -> Iterator[FaultServer]:
    with FaultServer(FaultPlan(always="bad_schema")) as server:
        yield server


def asked(server: FaultServer, *more: object) -> tuple[object, ...]:
    return ("--model", "openai/judge", "--api-base", server.url, *more)


def test_a_model_that_cannot_do_the_format_is_stopped(cli: Cli, broken: FaultServer, tmp_path: Path) -> None:
    at_once = 4
    versions = [
        item.model_copy(update={"id": f"{item.id}-{n}", "topic": f"{item.topic} ({n})"})
        for n in range(4)
        for item in demo()
    ]
    many = write_items(tmp_path / "many.jsonl", versions)
    done = cli("judge", many, *asked(broken, "--max-concurrency", at_once), "-o", tmp_path / "r")
    assert done.code == 1
    assert len(broken.requests) < 3 * 96 / 3
    (seen,) = re.findall(r"stopped, because (2[0-3]) of \1 requests had no valid response", done.err)
    assert 20 <= int(seen) < 20 + at_once  # the others that were under way
    summary = JudgeFolder(tmp_path / "r").summary()
    assert 20 <= summary.unscored < 20 + at_once
    assert summary.failed == 96 - summary.unscored
    assert f"96 items: 0 scored, {summary.unscored} unscored, {summary.failed} failed" in done.out
    assert summary.session is not None
    assert "--stop-after-failures" in summary.session.stopped
    page = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    assert "no request was sent, after too many failures" in page
    assert f"not sent, because {seen} of {seen} requests" in page


def test_the_same_command_goes_on_after_a_stop(cli: Cli, tmp_path: Path) -> None:
    given = ("judge", DEMO, "--format", "rag-direct", "-o", tmp_path / "r", "--max-concurrency", 1)
    with FaultServer(FaultPlan(always="refusal")) as server:
        assert cli(*given, *asked(server)).code == 1
        refused = len(server.requests)
    with FaultServer() as server:
        done = cli(*given, *asked(server))
    assert done.code == 0
    assert "stopped" not in done.err
    assert len(server.requests) == 24 * 2  # refusals are requested again, too
    assert f"{refused} invalid responses of an earlier run requested again" in done.err


def test_nothing_scored_is_never_exit_0(cli: Cli, items: Path, broken: FaultServer, tmp_path: Path) -> None:
    done = cli("judge", items, *asked(broken), "-o", tmp_path / "r")
    assert done.code == 1
    assert "nothing has a result: the response broke the rules of the format" in done.err
    assert "context_relevance: this" in " ".join(done.out.split())


@pytest.mark.parametrize(
    ("command", "page"),
    [
        (("bias", "--probe", "length", "--format", "rag-direct"), "bias.md"),
        (("sensitivity", "--perturb", "irrelevant:0,50"), "report.html"),
    ],
)
def test_nothing_measured_is_never_exit_0(
    cli: Cli, items: Path, tmp_path: Path, command: tuple[object, ...], page: str
) -> None:
    with FaultServer(FaultPlan(always="bad_request")) as server:
        done = cli(
            command[0], items, *command[1:], *asked(server, "--stop-after-failures", 1), "-o", tmp_path / "r"
        )
    assert done.code == 2
    assert "did not accept the request, as for item " in done.err
    assert "This parameter is not to my liking." in done.err
    assert "not to my liking" in (tmp_path / "r" / page).read_text(encoding="utf-8")


def test_a_missing_key_is_named_before_anything_is_done(cli: Cli, items: Path, tmp_path: Path) -> None:
    for command in (("judge",), ("bias", "--probe", "length"), ("sensitivity",)):
        done = cli(command[0], items, *command[1:], "--model", "gpt-4o-mini", "-o", tmp_path / "r")
        assert done.code == 2
        assert "gpt-4o-mini needs a key of openai" in done.err
        assert "OPENAI_API_KEY" in done.err
        assert not (tmp_path / "r").exists()


def test_a_replay_needs_no_key(cli: Cli, items: Path, tmp_path: Path) -> None:
    with FaultServer() as server:
        asked_for = ("judge", items, "--format", "rag-direct", "--model", "gpt-4o-mini")
        assert cli(*asked_for, "--api-base", server.url, "-o", tmp_path / "r").code == 0
    assert cli(*asked_for, "-o", tmp_path / "r").code == 0
    assert cli(*asked_for, "--replay", tmp_path / "r", "-o", tmp_path / "again").code == 0
    assert (
        cli(*asked_for, "--recordings", tmp_path / "r" / "recordings.sqlite", "-o", tmp_path / "b").code == 0
    )


def test_a_refused_connection_is_told_with_its_address(cli: Cli, items: Path, tmp_path: Path) -> None:
    typed = ("judge", items, "--model", "openai/m", "--api-base", "http://me:pw@127.0.0.1:9/v1")
    done = cli(*typed, "-o", tmp_path / "r")
    assert done.code == 2
    assert "the connection to http://127.0.0.1:9/v1 was refused" in done.err
    assert "pw" not in done.err
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    ("fault", "command"),
    [
        ("auth", ("judge", ITEMS, "--format", "direct")),
        ("auth", ("tournament", ITEMS, "--comparisons", 2)),
        ("bad_request", ("generate", "translations", ITEMS, "--into", "de")),
        ("bad_request", ("debate", "score", STATEMENTS)),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(map(str, value[:2])),
)
def test_what_meets_every_request_is_the_users_to_correct(
    cli: Cli, items: Path, tmp_path: Path, command: tuple[object, ...], fault: Any
) -> None:
    given = [items if word == ITEMS else word for word in command]
    with FaultServer(FaultPlan(always=fault)) as server:
        done = cli(*given, *asked(server), "-o", tmp_path / "r")
    assert (done.code, "every request failed: " in done.err) == (2, True), done.err

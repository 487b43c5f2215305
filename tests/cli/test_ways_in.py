"""What people type next: a run's items, the beginning of an id, a pipe into head, arguments that were just written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import conqret
from tests.cli.conftest import Cli
from tests.cli.test_batched_commands import of_corpus
from tests.judging.runs import some
from tests.runs.killed import ROOT

ITEMS = ROOT / "fixtures" / "demo" / "items.jsonl"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "first"
    conqret.judge(ITEMS, format="direct", output=out)
    return out


def test_show_without_an_item_lists_them(cli: Cli, run: Path) -> None:
    done = cli("runs", "show", run)
    assert done.code == 0
    assert "zoos-pro" in done.out
    assert "24 of 24 items" in done.out
    listed = json.loads(cli("runs", "show", run, "--json").out)
    assert [one["item"] for one in listed][:1] == ["animal-testing-pro"]
    assert {one["status"] for one in listed} == {"scored"}


def test_a_pipe_that_closes_costs_no_file(run: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    words = ("runs", "diff", run, run, "-o", page)
    reading, writing = os.pipe()
    os.close(reading)  # as head does once it has its lines
    try:
        done = subprocess.run(
            [sys.executable, "-m", "conqret", *map(str, words)],
            cwd=ROOT,
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=120,
        )
    finally:
        os.close(writing)
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr
    assert page.is_file()


def test_the_folder_of_written_arguments_is_judged(cli: Cli, tmp_path: Path) -> None:
    assert cli(*of_corpus(tmp_path), "-o", tmp_path / "args").code == 0
    done = cli("judge", tmp_path / "args", "--format", "direct", "-o", tmp_path / "judged")
    assert done.code == 0
    assert json.loads((tmp_path / "judged" / "summary.json").read_text())["scored"] > 0


@pytest.fixture
def served() -> Iterator[tuple[str, list[object]]]:
    """The address of a judge that gives several metrics, and what it was asked about."""
    asked: list[object] = []

    class Several(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"measures": {"clarity": {"value": 0.5}, "groundedness": {"value": 0.25}}}')

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - its name there
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Several) as found:
        threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield f"http://127.0.0.1:{found.server_port}/judge", asked
        found.shutdown()


def test_an_address_is_asked_for_all_that_it_gives(
    cli: Cli, tmp_path: Path, served: tuple[str, list[object]]
) -> None:
    address, asked = served
    items = some(tmp_path, 4)
    done = cli("judge", items, "--judge", address, "-o", tmp_path / "run")
    assert done.code == 0, done.err
    found = json.loads((tmp_path / "run" / "summary.json").read_text())["metrics"]
    assert {name: one["scored"] for name, one in found.items()} == {"clarity": 4, "groundedness": 4}
    assert len(asked) == 1 + 4
    assert cli("bias", items, "--judge", address, "--probe", "length", "-o", tmp_path / "bias").code == 0
    metrics = json.loads((tmp_path / "bias" / "run.json").read_text())["metrics"]
    assert set(metrics) == {"clarity", "groundedness"}


def test_a_dry_run_and_a_replay_send_an_address_nothing(
    cli: Cli, tmp_path: Path, served: tuple[str, list[object]]
) -> None:
    address, asked = served
    items = some(tmp_path, 4)
    words = ("judge", items, "--judge", address, "--metric", "clarity")
    assert cli(*words, "-o", tmp_path / "run").code == 0
    before = len(asked)
    for command in ("judge", "bias", "sensitivity"):
        assert cli(command, items, "--judge", address, "-o", tmp_path / "dry", "--dry-run").code == 0
    assert cli(*words, "--replay", tmp_path / "run", "-o", tmp_path / "again").code == 0
    cli("judge", items, "--judge", address, "--replay", tmp_path / "run", "-o", tmp_path / "more")
    assert len(asked) == before

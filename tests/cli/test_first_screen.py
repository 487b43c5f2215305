"""What a newcomer types first: a judgment without a model, and other tools' words for commands."""

from __future__ import annotations

import http.server
import json
import re
import shlex
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from conqret.cli.commands import MEANT, find
from conqret.llm import providers as suggestion
from tests.cli.conftest import Cli

ITEMS = "fixtures/examples/ragas.jsonl"
NOTE = "no LLM was requested: these scores are word statistics of the offline baseline"


@pytest.fixture(autouse=True)
def _no_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suggestion, "OWN_SERVERS", {1: "nobody"})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """A server of models on this machine, and what it says of them."""
    said: list[object] = [{"data": [{"id": "llama3.2:3b"}]}]

    class Models(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(said[0]).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - its name there
            return

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Models) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        monkeypatch.setattr(suggestion, "OWN_SERVERS", {found.server_port: "Ollama"})
        yield said
        found.shutdown()


def test_it_says_that_no_model_was_asked_and_how_to_name_one(cli: Cli, tmp_path: Path) -> None:
    done = cli("judge", ITEMS, "--format", "direct", "-o", tmp_path / "run")
    assert NOTE in done.err
    assert f"conqret judge {ITEMS} --format direct --model gpt-4o-mini (needs OPENAI_API_KEY" in done.err
    assert NOTE not in done.out


def test_the_command_that_is_named_can_be_typed(cli: Cli, tmp_path: Path, server: list[object]) -> None:
    options = ["--format", "direct", "--metric", "groundedness", "--conversation", "whole"]
    items = tmp_path / "my items.jsonl"
    items.write_bytes(Path(ITEMS).read_bytes())
    named = re.search(
        r"Name a model: conqret (.*) \(Ollama", cli("judge", items, *options, "-o", tmp_path / "run").err
    )
    assert named is not None
    words = shlex.split(named[1])
    assert words[: 2 + len(options)] == ["judge", str(items), *options]
    assert cli(*words, "--dry-run").code == 0


def test_the_key_that_is_set_names_the_model(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    done = cli("judge", ITEMS, "--format", "direct", "-o", tmp_path / "run")
    assert "--model claude-haiku-4-5 (ANTHROPIC_API_KEY is set)" in done.err
    assert "secret" not in done.err


def test_a_server_on_this_machine_names_its_model(cli: Cli, tmp_path: Path, server: list[object]) -> None:
    done = cli("judge", ITEMS, "--format", "direct", "-o", tmp_path / "run")
    (port,) = suggestion.OWN_SERVERS
    command = (
        f"--model openai/llama3.2:3b --api-base http://localhost:{port}/v1 (Ollama answers on port {port})"
    )
    assert command in done.err


@pytest.mark.parametrize(
    "said", [[], {"data": 3}, {"data": [{"id": "\x1b[31mred"}]}, {"data": [{"id": "a" * 1000}]}]
)
def test_what_a_stranger_on_that_port_says_is_no_model(server: list[object], said: object) -> None:
    server[0] = said
    assert suggestion.suggestion() is None


def test_a_name_with_a_shells_marks_is_quoted(server: list[object]) -> None:
    server[0] = {"data": [{"id": "x; rm -rf ~"}]}
    found = suggestion.suggestion()
    assert found is not None
    assert "'openai/x; rm -rf ~'" in found[0]


@pytest.mark.parametrize(
    "more", [("--model", "offline", "-q"), ("--replay", "fixtures/demo/recordings.jsonl.gz")]
)
def test_who_names_a_model_or_wants_quiet_is_told_nothing(
    cli: Cli, tmp_path: Path, more: tuple[str, ...]
) -> None:
    done = cli("judge", "fixtures/demo/items.jsonl", "-o", tmp_path / "run", *more)
    assert NOTE not in done.err


@pytest.mark.parametrize(
    ("typed", "command"),
    [("evaluate", "judge"), ("rate_answers", "judge"), ("dashboard", "serve view"), ("jugde", "judge")],
)
def test_other_tools_words_name_the_command(cli: Cli, typed: str, command: str) -> None:
    done = cli(typed, ITEMS)
    assert done.code == 2
    assert f"Did you mean '{command}'" in done.err


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        ("judges agreement", "conqret labels agreement"),
        ("runs shwo", "show"),
        ("debateqa eval", "conqret judge"),
    ],
)
def test_within_a_group_too(cli: Cli, typed: str, command: str) -> None:
    done = cli(*typed.split(), ITEMS)
    assert done.code == 2
    assert f"Did you mean '{command}'" in done.err


@pytest.mark.parametrize("command", MEANT)
def test_what_is_suggested_is_there(command: str) -> None:
    _, rest = find(command.split())
    assert rest == []

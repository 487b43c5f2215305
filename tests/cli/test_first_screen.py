"""What a newcomer types first: a judgment without a model, and other tools' words for commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

ITEMS = "fixtures/examples/ragas.jsonl"
NOTE = "no LLM was requested: these scores are word statistics of the offline baseline"


def test_it_says_that_no_model_was_asked_and_how_to_name_one(cli: Cli, tmp_path: Path) -> None:
    done = cli("judge", ITEMS, "--format", "direct", "-o", tmp_path / "run")
    assert NOTE in done.err
    assert f"conqret judge {ITEMS} --format direct --model gpt-4o-mini (needs OPENAI_API_KEY" in done.err
    assert NOTE not in done.out


def test_the_command_that_is_named_can_be_typed(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    options = ["--format", "direct", "--metric", "groundedness", "--conversation", "whole"]
    items = tmp_path / "my items.jsonl"
    items.write_bytes(Path(ITEMS).read_bytes())
    done = cli("judge", items, *options, "-o", tmp_path / "run")
    assert "--model claude-haiku-4-5 (ANTHROPIC_API_KEY is set)" in done.err
    assert "secret" not in done.err
    named = re.search(r"Name a model: conqret (.*) \(ANTHROPIC", done.err)
    assert named is not None
    words = shlex.split(named[1])
    assert words[: 2 + len(options)] == ["judge", str(items), *options]
    assert cli(*words, "--dry-run").code == 0


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
    [
        ("evaluate", "judge"),
        ("dashboard", "serve view"),
        ("judges agreement", "conqret labels agreement"),
        ("runs shwo", "show"),
    ],
)
def test_other_tools_words_name_the_command(cli: Cli, typed: str, command: str) -> None:
    done = cli(*typed.split(), ITEMS)
    assert done.code == 2
    assert f"Did you mean '{command}'" in done.err

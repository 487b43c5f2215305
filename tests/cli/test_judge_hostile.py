"""What the texts and answers of others may not do to the terminal and files of ``conqret judge``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conqret.llm.recordings import Recordings
from conqret.llm.request import Completion
from tests.cli.conftest import Cli
from tests.contract.items import demo
from tests.judging.runs import write_items
from tests.server import FaultPlan, FaultServer

ROOT = Path(__file__).parents[2]


@pytest.fixture
def items(tmp_path: Path) -> Path:
    return write_items(tmp_path / "items.jsonl", demo()[:4])


def test_hostile_texts_reach_no_terminal(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "[red]x.jsonl"
    write_items(path, [demo()[0].model_copy(update={"id": "[bold]i[/bold]"})])
    done = cli("judge", path, "-o", tmp_path / "r")
    assert (done.code, "[red]x.jsonl" in done.err.replace("\n", "")) == (0, True)
    path.write_text('{"id": "a", "topic": "\\u001b[31m[bold]x", "argument": 5}\n', encoding="utf-8")
    done = cli("judge", path, "-f", "listwise", "-o", tmp_path / "s")
    assert (done.code, "\x1b" in done.err) == (2, False)


def test_escape_sequences_of_others_reach_no_terminal(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    evil, items = "\x1b]0;owned\x07\x9b2J", write_items(tmp_path / "items.jsonl", demo()[:2])

    def alter(body: dict[str, Any]) -> None:
        body["model"] = evil

    with FaultServer(alter=alter) as server:
        command = ("judge", items, "-f", "direct", "--model", "openai/judge", "--api-base", server.url, "-o")
        done = cli(*command, tmp_path / "r")
    assert done.code == 0
    assert "name another model as their source" in done.err
    assert "]0;owned[U+0007][U+009B]2J" in done.err.replace("\n", "")
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    assert summary["session"]["others"] == {evil: summary["session"]["sent"]}
    exported = tmp_path / "export.jsonl"
    with Recordings(tmp_path / "theirs.sqlite") as store:
        store.put("k", Completion("x", model=evil), ask=evil, item=evil, model=evil, params={}, sample=0)
        store.export_jsonl(exported)
    runs = [
        done,
        cli("runs", "recordings", "import", exported, tmp_path / "mine.sqlite"),
        cli("runs", "report", tmp_path / "r"),
        cli("runs", "recordings", "export", tmp_path / "mine.sqlite", tmp_path / "again.jsonl"),
    ]
    assert [run.code for run in runs] == [0] * 4
    refused = cli("judge", tmp_path / f"{evil}.jsonl")
    assert refused.code == 2
    assert "argument 2" in refused.err
    for one in (*runs, refused):
        assert not set("\x1b\x07\x9b") & set(one.out + one.err)


@pytest.mark.parametrize("way", ["error", "address", "answer"])
def test_a_key_that_the_provider_echoes_is_in_no_error_and_no_export(
    cli: Cli, items: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    key, text = "sk-Zq7trickyKey0815", "sk-Zq7trickyKey0815 is required"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    monkeypatch.setenv("MISTRAL_API_KEY", "sk-no-key-required")
    monkeypatch.setenv("SORT_KEY", "rating")

    def alter(body: dict[str, Any]) -> None:
        if way == "answer":
            message = body["choices"][0]["message"]
            message["content"] = f"{text}: {message['content']}"

    run, shared = tmp_path / "r", tmp_path / "export.jsonl"
    with FaultServer(FaultPlan(always="echo" if way == "error" else None), alter=alter) as server:
        address = server.url.replace("//", "//user:hunter2@") if way == "address" else server.url
        done = cli(
            "judge", items, "--model", "openai/judge", "--api-base", address, "-f", "direct", "-o", run
        )
    exported = cli("runs", "recordings", "export", run / "recordings.sqlite", shared)
    assert exported.code == 0
    shown = "".join(stream for each in (done, exported) for stream in (each.out, each.err))
    assert key not in shown + shared.read_text()
    assert "hunter2" not in shown + (run / "judgments.jsonl").read_text()
    if way == "error":
        assert "[key]" in (run / "judgments.jsonl").read_text()
    if way == "answer":
        assert done.code == 0
        assert f"taken out: {len(server.requests)} x [key]" in exported.out
        with Recordings.open_for_replay(run) as store:
            assert all(text in recording.completion.text for recording in store.recorded())

"""What the texts and answers of others may not do to the terminal and files of ``conqret judge``."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from conqret.llm.progress import Progress
from conqret.llm.recordings import Recordings
from conqret.llm.request import Completion
from tests.cli.conftest import Cli
from tests.contract.items import demo
from tests.judging.runs import write_items
from tests.server import FaultPlan, FaultServer
from tests.server.app import leaks

ROOT = Path(__file__).parents[2]


@pytest.fixture
def items(tmp_path: Path) -> Path:
    return write_items(tmp_path / "items.jsonl", demo()[:4])


def test_hostile_texts_reach_no_terminal(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "[red]x.jsonl"
    write_items(path, [demo()[0].model_copy(update={"id": "[bold]i[/bold]"})])
    done = cli("judge", path, "-o", tmp_path / "r")
    assert done.code == 0
    assert "[red]x.jsonl" in done.err.replace("\n", "")
    path.write_text('{"id": "a", "topic": "\\u001b[31m[bold]x", "argument": 5}\n', encoding="utf-8")
    done = cli("judge", path, "-f", "listwise", "-o", tmp_path / "s")
    assert done.code == 2
    assert "\x1b" not in done.err


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
    assert "with another model than requested" in done.out
    assert "]0;owned[U+0007][U+009B]2J" in done.out.replace("\n", "")
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    assert summary["session"]["others"] == {evil: summary["session"]["sent"]}
    exported = tmp_path / "export.jsonl"
    with Recordings(tmp_path / "theirs.sqlite") as store:
        store.put("k", Completion("x", model=evil), ask=evil, item=evil, model=evil, params={}, sample=0)
        store.export_jsonl(exported)
    runs = [
        done, cli("runs", "recordings", "import", exported, tmp_path / "mine.sqlite"),
        cli("runs", "report", tmp_path / "r"),
        cli("runs", "recordings", "export", tmp_path / "mine.sqlite", tmp_path / "again.jsonl"),
    ]  # fmt: skip
    assert [run.code for run in runs] == [0] * 4
    refused = cli("judge", tmp_path / f"{evil}.jsonl")
    assert refused.code == 2
    assert "argument 2" in refused.err
    for one in (*runs, refused):
        assert not set("\x1b\x07\x9b") & set(one.out + one.err)


@pytest.mark.parametrize("name", ["judge-2026-01-01", "JUDGE", "vendor/judge", "openai/judge", "", "jud"])
def test_a_longer_name_or_a_prefix_is_no_other_model(name: str) -> None:
    progress = Progress()
    progress.named("openai/judge", Completion("x", model=name))
    assert not progress.others
    progress.named("openai/judge", Completion("x", model="cheaper"))
    assert progress.others == {"cheaper": 1}


@pytest.mark.parametrize("secret", ["Zq7/tricky+Key=with~odd.letters-0815", "hunter2pass"])
@pytest.mark.parametrize("way", ["error", "address", "refusal", "answer", "model", "token"])
def test_a_key_that_the_provider_echoes_is_nowhere(
    cli: Cli, items: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, secret: str
) -> None:
    monkeypatch.setenv("WATSONX_TOKEN" if way == "token" else "OPENAI_API_KEY", secret)

    def alter(body: dict[str, Any]) -> None:
        message = body["choices"][0]["message"]
        if way in ("refusal", "token"):
            message |= {"content": None, "refusal": leaks(secret)}
        elif way == "answer":
            message["content"] = f"{leaks(secret)} {message['content']}"
        else:
            body["model"] = leaks(secret)

    plan = FaultPlan(always="echo" if way == "error" else None)
    with FaultServer(plan, alter=alter) as server:
        address = server.url
        if way == "address":
            monkeypatch.delenv("OPENAI_API_KEY")
            address = address.replace("//", f"//user:{quote(secret, safe='')}@")
        done = cli(
            "judge",
            items,
            "--model",
            "openai/judge",
            "--api-base",
            address,
            "-f",
            "direct",
            "-o",
            tmp_path / "r",
        )
    exported = cli(
        "runs", "recordings", "export", tmp_path / "r" / "recordings.sqlite", tmp_path / "export.jsonl"
    )
    assert exported.code == 0
    shown = "".join(stream for each in (done, exported) for stream in (each.out, each.err)).encode()
    for found in (shown, *(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())):
        for form in (secret, quote(secret, safe=""), secret[:8]):
            assert form.encode() not in found
        for shifted in (f"Bearer {secret}", f"user:{secret}", secret):
            assert base64.b64encode(shifted.encode())[-12:-4] not in found
    if way != "address":  # aiohttp sends no request there, and what it says instead holds nothing
        file = tmp_path / ("export.jsonl" if way in ("answer", "model") else "r/judgments.jsonl")
        assert b"[key]" in file.read_bytes()

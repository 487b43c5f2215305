"""Somebody else's run again: without a key, without a call, and without flags."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conqret import DeclarationError
from conqret.data import Reason
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.setup import RecordedCall, recorded_call
from conqret.llm.client_options import ClientOptions
from conqret.llm.recordings import Recordings
from tests.contract.items import demo
from tests.judging.runs import run, said
from tests.server import FaultServer


def exported(run_folder: Path, to: Path) -> Path:
    with Recordings.open_for_replay(run_folder) as store:
        store.export_jsonl(to)
    return to


def test_a_run_of_a_model_is_replayed_from_its_folder_and_from_an_export(tmp_path: Path) -> None:
    first = JudgeFolder(tmp_path / "first")
    settings: dict[str, Any] = {"name": "g-eval", "samples": 2, "metrics": ("groundedness",)}
    with FaultServer() as server:
        client = ClientOptions("openai/judge", api_base=server.url, api_key="sk-none")
        run(first.path, client=client, **settings)
        calls = len(server.requests)
    assert calls == 4 * 2
    export = exported(first.path, tmp_path / "export.jsonl")
    for number, source in enumerate((first.path, export, first.recordings_file)):
        out = JudgeFolder(tmp_path / f"replay-{number}")
        outcome = run(out.path, client=ClientOptions("openai/judge"), replay=source, **settings)
        assert (outcome.summary.scored, outcome.summary.usage.calls, outcome.missing) == (4, 0, ())
        assert said(out.judgments()) == said(first.judgments())


def test_what_is_not_recorded_fails_and_is_named(tmp_path: Path) -> None:
    run(tmp_path / "first", demo()[:3])
    outcome = run(tmp_path / "again", demo()[:4], replay=tmp_path / "first")
    assert (outcome.summary.scored, outcome.summary.failed) == (3, 1)
    assert outcome.summary.reasons == {"not_recorded": 1}
    assert len(outcome.missing) == 4
    assert all(demo()[3].id in text for text in outcome.missing)
    assert outcome.summary.usage.calls == 0
    (*_, last) = JudgeFolder(tmp_path / "again").judgments()
    assert last.reason is Reason.NOT_RECORDED
    assert all(measure.value is None for measure in last.measures.values())


def test_recordings_of_several_formats_or_models_must_be_told_apart(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    run(tmp_path / "one", name="direct", recordings=store)
    run(tmp_path / "two", name="listwise", recordings=store)
    with pytest.raises(
        DeclarationError, match=r"several formats \(direct, listwise\); name one with --format"
    ):
        recorded_call(store)
    for name in ("direct", "listwise"):
        assert recorded_call(store, name) == RecordedCall(name, "offline", {"samples": 1})
    with FaultServer() as server:
        client = ClientOptions("openai/judge", api_base=server.url, api_key="sk-none")
        run(tmp_path / "three", client=client, recordings=store)
    assert recorded_call(store, "direct", "offline").model == "offline"
    with pytest.raises(DeclarationError, match=r"several models .*name one with --model"):
        recorded_call(store)


def test_there_must_be_recordings(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(DeclarationError):
        recorded_call(tmp_path / "empty.jsonl")
    with pytest.raises(DeclarationError):
        recorded_call(tmp_path / "nowhere.jsonl")

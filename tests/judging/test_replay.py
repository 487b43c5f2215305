"""Somebody else's run again: without a key, without a call, and without flags."""

from __future__ import annotations

from pathlib import Path

import pytest

from conqret import DeclarationError
from conqret.judging.recorded_call import RecordedCall, recorded_call
from conqret.llm.client_options import ClientOptions
from tests.judging.runs import run
from tests.server import FaultServer


def test_recordings_of_several_formats_or_models_must_be_told_apart(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    run(tmp_path / "one", name="direct", recordings=store)
    run(tmp_path / "two", name="listwise", recordings=store)
    with pytest.raises(DeclarationError, match=r"several formats \(direct, listwise\); name one"):
        recorded_call(store)
    for name in ("direct", "listwise"):
        assert recorded_call(store, name) == RecordedCall(name, "offline", {"samples": 1})
    with FaultServer() as server:
        client = ClientOptions("openai/judge", api_base=server.url, api_key="sk-none")
        run(tmp_path / "three", client=client, recordings=store)
    assert recorded_call(store, "direct", "offline").model == "offline"
    with pytest.raises(DeclarationError, match=r"several models .*name one with --model"):
        recorded_call(store)

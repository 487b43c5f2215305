"""The store: what goes in comes out, once, and faulty files are named."""

import gzip
import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conqret.errors import DeclarationError
from conqret.llm.recordings import Recording, Recordings
from conqret.llm.request import Completion, TokenLogprobs

LABELS = {"ask": "rag", "item": "i", "model": "m", "params": {"temperature": 0.0}, "sample": 0}


@pytest.fixture
def store(tmp_path):
    with Recordings(tmp_path / "recordings.sqlite") as opened:
        yield opened


@given(
    text=st.text(st.characters(codec="utf-8")),
    cost=st.none() | st.floats(0, 10),
    tokens=st.none() | st.integers(0, 10**6),
    refusal=st.none() | st.text(max_size=5),
)
def test_a_recording_survives_store_and_export(text, cost, tokens, refusal):
    logprobs = (TokenLogprobs("4", {"4": -0.1, "5": -2.5}),)
    completion = Completion(text, "stop", refusal, "m", tokens, tokens, None, cost, 0.5, logprobs)
    recording = Recording(key="k", completion=completion, created="now", **LABELS)
    assert Recording.from_row(recording.row()) == recording
    assert Recording.model_validate_json(recording.line()) == recording


def test_the_first_recording_of_a_key_wins(store):
    first, second = Completion("one"), Completion("two")
    assert store.get("k") is None
    assert store.put("k", first, **LABELS) == first
    assert store.put("k", second, **LABELS) == first
    assert store.get("k") == first


def test_export_and_import_go_round(store, tmp_path):
    for n in range(5):
        store.put(f"k{n}", Completion(f"é{n}", cost_usd=0.5, prompt_tokens=n), **LABELS)
    assert store.export_jsonl(tmp_path / "export.jsonl") == 5
    with Recordings(tmp_path / "other.sqlite") as other:
        assert other.import_jsonl(tmp_path / "export.jsonl") == 5
        assert other.import_jsonl(tmp_path / "export.jsonl") == 0
        other.export_jsonl(tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "export.jsonl").read_bytes()


def test_each_faulty_line_is_named_and_nothing_is_read_in(store, tmp_path):
    store.put("k", Completion("x"), **LABELS)
    path = tmp_path / "export.jsonl"
    store.export_jsonl(path)
    changed = json.loads(path.read_text())
    changed["completion"]["text"] = "y"
    good = {name: value for name, value in changed.items() if name != "checksum"}
    lines = [
        good | {"key": "new"},
        {k: v for k, v in good.items() if k != "completion"},
        good | {"sample": "one"},
        changed,
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + '\n\n{"key": "cut of')
    with pytest.raises(DeclarationError) as caught:
        store.import_jsonl(path)
    message = str(caught.value)
    assert "4 faults" in message
    for place in (
        f"{path}:2 [completion] cannot be used: the field is missing; add it",
        f"{path}:3 [sample] cannot be used: it must be a valid integer",
        f"{path}:4 [the object] cannot be used: it differs from what was recorded",
        f"{path}:6 the file looks cut off",
    ):
        assert place in message
    assert store.get("new") is None


def test_replay_opens_a_store_an_export_and_a_run_directory(store, tmp_path):
    store.put("k", Completion("x"), **LABELS)
    store.export_jsonl(tmp_path / "export.jsonl")
    (tmp_path / "packed.gz").write_bytes(gzip.compress((tmp_path / "export.jsonl").read_bytes()))
    for path in (store.path, tmp_path / "export.jsonl", tmp_path / "packed.gz", tmp_path):
        with Recordings.open_for_replay(path) as replayed:
            assert replayed.get("k") == Completion("x")
            scratch = replayed.path.parent
        assert scratch == tmp_path or not scratch.exists()


@pytest.mark.parametrize("name", ["absent", "", "text.txt", "other.sqlite"])
def test_what_is_no_store_is_refused(tmp_path, name):
    (tmp_path / "text.txt").write_text("not a database\n" * 100)
    with sqlite3.connect(tmp_path / "other.sqlite") as db:
        db.execute("CREATE TABLE something (x)")
    with pytest.raises(DeclarationError, match=str(tmp_path)):
        Recordings.open_for_replay(tmp_path / name)
    if name != "absent":
        with pytest.raises(DeclarationError, match=str(tmp_path)):
            Recordings(tmp_path / name)


def test_a_store_of_a_newer_version_is_refused(store):
    store.close()
    with sqlite3.connect(store.path) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(DeclarationError, match="newer conqret"):
        Recordings(store.path)


def test_many_may_make_the_same_store_at_once(tmp_path):
    def open_and_put(number: int, path: Path) -> None:
        with Recordings(path) as store:
            store.put(f"k{number}", Completion("x"), **LABELS)

    for turn in range(10):
        path = tmp_path / f"{turn}.sqlite"
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(open_and_put, range(8), [path] * 8))
        with Recordings(path) as store:
            assert len([*store.recorded()]) == 8

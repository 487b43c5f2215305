"""What several workers record is one store in the end, whoever of them was killed."""

from __future__ import annotations

from pathlib import Path

import pytest

from conqret.judging.engines import shards
from conqret.judging.engines.shards import Shard, gather, shard_names
from conqret.llm.recordings import Recordings
from conqret.llm.request import Completion


def put(store: Recordings, key: str, text: str) -> None:
    store.put(key, Completion(text), ask="direct", item=key, model="judge", params={}, sample=0)


def test_a_worker_finds_what_the_run_and_the_others_have_recorded(tmp_path: Path) -> None:
    run = tmp_path / "recordings.sqlite"
    names = shard_names(run, 2)
    with Recordings(run) as store:
        put(store, "before", "from before")
    with Shard(names[0], [run, *names]) as one:
        assert one.get("theirs") is None
        names[1].touch()
        assert one.get("theirs") is None, "it is just being made"
        with Shard(names[1], [run, *names]) as other:
            put(other, "theirs", "the other's")
            put(one, "both", "first")
            put(other, "both", "second")
            assert [found.text for key in ("before", "theirs", "both") if (found := one.get(key))] == [
                "from before", "the other's", "first",
            ]  # fmt: skip
    with Recordings(run) as store, Recordings(names[1], read_only=True):  # by a worker that is yet to end
        gather(store)
        assert {one.key: one.completion.text for one in store.recorded()} == {
            "before": "from before", "theirs": "the other's", "both": store.get("both").text,
        }  # fmt: skip
    assert [file.name for file in tmp_path.iterdir()] == ["recordings.sqlite"]


def test_a_damaged_shard_stays_and_the_others_are_put_together(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run = tmp_path / "recordings.sqlite"
    broken, sound = sorted(shard_names(run, 2))
    for path in (broken, sound):
        with Shard(path, [run]) as shard:
            put(shard, path.name, "said")
    broken.write_bytes(b"no store at all")
    with Recordings(run) as store:
        gather(store)
        assert [one.key for one in store.recorded()] == [sound.name]
    assert broken.exists()
    assert not sound.exists()
    assert f"{broken}: its responses are not used" in caplog.text


def test_what_another_run_is_writing_stays_and_is_not_waited_for_twice(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "ORPHANED", 0.01)
    run = tmp_path / "recordings.sqlite"
    one, other = shard_names(run, 2)
    with Shard(one, [run]) as first, Shard(other, [run]), Recordings(run) as store:
        put(first, "theirs", "said")
        gather(store)
        assert store.count() == 0
        assert caplog.text.count("another run is writing them") == 2
    with Recordings(run) as store:
        gather(store)
        assert store.count() == 1

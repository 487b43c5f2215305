"""A run directory: what it holds, how it goes on, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from conqret import DeclarationError
from conqret.io import source as item_source
from conqret.judging.judge_folder import COLUMNS, JudgeFolder
from conqret.judging.judgments import Judgments
from conqret.llm.client_options import ClientOptions
from conqret.runs.management import run_entry
from tests.contract.items import demo
from tests.judging.runs import execute, execution, run, said, watching, write_items
from tests.server import FaultPlan, FaultServer

ROOT = Path(__file__).parents[2]


def kept_before(outcome: Judgments) -> int:
    session = outcome.summary.session
    assert session is not None
    return session.kept


def test_what_a_run_leaves(tmp_path: Path) -> None:
    out = JudgeFolder(tmp_path / "runs" / "first")
    seen: list[str] = []
    outcome = execute(execution(out.path), watch=watching(lambda judgment: seen.append(judgment.item)))
    names = {file.name for file in out.path.iterdir() if file.suffix not in (".sqlite-wal", ".sqlite-shm")}
    made = "run.json items.jsonl judgments.jsonl recordings.sqlite scores.parquet summary.json report.html"
    assert names - {".lock"} == {*made.split()}
    assert seen == [item.id for item in demo()[:4]]
    assert list(out.items()) == list(demo()[:4])
    assert out.summary() == outcome.summary
    assert (outcome.summary.scored, kept_before(outcome), outcome.missing) == (4, 0, ())
    record = out.record()
    wanted = ("direct", "offline", True, 4)
    assert (record.format, record.model, record.baseline, record.items_count) == wanted
    assert record.metrics == ["context_relevance", "groundedness", "preference"]
    prompts = {name.removeprefix("prompt ") for name in record.identity if name.startswith("prompt ")}
    assert prompts == {"direct/context-relevance", "direct/groundedness", "direct/preference"}
    assert "api_key" not in out.record_file.read_text(encoding="utf-8")


def test_scores_hold_a_row_for_each_measure_and_each_part(tmp_path: Path) -> None:
    run(tmp_path / "r", name="rag-fine-grained")
    scores = pl.read_parquet(tmp_path / "r" / "scores.parquet")
    assert tuple(scores.columns) == COLUMNS
    whole = scores.filter(pl.col("part").is_null())
    assert len(whole) == 4 * 19
    parts = scores.filter(pl.col("part").is_not_null())
    assert len(parts) == 4 * 12
    assert set(parts["metric"]) == {"context_relevance"}
    (judgment, *_) = JudgeFolder(tmp_path / "r").judgments()
    one = whole.filter((pl.col("item") == judgment.item) & (pl.col("metric") == "clarity")).to_dicts()[0]
    assert one["value"] == judgment.measures["clarity"].value
    assert one["explanation"] == judgment.measures["clarity"].explanation
    assert scores.schema["value"] == pl.Float64
    assert scores.schema["flipped"] == pl.Boolean
    assert scores.schema["majority"] == pl.Float64


def test_failed_judgments_are_made_again_and_scored_ones_kept(tmp_path: Path) -> None:
    with FaultServer(FaultPlan(script=(None, None, "bad_request", None))) as server:
        client = ClientOptions("openai/judge", api_base=server.url, api_key="sk-none", max_concurrency=1)
        settings = {"name": "direct", "metrics": ("context_relevance",), "client": client}
        first = run(tmp_path / "r", **settings)
        assert (first.summary.scored, first.summary.failed) == (3, 1)
        assert first.summary.reasons == {"bad_request": 1}
        asked = len(server.requests)
        second = run(tmp_path / "r", **settings)
        assert (second.summary.scored, kept_before(second)) == (4, 3)
        assert len(server.requests) == asked + 1
    judged = [judgment.item for judgment in JudgeFolder(tmp_path / "r").judgments()]
    assert judged == [item.id for item in demo()[:4]]


@pytest.mark.parametrize("spoil", ["cut", "binary line"])
def test_a_spoiled_judgments_file_is_mended(tmp_path: Path, spoil: str) -> None:
    run(tmp_path / "r")
    out = JudgeFolder(tmp_path / "r")
    before, lines = said(out.judgments()), out.judgments_file.read_bytes().splitlines(keepends=True)
    last = {"cut": lines[3][:200], "binary line": b"\0\0\0\xff\n"}[spoil]
    out.judgments_file.write_bytes(b"".join(lines[:3]) + last)
    outcome = run(tmp_path / "r")
    assert kept_before(outcome) == 3
    assert outcome.summary.usage.recorded == 4  # the four calls of the item that was judged again
    assert said(out.judgments()) == before


@pytest.mark.parametrize("damage", ["cut", "another text", "gone"])
def test_damaged_items_are_named_and_written_again(tmp_path: Path, damage: str) -> None:
    run(tmp_path / "r")
    out = JudgeFolder(tmp_path / "r")
    whole, before = out.items_file.read_bytes(), said(out.judgments())
    out.items_file.unlink()
    if damage != "gone":
        damaged = {"cut": whole[:-30], "another text": whole.replace(b"animal", b"animol", 1)}
        out.items_file.write_bytes(damaged[damage])
    out.judgments_file.unlink()
    assert run(tmp_path / "r").summary.total == 4
    assert out.items_file.read_bytes() == whole
    assert said(out.judgments()) == before


def test_items_that_change_between_check_and_run_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(item_source, "KEPT", 0)
    plan = execution(tmp_path / "r", write_items(tmp_path / "items.jsonl", demo()[:3]))
    write_items(tmp_path / "items.jsonl", demo()[:2])
    with pytest.raises(DeclarationError, match="has changed since it was checked"):
        execute(plan)
    assert {file.name for file in (tmp_path / "r").iterdir()} <= {".lock"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"metrics": ("groundedness",)}, "metrics"),
        ({"samples": 2}, "What differs: prompts, options or model settings"),
        ({"items": demo()[:3]}, "What differs: items"),
    ],
)
def test_another_run_in_the_same_folder_is_refused(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    run(tmp_path / "r")
    before = {
        file: file.read_bytes() for file in (tmp_path / "r").iterdir() if file.suffix in (".json", ".jsonl")
    }
    with pytest.raises(DeclarationError) as caught:
        run(tmp_path / "r", **change)
    assert words in str(caught.value)
    assert "--overwrite" in str(caught.value)
    assert {file: file.read_bytes() for file in before} == before


def test_after_a_kill_nothing_tells_of_an_earlier_stop(tmp_path: Path) -> None:
    """What a stop leaves is no longer so once the run goes on: only judgments that are kept are counted then."""
    folder = JudgeFolder(tmp_path / "r")
    run(folder.path)
    whole = folder.summary()
    lines = folder.judgments_file.read_text(encoding="utf-8").splitlines(keepends=True)
    folder.judgments_file.write_text("".join(lines[:1]), encoding="utf-8")
    folder.scores_file.unlink()
    stopped = whole.model_copy(update={"outstanding": 3})
    folder.summary_file.write_text(stopped.model_dump_json(), encoding="utf-8")

    def killed(*told: object) -> None:
        assert not folder.summary_file.exists()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execute(execution(folder.path), watch=watching(start=killed))
    left = whole.total - 1
    with pytest.raises(DeclarationError, match=f"{left} items? ha(s|ve) no judgment yet"):
        folder.summary()
    assert run_entry(folder.path).state == "not finished"

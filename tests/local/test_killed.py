"""`conqret debateqa score --metric perspective-diversity` killed at several moments, and run again."""

import json
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from tests.needed import Needed
from tests.runs.killed import Forks, ended, kill

Needed("torch", reason="the extra perplexity is not installed: torch is missing")

ANSWERS, PARTIAL = 60, 2
KILLED_AT = 45
"""Rows in the file when the kill comes."""


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def written(path: Path, records: list[dict]) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a fork is needed")
def test_nothing_is_scored_twice_after_kills(folder, neural_forks: Forks, tmp_path: Path):
    partial = [
        [{"point_of_view": f"View {n}.{m}", "explanation": "So it is."} for m in range(PARTIAL)]
        for n in range(ANSWERS)
    ]
    rows = [{"id": str(n), "question": "Why?", "partial_answers": partial[n]} for n in range(ANSWERS)]
    questions = written(tmp_path / "debateqa.jsonl", rows)
    rows = [{"id": str(n), "generation": f"{n} " * (1 + n % 30)} for n in range(ANSWERS)]
    answers = written(tmp_path / "answers.jsonl", rows)
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    scored = ("debateqa", "score", "--metric", "perspective-diversity", answers, "--references", questions)
    command = (*scored, "--backbone", folder("gpt2"), "--quiet")
    number, until = neural_forks.start(*command, "-o", killed), time.monotonic() + 60
    while lines(killed / "rows.jsonl") < KILLED_AT:
        assert not ended(number)
        assert time.monotonic() < until
        time.sleep(0.002)
    kill(number)
    assert neural_forks.end(number) == -signal.SIGKILL
    assert KILLED_AT <= lines(killed / "rows.jsonl") < ANSWERS * PARTIAL
    assert not (killed / "scores.parquet").exists()  # no table before the last row
    for place in (killed, whole):
        assert neural_forks.run(*command, "-o", place) == 0

    for place in (killed, whole):
        *rows, rest = (place / "rows.jsonl").read_bytes().split(b"\n")
        assert rest == b""
        keys = Counter(json.loads(row)["key"] for row in rows)
        assert len(keys) == ANSWERS * PARTIAL
        assert set(keys.values()) == {1}
        assert [one.name for one in place.glob(".scores*")] == []
    first, second = (pl.read_parquet(place / "scores.parquet") for place in (killed, whole))
    assert first.drop("value").equals(second.drop("value"))
    assert first["value"].to_list() == pytest.approx(second["value"].to_list(), rel=1e-5)

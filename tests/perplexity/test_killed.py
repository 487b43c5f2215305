"""`conqret debateqa score perspective-diversity` killed at several moments, and run again."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from tests.needed import Needed

Needed("torch", reason="the extra perplexity is not installed: torch is missing")

ANSWERS, PARTIAL = 200, 2
KILLED_AT = (1, 90, 260)
"""Rows in the file when the kill comes: in the first step, within the first contexts read ahead, and late."""

KILLER = """
import os, signal, sys, time
from pathlib import Path

import polars, torch, transformers  # once, for all children
from transformers import AutoModelForCausalLM, AutoTokenizer, GPT2LMHeadModel
import conqret.debateqa.perspective_diversity
from conqret.cli.main import app

def child(folder, command):
    number = os.fork()
    if number == 0:
        torch.set_num_threads(1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        try:
            app([*command, "-o", folder, "--quiet"], standalone_mode=False)
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
        os._exit(0)
    return number

def lines(path):
    return path.read_bytes().count(b"\\n") if path.exists() else 0

folder, whole, moments, *command = sys.argv[1:]
for moment in map(int, moments.split(",")):
    number, until = child(folder, command), time.monotonic() + 60
    while lines(Path(folder) / "rows.jsonl") < moment:
        done, status = os.waitpid(number, os.WNOHANG)
        if done or time.monotonic() > until:
            sys.exit(f"it ended before {moment} rows stood: {status}")
        time.sleep(0.002)
    os.kill(number, signal.SIGKILL)
    assert os.waitpid(number, 0)[1] == signal.SIGKILL
    print(lines(Path(folder) / "rows.jsonl"), (Path(folder) / "scores.parquet").exists())
for place in (folder, whole):
    if os.waitpid(child(place, command), 0)[1]:
        sys.exit("a run that was not killed failed")
"""


def written(path: Path, records: list[dict]) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a fork is needed")
def test_nothing_is_scored_twice_after_kills(folder, tmp_path):
    partial = [[{"point_of_view": f"View {n}.{m}", "explanation": "So it is."} for m in range(PARTIAL)]
               for n in range(ANSWERS)]  # fmt: skip
    questions = written(
        tmp_path / "debateqa.jsonl",
        [{"id": str(n), "question": "Why?", "partial_answers": partial[n]} for n in range(ANSWERS)],
    )
    answers = written(
        tmp_path / "answers.jsonl",
        [{"id": str(n), "generation": f"{n} " * (1 + n % 30)} for n in range(ANSWERS)],
    )
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    done = subprocess.run(
        [sys.executable, "-c", KILLER, str(killed), str(whole), ",".join(map(str, KILLED_AT)),
         "debateqa", "score", "perspective-diversity", answers, "--references", questions, "--backbone", folder("gpt2"),
         "--token-budget", "512"],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    stood = [line.split() for line in done.stdout.splitlines()]
    assert [table for _, table in stood] == ["False"] * len(KILLED_AT)  # no table before the last row
    assert all(
        moment <= int(rows) < ANSWERS * PARTIAL for moment, (rows, _) in zip(KILLED_AT, stood, strict=True)
    )

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

"""Whoever looks at a stranger's run loads no model, and opens no connection."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import conqret
from tests.runs.killed import ROOT

HUB = "some-org/some-model"
NO_WAY_OUT = """
import socket, sys

def refuse(*given, **more):
    open({mark!r}, "a").write(repr(given) + "\\n")
    raise OSError("no connection may be opened here")

socket.socket.connect = refuse
socket.socket.connect_ex = refuse
socket.getaddrinfo = refuse

import atexit
atexit.register(lambda: "torch" in sys.modules and open({mark!r}, "a").write("loads torch"))
from conqret.cli.main import main
sys.argv = ["conqret", *sys.argv[1:]]
main()
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("strangers")
    conqret.judge(ROOT / "fixtures/demo/items.jsonl", format="direct", output=folder / "mine")
    return folder


def named(runs: Path, model: str) -> Path:
    """The run with another model's name in its record, as a stranger can write it."""
    copy = runs / re.sub(r"\W+", "-", model)
    if not copy.exists():
        copy.mkdir()
        for file in (runs / "mine").iterdir():
            if file.suffix in {".json", ".jsonl", ".parquet", ".sqlite"}:
                (copy / file.name).write_bytes(file.read_bytes())
        record = json.loads((copy / "run.json").read_text())
        record["model"] = model
        if model.startswith("local/"):
            record["format"] = "likelihood"  # which a model that is read can answer
        (copy / "run.json").write_text(json.dumps(record))
    return copy


LOOKS = (
    ("show", "{run}", "voting-age-pro"),
    ("report", "{run}"),
    ("diff", "{mine}", "{run}"),
    ("validate", "{run}", "--labels", "fixtures/demo/labels.jsonl"),
    ("compare", "{mine}", "{run}", "--labels", "fixtures/demo/labels.jsonl"),
    ("methods", "{run}"),
    ("runs", "list", "{runs}"),
    ("recordings", "stats", "{run}"),
    ("judge", "fixtures/demo/items.jsonl", "--replay", "{run}", "-o", "{run}-again"),
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "model"),
    [
        *((command, f"local/{HUB}") for command in LOOKS),
        *((command, f"reward/{HUB}") for command in LOOKS if command[0] in {"show", "report", "judge"}),
        (LOOKS[0], f"local/{HUB}@0123456789ab"),
    ],
    ids=lambda given: given if isinstance(given, str) else given[0],
)
def test_looking_at_a_run_asks_nobody(
    runs: Path, command: tuple[str, ...], model: str, tmp_path: Path
) -> None:
    run, mark = named(runs, model), tmp_path / "mark"
    words = [word.format(run=run, mine=runs / "mine", runs=runs) for word in command]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HF_TOKEN": "hf_the_readers_own", "HF_HUB_OFFLINE": "0",
           "TRANSFORMERS_OFFLINE": "0"}  # fmt: skip
    code = NO_WAY_OUT.format(mark=str(mark))
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert not mark.exists(), mark.read_text()
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 1, 2), done.stderr

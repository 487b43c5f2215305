"""``conqret debate tune`` killed (SIGKILL) at several moments, and given again: the weights of a run left alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.debate.tunable import ROWS, save_model, write_rows
from tests.runs.killed import ROOT
from tests.torture.effort import times

KILLER = """
import os, random, signal, sys, time
from pathlib import Path

import peft, torch, transformers, trl  # once, for all children
import conqret.debate.debatune.debater_training, conqret.debate.debatune.tune_debater_command
from conqret.cli.main import main

def child(folder):
    number = os.fork()
    if number == 0:
        torch.set_num_threads(1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.argv = ["conqret", *command, "-o", folder, "--quiet"]
        try:
            main()
        except SystemExit as end:
            os._exit(end.code or 0)
        os._exit(0)
    return number

whole, killed, times, *command = sys.argv[1:]
began = time.monotonic()
assert os.waitpid(child(whole), 0)[1] == 0
took = time.monotonic() - began
draw = random.Random(13)
for place in range(int(times)):
    number = child(killed)
    time.sleep(took * (place + draw.random()) / int(times))
    os.kill(number, signal.SIGKILL)
    print(os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child(killed), 0)[1]))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a fork is needed")
def test_a_training_that_is_killed_ends_with_the_same_weights(tmp_path: Path) -> None:
    model = save_model(tmp_path / "model", chat=True)
    rows = write_rows(tmp_path / "rows.jsonl", ROWS)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    command = [
        "debate",
        "tune",
        str(rows),
        "--model",
        str(model),
        "--epochs",
        "4",
        "--batch-size",
        "2",
        "--save-every",
        "2",
        "--learning-rate",
        "0.01",
    ]
    done = subprocess.run(
        [sys.executable, "-c", KILLER, str(whole), str(killed), str(times(2, 12)), *command],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert "-9" in done.stdout.split()
    files = {file.relative_to(whole) for file in (whole / "model").rglob("*") if file.is_file()}
    assert files == {file.relative_to(killed) for file in (killed / "model").rglob("*") if file.is_file()}
    for name in files:
        if name.suffix == ".safetensors":
            assert (whole / name).read_bytes() == (killed / name).read_bytes()
    assert (whole / "training.json").exists() == (killed / "training.json").exists()

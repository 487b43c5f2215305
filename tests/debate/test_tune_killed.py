"""``conqret debate tune`` killed (SIGKILL) at several moments, and given again: the weights of a run left alone."""

from __future__ import annotations

import random
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.debate.tunable import ROWS, save_model, write_rows
from tests.runs.killed import Forks, kill
from tests.torture.effort import times


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a fork is needed")
def test_a_training_that_is_killed_ends_with_the_same_weights(neural_forks: Forks, tmp_path: Path) -> None:
    model = save_model(tmp_path / "model", chat=True)
    rows = write_rows(tmp_path / "rows.jsonl", ROWS)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    command = [
        *("debate", "tune", str(rows), "--model", str(model), "--epochs", "2", "--batch-size", "2"),
        *("--learning-rate", "0.01"),
    ]
    began = time.monotonic()
    assert neural_forks.run(*command, "-o", whole, "--quiet") == 0
    took, draw, codes = time.monotonic() - began, random.Random(13), []
    count, place = times(1, 12), 0
    while place < count and len(codes) < 4 * count:
        number = neural_forks.start(*command, "-o", killed, "--quiet")
        time.sleep(took * (place + draw.random()) / count)
        kill(number)
        codes.append(neural_forks.end(number))
        if codes[-1] == 0:  # it had ended: the first training was slowed down by others on the machine
            took /= 2
            shutil.rmtree(killed)
        else:
            place += 1
    assert -signal.SIGKILL in codes
    assert neural_forks.run(*command, "-o", killed, "--quiet") == 0
    files = {file.relative_to(whole) for file in (whole / "model").rglob("*") if file.is_file()}
    assert files == {file.relative_to(killed) for file in (killed / "model").rglob("*") if file.is_file()}
    for name in files:
        if name.suffix == ".safetensors":
            assert (whole / name).read_bytes() == (killed / name).read_bytes()

"""What trainings share: from where one that was stopped goes on, folders that appear whole, and silence."""

from __future__ import annotations

import json
import logging
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conqret.io.bounded import whole_bytes
from conqret.local.models import no_bars

STATE = "trainer_state.json"
"""What the trainer writes last into a checkpoint: one without it was being written when the run was killed."""


def last_checkpoint(folder: Path) -> Path | None:
    """The last whole checkpoint; what was being written when the run was killed goes."""
    whole_ones = []
    for one in folder.glob("checkpoint-*"):
        try:
            json.loads(whole_bytes(one / STATE))
            whole_ones.append(one)
        except (OSError, ValueError):
            shutil.rmtree(one)
    return max(whole_ones, key=lambda one: int(one.name.rpartition("-")[2]), default=None)


@contextmanager
def whole(target: Path, beside: Path) -> Iterator[Path]:
    """A folder in ``beside`` to write into, which takes the place of ``target`` in the end."""
    part = beside / target.name
    for old in (part, target):
        shutil.rmtree(old, ignore_errors=True)
    yield part
    part.replace(target)


@contextmanager
def quiet() -> Iterator[None]:
    """Errors alone: what the libraries remark on their own defaults, and their bars, would stand between ours."""
    loggers = [logging.getLogger(name) for name in ("transformers", "trl", "accelerate", "peft")]
    levels = [one.level for one in loggers]
    for one in loggers:
        one.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), no_bars():
            warnings.simplefilter("ignore")
            yield
    finally:
        for one, level in zip(loggers, levels, strict=True):
            one.setLevel(level)

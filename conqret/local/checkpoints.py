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
    for checkpoint in folder.glob("checkpoint-*"):
        try:
            json.loads(whole_bytes(checkpoint / STATE))
            whole_ones.append(checkpoint)
        except (OSError, ValueError):
            shutil.rmtree(checkpoint)
    return max(whole_ones, key=lambda whole_one: int(whole_one.name.rpartition("-")[2]), default=None)


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
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), no_bars():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)

"""How long the attacks go on: short where all tests run, and at full length under ``make torture``."""

from __future__ import annotations

import os

FULL = bool(os.environ.get("CONQRET_TORTURE"))


def times(few: int, many: int) -> int:
    """``few``, or ``many`` at full length."""
    return many if FULL else few

"""The time by which answers are timed: that of the wall where it begins, and from then on one that nobody sets."""

from __future__ import annotations

import time
from collections.abc import Callable


def steady() -> Callable[[], float]:
    """Make a clock, in Unix seconds, that runs on evenly when the clock of the machine is set, also while it sleeps."""
    began, since = time.time(), _elapsed()
    return lambda: began + _elapsed() - since


def _elapsed() -> float:
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()

"""That numbers are those of the offline baseline, for the heads of pages."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.errors import number

OFFLINE = "Offline baseline"
FLOOR = "a floor, not a judge: these numbers come from word statistics."


def floor_badges(baselines: Sequence[bool]) -> list[tuple[str, str]]:
    """A badge where some of the judges or runs whose numbers stand on a page are the offline baseline."""
    floors = sum(baselines)
    if not floors:
        return []
    if floors == len(baselines):
        return [(OFFLINE, FLOOR)]
    is_floor, its = ("is a floor", "its") if floors == 1 else ("are floors", "their")
    told = f"{number(floors, 'judge')} of {len(baselines)} here {is_floor}: {its} numbers come from word statistics."
    return [(OFFLINE, told)]

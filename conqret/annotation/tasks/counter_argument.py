"""counter-argument: how well a counter-argument answers an argument, by the rubric of Parrish et al. 2022 (Table 3).

The items are two-turn debates, and each counter-argument is a screen.
"""

from __future__ import annotations

from pathlib import Path

from conqret.annotation.formats import format_task
from conqret.annotation.task import AnnotationTask
from conqret.data import Item
from conqret.debate.rubric import FORMAT, counter_items
from conqret.io.two_turn import read_two_turn
from conqret.judging.registry import JUDGES


def items(path: Path) -> tuple[Item, ...]:
    """An item for each counter-argument. Raises what :func:`read_two_turn` and :func:`counter_items` do."""
    return counter_items(read_two_turn(path))


TASK = AnnotationTask(
    FORMAT,
    "rate how well a counter-argument answers an argument",
    lambda item, wanted: format_task(JUDGES[FORMAT]).screens(item, wanted),
    reads=items,
)

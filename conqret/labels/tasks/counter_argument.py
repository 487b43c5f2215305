"""counter-argument: how well a counter-argument answers an argument, by the rubric of Parrish et al. 2022 (Table 3).

The items are two-turn debates, and each counter-argument is a screen.
"""

from __future__ import annotations

from pathlib import Path

from conqret.data import Item
from conqret.debate.two_turn.rubric import FORMAT, counter_items
from conqret.debate.two_turn.two_turn_files import read_two_turn
from conqret.judging.judge_parts import JUDGES
from conqret.labels.task import AnnotationTask
from conqret.labels.task_formats import format_task


def items(path: Path) -> tuple[Item, ...]:
    """An item for each counter-argument. Raises what :func:`read_two_turn` and :func:`counter_items` do."""
    return counter_items(read_two_turn(path))


TASK = AnnotationTask(
    FORMAT,
    "rate how well a counter-argument answers an argument",
    lambda item, wanted: format_task(JUDGES[FORMAT]).screens(item, wanted),
    reads=items,
)

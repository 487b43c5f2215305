"""What the drivers of all libraries share: simulated judges in, alarms out. It runs in each library's environment, with
the standard library alone.

    python with_NAME.py < SETS

A line for each data set comes in, and one goes out: for position and for length whether the library raises an alarm, or
null where it says nothing.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

POSITION, LENGTH = "position", "length"

Orders = Sequence[tuple[bool, bool]]
"""For each pair, whether the first place wins: as it is given, and with the two in each other's place."""


@dataclass(frozen=True)
class SimulatedVerdicts:
    """What a judge said: of each pair; of the padded argument and its rival; of the argument as it is and the padded
    one; as a score in [0, 1] of the argument and of the padded one. ``people`` find the argument better. Only ``pairs``
    and ``people`` are there where the position alone is asked for."""

    seed: int
    pairs: Orders
    padded: Orders
    itself: Orders
    scores: Sequence[tuple[float, float]]
    people: Sequence[bool]

    @property
    def position_alone(self) -> bool:
        """Whether nothing was judged but the pairs."""
        return not self.padded


Alarms = dict[str, bool | None]


def answer(audit: Callable[[SimulatedVerdicts], Alarms]) -> None:
    """Audit each judge of the standard input."""
    for line in sys.stdin:
        sys.stdout.write(json.dumps(audit(SimulatedVerdicts(**json.loads(line)))) + "\n")
        sys.stdout.flush()


def texts(number: int) -> tuple[str, str, str]:
    """A question, an argument and its rival, which are equally long."""
    return f"Question {number:04}?", f"It is right, reason {number:04}.", f"It is wrong, cause {number:04}."

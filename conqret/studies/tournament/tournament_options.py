"""How a tournament is held: the options, each declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from conqret.errors import DeclarationError
from conqret.options import Within, check_ranges
from conqret.stats.pair_design import Design


@dataclass(frozen=True, slots=True)
class TournamentOptions:
    """Which items are compared with which, and how often.

    Pairs:
        by: What items must have in common to be compared with each other: `topic`, `stance`, a metadata field, or
            several, comma-separated. Items of different topics are never compared.
        design: How pairs of items are chosen for comparison: `adaptive` (first at random, then those whose result is
            expected to tell most about the ranking), `random` (each item equally often) or `exhaustive` (every pair).
        comparisons: How many comparisons each item takes part in, on average. Has no effect with `--design exhaustive`,
            which compares every pair.
        both_orders: Compare each pair in both orders.
        reliability: Stop after the round in which the scale separation reliability reaches this value (0 to 1).
        top: Stop comparing items of a topic as soon as its best items, this many, are known with a probability
            of 95%.
        system: The field of the items' metadata that names the system that an item is from. Default: `run_id`, else
            `system`, where all items have it.

    Raises:
        DeclarationError: a value is out of its range.
    """

    by: str = "topic"
    design: Design = "adaptive"
    comparisons: Annotated[float, Within(1)] = 4.0
    both_orders: bool = False
    reliability: Annotated[float | None, Within(0, 1)] = None
    top: Annotated[int | None, Within(1)] = None
    system: str | None = None

    def __post_init__(self) -> None:
        check_ranges(self)
        if not self.fields:
            raise DeclarationError("--by names what items share: topic, stance or a field of their metadata")

    @property
    def stops_early(self) -> bool:
        """Whether it may end before all comparisons are made."""
        return self.reliability is not None or self.top is not None

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields by which items are grouped."""
        return tuple(name for part in self.by.split(",") if (name := part.strip()))

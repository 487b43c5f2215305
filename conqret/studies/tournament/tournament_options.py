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
        by: What items share that are compared with each other: `topic`, `stance`, a field of their metadata, or several
            with commas. Items are only ever compared within one topic.
        design: Which pairs are compared. `adaptive`: random ones until strengths are sure to differ, then those
            expected to teach most of the ranks. `random`: each item as often as any other. `exhaustive`: every pair.
        comparisons: Comparisons per item, on average (a comparison is of two items). No effect on `exhaustive`.
        both_orders: Compare each pair in both orders.
        reliability: Stop after the round in which the scale separation reliability reaches this value (0 to 1).
        top: Compare no more items of a group once its best ones, so many, are known with the probability of
            `--confidence`.
        confidence: The probability with which the best items have to be known (`--top`), from 0.5 to 1.
        ordered: Compare no more items of a group once this share of its pairs of items (0.5 to 1) is expected to stand
            in the right order.
        ratings: What is known of the items before: a finished run of a judge over them, of which each item's mean score
            is taken, or a field of their metadata. Items with higher ratings are expected to be stronger; by how much,
            the comparisons say.
        system: The field of the items' metadata that names the system that an item is from. Default: `run_id`, else
            `system`, where all items have it.
        pair_seed: The seed of the pairs.

    Raises:
        DeclarationError: a value is out of its range.
    """

    by: str = "topic"
    design: Design = "adaptive"
    comparisons: Annotated[float, Within(1)] = 4.0
    both_orders: bool = False
    reliability: Annotated[float | None, Within(0, 1)] = None
    top: Annotated[int | None, Within(1)] = None
    confidence: Annotated[float, Within(0.5, 1)] = 0.95
    ordered: Annotated[float | None, Within(0.5, 1)] = None
    ratings: str | None = None
    system: str | None = None
    pair_seed: Annotated[int, Within(0)] = 13

    def __post_init__(self) -> None:
        check_ranges(self)
        if not self.fields:
            raise DeclarationError("--by names what items share: topic, stance or a field of their metadata")

    @property
    def stops_early(self) -> bool:
        """Whether it may end before all comparisons are made."""
        return any(rule is not None for rule in (self.reliability, self.top, self.ordered))

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields by which items are grouped."""
        return tuple(name for part in self.by.split(",") if (name := part.strip()))

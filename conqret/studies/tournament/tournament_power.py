"""How many comparisons a tournament needs: simulated before anything is paid for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conqret.errors import DeclarationError, strict_options
from conqret.show.charts import Chart, ChartLine, Point
from conqret.show.report_page import ReportPage, Section
from conqret.show.table import Column, Table
from conqret.stats.comparative_judgment import MAX_ITEMS, MOST_CELLS, compared_strengths
from conqret.stats.pair_design import GroupPairs, round_sizes
from conqret.stats.strength_posterior import PairOutcomes
from conqret.studies.tournament.item_groups import Design

MAX_SPREAD = 10.0
"""The largest spread of strengths: those over which the estimate of a tournament averages reach further."""


@dataclass(frozen=True, slots=True)
class SimulatedJudge:
    """A simulated judge that compares items by their strengths.

    ``spread`` is the standard deviation of strengths (log-odds). ``position`` is the share above one half
    that the first of two equal items gets. ``ties`` is the share of ties between equal items.

    Raises:
        DeclarationError: a number is out of its range.
    """

    spread: float = 2.0
    position: float = 0.0
    ties: float = 0.0

    def __post_init__(self) -> None:
        for name, value, within, wanted in (
            ("spread", self.spread, 0 <= self.spread <= MAX_SPREAD, f"from 0 to {MAX_SPREAD:g}"),
            ("position", self.position, -0.5 < self.position < 0.5, "between -0.5 and 0.5"),
            ("ties", self.ties, 0 <= self.ties < 1, "from 0 to below 1"),
        ):
            if not within:
                raise DeclarationError(f"{name} is {value:g}, but it must be {wanted}")

    @property
    def position_effect(self) -> float:
        """What being shown first adds to the log-odds."""
        return math.log((0.5 + self.position) / (0.5 - self.position))

    def outcomes(self, differences: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        """Simulate the outcomes (0, 0.5 or 1) of pairs with these differences in strength."""
        eta = differences + self.position_effect
        weight = 2 * self.ties / (1 - self.ties)  # between equals a tie against a win and a loss
        parts = np.stack([np.exp(-eta / 2), np.full_like(eta, weight), np.exp(eta / 2)])
        ends = (parts / parts.sum(axis=0)).cumsum(axis=0)
        return np.asarray((rng.random(len(eta)) >= ends[:2]).sum(axis=0) / 2)


def simulated_reliability(
    judge: SimulatedJudge,
    groups: int,
    size: int,
    comparisons: float,
    design: Design,
    rng: np.random.Generator,
) -> dict[float, float]:
    """Simulate one tournament of ``groups`` with ``size`` items each, with at most ``comparisons``
    comparisons per item.

    Returns:
        The scale separation reliability (0 to 1) after each round, by the number of comparisons per item so far;
        0 where it is not defined.
    """
    truth = rng.normal(0, judge.spread, (groups, size))
    truth -= truth.mean(axis=1, keepdims=True)
    pairs = [GroupPairs(size, [int(rng.integers(2**32))]) for _ in range(groups)]
    made = np.zeros((4, 0))
    fit = compared_strengths(PairOutcomes.from_rows([size] * groups, *made))
    reliabilities = {}
    for count in round_sizes(size, comparisons):
        rows = [
            (number, *pair)
            for number, each in enumerate(pairs)
            for pair in (
                each.informative(count, fit, number) if design == "adaptive" else each.at_random(count)
            )
        ]
        new = np.array(rows).T
        differences = truth[new[0], new[1]] - truth[new[0], new[2]]
        made = np.hstack([made, [*new, judge.outcomes(differences, rng)]])
        fit = compared_strengths(PairOutcomes.from_rows([size] * groups, *made))
        reliabilities[2 * made.shape[1] / (groups * size)] = fit.reliability() or 0.0
    return reliabilities


RELIABLE = 0.8
"""The reliability that comparative judgment requires by convention."""
DESIGNS: tuple[Design, ...] = ("adaptive", "random")
"""Which pairs are compared."""
TIES = 0.1
"""The share of ties between equals."""


@dataclass(frozen=True, slots=True)
class PlannedTournament:
    """The simulated reliability of tournaments with groups of ``items``.

    ``after`` maps the number of comparisons per item to the mean reliability, for this ``design``.
    """

    items: int
    design: Design
    after: Mapping[float, float]


@strict_options
def power_tournament(
    *,
    items: Sequence[int] = (8, 20),
    comparisons: float = 8,
    topics: int = 10,
    spread: float = 2.0,
    simulations: int = 10,
    seed: int = 13,
    on_cell: Callable[[], object] = lambda: None,
) -> tuple[PlannedTournament, ...]:
    """Simulate the reliability of a tournament by the number of comparisons, with adaptive and with random
    pairs.

    Args:
        items: numbers of items per topic.
        comparisons: the largest number of comparisons per item.
        topics: the number of topics of one tournament; all have as many items.
        spread: the standard deviation of the true strengths (log-odds). The better of two items is preferred
            in about 73% of pairs with 1, in 83% with 2, and in 91% with 4.
        simulations: the number of tournaments of each kind.
        seed: the seed of the simulations.
        on_cell: called after each number of items.

    Returns:
        One plan for each number of items and design.

    Raises:
        DeclarationError: a number is out of range.
    """
    largest = max(items, default=2)
    for name, low, high, values in (
        ("items", 2, MAX_ITEMS, items),
        ("comparisons", 1, math.inf, [comparisons]),
        ("topics", 1, MOST_CELLS // largest**2, [topics]),
        ("simulations", 1, math.inf, [simulations]),
    ):
        if wrong := [value for value in values if not low <= value <= high or math.isinf(value)]:
            limit = f"at least {low}" if math.isinf(high) else f"from {low} to {high}"
            beside = f" with {largest} items" if name == "topics" else ""
            raise DeclarationError(f"{name} is {wrong[0]:g}; it must be {limit}{beside}")
    judge = SimulatedJudge(spread, ties=TIES)
    planned = []
    for size in items:
        for design in DESIGNS:
            rng = np.random.default_rng([seed, size])
            simulated = [
                simulated_reliability(judge, topics, size, comparisons, design, rng)
                for _ in range(simulations)
            ]
            after = {count: sum(each[count] for each in simulated) / simulations for count in simulated[0]}
            planned.append(PlannedTournament(size, design, after))
        on_cell()
    return tuple(planned)


def power_answer(planned: Sequence[PlannedTournament]) -> list[str]:
    """Return for each number of items a sentence on how many comparisons a reliability of 0.8 needs."""
    sentences = []
    for size, designs in _by_items(planned):
        needed = []
        for each in designs:
            enough = [count for count, reliability in each.after.items() if reliability >= RELIABLE]
            most = max(each.after)
            needed.append(
                f"{each.design} pairs {f'{min(enough):.1f}' if enough else f'more than {most:.1f}'}"
            )
        lead = f"With {size} items a topic, a reliability of {RELIABLE:g} takes comparisons an item"
        sentences.append(f"{lead}: {', '.join(needed)}.")
    return sentences


def tournament_power_page(planned: Sequence[PlannedTournament], simulations: int, seed: int) -> ReportPage:
    """Return the report page: reliability by comparisons per item, with the target reliability."""
    charts = [_chart(size, designs) for size, designs in _by_items(planned)]
    tables = power_tables(planned, simulations)
    return ReportPage(
        "power",
        "How many comparisons does a tournament need?",
        [Section("Reliability", [*charts[1:], *tables])],
        answer=power_answer(planned),
        picture=charts[:1],
        how_to_read=[
            "Tournaments are simulated, and strengths estimated as `conqret tournament` does. Adaptive pairs are those "
            "that are expected to tell most; of random pairs each item has equally many."
        ],
        facts=[("Simulated tournaments of each kind", f"{simulations:,}"), ("Seed", str(seed))],
    )


def _by_items(planned: Sequence[PlannedTournament]) -> Iterator[tuple[int, list[PlannedTournament]]]:
    for size in dict.fromkeys(each.items for each in planned):
        yield size, [each for each in planned if each.items == size]


def _chart(size: int, designs: Sequence[PlannedTournament]) -> Chart:
    lines = [
        ChartLine(f"{each.design} pairs", [Point(*reached) for reached in each.after.items()])
        for each in designs
    ]
    ends = [point.x for line in lines for point in line.points]
    goal = [Point(min(ends), RELIABLE), Point(max(ends), RELIABLE)]
    lines.append(ChartLine(f"Goal: {RELIABLE:g}", goal, place=6, marked=False))
    title = f"Reliability with {size} items a topic"
    return Chart(title, "Comparisons an item", "Reliability", lines, levels=False, ends=(0.0, 1.0))


def power_tables(planned: Sequence[PlannedTournament], simulations: int) -> Iterator[Table]:
    """Yield for each number of items a table of reliability by comparisons and design."""
    many = f"Means of {simulations} simulated tournaments" if simulations > 1 else "One simulated tournament"
    for size, designs in _by_items(planned):
        rows = [(count, each.design, value) for each in designs for count, value in each.after.items()]
        yield Table(
            f"{size} items a topic",
            (Column("Comparisons an item"), Column("Pairs", "name"), "Reliability"),
            [
                (f"{count:.1f}", design, value)
                for count, design, value in sorted(rows, key=lambda row: row[0])
            ],
            note=f"{many}.",
        )

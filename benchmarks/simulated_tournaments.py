"""Tournaments of which the true strengths are known: how often intervals hold them, and how far the printed reliability
lies from the true one. Topics of 4, 8 or 20 items by four systems, whose strengths differ little or much, and a judge
with and without an effect of position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from conqret.stats.comparative_judgment import compared_strengths
from conqret.stats.pair_design import GroupPairs, round_sizes
from conqret.stats.strength_posterior import PairOutcomes
from conqret.studies.tournament.item_groups import Design
from conqret.studies.tournament.tournament_power import SimulatedJudge

TOPICS, COMPARISONS, SYSTEMS = 9, 4.0, 4
SYSTEM_SHARE = 0.3
"""What systems make of the variance of the strengths."""
TIES = 0.1


@dataclass(frozen=True, slots=True)
class TournamentCase:
    """Tournaments of one kind."""

    items: int
    spread: float
    position: float
    design: Design

    @property
    def name(self) -> str:
        """It in words."""
        return f"tournament: {self.items} items, spread {self.spread:g}, position {self.position:g}, {self.design}"


TOURNAMENTS = {
    case.name: case
    for items in (4, 8, 20)
    for spread in (0.7, 2.0, 10.0)
    for position in (0.0, 0.15)
    for design in ("random", "adaptive")
    for case in (TournamentCase(items, spread, position, design),)
}


def tournament_sample(name: str, seed: int) -> dict[str, Any]:
    """Return the share of intervals that hold the strength of an item and of a system in one tournament, and its
    reliability as printed and as it is (the squared correlation of estimates and strengths within topics)."""
    case = TOURNAMENTS[name]
    rng = np.random.default_rng([seed, case.items, round(10 * case.spread), round(100 * case.position)])
    judge = SimulatedJudge(case.spread, case.position, TIES)
    systems = np.tile(np.arange(case.items) % SYSTEMS, (TOPICS, 1))
    worth = rng.normal(0, case.spread * SYSTEM_SHARE**0.5, SYSTEMS)
    strengths = worth[systems] + rng.normal(0, case.spread * (1 - SYSTEM_SHARE) ** 0.5, systems.shape)
    pairs = [GroupPairs(case.items, [seed, topic]) for topic in range(TOPICS)]
    rows: list[tuple[int, int, int]] = []
    outcome = np.zeros(0)

    def outcomes() -> PairOutcomes:
        group, first, second = np.array(rows, dtype=int).reshape(-1, 3).T
        return PairOutcomes.from_rows([case.items] * TOPICS, group, first, second, outcome)

    for count in round_sizes(case.items, COMPARISONS):
        if case.design == "adaptive":
            fit = compared_strengths(outcomes())
            chosen = [each.informative(count, fit, topic) for topic, each in enumerate(pairs)]
        else:
            chosen = [each.at_random(count) for each in pairs]
        new = [(topic, *pair) for topic, those in enumerate(chosen) for pair in those]
        group, first, second = np.array(new).T
        new_outcomes = judge.outcomes(strengths[group, first] - strengths[group, second], rng)
        rows, outcome = rows + new, np.concatenate([outcome, new_outcomes])
    fit = compared_strengths(outcomes())
    by_system = compared_strengths(outcomes(), systems=systems).systems
    covered = [
        each.low <= value <= each.high  # type: ignore[operator]
        for each, value in zip(by_system, worth - worth.mean(), strict=True)
    ]
    centred = strengths - strengths.mean(axis=1, keepdims=True)
    return {
        "items": float(((fit.low <= centred) & (centred <= fit.high)).mean()),
        "systems": float(np.mean(covered)),
        "printed": fit.reliability(),
        "true": float(np.corrcoef(fit.strengths.ravel(), centred.ravel())[0, 1] ** 2),
        "position": float(fit.position.low <= judge.position_effect <= fit.position.high),  # type: ignore[operator]
    }

"""Systems by Perspective Diversity, Dispute Awareness and both, from their tables of scores (Table 2, Figure 3)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.debateqa.perspective_diversity import definition_of
from conqret.debateqa.score_table import (
    AWARENESS,
    DIVERSITY,
    CommonMeans,
    common_means,
    read_tables,
    reasons,
)
from conqret.errors import DeclarationError, strict_options

if TYPE_CHECKING:
    import polars as pl


SAME = 1e-12
"""Scores closer than this share a rank: they differ by rounding alone."""


def z_normalised(values: Mapping[str, float]) -> dict[str, float]:
    """``(x - mean) / sd`` with the standard deviation of the whole (divided by n); all 0 where nothing varies.

    Raises:
        DeclarationError: there is no value, or one is not finite.
    """
    if not values or not all(math.isfinite(value) for value in values.values()):
        raise DeclarationError("z-normalization needs at least one value, and finite values only")
    mean = math.fsum(values.values()) / len(values)
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values.values()) / len(values))
    if spread <= SAME * max(1.0, abs(mean)):
        return dict.fromkeys(values, 0.0)
    return {name: (value - mean) / spread for name, value in values.items()}


def weighted(diversity: Mapping[str, float], awareness: Mapping[str, float], k: float) -> dict[str, float]:
    """``k Z(1 / P.D.) + (1 - k) Z(D.A.)`` for each system (Equation 4); higher is better.

    Raises:
        DeclarationError: ``k`` is not in [0, 1], the systems differ, or a P.D. is not above 0.
    """
    if not 0 <= k <= 1:
        raise DeclarationError(f"a weight must lie between 0 and 1, not at {k}")
    if set(diversity) != set(awareness):
        lone = ", ".join(sorted(set(diversity) ^ set(awareness)))
        raise DeclarationError(f"every system needs both metrics, but {lone} lacks one")
    if any(value <= 0 for value in diversity.values()):
        raise DeclarationError("a Perspective Diversity must be above 0")
    first = z_normalised({name: 1 / value for name, value in diversity.items()})
    second = z_normalised(awareness)
    return {name: k * first[name] + (1 - k) * second[name] for name in first}


def ranks(scores: Mapping[str, float], *, lower_is_better: bool = False) -> dict[str, int]:
    """1 is best; equal scores share the better rank, and the next ones are left out (1, 2, 2, 4)."""
    sign = 1 if lower_is_better else -1
    ordered = sorted(scores, key=lambda name: sign * scores[name])
    ranks_by_name: dict[str, int] = {}
    for place, name in enumerate(ordered, start=1):
        before = ordered[place - 2] if place > 1 else None
        shared = before is not None and abs(scores[name] - scores[before]) <= SAME
        ranks_by_name[name] = ranks_by_name[before] if shared and before is not None else place
    return ranks_by_name


def normalised_ranks(columns: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """The ranks of the mean ranks over several backbones (Table 2, "Norm. Rank"), ties shared.

    Raises:
        DeclarationError: there is no column, or they are of different systems.
    """
    if not columns or any(set(column) != set(columns[0]) for column in columns):
        raise DeclarationError(
            "normalized ranks need at least one column, and the same systems in all columns"
        )
    means = {name: sum(column[name] for column in columns) / len(columns) for name in columns[0]}
    return ranks(means, lower_is_better=True)


def shown(table: Mapping[str, int]) -> dict[str, str]:
    """Ranks as Table 2 prints them: ``2=`` where several share it."""
    values = list(table.values())
    return {name: f"{rank}=" if values.count(rank) > 1 else str(rank) for name, rank in table.items()}


@dataclass(frozen=True)
class Standings:
    """``diversity`` and ``awareness`` hold for each instrument the systems' means over the questions common to all.

    Where several instruments measured a metric, the mean over them stands for it in the combination, and the ranks
    of its mean ranks beside it. ``missing`` counts the scores that are missing, by reason.

    Raises:
        DeclarationError: an instrument did not measure every system.
    """

    diversity: Mapping[str, CommonMeans]
    awareness: Mapping[str, CommonMeans]
    missing: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def mean_diversity(self) -> dict[str, float]:
        """Each system's P.D.; lower is better."""
        return _average(self.diversity)

    @cached_property
    def mean_awareness(self) -> dict[str, float]:
        """Each system's D.A., 0 to 1; higher is better."""
        return _average(self.awareness)

    @cached_property
    def diversity_ranks(self) -> dict[str, str]:
        """Normalised over the instruments (Table 2), ties shared."""
        columns = [ranks(common.means, lower_is_better=True) for common in self.diversity.values()]
        return shown(normalised_ranks(columns))

    @cached_property
    def awareness_ranks(self) -> dict[str, str]:
        """Normalised over the instruments (Table 2), ties shared."""
        return shown(normalised_ranks([ranks(common.means) for common in self.awareness.values()]))

    def combined(self, k: float) -> dict[str, float]:
        """The weighted mean of Equation 4; higher is better."""
        return weighted(self.mean_diversity, self.mean_awareness, k)


@strict_options
def rank_systems(scores: Sequence[str | Path]) -> Standings:
    """Rank systems by Perspective Diversity, Dispute Awareness, and their weighted mean (DebateQA, Equation 4).

    Args:
        scores: tables of ``conqret debateqa score``, of all systems and both metrics.

    Returns:
        The means and ranks of each metric; its ``combined(k)`` has the weighted mean, k the weight of Perspective
        Diversity.

    Raises:
        DeclarationError: as :func:`standings`, or a file cannot be read.
    """
    return standings(read_tables(scores))


def standings(table: pl.DataFrame) -> Standings:
    """The standings of all systems in ``table``.

    Raises:
        DeclarationError: a metric was not measured, or not of every system; no question was scored of all systems;
            or P.D. was computed by both definitions, whose figures have nothing in common.
    """
    result = Standings(_complete(table, DIVERSITY), _complete(table, AWARENESS), reasons(table))
    by_definition = {definition_of(name): name for name in result.diversity}
    by_definition.pop(None, None)
    if len(by_definition) > 1:
        raise DeclarationError(
            f"P.D. was computed by several definitions ({'; '.join(by_definition.values())}), whose values cannot "
            "be averaged: give the tables of one --definition"
        )
    result.combined(1.0)  # what is missing shows here
    return result


def _complete(table: pl.DataFrame, metric: str) -> dict[str, CommonMeans]:
    means = common_means(table, metric)
    for instrument, mean in means.items():
        name = instrument or "its measuring model"
        if mean.unscored:
            raise DeclarationError(
                f"no answer of {', '.join(mean.unscored)} has a {metric} by {name}: score them, or leave a table out"
            )
        if not mean.questions:
            raise DeclarationError(
                f"no question has a {metric} of all systems by {name} ({', '.join(mean.scored)}): score their answers "
                "to the same questions, or leave a table out"
            )
    return means


def _average(measured: Mapping[str, CommonMeans]) -> dict[str, float]:
    means = {instrument: common.means for instrument, common in measured.items()}
    systems = {name for mean in means.values() for name in mean}
    for instrument, mean in means.items():
        if missing := systems - set(mean):
            raise DeclarationError(
                f"{instrument} did not measure {', '.join(sorted(missing))}: leave its table out, "
                "or score these systems with it"
            )
    return {name: sum(mean[name] for mean in means.values()) / len(means) for name in sorted(systems)}

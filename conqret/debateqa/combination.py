"""One number from two metrics, and ranks that are shared where numbers are (DebateQA, Equation 4 and Table 2)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from conqret.errors import DeclarationError

SAME = 1e-12
"""Scores closer than this share a rank: they differ by rounding alone."""


def z_normalised(values: Mapping[str, float]) -> dict[str, float]:
    """``(x - mean) / sd`` with the standard deviation of the whole (divided by n); all 0 where nothing varies.

    Raises:
        DeclarationError: there is no value, or one is not finite.
    """
    if not values or not all(math.isfinite(value) for value in values.values()):
        raise DeclarationError("z-normalisation needs finite values, one at least")
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
        raise DeclarationError(f"a weight lies between 0 and 1, not at {k}")
    if set(diversity) != set(awareness):
        lone = ", ".join(sorted(set(diversity) ^ set(awareness)))
        raise DeclarationError(f"both metrics are needed of every system; one is missing of {lone}")
    if any(value <= 0 for value in diversity.values()):
        raise DeclarationError("a Perspective Diversity is above 0")
    first = z_normalised({name: 1 / value for name, value in diversity.items()})
    second = z_normalised(awareness)
    return {name: k * first[name] + (1 - k) * second[name] for name in first}


def ranks(scores: Mapping[str, float], *, lower_is_better: bool = False) -> dict[str, int]:
    """1 is best; equal scores share the better rank, and the next ones are left out (1, 2, 2, 4)."""
    sign = 1 if lower_is_better else -1
    ordered = sorted(scores, key=lambda name: sign * scores[name])
    found: dict[str, int] = {}
    for place, name in enumerate(ordered, start=1):
        before = ordered[place - 2] if place > 1 else None
        shared = before is not None and abs(scores[name] - scores[before]) <= SAME
        found[name] = found[before] if shared and before is not None else place
    return found


def normalised_ranks(columns: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """The ranks of the mean ranks over several backbones (Table 2, "Norm. Rank"), ties shared.

    Raises:
        DeclarationError: there is no column, or they are of different systems.
    """
    if not columns or any(set(column) != set(columns[0]) for column in columns):
        raise DeclarationError("normalised ranks need columns of the same systems, one at least")
    means = {name: sum(column[name] for column in columns) / len(columns) for name in columns[0]}
    return ranks(means, lower_is_better=True)


def shown(table: Mapping[str, int]) -> dict[str, str]:
    """Ranks as Table 2 prints them: ``2=`` where several share it."""
    values = list(table.values())
    return {name: f"{rank}=" if values.count(rank) > 1 else str(rank) for name, rank in table.items()}

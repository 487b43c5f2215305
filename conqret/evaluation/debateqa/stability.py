"""Do rankings stay the same under another backbone or prompt? Kendall's tau by pairs (DebateQA, Figures 9 to 11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from conqret.errors import DeclarationError
from conqret.stats.correlation import kendall
from conqret.stats.estimate import Estimate


@dataclass(frozen=True, slots=True)
class TauMatrix:
    """``taus`` holds Kendall's tau-b for each pair of ``names``, the first before the second."""

    names: tuple[str, ...]
    items: int
    taus: Mapping[tuple[str, str], Estimate]

    def value(self, one: str, other: str) -> float | None:
        """The tau of two names in any order; 1 of a name with itself; None where it is not defined."""
        if one == other:
            return 1.0
        return self.taus[(one, other) if (one, other) in self.taus else (other, one)].value


def tau_matrix(scores: Mapping[str, Mapping[str, float]]) -> TauMatrix:
    """Compare ``scores[setting][item]`` of two and more settings over the items that all have.

    Raises:
        DeclarationError: there are fewer than two settings, or fewer than two common items.
    """
    names = tuple(scores)
    common = sorted(set.intersection(*(set(one) for one in scores.values()))) if names else []
    if len(names) < 2 or len(common) < 2:
        raise DeclarationError(
            "a comparison of rankings needs two settings and two items that both have, at least"
        )
    series = {name: [scores[name][item] for item in common] for name in names}
    taus = {
        (one, other): kendall(series[one], series[other])
        for place, one in enumerate(names)
        for other in names[place + 1 :]
    }
    return TauMatrix(names, len(common), taus)

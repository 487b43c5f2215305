"""Statistics by the groups of a suite's items (sides of debates, data sets, systems)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conqret.suites.suite import Compute, SuiteVerdicts


def over_groups(compute: Compute) -> Compute:
    """The mean of a statistic over the groups in which it is defined."""

    def mean(verdicts: SuiteVerdicts) -> float:
        values = [compute(part) for part in by_group(verdicts).values()]
        defined = [value for value in values if not math.isnan(value)]
        return math.fsum(defined) / len(defined) if defined else math.nan

    return mean


def system_means(verdicts: SuiteVerdicts) -> tuple[list[float], list[float]]:
    """The mean gold and the mean verdict of each group."""
    parts = by_group(verdicts).values()
    return [float(part.gold.mean()) for part in parts], [float(part.verdicts.mean()) for part in parts]


def by_group(verdicts: SuiteVerdicts) -> dict[str, SuiteVerdicts]:
    """The verdicts of each group, in the order in which groups come first."""
    import numpy as np

    groups = np.array(verdicts.groups)
    return {name: verdicts.of(groups == name) for name in dict.fromkeys(verdicts.groups)}

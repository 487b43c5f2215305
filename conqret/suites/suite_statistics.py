"""Statistics that several suites share, as functions of :class:`conqret.suites.suite.SuiteVerdicts`, and statistics by
the groups of a suite's items (sides of debates, data sets, systems)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from conqret.stats.classification import accuracy, f1
from conqret.stats.correlation import kendall, pearson, spearman

if TYPE_CHECKING:
    from conqret.stats.estimate import Estimate
    from conqret.suites.suite import Compute, SuiteVerdicts


def preference_accuracy(verdicts: SuiteVerdicts) -> float:
    """The share of pairs whose better answer the judge prefers; a tie, or a verdict that changes with the order, is
    wrong. Pairs that the gold calls a tie take no part."""
    untied = verdicts.gold != 0.5
    right = (verdicts.verdicts - 0.5) * (verdicts.gold - 0.5) > 0
    return float(right[untied].mean()) if untied.any() else math.nan


def preference_half_ties(verdicts: SuiteVerdicts) -> float:
    """The same, but a tie counts as half: what a judge gets who then throws a coin."""
    import numpy as np

    untied = verdicts.gold != 0.5
    points = 0.5 + np.sign((verdicts.verdicts - 0.5) * (verdicts.gold - 0.5)) / 2
    return float(points[untied].mean()) if untied.any() else math.nan


def class_accuracy(verdicts: SuiteVerdicts) -> float:
    """The share of items of which the judge says what the gold says; yes is a verdict from 0.5 on."""
    return _value(accuracy(verdicts.gold, verdicts.verdicts >= 0.5)) if len(verdicts) else math.nan


def yes_f1(verdicts: SuiteVerdicts) -> float:
    """F1 of yes (1), which is a verdict from 0.5 on."""
    return _value(f1(verdicts.gold, verdicts.verdicts >= 0.5)) if len(verdicts) else math.nan


def pearson_r(verdicts: SuiteVerdicts) -> float:
    """Pearson's correlation of verdicts and gold."""
    return _value(pearson(verdicts.gold, verdicts.verdicts)) if len(verdicts) else math.nan


def spearman_rho(verdicts: SuiteVerdicts) -> float:
    """Spearman's rank correlation of verdicts and gold."""
    return _value(spearman(verdicts.gold, verdicts.verdicts)) if len(verdicts) else math.nan


def kendall_tau(verdicts: SuiteVerdicts) -> float:
    """Kendall's tau-b of verdicts and gold."""
    return _value(kendall(verdicts.gold, verdicts.verdicts)) if len(verdicts) else math.nan


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


def _value(estimate: Estimate) -> float:
    return math.nan if estimate.value is None else estimate.value

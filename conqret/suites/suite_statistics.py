"""Statistics that several suites share, as functions of :class:`conqret.suites.suite.SuiteVerdicts`, statistics by the
groups of a suite's items (sides of debates, data sets, systems), and the annotators' labels as means and as a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from conqret.stats.classification import accuracy, f1
from conqret.stats.correlation import kendall, pearson, spearman

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from conqret.stats.estimate import Estimate
    from conqret.suites.suite import Compute, SuiteVerdicts, Values


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


def mean_labels(annotations: Mapping[str, Values]) -> dict[str, float]:
    """The mean label of each item."""
    return {item: math.fsum(labels.values()) / len(labels) for item, labels in annotations.items()}


def annotator_table(
    annotations: Mapping[str, Values], ids: Sequence[str] | None = None
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """The annotators, in the order of their first label, and their labels: annotators by items, NaN for none.

    ``ids`` are the items, in their order; by default all that have labels.
    """
    import numpy as np

    columns = [annotations.get(item, {}) for item in (annotations if ids is None else ids)]
    annotators = tuple(dict.fromkeys(annotator for labels in columns for annotator in labels))
    row_of = {annotator: row for row, annotator in enumerate(annotators)}
    table = np.full((len(annotators), len(columns)), np.nan)
    for column, labels in enumerate(columns):
        for annotator, label in labels.items():
            table[row_of[annotator], column] = label
    return annotators, table

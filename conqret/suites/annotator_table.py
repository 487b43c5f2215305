"""The labels of a suite's annotators: their means, and a table for the statistics that compare annotators."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from conqret.suites.suite import Values


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

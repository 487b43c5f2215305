"""How far agreement would differ if the judge were asked again: its own noise, carried into alpha.

A score is the mean of K samples. Asked again, it would be the mean of K others, which the samples that are there stand
for: K of them are drawn with replacement, and what they differ by from the mean is widened by ``sqrt(K / (K - 1))``, as
the samples lie nearer to their own mean than to the true one. Alpha of many such runs has the standard deviation that
reruns have. An interval over topics holds this noise already, as it is drawn anew with each topic; what is computed
here says which part of its width more samples would take away.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError
from conqret.stats.agreement import Level, alphas

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

RUNS = 200
"""Runs that are drawn: the deviation of their alphas is then known to a twentieth."""
SAMPLED = 0.5
"""The share of the scores that need two samples at least, for the others count as free of noise."""


def rerun_deviation(
    repeated: ArrayLike,
    target: ArrayLike,
    level: Level,
    rng: np.random.Generator,
    *,
    place: Callable[[NDArray[np.float64]], NDArray[np.float64]] = lambda scores: scores,
    runs: int = RUNS,
) -> float | None:
    """The standard deviation of alpha between reruns of the judge on the same units.

    Args:
        repeated: scores, samples by units, in [0, 1]; NaN where there is none.
        target: the aggregated label of each unit; NaN where there is none.
        level: the level of measurement of the labels.
        rng: draws the runs.
        place: puts scores in [0, 1] onto the labels' scale.
        runs: how many runs are drawn.

    Returns:
        The deviation; None where fewer than half of the units with a label have two samples, or alpha has no value.

    Raises:
        DeclarationError: samples and labels are not of the same units.
    """
    import numpy as np

    scores, labels = np.asarray(repeated, dtype=float), np.asarray(target, dtype=float)
    if scores.ndim != 2 or labels.shape != scores.shape[1:]:
        raise DeclarationError(
            f"samples by units and a label for each, not {scores.shape} and {labels.shape}"
        )
    counts = (~np.isnan(scores)).sum(axis=0)
    both = (counts > 0) & ~np.isnan(labels)
    if not both.any() or (counts[both] > 1).mean() < SAMPLED:
        return None
    scores, labels, counts = scores[:, both], labels[both], counts[both]
    scores = np.sort(scores, axis=0)  # those that are there come first
    means = np.nansum(scores, axis=0) / counts
    most, units = scores.shape
    picks = (rng.random((runs, most, units)) * counts).astype(np.intp)
    drawn = (
        np.where(np.arange(most)[:, None] < counts, scores[picks, np.arange(units)], 0.0).sum(axis=1) / counts
    )
    widened = np.sqrt(counts / np.maximum(counts - 1, 1))
    again = np.clip(means + widened * (drawn - means), 0.0, 1.0)
    placed = place(again.ravel()).reshape(again.shape)
    pairs = np.stack([placed, np.broadcast_to(labels, placed.shape)], axis=1)
    values = np.array([alpha.value for alpha in alphas(pairs, level)], dtype=float)
    return None if np.isnan(values).any() else float(values.std(ddof=1))

"""Monotone maps from one measurement to another (isotonic regression), and folds of whole clusters to fit them in.

``argmin sum_i (y_i - g(x_i))^2`` over all g that never fall, by pooling adjacent violators (Barlow et al., Statistical
Inference under Order Restrictions, 1972; Zadrozny and Elkan, KDD 2002, for calibration). Between two values of x the
map is a straight line, and beyond the ends it stays where it is.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import isotonic_regression

from conqret.errors import DeclarationError
from conqret.stats.resampling import snapped

FOLDS = 5
"""Parts into which topics are dealt: each is mapped by what was fitted on the four others."""

Knots = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
"""The places of a map, rising, and what it says there; ``np.interp`` reads it."""


def monotone(x: ArrayLike, y: ArrayLike) -> Knots:
    """The monotone map from ``x`` to ``y`` (series of one length, finite) that is closest in squares; equal x count
    as one place with the mean of their y.

    Raises:
        DeclarationError: there are no pairs, the lengths differ, or a value is not finite.
    """

    scores, target = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if scores.ndim != 1 or scores.shape != target.shape or not len(scores):
        raise DeclarationError(
            f"a monotone map needs two series of one length, not {scores.shape} and {target.shape}"
        )
    if not (np.isfinite(scores).all() and np.isfinite(target).all()):
        raise DeclarationError("a monotone map needs finite values; leave out the pairs that lack one")
    places, which, counts = np.unique(snapped(scores), return_inverse=True, return_counts=True)
    means = np.bincount(which, weights=target) / counts
    return places, np.asarray(isotonic_regression(means, weights=counts).x)


def dealt(clusters: Iterable[Hashable], seed: int, folds: int = FOLDS) -> dict[Hashable, int]:
    """The fold (from 0) of each cluster: dealt out at random, so that folds differ by one cluster at most."""
    names = sorted(set(clusters), key=str)
    order = np.random.default_rng(seed).permutation(len(names))
    return {names[place]: number % folds for number, place in enumerate(order.tolist())}


def cross_fitted(x: ArrayLike, y: ArrayLike, fold: ArrayLike) -> NDArray[np.float64]:
    """What the map that was fitted on all other folds says of each ``x``; NaN for x that are NaN, or where the other
    folds hold no pair. Pairs with a NaN are not fitted on. A map falls where x and y go apart in those other folds.
    """
    scores, target, folds = np.asarray(x, dtype=float), np.asarray(y, dtype=float), np.asarray(fold)
    known = ~np.isnan(scores) & ~np.isnan(target)
    mapped = np.full(len(scores), np.nan)
    for held_out in np.unique(folds):
        rest, here = known & (folds != held_out), (folds == held_out) & ~np.isnan(scores)
        if rest.any():
            centred = scores[rest] - scores[rest].mean()
            sign = -1.0 if (centred * target[rest]).sum() < 0 else 1.0
            mapped[here] = np.interp(sign * scores[here], *monotone(sign * scores[rest], target[rest]))
    return mapped

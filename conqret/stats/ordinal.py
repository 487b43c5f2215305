"""Labels of few steps by one score: regression with proportional odds (McCullagh, JRSS B 1980).

``P(label <= k | x) = expit(t_k - b x)`` with thresholds t that rise and a slope b >= 0: the higher the score, the
higher the label, by one number on the scale of log odds. What is read off is the label to be expected, ``sum_k label_k
P(k | x)``, a smooth curve that never falls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conqret.errors import DeclarationError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

STEEPEST = 200.0
"""The slope at which it stops where scores part the labels without an error: a score .05 higher has e^10 times the odds
then. The likelihood alone has no end."""

_LEAST = 1e-12
"""A probability below which its logarithm is cut."""


def expected_label(
    scores: ArrayLike, counts: ArrayLike, labels: ArrayLike, places: ArrayLike
) -> NDArray[np.float64]:
    """The label to be expected at each of ``places``, from ``counts`` (scores by labels): how often each of ``labels``
    (rising) was given where the judge said each of ``scores``.

    Raises:
        DeclarationError: the shapes differ, counts are negative or none, or fewer than two labels were given.
    """
    import numpy as np
    from scipy.special import expit

    x, table, values = (np.asarray(series, dtype=float) for series in (scores, counts, labels))
    if table.shape != (len(x), len(values)) or not (table >= 0).all():
        raise DeclarationError(
            f"counts of {table.shape} do not belong to {len(x)} scores and {len(values)} labels"
        )
    used = table.sum(axis=0) > 0
    if used.sum() < 2:
        raise DeclarationError("all labels are equal, so nothing can be distinguished")
    thresholds, slope = _fitted(x, table[:, used])
    below = expit(thresholds - slope * np.asarray(places, dtype=float)[:, None])
    return np.asarray(np.diff(below, axis=1, prepend=0.0, append=1.0) @ values[used])


def _fitted(x: NDArray[np.float64], counts: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Thresholds and slope of the highest likelihood; each label was given at least once."""
    import numpy as np
    from scipy.optimize import minimize
    from scipy.special import expit, logit

    column, edges = x[:, None], np.zeros((len(x), counts.shape[1] + 1))
    edges[:, -1] = 1.0

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        thresholds, gaps = _thresholds(parameters)
        below = edges[:, 1:-1] = expit(thresholds - parameters[0] * column)
        shares = (edges[:, 1:] - edges[:, :-1]).clip(_LEAST)
        density = below * (1 - below)
        pulls = counts / shares
        by_threshold = -(density * (pulls[:, :-1] - pulls[:, 1:])).sum(axis=0)
        by_slope = -(x @ (density * (pulls[:, 1:] - pulls[:, :-1]))).sum()
        from_here = by_threshold[::-1].cumsum()[::-1]
        return -float((counts * np.log(shares)).sum()), np.array(
            [by_slope, from_here[0], *gaps * from_here[1:]]
        )

    begin = logit(counts.sum(axis=0).cumsum()[:-1] / counts.sum())
    start = np.array([0.0, begin[0], *np.log(np.diff(begin))])
    bounds = [(0.0, STEEPEST), *[(None, None)] * (len(start) - 1)]
    # SLSQP: the threads of L-BFGS-B's linear algebra cost ten times what they do here
    fit = minimize(loss, start, jac=True, method="SLSQP", bounds=bounds, options={"ftol": 1e-12})
    return _thresholds(fit.x)[0], float(fit.x[0])


def _thresholds(parameters: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The thresholds, each above the one before, and the gaps between them."""
    import numpy as np

    gaps = np.exp(parameters[2:])
    return parameters[1] + np.concatenate([[0.0], gaps.cumsum()]), gaps

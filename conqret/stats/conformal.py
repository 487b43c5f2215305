"""Conformal sets: between which steps of an ordinal scale the human label of a new item lies, with a probability.

Labels cluster in topics, so topics are what is exchangeable, and not items. The sets are those of hierarchical
conformal prediction (Lee, Barber and Willett 2023; Dunn, Wasserman and Ramdas, JASA 2023): each of C topics has the
same weight ``1 / (C + 1)``, shared by its items, and the new topic has the rest. A label is in the set unless items of
at least the weight ``level`` are closer to what was expected of them than this label is. What is expected is a monotone
map from score to label (isotonic regression), fitted without the fold of the topic (cross-conformal prediction: Vovk
2015; Barber et al., Annals of Statistics 2021). With fewer than ``1 / (1 - level) - 1`` topics every label would be in.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError
from conqret.stats.isotonic import Knots, dealt, monotone
from conqret.stats.resampling import cluster_places

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

FOLDS = 10
"""Parts into which topics are dealt; what is expected in each is fitted on the others."""
SAME = 1e-9
"""Distances no further apart than this are the same."""


def fewest_topics(level: float) -> int:
    """The fewest topics with which sets of this ``level`` can leave a label out."""
    return max(math.ceil(round(1 / (1 - level) - 1, 9)), 2)


@dataclass(frozen=True, slots=True)
class ConformalSets:
    """The first and the last step (their places on the scale) of the set at each of some scores, and which of the
    labelled items lie in theirs, if it is made of the other topics (None: these are too few)."""

    first: NDArray[np.intp]
    last: NDArray[np.intp]
    covered: NDArray[np.bool_] | None


def conformal_sets(
    scores: ArrayLike,
    labels: ArrayLike,
    topics: Sequence[Hashable],
    *,
    steps: Sequence[float],
    places: ArrayLike,
    level: float,
    seed: int = 13,
) -> ConformalSets:
    """The sets at each of ``places`` (scores), from ``scores`` and ``labels`` (each one of the ``steps``, which rise)
    of items of these ``topics``.

    Raises:
        DeclarationError: lengths differ, ``level`` is not in (0, 1), or there are fewer topics than
            :func:`fewest_topics`.
    """
    import numpy as np

    x, y = (np.asarray(series, dtype=float) for series in (scores, labels))
    scale, at = np.asarray(steps, dtype=float), np.asarray(places, dtype=float)
    if not 0 < level < 1:
        raise DeclarationError(f"the level of a set lies in (0, 1), not at {level:g}")
    if x.shape != y.shape or len(topics) != len(x):
        raise DeclarationError(f"{len(x)} scores, {len(y)} labels and {len(topics)} topics: give one of each")
    topic = cluster_places(topics)
    sizes = np.bincount(topic)
    if (count := len(sizes)) < fewest_topics(level):
        raise DeclarationError(f"{fewest_topics(level)} topics are needed, and there are {count}")
    folds = dealt(range(count), seed, min(FOLDS, count))
    fold = np.array([folds[place] for place in topic.tolist()])
    weights = 1.0 / (sizes[topic] * (count + 1))
    apart = np.zeros(len(x))
    closer = np.zeros((len(at), len(scale)))
    for held_out in range(min(FOLDS, count)):
        here = fold == held_out
        knots = monotone(x[~here], y[~here])
        apart[here] = np.abs(y[here] - np.interp(x[here], *knots))
        away = np.abs(scale - np.interp(at, *knots)[:, None])
        closer += _weight_below(apart[here], weights[here], away)
    inside = closer < level - SAME
    first, last = inside.argmax(axis=1), len(scale) - 1 - inside[:, ::-1].argmax(axis=1)
    if not inside.any(axis=1).all():
        nearest = _nearest(monotone(x, y), at, scale)
        first, last = (np.where(inside.any(axis=1), ends, nearest) for ends in (first, last))
    covered = _covered(apart, weights, topic, count, level) if count > fewest_topics(level) else None
    return ConformalSets(first, last, covered)


def _weight_below(
    values: NDArray[np.float64], weights: NDArray[np.float64], of: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The weight of the ``values`` below each ``of``."""
    import numpy as np

    order = np.argsort(values)
    total = np.concatenate([[0.0], np.cumsum(weights[order])])
    return np.asarray(total[np.searchsorted(values[order], of - SAME)])


def _covered(
    apart: NDArray[np.float64],
    weights: NDArray[np.float64],
    topic: NDArray[np.intp],
    count: int,
    level: float,
) -> NDArray[np.bool_]:
    """Which items are no further from what was expected of them than the sets of the other topics reach."""
    import numpy as np

    below = _weight_below(apart, weights, apart)
    for place in range(count):
        here = topic == place
        below[here] -= _weight_below(apart[here], weights[here], apart[here])
    return np.asarray(below * (count + 1) / count < level - SAME)


def _nearest(knots: Knots, at: NDArray[np.float64], scale: NDArray[np.float64]) -> NDArray[np.intp]:
    import numpy as np

    return np.asarray(np.abs(scale - np.interp(at, *knots)[:, None]).argmin(axis=1))

"""When a group needs no more comparisons: its best items are known, or its order is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conqret.studies.tournament.tournament_options import TournamentOptions

if TYPE_CHECKING:
    from conqret.stats.comparative_judgment import ComparedStrengths

DRAWS, SEED = 4000, 13
"""Of the strengths' posterior, of which the probability of a set of best items is counted."""


def ordered_share(strengths: ComparedStrengths, group: int) -> float:
    """The share of the pairs of items that are expected to stand in the order of their true strengths."""
    import numpy as np
    from scipy.special import ndtr

    means, _ = strengths.group(group)
    size = len(means)
    covariance = strengths.covariances[group, :size, :size]
    variances = covariance.diagonal()
    one, other = np.triu_indices(size, 1)
    spread = variances[one] + variances[other] - 2 * covariance[one, other]
    return float(ndtr(np.abs(means[one] - means[other]) / np.sqrt(np.maximum(spread, 1e-12))).mean())


def top_probability(strengths: ComparedStrengths, group: int, top: int) -> float:
    """The probability that the ``top`` items with the highest strengths are the best ones; 1 where there are no more
    items than that."""
    import numpy as np

    means, _ = strengths.group(group)
    size = len(means)
    if top >= size:
        return 1.0
    rng = np.random.default_rng([SEED, group])
    values, vectors = np.linalg.eigh(strengths.covariances[group, :size, :size])
    roots = vectors * np.sqrt(np.maximum(values, 0))
    drawn = means + rng.standard_normal((DRAWS, size)) @ roots.T
    best = np.argsort(-means, kind="stable")[:top]
    rest = np.setdiff1d(np.arange(size), best)
    return float((drawn[:, best].min(axis=1) > drawn[:, rest].max(axis=1)).mean())


def is_settled(strengths: ComparedStrengths, group: int, options: TournamentOptions) -> bool:
    """Whether all that is asked for is known of the group: its best items, and its order."""
    if options.top is None and options.ordered is None:
        return False
    if options.top is not None and top_probability(strengths, group, options.top) < options.confidence:
        return False
    return options.ordered is None or ordered_share(strengths, group) >= options.ordered

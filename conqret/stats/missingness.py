"""Is what is missing missing at random? Whether an item without a score differs from the others.

A mean over the scored items speaks for all only if the missing ones are like them. Two questions can be asked of
what is known of every item: does the share of missing ones differ between groups (topics), and do missing items
have higher or lower values (length, people's score) than the others?
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError
from conqret.stats.effects import PairedEffects, sign_flip_p
from conqret.stats.estimate import FEWEST_TESTED
from conqret.stats.resampling import cluster_places

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

PERMUTATIONS = 2_000
"""Shuffles of the test by groups: the p-value is known to about 0.005 near 0.05."""


@dataclass(frozen=True, slots=True)
class Association:
    """How missingness hangs together with ``covariate``.

    ``effect`` is Cramer's V in [0, 1] for groups; for values it is the probability that a missing item has a higher
    value than another, in [0, 1] with 0.5 for no difference. ``p`` is two-sided. Both are None where nothing, or
    everything, is missing, or the covariate does not vary: ``reason`` says so. ``n`` items have a covariate,
    ``missing`` of them lack a score.
    """

    covariate: str
    effect: float | None
    p: float | None
    n: int
    missing: int
    reason: str = ""


def missing_by_group(
    covariate: str,
    missing: Sequence[bool],
    groups: Sequence[Hashable],
    rng: np.random.Generator,
    *,
    permutations: int = PERMUTATIONS,
) -> Association:
    """Cramer's V of missingness and group, with the p-value of Pearson's chi-squared under permutation.

    ``V = sqrt(chi^2 / n)`` (one of the two has two categories). The p-value is ``(1 + shuffles at least as far) /
    (1 + shuffles)``, so groups may be small.

    Raises:
        DeclarationError: there is not a group for each item.
    """
    import numpy as np

    if len(missing) != len(groups):
        raise DeclarationError(f"{len(groups)} groups for {len(missing)} items")
    lost, codes = np.asarray(missing, dtype=bool), cluster_places(groups)
    sizes = np.bincount(codes)

    def test() -> tuple[float, float]:
        share = float(lost.mean())
        scale = sizes * share * (1 - share)

        def chi_squared(flags: np.typing.NDArray[np.bool_]) -> float:
            return float(((np.bincount(codes, flags) - sizes * share) ** 2 / scale).sum())

        seen = chi_squared(lost)
        further = sum(chi_squared(rng.permutation(lost)) >= seen - 1e-9 for _ in range(permutations))
        return float(np.sqrt(seen / len(lost))), (1 + further) / (1 + permutations)

    return _association(covariate, lost, "there is one group only" if len(sizes) < 2 else "", test)


def missing_by_value(
    covariate: str,
    missing: Sequence[bool],
    values: ArrayLike,
    rng: np.random.Generator,
    clusters: Sequence[Hashable] | None = None,
) -> Association:
    """Do missing items have other values than the rest?

    ``effect = P(missing > other) + P(missing = other) / 2`` (Mann and Whitney 1947). Items of one of ``clusters``
    (topics; without, each item is one) fail together and are alike, so the p-value flips the signs of whole clusters in
    ``sum_i (missing_i - mean) (rank_i - mean)``. Items whose value is NaN are left out.

    Raises:
        DeclarationError: there is not a value, or not a cluster, for each item.
    """
    import numpy as np
    from scipy.stats import rankdata

    numbers, lost = np.asarray(values, dtype=float), np.asarray(missing, dtype=bool)
    topics = list(range(len(lost))) if clusters is None else list(clusters)
    if numbers.shape != lost.shape or len(topics) != len(lost):
        raise DeclarationError(f"{numbers.shape} values and {len(topics)} clusters for {len(lost)} items")
    known = ~np.isnan(numbers)
    numbers, lost = numbers[known], lost[known]
    topics = [topics[place] for place in np.flatnonzero(known)]

    def test() -> tuple[float, float]:
        ranks = rankdata(numbers)
        above = ranks[lost].sum() - lost.sum() * (lost.sum() + 1) / 2
        together = (lost - lost.mean()) * (ranks - ranks.mean())
        (p,) = sign_flip_p([PairedEffects(together.tolist(), topics)], rng)
        return float(above / (lost.sum() * (~lost).sum())), p

    reason = "" if len(np.unique(numbers)) > 1 else "the values do not vary"
    if len(set(topics)) < FEWEST_TESTED:
        reason = reason or f"{len(set(topics))} topics: at least {FEWEST_TESTED} are needed for a test"
    return _association(covariate, lost, reason, test)


def _association(
    covariate: str,
    lost: np.typing.NDArray[np.bool_],
    reason: str,
    test: Callable[[], tuple[float, float]],
) -> Association:
    """The effect and p-value of ``test``, where there is something to test; ``reason`` says why there is not."""
    total, missing = len(lost), int(lost.sum())
    if missing in (0, total):
        reason = "nothing is missing" if total else "no item has a value"
        reason = "everything is missing" if missing else reason
    effect, p = (None, None) if reason else test()
    return Association(covariate, effect, p, total, missing, reason)

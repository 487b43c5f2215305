"""What is true of each item, from several raters who err each in their own way (Dawid and Skene 1979).

Rater k calls an item of category c by category l with the probability ``pi_k(c, l)``, and items are of category c with
the probability ``rho(c)``. Both are unknown, and so are the true categories: expectation and maximisation estimate them
in turn, from the share of the votes on (Applied Statistics 28). No label of anybody is looked at; with two raters, or
with raters who mostly err alike, what comes out is no better than what goes in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

FEWEST_RATERS = 3
"""With two raters who differ nothing says which of them is right."""
ROUNDS, ENOUGH = 200, 1e-6
"""Rounds at most, and the largest change of a probability at which they end."""
SMOOTHED = 0.01
"""Votes that are added to each cell of a rater's table, so that what was never seen is unlikely and not impossible."""


@dataclass(frozen=True, slots=True)
class Consensus:
    """``belief`` is the probability of each category (items by categories), ``confusion`` that of what each rater says
    (raters by true categories by said categories), and ``share`` that of each category at large."""

    belief: NDArray[np.float64]
    confusion: NDArray[np.float64]
    share: NDArray[np.float64]


def dawid_skene(votes: ArrayLike, categories: int) -> Consensus:
    """Estimate true categories from ``votes`` (raters by items: a category from 0, or -1 for none).

    An item without a vote is believed to be what items are at large.

    Raises:
        DeclarationError: fewer than three raters, no votes at all, or a vote for no category.
    """
    import numpy as np

    vote_table = np.asarray(votes, dtype=int)
    if vote_table.ndim != 2 or len(vote_table) < FEWEST_RATERS:
        raise DeclarationError(f"Dawid and Skene's consensus needs at least {FEWEST_RATERS} raters")
    if not (vote_table >= 0).any() or vote_table.min() < -1 or vote_table.max() >= categories:
        raise DeclarationError(
            f"votes must be categories from 0 to {categories - 1}, or -1, and there must be at least one"
        )
    indicators = (vote_table.T[:, :, None] == np.arange(categories)).astype(float)
    votes_of = indicators.sum(axis=1)
    flat = indicators.reshape(len(indicators), -1)
    total = votes_of.sum(axis=1, keepdims=True)
    belief = np.divide(votes_of, total, out=np.full_like(votes_of, 1 / categories), where=total > 0)
    for _ in range(ROUNDS):
        before = belief
        confusion, share = _errors(belief, flat, total[:, 0] > 0)
        logs = np.log(share) + flat @ np.log(confusion).transpose(0, 2, 1).reshape(-1, categories)
        likely = np.exp(logs - logs.max(axis=1, keepdims=True))
        belief = likely / likely.sum(axis=1, keepdims=True)
        if float(np.abs(belief - before).max()) < ENOUGH:
            break
    return Consensus(belief, *_errors(belief, flat, total[:, 0] > 0))


def _errors(
    belief: NDArray[np.float64], flat: NDArray[np.float64], voted: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What raters say of what is believed to be true, and how often each category is believed to be; ``flat`` has items
    by raters and categories, 1 where a rater said one."""

    categories = belief.shape[1]
    counted = (belief.T @ flat).reshape(categories, -1, categories).transpose(1, 0, 2) + SMOOTHED
    known = belief[voted].sum(axis=0) + SMOOTHED
    return counted / counted.sum(axis=2, keepdims=True), known / known.sum()


def consensus_rates(labels: ArrayLike) -> list[float]:
    """The probability that a rater's label is the true one: the mean over the rater's items of the belief in its label;
    NaN for a rater without a label.

    ``labels`` has raters by items, NaN for none. No interval belongs to it: leaving out topics, intervals hold the
    truth too rarely (docs/results/statistics.md).

    Raises:
        DeclarationError: fewer than three raters, or no labels at all.
    """
    import numpy as np

    table = np.asarray(labels, dtype=float)
    there = ~np.isnan(table)
    known = np.unique(table[there])
    codes = np.where(there, np.searchsorted(known, np.where(there, table, 0.0)), -1)
    belief = dawid_skene(codes, len(known)).belief
    own = np.take_along_axis(belief, codes.clip(min=0).T, axis=1).T
    return [float(row[has].mean()) if has.any() else np.nan for row, has in zip(own, there, strict=True)]

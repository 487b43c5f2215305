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
from conqret.stats.estimate import JackknifedEstimate, freedom_by_size, without_value
from conqret.stats.resampling import Resamples, whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

FEWEST_RATERS = 3
"""With two raters who differ nothing says which of them is right."""
ROUNDS, ENOUGH = 200, 1e-6
"""Rounds at most, and the largest change of a probability at which they end."""
MOST_GROUPS = 50
"""Clusters that are left out one by one in estimates of how often raters are right."""
FEWEST_FOR_RATES = 20
"""Clusters below which these have no interval: at eight, theirs hold the truth in 79 to 99%."""
FEWEST_ERRORS = 2
"""Labels of a rater that are taken for wrong (or right), below which its rate has no interval."""
NO_LABEL = "it labeled no unit that an annotator labeled"
SMOOTHED = 0.01
"""Votes that are added to each cell of a rater's table, so that what was never seen is unlikely and not impossible."""


@dataclass(frozen=True, slots=True)
class Consensus:
    """``belief`` is the probability of each category (items by categories), ``confusion`` that of what each rater says
    (raters by true categories by said categories), and ``share`` that of each category at large."""

    belief: NDArray[np.float64]
    confusion: NDArray[np.float64]
    share: NDArray[np.float64]


def dawid_skene(votes: ArrayLike, categories: int, start: NDArray[np.float64] | None = None) -> Consensus:
    """Estimate true categories from ``votes`` (raters by items: a category from 0, or -1 for none).

    An item without a vote is believed to be what items are at large. ``start`` is a belief to begin from, in place of
    the share of the votes.

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
    shares = np.divide(votes_of, total, out=np.full_like(votes_of, 1 / categories), where=total > 0)
    belief = shares if start is None else start
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


def consensus_rates(
    labels: ArrayLike, resamples: Resamples | None = None, judge: ArrayLike | None = None
) -> tuple[list[JackknifedEstimate], JackknifedEstimate | None]:
    """The probability that a rater's label is the true one, of each rater and of the ``judge``, who has no say in what
    is true: the mean over the rater's items of the belief in its label.

    ``labels`` has raters by items, ``judge`` the judge's label of each item, NaN for none. Without each cluster,
    everything is estimated again.

    Many clusters are put together into :data:`MOST_GROUPS`, as each fit takes long.

    Raises:
        DeclarationError: fewer than three raters, or no labels at all.
    """
    import numpy as np

    table = np.asarray(labels, dtype=float)
    said = table if judge is None else np.vstack([table, np.asarray(judge, dtype=float)])
    drawn = resamples or whole(table.shape[1])
    if drawn.clusters > MOST_GROUPS:
        groups = np.random.default_rng(0).permutation(drawn.clusters) % MOST_GROUPS
        drawn = Resamples(1 - np.eye(MOST_GROUPS), groups[drawn.cluster])
    known = np.unique(said[~np.isnan(said)])
    codes = np.where(np.isnan(said), -1, np.searchsorted(known, said))
    there = codes >= 0

    def rates(
        kept: NDArray[np.bool_], start: NDArray[np.float64] | None
    ) -> tuple[NDArray[np.float64], Consensus]:
        votes = codes[: len(table), kept]
        consensus = dawid_skene(votes, len(known), None if start is None else start[kept])
        own = np.take_along_axis(consensus.belief, codes[:, kept].clip(min=0).T, axis=1).T * there[:, kept]
        counts = there[:, kept].sum(axis=1)
        return np.divide(
            own.sum(axis=1), counts, out=np.full(len(codes), np.nan), where=counts > 0
        ), consensus

    voted = np.asarray((codes[: len(table)] >= 0).any(axis=0), dtype=bool)
    values, consensus = rates(voted, None)
    belief = np.full((table.shape[1], len(known)), 1 / max(len(known), 1))
    belief[voted] = consensus.belief
    without = np.array([rates(voted & kept, belief)[0] for kept in drawn.kept()]).reshape(-1, len(codes))
    present = drawn.sizes(voted) > 0
    found = [
        JackknifedEstimate(
            float(values[place]),
            without[:, place],
            present,
            int((there[place] & voted).sum()),
            scale="share",
            unsure=_unsure(float(values[place]), int((there[place] & voted).sum()), int(present.sum())),
            freedom=freedom_by_size(drawn.sizes(there[place] & voted)),
        )
        if (there[place] & voted).any()
        else without_value(NO_LABEL)
        for place in range(len(codes))
    ]
    return found[: len(table)], None if judge is None else found[-1]


def _unsure(rate: float, labels: int, clusters: int) -> str:
    """Why the rate of a rater of so many labels in so many clusters has no interval."""
    if clusters < FEWEST_FOR_RATES:
        return f"fewer than {FEWEST_FOR_RATES} topics (or items) say too little of how annotators err"
    few = min(rate, 1 - rate) * labels < FEWEST_ERRORS
    return f"fewer than {FEWEST_ERRORS} labels of the rater are taken for wrong, or for right" if few else ""

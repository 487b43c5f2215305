"""Rankings from pairwise preferences: Elo ratings and Bradley-Terry strengths, with intervals.

A preference names two players (systems, arguments) and its ``outcome``: 1 where the first is preferred, 0
where the second is, 0.5 for a tie. DebateQA, Appendix D.1, ranks systems by Elo from annotators' pairwise
preferences and compares that ranking with a metric's by Spearman's rho and Kendall's tau.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import rankdata

from conqret.errors import DeclarationError
from conqret.stats.comparative_judgment import Bound, bounds
from conqret.stats.estimate import NO_INTERVAL, Estimate
from conqret.stats.jackknife import JackknifedEstimate
from conqret.stats.resampling import Resamples, leave_one_out
from conqret.stats.strength_posterior import PairOutcomes

START = 1500.0
K_FACTOR = 32.0
"""Start and step of Elo's rating (Elo 1978). DebateQA states neither: ranks depend on the step where preferences
are few or contradict each other, so the ratings of several orders are averaged."""
SPREAD = 400.0
"""The rating difference that stands for odds of ten to one."""
ORDERS = 100
"""The number of random orders of the preferences over which Elo ratings are averaged."""
PRIOR = 0.5
"""The number of ties of each Bradley-Terry player with an imaginary one of strength 0: they keep the
strength of one that always wins, or is connected to no other, finite.
"""
TOLERANCE, MAX_ROUNDS = 1e-9, 200
NAMED = 3
"""The most unbounded players that a reason names."""
UNBOUNDED: dict[Bound, str] = {
    "above": f"{NO_INTERVAL}unbounded above: alone or with others it has won every preference against the rest",
    "below": f"{NO_INTERVAL}unbounded below: alone or with others it has won no preference against the rest",
}
"""Why a strength that only the prior bounds has no interval."""
UNNAMED = "{} name no topic (cluster), and those of one topic are no independent witnesses"


@dataclass(frozen=True, slots=True)
class PairwisePreference:
    """One game: the ``outcome`` of ``first`` against ``second`` (1 win, 0.5 tie, 0 loss).

    ``cluster`` is the item or topic that intervals leave out.
    """

    first: str
    second: str
    outcome: float
    cluster: Hashable = None


@dataclass(frozen=True, slots=True)
class PairedStanding:
    """One player's rating with its interval, and its rank (1 is best; ties get their mean rank).

    ``unbounded`` says that the data alone do not bound a Bradley-Terry strength above or below. The value
    then depends on the prior and has no interval.
    """

    player: str
    rating: Estimate
    rank: float
    unbounded: Bound = ""


def elo(
    preferences: Sequence[PairwisePreference],
    rng: np.random.Generator | None = None,
    *,
    intervals: bool = False,
) -> tuple[PairedStanding, ...]:
    """Compute the Elo rating of each player, best first.

    Before a game the first player's expected score is ``1 / (1 + 10^((R_2 - R_1) / 400))``. Afterwards both
    ratings move by :data:`K_FACTOR` times the difference of score and expectation.

    Args:
        preferences: the games.
        rng: None plays the games once in the given order; else ratings are means over random orders.
        intervals: compute intervals by leaving out clusters; there are none if a preference names no cluster.

    Raises:
        DeclarationError: there are no preferences, an outcome is invalid, or a player meets itself.
    """
    games = _Games(preferences)
    once = np.arange(len(games.outcome))
    shuffles = once[None] if rng is None else rng.permuted(np.tile(once, (ORDERS, 1)), axis=1)

    def play(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return _play(games, shuffles, K_FACTOR * weights)

    ratings = play(np.ones((1, len(once))))[0]
    if not intervals:
        return games.standings(ratings)
    left_out = leave_one_out(games.clusters)
    chunks = left_out.chunks(len(games.players) * len(shuffles) + len(once)) if games.named else ()
    without = [play(weights[:, left_out.cluster]) for weights in chunks]
    return games.standings(ratings, without, left_out.present())


def bradley_terry(preferences: Sequence[PairwisePreference]) -> tuple[PairedStanding, ...]:
    """Compute the Bradley-Terry strength (1952) of each player on the log scale, best first; a tie is half a
    win for each.

    ``P(first beats second) = 1 / (1 + exp(s_2 - s_1))``, and the strengths sum to 0. They maximize the
    likelihood with :data:`PRIOR` additional ties of each player against one of strength 0. Intervals leave out
    clusters. There are no intervals if a preference names no cluster, or if any player is ``unbounded``.

    Raises:
        DeclarationError: there are no preferences, an outcome is invalid, or a player meets itself.
    """
    games = _Games(preferences)
    count = len(games.players)
    left_out = leave_one_out(games.clusters)
    scored = games.scored(left_out)
    strengths = _strengths(scored(np.ones((1, left_out.clusters))), np.zeros(count))[0]
    chunks = left_out.chunks(4 * count**2) if games.named else ()
    without = [_strengths(scored(weights), strengths) for weights in chunks]
    standings = games.standings(strengths, without, left_out.present())
    return _told_unbounded(standings, games.bounds())


def _told_unbounded(
    standings: tuple[PairedStanding, ...], bounded: dict[str, Bound]
) -> tuple[PairedStanding, ...]:
    """Return the standings with the bound of each player. If any player is unbounded (it won or lost everything), no
    player has an interval, as strengths are counted from their mean."""
    unbounded = [standing.player for standing in standings if bounded[standing.player]]
    if not unbounded:
        return standings
    named = ", ".join(repr(player) for player in unbounded[:NAMED]) + ", …" * (len(unbounded) > NAMED)
    shared = f"{NO_INTERVAL}strengths are counted from their mean, and only the prior bounds that of {named}"
    return tuple(
        replace(
            standing,
            rating=Estimate(
                standing.rating.value,
                n=standing.rating.n,
                reason=UNBOUNDED.get(bounded[standing.player], shared),
            ),
            unbounded=bounded[standing.player],
        )
        for standing in standings
    )


class _Games:
    """The preferences as arrays: places of the players, and outcomes."""

    def __init__(self, preferences: Sequence[PairwisePreference]) -> None:
        if not preferences:
            raise DeclarationError("a ranking needs at least one preference")
        for preference in preferences:
            if preference.outcome not in (0, 0.5, 1) or preference.first == preference.second:
                raise DeclarationError(
                    f"a preference must be 0, 0.5 or 1 between two players, not {preference.outcome} between "
                    f"{preference.first!r} and {preference.second!r}"
                )
        self.players = sorted(
            {preference.first for preference in preferences}
            | {preference.second for preference in preferences}
        )
        place = {player: number for number, player in enumerate(self.players)}
        self.first = np.array([place[preference.first] for preference in preferences])
        self.second = np.array([place[preference.second] for preference in preferences])
        self.outcome = np.array([preference.outcome for preference in preferences], dtype=float)
        self.clusters = [
            ("alone", number) if preference.cluster is None else preference.cluster
            for number, preference in enumerate(preferences)
        ]
        lone = sum(preference.cluster is None for preference in preferences)
        self.unsure = UNNAMED.format(f"{lone} of {len(preferences)} preferences") if lone else ""

    @property
    def named(self) -> bool:
        """Whether every preference names its cluster."""
        return not self.unsure

    def bounds(self) -> dict[str, Bound]:
        """For each player whether only the prior bounds its strength (:func:`~.comparative_judgment.bounds`)."""
        group = [0] * len(self.outcome)
        outcomes = PairOutcomes.from_rows([len(self.players)], group, self.first, self.second, self.outcome)
        return dict(zip(self.players, bounds(outcomes)[0], strict=True))

    def scored(self, left_out: Resamples) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
        """Return a function from weights of the clusters (rows by clusters) to what each player scored against each
        other one (rows by players by players): the weighted sum of the scores in each cluster."""
        count = len(self.players)
        pairs = np.concatenate([self.first * count + self.second, self.second * count + self.first])
        met, column = np.unique(pairs, return_inverse=True)
        sums = np.zeros((left_out.clusters, len(met)))
        np.add.at(
            sums, (np.tile(left_out.cluster, 2), column), np.concatenate([self.outcome, 1 - self.outcome])
        )

        def of_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
            tables = np.zeros((len(weights), count * count))
            tables[:, met] = weights @ sums
            return tables.reshape(-1, count, count)

        return of_weights

    def standings(
        self,
        ratings: NDArray[np.float64],
        without: Sequence[NDArray[np.float64]] | None = None,
        present: NDArray[np.bool_] | None = None,
    ) -> tuple[PairedStanding, ...]:
        """The players by their ratings, best first, with an interval from their ratings ``without`` each of the
        clusters that are ``present`` (rows by players)."""

        count = len(self.players)
        games = np.bincount(np.concatenate([self.first, self.second]), minlength=count).tolist()
        ranks = rankdata(-ratings.round(9))
        standings = []
        for place, player in enumerate(self.players):
            rating = Estimate(float(ratings[place]), n=games[place])
            if without is not None and present is not None:
                column = np.concatenate([np.zeros(0), *(rows[:, place] for rows in without)])
                rating = JackknifedEstimate(
                    ratings[place], column, present, games[place], unsure=self.unsure
                ).estimate()
            standings.append(PairedStanding(player, rating, float(ranks[place])))
        return tuple(sorted(standings, key=lambda standing: (standing.rank, standing.player)))


def _play(games: _Games, orders: NDArray[np.intp], k: NDArray[np.float64]) -> NDArray[np.float64]:
    """Elo's ratings after the games, the mean over their orders (orders by games), for each row of ``k``, the steps of
    the games: rows by players. All rows are played at once, a game at a time."""

    steps = np.ascontiguousarray(k.T)
    ratings = np.full((len(games.players), len(orders), len(k)), START)
    every = np.arange(len(orders))
    for played in orders.T:
        first_player, other = games.first[played], games.second[played]
        expected = expit((ratings[first_player, every] - ratings[other, every]) * (np.log(10) / SPREAD))
        change = steps[played] * (games.outcome[played][:, None] - expected)
        ratings[first_player, every] += change
        ratings[other, every] -= change
    return np.asarray(ratings.mean(axis=1).T)


def _strengths(scored: NDArray[np.float64], start: NDArray[np.float64]) -> NDArray[np.float64]:
    """The strengths behind each table of ``scored`` (many by players by players): many by players. Newton's method, as
    the likelihood is concave."""

    games = scored + scored.swapaxes(1, 2)
    strengths = np.tile(start, (len(scored), 1))
    places = np.arange(scored.shape[1])
    for _ in range(MAX_ROUNDS):
        expected, against_prior = expit(strengths[:, :, None] - strengths[:, None, :]), expit(strengths)
        surplus = (scored - games * expected).sum(axis=2) + PRIOR * (0.5 - against_prior)
        information = -games * expected * (1 - expected)
        information[:, places, places] = PRIOR * against_prior * (1 - against_prior) - information.sum(axis=2)
        step = np.linalg.solve(information, surplus[:, :, None])[:, :, 0]
        strengths = strengths + np.clip(step, -2.0, 2.0)
        if float(np.abs(step).max()) < TOLERANCE:
            break
    return np.asarray(strengths - strengths.mean(axis=1, keepdims=True))

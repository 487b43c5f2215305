"""From pairwise preferences to a ranking: Elo's ratings and the model of Bradley and Terry, with intervals.

A preference names two players (systems, arguments) and its ``outcome``: 1 where the first is preferred, 0 where
the second is, 0.5 for a tie. DebateQA, Appendix D.1, ranks systems by Elo from annotators' pairwise preferences and
compares that ranking with a metric's by Spearman's rho and Kendall's tau.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError
from conqret.stats.bootstrap import CONFIDENCE
from conqret.stats.correlation import kendall, spearman
from conqret.stats.estimate import Estimate, from_draws
from conqret.stats.resampling import draw

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

START = 1500.0
K_FACTOR = 32.0
"""Start and step of Elo's rating (Elo 1978). DebateQA states neither: ranks depend on the step where preferences
are few or contradict each other, so the ratings of several orders are averaged."""
SPREAD = 400.0
"""Points of difference that stand for odds of ten to one."""
ORDERS = 100
"""Orders of the preferences over which Elo's ratings are averaged: it depends on the order, which means nothing."""
PRIOR = 0.5
"""Ties with an imaginary player of strength 0 that each player of Bradley-Terry has had: they keep the strength of
one that always wins, or is connected to nobody, finite."""
TOLERANCE, MOST_ROUNDS = 1e-9, 200


@dataclass(frozen=True, slots=True)
class Preference:
    """``first`` against ``second``: 1, 0.5 or 0. ``cluster`` is what intervals resample (an item, a topic)."""

    first: str
    second: str
    outcome: float
    cluster: Hashable = None


@dataclass(frozen=True, slots=True)
class Standing:
    """One player: its rating with an interval, its rank (1 is best, ties at their mean) and its record."""

    player: str
    rating: Estimate
    rank: float
    wins: float
    games: int


def elo(
    preferences: Sequence[Preference],
    rng: np.random.Generator | None = None,
    *,
    k: float = K_FACTOR,
    orders: int = ORDERS,
    resamples: int = 0,
    confidence: float = CONFIDENCE,
) -> tuple[Standing, ...]:
    """Elo's ratings, best first.

    Before each game the first player is expected to score ``1 / (1 + 10^((R_2 - R_1) / 400))``; afterwards both
    move by ``k`` times what was scored beyond it. Without ``rng`` the games are played once, as given; with it, the
    ratings are the mean over ``orders`` shuffles, and ``resamples`` draws of whole clusters give intervals.

    Raises:
        DeclarationError: there are no preferences, one has another outcome or a single player, or ``resamples``
            are wanted without ``rng``.
    """
    import numpy as np

    players, first, second, outcome = _games(preferences)
    if rng is None:
        if resamples:
            raise DeclarationError("resamples of Elo's ratings are drawn: give an rng")
        ratings = _play(np.arange(len(first))[None], first, second, outcome, len(players), k)[0]
        return _standings(players, ratings, None, preferences, confidence)
    shuffles = rng.permuted(np.tile(np.arange(len(first)), (orders, 1)), axis=1)
    ratings = _play(shuffles, first, second, outcome, len(players), k).mean(axis=0)
    draws = None
    if resamples:
        drawn = draw([one.cluster if one.cluster is not None else place for place, one in enumerate(preferences)],
                     rng, resamples=resamples)  # fmt: skip
        rows = []
        for weights in drawn.weights:
            games = np.repeat(np.arange(len(first)), weights[drawn.cluster].astype(int))
            rows.append(_play(rng.permutation(games)[None], first, second, outcome, len(players), k)[0])
        draws = np.array(rows).reshape(-1, len(players))
    return _standings(players, ratings, draws, preferences, confidence)


def bradley_terry(
    preferences: Sequence[Preference],
    rng: np.random.Generator | None = None,
    *,
    prior: float = PRIOR,
    resamples: int = 0,
    confidence: float = CONFIDENCE,
) -> tuple[Standing, ...]:
    """Strengths of Bradley and Terry (1952) on the logarithmic scale, best first; a tie is half a win for each.

    ``P(first beats second) = 1 / (1 + exp(s_2 - s_1))``; the sum of the strengths is 0. They maximise the likelihood
    with ``prior`` ties of each player with one of strength 0. Intervals come from the observed information
    (``s +- z sqrt((I^-1)_ii)``), or with ``rng`` and ``resamples`` from draws of whole clusters.

    Raises:
        DeclarationError: there are no preferences, or one has another outcome or a single player; ``prior`` is
            not above 0; or ``resamples`` are wanted without ``rng``.
    """
    from statistics import NormalDist

    import numpy as np

    if prior <= 0:
        raise DeclarationError(f"the prior of Bradley-Terry is above 0, not {prior}")
    if resamples and rng is None:
        raise DeclarationError("resamples of Bradley-Terry are drawn: give an rng")
    players, first, second, outcome = _games(preferences)
    pairs = _Pairs(first, second, outcome, len(players))
    strengths = pairs.fit(np.ones(len(first)), prior)
    if rng is None or not resamples:
        reach = NormalDist().inv_cdf((1 + confidence) / 2) * pairs.errors(strengths, prior)
        ends = np.stack([strengths - reach, strengths + reach])
        return _standings(players, strengths, None, preferences, confidence, ends)
    drawn = draw([one.cluster if one.cluster is not None else place for place, one in enumerate(preferences)],
                 rng, resamples=resamples)  # fmt: skip
    rows = [pairs.fit(weights[drawn.cluster], prior, strengths) for weights in drawn.weights]
    draws = np.array(rows).reshape(-1, len(players))
    return _standings(players, strengths, draws, preferences, confidence)


def ranking_agreement(one: Sequence[Standing], other: Sequence[Standing]) -> tuple[Estimate, Estimate]:
    """Spearman's rho and Kendall's tau between two rankings of the same players.

    Raises:
        DeclarationError: the players differ.
    """
    ratings = {standing.player: standing.rating.value or 0.0 for standing in other}
    if {standing.player for standing in one} != set(ratings):
        raise DeclarationError("the two rankings are of different players")
    first = [standing.rating.value or 0.0 for standing in one]
    second = [ratings[standing.player] for standing in one]
    return spearman(first, second), kendall(first, second)


class _Pairs:
    """The likelihood of Bradley-Terry over the games, maximised by Newton's method (it is concave)."""

    def __init__(
        self, first: NDArray[np.intp], second: NDArray[np.intp], outcome: NDArray[np.float64], players: int
    ) -> None:
        self.first, self.second, self.outcome, self.players = first, second, outcome, players

    def fit(
        self, weights: NDArray[np.float64], prior: float, start: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        import numpy as np

        strengths = np.zeros(self.players) if start is None else start
        for _ in range(MOST_ROUNDS):
            expected = 1 / (1 + np.exp(strengths[self.second] - strengths[self.first]))
            surplus = weights * (self.outcome - expected)
            against = prior * (0.5 - 1 / (1 + np.exp(-strengths)))
            slope = np.bincount(self.first, surplus, self.players) - np.bincount(
                self.second, surplus, self.players
            )
            step = np.linalg.solve(self._information(strengths, weights, prior), slope + against)
            strengths = strengths + np.clip(step, -2.0, 2.0)
            if float(np.abs(step).max()) < TOLERANCE:
                break
        return np.asarray(strengths - strengths.mean())

    def errors(self, strengths: NDArray[np.float64], prior: float) -> NDArray[np.float64]:
        import numpy as np

        covariance = np.linalg.inv(self._information(strengths, np.ones(len(self.first)), prior))
        centre = np.eye(self.players) - 1 / self.players
        return np.sqrt(np.clip(np.diagonal(centre @ covariance @ centre), 0, None))

    def _information(
        self, strengths: NDArray[np.float64], weights: NDArray[np.float64], prior: float
    ) -> NDArray[np.float64]:
        import numpy as np

        expected = 1 / (1 + np.exp(strengths[self.second] - strengths[self.first]))
        tight = weights * expected * (1 - expected)
        apart = np.bincount(self.first * self.players + self.second, tight, self.players**2)
        matrix = apart.reshape(self.players, self.players)
        matrix = matrix + matrix.T
        own = 1 / (1 + np.exp(-strengths))
        return np.asarray(np.diag(matrix.sum(axis=1) + prior * own * (1 - own)) - matrix)


def _games(
    preferences: Sequence[Preference],
) -> tuple[list[str], NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    import numpy as np

    if not preferences:
        raise DeclarationError("a ranking needs one preference at least")
    for one in preferences:
        if one.outcome not in (0, 0.5, 1) or one.first == one.second:
            raise DeclarationError(
                f"a preference is 0, 0.5 or 1 between two players, not {one.outcome} between "
                f"{one.first!r} and {one.second!r}"
            )
    players = sorted({one.first for one in preferences} | {one.second for one in preferences})
    place = {player: number for number, player in enumerate(players)}
    return (
        players,
        np.array([place[one.first] for one in preferences]),
        np.array([place[one.second] for one in preferences]),
        np.array([one.outcome for one in preferences], dtype=float),
    )


def _play(
    orders: NDArray[np.intp],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    outcome: NDArray[np.float64],
    players: int,
    k: float,
) -> NDArray[np.float64]:
    """The ratings after the games in each order (orders by players)."""
    import numpy as np

    ratings = np.full((len(orders), players), START)
    rows = np.arange(len(orders))
    for games in orders.T:
        one, other = first[games], second[games]
        expected = 1 / (1 + 10 ** ((ratings[rows, other] - ratings[rows, one]) / SPREAD))
        change = k * (outcome[games] - expected)
        ratings[rows, one] += change
        ratings[rows, other] -= change
    return ratings


def _standings(
    players: list[str],
    ratings: NDArray[np.float64],
    draws: NDArray[np.float64] | None,
    preferences: Sequence[Preference],
    confidence: float,
    ends: NDArray[np.float64] | None = None,
) -> tuple[Standing, ...]:
    from scipy.stats import rankdata

    wins, games = dict.fromkeys(players, 0.0), dict.fromkeys(players, 0)
    for one in preferences:
        for player, score in ((one.first, one.outcome), (one.second, 1 - one.outcome)):
            wins[player] += score
            games[player] += 1
    ranks = rankdata(-ratings.round(9))
    found = []
    for place, player in enumerate(players):
        if ends is None:
            column = None if draws is None else draws[:, place]
            rating = from_draws(float(ratings[place]), column, games[player], confidence=confidence)
        else:
            rating = Estimate(
                float(ratings[place]), float(ends[0, place]), float(ends[1, place]), games[player]
            )
        found.append(Standing(player, rating, float(ranks[place]), wins[player], games[player]))
    return tuple(sorted(found, key=lambda standing: (standing.rank, standing.player)))

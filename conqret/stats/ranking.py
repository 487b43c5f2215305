"""From pairwise preferences to a ranking: Elo's ratings and the model of Bradley and Terry, with intervals.

A preference names two players (systems, arguments) and its ``outcome``: 1 where the first is preferred, 0 where
the second is, 0.5 for a tie. DebateQA, Appendix D.1, ranks systems by Elo from annotators' pairwise preferences and
compares that ranking with a metric's by Spearman's rho and Kendall's tau.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from conqret.errors import DeclarationError
from conqret.stats.correlation import kendall, spearman
from conqret.stats.estimate import CONFIDENCE, Estimate, Sampled
from conqret.stats.resampling import leave_one_out

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
    """``first`` against ``second``: 1, 0.5 or 0. ``cluster`` is what intervals leave out (an item, a topic)."""

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
    intervals: bool = False,
    confidence: float = CONFIDENCE,
) -> tuple[Standing, ...]:
    """Elo's ratings, best first.

    Before each game the first player is expected to score ``1 / (1 + 10^((R_2 - R_1) / 400))``; afterwards both
    move by ``k`` times what was scored beyond it. Without ``rng`` the games are played once, as given; with it, the
    ratings are the mean over ``orders`` shuffles. ``intervals`` leave out whole clusters, in the same orders.

    Raises:
        DeclarationError: there are no preferences, or one has another outcome or a single player.
    """
    import numpy as np

    games = _Games(preferences)
    once = np.arange(len(games.outcome))
    shuffles = once[None] if rng is None else rng.permuted(np.tile(once, (orders, 1)), axis=1)

    def play(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(_play(games, shuffles, k * weights).mean(axis=0))

    return games.standings(play(np.ones(len(once))), confidence, play if intervals else None)


def bradley_terry(
    preferences: Sequence[Preference],
    *,
    prior: float = PRIOR,
    intervals: Literal["information", "clusters"] = "information",
    confidence: float = CONFIDENCE,
) -> tuple[Standing, ...]:
    """Strengths of Bradley and Terry (1952) on the logarithmic scale, best first; a tie is half a win for each.

    ``P(first beats second) = 1 / (1 + exp(s_2 - s_1))``; the sum of the strengths is 0. They maximise the likelihood
    with ``prior`` ties of each player with one of strength 0. Intervals come from the observed information
    (``s +- z sqrt((I^-1)_ii)``), which takes preferences for independent, or leave out whole clusters.

    Raises:
        DeclarationError: there are no preferences, one has another outcome or a single player, or ``prior`` is
            not above 0.
    """
    from statistics import NormalDist

    import numpy as np
    from scipy.sparse import csr_array
    from scipy.special import expit

    if prior <= 0:
        raise DeclarationError(f"the prior of Bradley-Terry is above 0, not {prior}")
    games = _Games(preferences)
    count, players = len(games.outcome), len(games.players)
    columns = np.stack([games.first, games.second], axis=1).ravel()
    design = csr_array(
        (np.tile([1.0, -1.0], count), columns, np.arange(0, 2 * count + 1, 2)), (count, players)
    )

    def information(strengths: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        expected, own = expit(design @ strengths), expit(strengths)
        tight = design.multiply((weights * expected * (1 - expected))[:, None])
        return np.asarray((design.T @ tight).toarray() + np.diag(prior * own * (1 - own)))

    def fit(weights: NDArray[np.float64], start: NDArray[np.float64]) -> NDArray[np.float64]:
        """Newton's method: the likelihood is concave."""
        strengths = start
        for _ in range(MOST_ROUNDS):
            surplus = design.T @ (weights * (games.outcome - expit(design @ strengths)))
            step = np.linalg.solve(
                information(strengths, weights), surplus + prior * (0.5 - expit(strengths))
            )
            strengths = strengths + np.clip(step, -2.0, 2.0)
            if float(np.abs(step).max()) < TOLERANCE:
                break
        return np.asarray(strengths - strengths.mean())

    once = np.ones(count)
    strengths = fit(once, np.zeros(players))
    if intervals == "clusters":
        return games.standings(strengths, confidence, lambda weights: fit(weights, strengths))
    centre = np.eye(players) - 1 / players
    spread = np.diagonal(centre @ np.linalg.inv(information(strengths, once)) @ centre)
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * np.sqrt(spread.clip(min=0))
    return games.standings(strengths, confidence, ends=(strengths - reach, strengths + reach))


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


class _Games:
    """The preferences as arrays: places of the players, and outcomes."""

    def __init__(self, preferences: Sequence[Preference]) -> None:
        import numpy as np

        if not preferences:
            raise DeclarationError("a ranking needs one preference at least")
        for one in preferences:
            if one.outcome not in (0, 0.5, 1) or one.first == one.second:
                raise DeclarationError(
                    f"a preference is 0, 0.5 or 1 between two players, not {one.outcome} between "
                    f"{one.first!r} and {one.second!r}"
                )
        self.players = sorted({one.first for one in preferences} | {one.second for one in preferences})
        place = {player: number for number, player in enumerate(self.players)}
        self.first = np.array([place[one.first] for one in preferences])
        self.second = np.array([place[one.second] for one in preferences])
        self.outcome = np.array([one.outcome for one in preferences], dtype=float)
        self.clusters = [
            number if one.cluster is None else one.cluster for number, one in enumerate(preferences)
        ]

    def standings(
        self,
        ratings: NDArray[np.float64],
        confidence: float,
        rate: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None,
        ends: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
    ) -> tuple[Standing, ...]:
        """The players by their ratings, best first, between ``ends``, or with an interval from what they
        ``rate`` where the games of a cluster count 0."""
        import numpy as np
        from scipy.stats import rankdata

        count = len(self.players)
        wins = np.bincount(self.first, self.outcome, count) + np.bincount(
            self.second, 1 - self.outcome, count
        )
        games = np.bincount(np.concatenate([self.first, self.second]), minlength=count).tolist()
        ranks = rankdata(-ratings.round(9))
        left_out = leave_one_out(self.clusters)
        without = np.array([rate(weights[left_out.cluster]) for weights in left_out.weights] if rate else [])
        found = []
        for place, player in enumerate(self.players):
            rating = Estimate(float(ratings[place]), n=games[place])
            if ends is not None:
                rating = replace(rating, low=float(ends[0][place]), high=float(ends[1][place]))
            elif rate is not None:
                column = without[:, place] if len(without) else without
                rating = Sampled(ratings[place], column, left_out.present(), games[place]).estimate(
                    confidence
                )
            found.append(Standing(player, rating, float(ranks[place]), float(wins[place]), games[place]))
        return tuple(sorted(found, key=lambda standing: (standing.rank, standing.player)))


def _play(games: _Games, orders: NDArray[np.intp], k: NDArray[np.float64]) -> NDArray[np.float64]:
    """Elo's ratings after the games in each order (orders by players); ``k`` is the step of each game."""
    import numpy as np

    ratings = np.full((len(orders), len(games.players)), START)
    rows = np.arange(len(orders))
    for played in orders.T:
        one, other = games.first[played], games.second[played]
        expected = 1 / (1 + 10 ** ((ratings[rows, other] - ratings[rows, one]) / SPREAD))
        change = k[played] * (games.outcome[played] - expected)
        ratings[rows, one] += change
        ratings[rows, other] -= change
    return ratings

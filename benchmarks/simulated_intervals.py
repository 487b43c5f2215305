"""Made-up ratings, preferences and labels of which the truth is known, and every interval that conqret prints of them.

Topics and the items in them vary; people and judges see an item's worth with noise of their own, and each is a little
high or low on a whole topic. ``even`` cuts what they see into five steps about equally apart, ``skewed`` into steps of
which the upper ones are rare.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from conqret.stats.agreement import LEVELS, alphas
from conqret.stats.classification import (
    accuracy,
    auroc,
    average_precision,
    base_rate,
    cohen_kappa,
    f1,
    fleiss_kappa,
    gwet_ac2,
    matthews,
    precision,
    quadratic_kappa,
    recall,
)
from conqret.stats.correlation import kendall, pearson, spearman
from conqret.stats.estimate import Estimate
from conqret.stats.jackknife import JackknifedEstimate, average
from conqret.stats.paired_ranking import PairedStanding, PairwisePreference, bradley_terry, elo
from conqret.stats.prediction_powered import prediction_powered_mean
from conqret.stats.resampling import Resamples, leave_one_out, mean_interval

Numbers = NDArray[np.float64]

ITEMS = 5
UNBALANCED = (1, 2, 3, 5, 8, 12)
"""Items of a topic: so many, or one of these."""
TOPIC_SHARE = 0.3
"""What topics make of the variance of an item's worth."""
NOISE, TOPIC_BIAS = 0.7, 0.3
WORSE = 1.0
"""The noise of people and of the first judge, what a judge errs by on a whole topic, and the noise of the second."""
STRENGTHS = (0.0, 0.4, 1.0)
"""Three systems that are compared, on the scale of Bradley and Terry; on each topic they vary by half a unit."""
POSITIVE = 4


@dataclass(frozen=True)
class World:
    """Ratings of two people and two judges from 1 to 5, and which items are labelled."""

    topics: NDArray[np.intp]
    people: tuple[Numbers, Numbers]
    judge: Numbers
    other: Numbers
    labelled: NDArray[np.bool_]

    @property
    def names(self) -> list[int]:
        """The topic of each item, for calls that take names."""
        return [int(topic) for topic in self.topics]


def made(rng: np.random.Generator, topics: int, balanced: bool, kind: str) -> World:
    """Return a sample of so many topics, with five labels about equally often (``even``) or the upper ones rare."""
    sizes = np.full(topics, ITEMS) if balanced else rng.choice(UNBALANCED, size=topics)
    which = np.repeat(np.arange(topics), sizes)
    worth = rng.normal(size=topics)[which] * TOPIC_SHARE**0.5
    worth = worth + rng.normal(size=len(which)) * (1 - TOPIC_SHARE) ** 0.5

    def rated(noise: float) -> Numbers:
        seen = worth + rng.normal(size=len(which)) * noise + (rng.normal(size=topics) * TOPIC_BIAS)[which]
        return np.clip(np.round(3 + 1.2 * seen if kind == "even" else 0.6 + 0.9 * np.exp(0.6 * seen)), 1, 5)

    people = rated(NOISE), rated(NOISE)
    return World(which, people, rated(NOISE), rated(WORSE), rng.random(len(which)) < 0.5)


def _mean(world: World, values: Numbers, scale: str) -> Estimate:
    return mean_interval(values, world.names, scale=scale)  # type: ignore[arg-type]


def _positive(values: Numbers) -> Numbers:
    return (values >= POSITIVE).astype(float)


def _alphas(world: World, level: str, drawn: Resamples) -> list[JackknifedEstimate]:
    pairs = [np.stack([world.people[0], one]) for one in (world.judge, world.other)]
    return alphas(np.stack(pairs), level, drawn)  # type: ignore[arg-type]


def _corrected_mean(world: World, drawn: Resamples) -> Estimate:
    known, (people, _) = world.labelled, world.people
    return prediction_powered_mean(
        (people[known] - 1) / 4, (world.judge[known] - 1) / 4, (world.judge[~known] - 1) / 4,
        clusters=world.topics[known].tolist(), unlabelled_clusters=world.topics[~known].tolist(),
        scale="share",
    ).corrected  # fmt: skip


Compute = Callable[[World, Resamples], Estimate]
STEPS = (1.0, 2.0, 3.0, 4.0, 5.0)

INTERVALS: dict[str, Compute] = {
    "mean of scores": lambda w, r: _mean(w, (w.judge - 1) / 4, "share"),
    "mean difference": lambda w, r: _mean(w, (w.judge - w.other) / 4, "plain"),
    "share": lambda w, r: _mean(w, _positive(w.judge), "share"),
    **{f"alpha, {level}": lambda w, r, level=level: _alphas(w, level, r)[0].estimate() for level in LEVELS},
    "average of alphas": lambda w, r: average(_alphas(w, "ordinal", r)).estimate(),
    "difference of alphas": lambda w, r: JackknifedEstimate.minus(*_alphas(w, "ordinal", r)).estimate(),
    "kappa": lambda w, r: cohen_kappa(w.people[0], w.judge, r, categories=STEPS),
    "kappa, quadratic": lambda w, r: quadratic_kappa(w.people[0], w.judge, r, categories=STEPS),
    "Fleiss's kappa": lambda w, r: fleiss_kappa(np.stack([*w.people, w.judge]), r),
    "Gwet's AC2": lambda w, r: gwet_ac2(w.people[0], w.judge, r, categories=STEPS),
    "accuracy": lambda w, r: accuracy(w.people[0], w.judge, r),
    "base rate": lambda w, r: base_rate(w.people[0], w.judge, r),
    "precision": lambda w, r: precision(_positive(w.people[0]), _positive(w.judge), r, categories=(0, 1)),
    "recall": lambda w, r: recall(_positive(w.people[0]), _positive(w.judge), r, categories=(0, 1)),
    "F1": lambda w, r: f1(_positive(w.people[0]), _positive(w.judge), r, categories=(0, 1)),
    "macro F1": lambda w, r: f1(w.people[0], w.judge, r),
    "MCC": lambda w, r: matthews(_positive(w.people[0]), _positive(w.judge), r, categories=(0, 1)),
    "AUROC": lambda w, r: auroc(_positive(w.people[0]), w.judge, r),
    "average precision": lambda w, r: average_precision(_positive(w.people[0]), w.judge, r),
    "Spearman": lambda w, r: spearman(w.people[0], w.judge, r),
    "Kendall": lambda w, r: kendall(w.people[0], w.judge, r),
    "Pearson": lambda w, r: pearson(w.people[0], w.judge, r),
    "prediction-powered mean": _corrected_mean,
}
"""Each interval of ratings by its name."""


def compared(world: World, rng: np.random.Generator) -> list[PairwisePreference]:
    """Return each pair of systems on each item, and who wins."""
    count = int(world.topics.max()) + 1
    strong = (np.array(STRENGTHS) + rng.normal(size=(count, len(STRENGTHS))) * 0.5)[world.topics]
    one, two = np.tril_indices(len(STRENGTHS), -1)
    wins = rng.random((len(strong), len(one))) < 1 / (1 + np.exp(strong[:, two] - strong[:, one]))
    pairs = list(zip(one.tolist(), two.tolist(), strict=True))
    return [
        PairwisePreference(f"s{first}", f"s{second}", float(won), topic)
        for topic, row in zip(world.names, wins.tolist(), strict=True)
        for (first, second), won in zip(pairs, row, strict=True)
    ]


RANKINGS: dict[str, Callable[[list[PairwisePreference], np.random.Generator], tuple[PairedStanding, ...]]] = {
    "Bradley-Terry": lambda games, rng: bradley_terry(games),
    "Elo": lambda games, rng: elo(games, rng, intervals=True),
}
"""Each interval of a ranking by its name."""

Triple = tuple[float, float | None, float | None]
"""A value with its interval, if it has one."""


def simulated(kind: str, topics: int, balanced: bool, seed: int) -> dict[str, Triple | None]:
    """All intervals of one sample."""
    rng = np.random.default_rng([seed, topics, balanced, ("skewed", "even").index(kind)])
    world = made(rng, topics, balanced, kind)
    left_out = leave_one_out(world.names)
    return {name: triple(compute(world, left_out)) for name, compute in INTERVALS.items()}


def ranked_once(topics: int, balanced: bool, seed: int) -> dict[str, Triple | None]:
    """All intervals of one sample of preferences: those of the best of the systems."""
    rng = np.random.default_rng([seed, topics, balanced])
    games = compared(made(rng, topics, balanced, "even"), rng)
    return {name: triple(of_best(rate(games, rng))) for name, rate in RANKINGS.items()}


def of_best(standings: tuple[PairedStanding, ...]) -> Estimate:
    return next(standing.rating for standing in standings if standing.player == f"s{len(STRENGTHS) - 1}")


def triple(estimate: Estimate) -> Triple | None:
    if estimate.value is None:
        return None
    return round(estimate.value, 5), *(
        None if end is None else round(end, 5) for end in (estimate.low, estimate.high)
    )


@cache
def truths(kind: str, topics: int = 1500, repeats: int = 6) -> dict[str, float]:
    """What each statistic is in very many topics: its mean over ``repeats`` large samples, half of them balanced. Elo's
    rating has no such limit: it hangs on the number of games."""
    every: dict[str, list[float]] = {}
    for repeat in range(repeats):
        rng = np.random.default_rng([repeat, 10**6])
        world = made(rng, topics, repeat % 2 == 0, kind)
        nothing = Resamples(np.zeros((0, 1)), np.zeros(len(world.topics), dtype=np.intp))
        for name, compute in INTERVALS.items():
            values = compute(world, nothing).value
            every.setdefault(name, []).append(np.nan if values is None else values)
        if kind == "even":
            games = compared(world, rng)
            best = of_best(bradley_terry(games)).value
            for name in RANKINGS:
                if name != "Elo":
                    every.setdefault(name, []).append(best or 0.0)
    return {name: float(np.mean(values)) for name, values in every.items()}

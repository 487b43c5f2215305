"""Made-up ratings, preferences and labels of which the truth is known, and every interval that conqret prints of them.

Topics and the items in them vary; people and judges see an item's worth with noise of their own, and each is a little
high or low on a whole topic. ``even`` cuts what they see into five steps about equally apart, ``skewed`` into steps of
which the upper ones are rare.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from conqret.stats.agreement import LEVELS, alphas
from conqret.stats.classification import (
    accuracy,
    auroc,
    average_precision,
    base_rate,
    f1,
    matthews,
    precision,
    recall,
)
from conqret.stats.correlation import kendall, pearson, spearman
from conqret.stats.estimate import CONFIDENCE, Estimate, Sampled, average
from conqret.stats.kappa import cohen_kappa, fleiss_kappa, linear_kappa, quadratic_kappa
from conqret.stats.prediction_powered import prediction_powered_mean
from conqret.stats.ranking import Preference, Standing, bradley_terry, elo
from conqret.stats.resampling import Resamples, leave_one_out, mean_interval
from conqret.stats.rogan_gladen import rogan_gladen

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
DRAWS = 500
"""Resamples of the percentile bootstrap that the jackknife is held against."""


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
    """A sample of so many topics."""
    sizes = np.full(topics, ITEMS) if balanced else rng.choice(UNBALANCED, size=topics)
    which = np.repeat(np.arange(topics), sizes)
    worth = rng.normal(size=topics)[which] * TOPIC_SHARE**0.5
    worth = worth + rng.normal(size=len(which)) * (1 - TOPIC_SHARE) ** 0.5

    def rated(noise: float) -> Numbers:
        seen = worth + rng.normal(size=len(which)) * noise + (rng.normal(size=topics) * TOPIC_BIAS)[which]
        steps = 3 + 1.2 * seen if kind == "even" else 0.6 + 0.9 * np.exp(0.6 * seen)
        return np.clip(np.round(steps), 1, 5)

    people = rated(NOISE), rated(NOISE)
    return World(which, people, rated(NOISE), rated(WORSE), rng.random(len(which)) < 0.5)


class Percentiles(Sampled):
    """A statistic with the interval of the percentile bootstrap."""

    def estimate(self, confidence: float = CONFIDENCE) -> Estimate:
        """What lies between the quantiles of the draws that have a value."""
        drawn = self.without[~np.isnan(self.without)]
        if not self.defined or len(drawn) < 10:
            return Estimate(None, reason="no value")
        low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
        return Estimate(float(self.value), float(low), float(high), self.n)


class Bootstrap(Resamples):
    """Topics drawn with replacement in place of topics left out."""

    def of(self, items: NDArray[np.bool_]) -> Resamples:
        """The same draws of some of the items."""
        return Bootstrap(self.weights, self.cluster[items])

    def sampled(self, *given: object, **options: object) -> Sampled:
        """The statistic in each draw."""
        found = Resamples.sampled(self, *given, **options)  # type: ignore[arg-type]
        return Percentiles(found.value, found.without, found.present, found.n)


def bootstrap(world: World, rng: np.random.Generator) -> Bootstrap:
    """Resamples of the topics of ``world``."""
    count = int(world.topics.max()) + 1
    weights = rng.multinomial(count, np.full(count, 1 / count), size=DRAWS).astype(float)
    return Bootstrap(weights, world.topics)


def _mean(world: World, values: Numbers, drawn: Resamples, scale: str) -> Estimate:
    if not isinstance(drawn, Bootstrap):
        return mean_interval(values, world.names, scale=scale)  # type: ignore[arg-type]
    sums = drawn.sums(np.column_stack([values, np.ones_like(values)]))
    return drawn.sampled(lambda weights: np.divide(*(weights @ sums).T), len(values)).estimate()


def _positive(values: Numbers) -> Numbers:
    return (values >= POSITIVE).astype(float)


def _alphas(world: World, level: str, drawn: Resamples) -> list[Sampled]:
    pairs = [np.stack([world.people[0], one]) for one in (world.judge, world.other)]
    return alphas(np.stack(pairs), level, drawn)  # type: ignore[arg-type]


def _estimate(found: Sampled, drawn: Resamples) -> Estimate:
    """What several statistics come to, with an interval of the kind that was drawn."""
    if isinstance(drawn, Bootstrap):
        found = Percentiles(found.value, found.without, found.present, found.n)
    return found.estimate()


def _difference(world: World, drawn: Resamples) -> Estimate:
    first, second = _alphas(world, "ordinal", drawn)
    return _estimate(first.minus(second), drawn)


def _average(world: World, drawn: Resamples) -> Estimate:
    return _estimate(average(_alphas(world, "ordinal", drawn)), drawn)


def _corrected_mean(world: World, drawn: Resamples) -> Estimate:
    known, (people, _) = world.labelled, world.people
    return prediction_powered_mean(
        (people[known] - 1) / 4, (world.judge[known] - 1) / 4, (world.judge[~known] - 1) / 4,
        clusters=world.topics[known].tolist(), unlabelled_clusters=world.topics[~known].tolist(),
    ).corrected  # fmt: skip


def _corrected_share(world: World, drawn: Resamples) -> Estimate:
    judge, people, known = _positive(world.judge), _positive(world.people[0]), world.labelled
    return rogan_gladen(
        people[known], judge[known], judge[~known],
        clusters=world.topics[known].tolist(), unlabelled_clusters=world.topics[~known].tolist(),
    ).corrected  # fmt: skip


Compute = Callable[[World, Resamples], Estimate]
STEPS = (1.0, 2.0, 3.0, 4.0, 5.0)

INTERVALS: dict[str, Compute] = {
    "mean of scores": lambda w, r: _mean(w, (w.judge - 1) / 4, r, "share"),
    "mean difference": lambda w, r: _mean(w, (w.judge - w.other) / 4, r, "plain"),
    "share": lambda w, r: _mean(w, _positive(w.judge), r, "share"),
    **{f"alpha, {level}": lambda w, r, level=level: _alphas(w, level, r)[0].estimate() for level in LEVELS},
    "average of alphas": _average,
    "difference of alphas": _difference,
    "kappa": lambda w, r: cohen_kappa(w.people[0], w.judge, r, categories=STEPS),
    "kappa, linear": lambda w, r: linear_kappa(w.people[0], w.judge, r, categories=STEPS),
    "kappa, quadratic": lambda w, r: quadratic_kappa(w.people[0], w.judge, r, categories=STEPS),
    "Fleiss's kappa": lambda w, r: fleiss_kappa(np.stack([*w.people, w.judge]), r),
    "accuracy": lambda w, r: accuracy(w.people[0], w.judge, r),
    "base rate": lambda w, r: base_rate(w.people[0], w.judge, r),
    "precision": lambda w, r: precision(_positive(w.people[0]), _positive(w.judge), r, categories=(0, 1)),
    "recall": lambda w, r: recall(_positive(w.people[0]), _positive(w.judge), r, categories=(0, 1)),
    "F1": lambda w, r: f1(_positive(w.people[0]), _positive(w.judge), r, categories=(0, 1)),
    "MCC": lambda w, r: matthews(_positive(w.people[0]), _positive(w.judge), r, categories=(0, 1)),
    "AUROC": lambda w, r: auroc(_positive(w.people[0]), w.judge, r),
    "average precision": lambda w, r: average_precision(_positive(w.people[0]), w.judge, r),
    "Spearman": lambda w, r: spearman(w.people[0], w.judge, r),
    "Kendall": lambda w, r: kendall(w.people[0], w.judge, r),
    "Pearson": lambda w, r: pearson(w.people[0], w.judge, r),
    "prediction-powered mean": _corrected_mean,
    "Rogan-Gladen": _corrected_share,
}
"""Each interval of ratings by its name."""
NO_BOOTSTRAP = ("Kendall", "prediction-powered mean", "Rogan-Gladen")
"""What had an interval of another kind before, or takes too long."""


def compared(world: World, rng: np.random.Generator) -> list[Preference]:
    """Each pair of systems on each item, and who wins."""
    count = int(world.topics.max()) + 1
    strong = np.array(STRENGTHS) + rng.normal(size=(count, len(STRENGTHS))) * 0.5
    found = []
    for topic in world.names:
        for one in range(len(STRENGTHS)):
            for two in range(one):
                wins = rng.random() < 1 / (1 + np.exp(strong[topic, two] - strong[topic, one]))
                found.append(Preference(f"s{one}", f"s{two}", float(wins), topic))
    return found


RANKINGS: dict[str, Callable[[list[Preference], np.random.Generator], tuple[Standing, ...]]] = {
    "Bradley-Terry": lambda games, rng: bradley_terry(games),
    "Bradley-Terry, topics not named": lambda games, rng: bradley_terry(
        [replace(one, cluster=None) for one in games]
    ),
    "Elo": lambda games, rng: elo(games, rng, intervals=True),
}
"""Each interval of a ranking by its name."""

Triple = tuple[float, float | None, float | None]
"""A value with its interval, if it has one."""


def simulated(kind: str, topics: int, balanced: bool, seed: int) -> dict[str, Triple | None]:
    """All intervals of one sample, and those of the percentile bootstrap under ``NAME/bootstrap``."""
    rng = np.random.default_rng([seed, topics, balanced, kind == "even"])
    world = made(rng, topics, balanced, kind)
    left_out, drawn = leave_one_out(world.names), bootstrap(world, rng)
    found = {name: triple(compute(world, left_out)) for name, compute in INTERVALS.items()}
    for name, compute in INTERVALS.items():
        if name not in NO_BOOTSTRAP:
            found[f"{name}/bootstrap"] = triple(compute(world, drawn))
    return found


def ranked_once(topics: int, balanced: bool, seed: int) -> dict[str, Triple | None]:
    """All intervals of one sample of preferences: those of the best of the systems."""
    rng = np.random.default_rng([seed, topics, balanced])
    games = compared(made(rng, topics, balanced, "even"), rng)
    return {name: triple(_best(rate(games, rng))) for name, rate in RANKINGS.items()}


def _best(standings: tuple[Standing, ...]) -> Estimate:
    return next(one.rating for one in standings if one.player == f"s{len(STRENGTHS) - 1}")


def triple(found: Estimate) -> Triple | None:
    if found.value is None:
        return None
    return round(found.value, 5), *(None if end is None else round(end, 5) for end in (found.low, found.high))


def truths(kind: str, topics: int = 1500, repeats: int = 6) -> dict[str, float]:
    """What each statistic is in very many topics: its mean over ``repeats`` large samples, half of them balanced.
    Elo's rating has no such limit: it hangs on the number of games."""
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
            best = _best(bradley_terry(games)).value
            for name in RANKINGS:
                if name != "Elo":
                    every.setdefault(name, []).append(best or 0.0)
    return {name: float(np.mean(values)) for name, values in every.items()}

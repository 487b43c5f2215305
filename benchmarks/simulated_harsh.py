"""The second family of what commands and rankings print: skewed effects of topics, heavy tails, larger topics where
effects are larger, answers that are missing where worth is low, and judges whose errors are half of both.

The tables have the rows of :mod:`simulated_commands` and of the rankings of :mod:`simulated_intervals`. Where topics
are of unequal sizes, what is estimated is the value over all items, so that truths differ between balanced topics and
others.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import components
import numpy as np
from numpy.typing import NDArray
from simulated_commands import (
    DISPOSED,
    JUDGE,
    LACKING,
    REFERENCE,
    SYSTEMS,
    board,
    by_source,
    instrument_means,
    of_calibration,
    rankings_of,
    tau_of,
    true_values,
)
from simulated_intervals import (
    RANKINGS,
    SHARED,
    STRENGTHS,
    UNLIKE,
    Triple,
    between_systems,
    made,
    of_best,
    triple,
)
from simulated_verdicts import ITEMS, heavy, tied

from conqret.io.label_scale import LabelScale, Scales
from conqret.stats.paired_ranking import PairwisePreference, bradley_terry

Numbers = NDArray[np.float64]
Rng = np.random.Generator

STEPS = 4
ANY, WHOLE = (Scales(LabelScale("interval", 1.0, float(STEPS), whole=whole)) for whole in (False, True))
"""Labels that may be any number, and whole steps."""


def sizes(effects: Numbers, balanced: bool) -> NDArray[np.intp]:
    """The topic of each item, of topics with these exponential effects."""
    many = np.full(len(effects), ITEMS) if balanced else tied(effects).astype(int)
    return np.repeat(np.arange(len(effects)), many)


def compared(rng: Rng, topics: int, balanced: bool) -> list[PairwisePreference]:
    """Each pair of systems on each item, and who wins: on few topics systems are far better than on most, topics on
    which the best is so are larger, and answers of one item differ with heavy tails in all of its pairs."""
    effects = rng.exponential(size=(topics, len(STRENGTHS)))
    which = sizes(effects[:, -1], balanced)
    strong = (np.array(STRENGTHS) + (effects - 1) * 0.5)[which]
    return between_systems(rng, strong + heavy(rng, strong.shape, 0.5), which.tolist())


def ranked(topics: int, balanced: bool, seed: int) -> dict[str, Triple | None]:
    """All intervals of one sample of preferences: those of the best of the systems."""
    rng = np.random.default_rng([seed, topics, balanced, 11])
    games = compared(rng, topics, balanced)
    return {name: triple(of_best(rate(games, rng))) for name, rate in RANKINGS.items()}


def commanded(topics: int, balanced: bool, seed: int) -> dict[str, Triple | None]:
    """What ``calibrate`` and ``validate`` print of one sample."""
    world = made(np.random.default_rng([seed, topics, balanced, 12]), topics, balanced, "harsh")
    return of_calibration(world, ANY, STEPS)


def answers(rng: Rng, topics: int, balanced: bool) -> tuple[Numbers, NDArray[np.bool_]]:
    """How much better or worse than its system's mean each answer is (topics by systems), and which are there."""
    effects = rng.exponential(size=(topics, 1)) - 1
    worth = effects * 0.1 + (rng.exponential(size=(topics, SYSTEMS)) - 1) * 0.15
    lacking = LACKING * np.clip(1 - effects / 2, 0, 2)
    return worth, rng.random(worth.shape) >= (0 if balanced else lacking)


def measured(rng: Rng, means: Numbers, worth: Numbers) -> Iterator[Numbers]:
    """The scores of two instruments with these means, whose errors are half of both."""
    both = heavy(rng, worth.shape)
    for mean in means:
        yield mean + worth + SHARED**0.5 * both + (1 - SHARED) ** 0.5 * heavy(rng, worth.shape)


def stable(topics: int, balanced: bool, seed: int) -> dict[str, Triple | None]:
    """The taus of ``score stability``."""
    rng = np.random.default_rng([seed, topics, balanced, 14])
    worth, there = answers(rng, topics, balanced)
    return {
        which: tau_of(measured(rng, instrument_means(own), worth), there) for which, own in DISPOSED.items()
    }


def ranked_systems(topics: int, balanced: bool, seed: int) -> dict[str, Triple | None]:
    """How far one judge ranks systems as a reference does."""
    rng = np.random.default_rng([seed, topics, balanced, 15])
    worth, there = answers(rng, topics, balanced)
    truth, judge = measured(rng, np.stack([REFERENCE, JUDGE]), worth)
    return rankings_of(board("truth", truth, there), board("first", judge, there))


def scored(rng: Rng, topics: int, balanced: bool) -> tuple[Any, ...]:
    """Scores with their topics, items and models, as :func:`components.drawn`: effects of topics and items are
    exponential, and the noise of samples differs between topics."""
    effects = rng.exponential(size=topics)
    of_item = sizes(effects, balanced)
    item, model, _ = (
        index.ravel() for index in np.indices((len(of_item), components.MODELS, components.SAMPLES))
    )
    topic = of_item[item]
    unlike = np.exp(rng.normal(size=topics) * UNLIKE - UNLIKE**2)[topic]
    standard = {
        "topic": (effects - 1)[topic],
        "item": (rng.exponential(size=len(of_item)) - 1)[item],
        "model": rng.normal(size=components.MODELS)[model],
        "topic x model": rng.normal(size=topics * components.MODELS)[topic * components.MODELS + model],
        "item x model": rng.normal(size=len(of_item) * components.MODELS)[item * components.MODELS + model],
        "sample": unlike * rng.normal(size=len(item)),
    }
    values = sum(components.SD[name] * each for name, each in standard.items())
    return values, topic.tolist(), item.tolist(), {"model": model.tolist()}


def sources(topics: int, balanced: bool, seed: int) -> dict[str, Triple | None]:
    """The standard deviations of the sources of noise, and the generalizability of one score."""
    rng = np.random.default_rng([seed, topics, balanced, 16])
    return by_source(components.estimates(*scored(rng, topics, balanced))[0])


@cache
def harsh_truths(balanced: bool, topics: int = 1500, repeats: int = 6) -> dict[str, float]:
    """What of these is known. Means of systems move alike where answers are missing on topics of low worth, so that the
    truth of their rankings is that of the first family, and so are components, which are variances over topics."""
    games = (compared(np.random.default_rng([repeat, 10**6]), topics, balanced) for repeat in range(repeats))
    strengths = [of_best(bradley_terry(each)).value or 0.0 for each in games]
    return {**true_values(), "Bradley-Terry": float(np.mean(strengths))}

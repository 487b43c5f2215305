"""How large p-values become where topics' effects are skewed: the constants that stand behind each verdict's condition.

    python benchmarks/skewed_verdicts.py [SAMPLES]

Effects of topics are drawn with a mean of 0: exponential ones, whose skewness is 2. The first table has the tails of t
over topics: how often it lies below -t (where most topics are a little below 0 and few far above: the worse side), and
beyond t on either side; topics of one size, then of 1 to 12 items, the larger ones with the larger effects. These are
the constants of ``conqret/stats/skewed_tails.py`` (``--constants`` prints them as such). The second has the error rates
of tests at 5%: of t, and of t with Hall's (1992) correction for skewness besides; with exponential effects, and where
one topic in ten moves the other way by nine times as much as the others, with noise of as much as their standard
deviation. The third has the alarm of ``conqret bias`` (sign flips of whole topics) and the charts of ``conqret judges
drift`` with exponential noise of topics.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from simulated_verdicts import middle, tied

from conqret.stats.control_charts import BASELINE, WAVES, Charts, Design, set_limits
from conqret.stats.effects import PairedEffects, sign_flip_p
from conqret.stats.estimate import CONFIDENCE, LEAST_FREEDOM
from conqret.stats.skewed_tails import GRID
from conqret.stats.student import quantile
from conqret.stats.time_series import severity

Numbers = NDArray[np.float64]
TOPICS = (6, 8, 12, 20, 50, 100)
UNEVEN = (6, 8, 12, 20, 50, 100)
ONE_SIDED, TWO_SIDED = 1 - 2 * 0.05, CONFIDENCE
"""The confidence of the interval whose end is where a test at 5% finds something."""
RARE = 0.1
SIGN_FLIPS, SERIES = 1_500, 2_000
"""Samples of what takes longer."""
CHUNK = 20_000


def exponential(rng: np.random.Generator, samples: int, topics: int) -> Numbers:
    """Effects that are most often below 0."""
    return rng.exponential(size=(samples, topics)) - 1


def rare(rng: np.random.Generator, samples: int, topics: int) -> Numbers:
    """One topic in ten is far above 0, and the others a little below; all with noise."""
    effects = (rng.random((samples, topics)) < RARE) - RARE
    return np.asarray(effects / (RARE * (1 - RARE)) ** 0.5 + rng.normal(size=effects.shape))


def tested(effects: Numbers, weights: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """For each sample t, the t that is corrected for skewness, and the degrees of freedom: those of
    :class:`conqret.stats.estimate.JackknifedEstimate` for means over items, ``weights`` in each topic."""
    topics = effects.shape[1]
    total = weights.sum(axis=1)
    means = (effects * weights).sum(axis=1) / total
    without = ((means * total)[:, None] - effects * weights) / (total[:, None] - weights)
    apart = without.mean(axis=1)[:, None] - without
    squares = (apart**2).sum(axis=1)
    spread = ((topics - 1) * squares) ** 0.5
    skew = (apart**2 * apart).mean(axis=1) / (squares / topics) ** 1.5
    standing = means / spread
    corrected = standing + skew * standing**2 / 3 + skew**2 * standing**3 / 27 + skew / (6 * topics)
    freedom = (total**2 / (weights**2).sum(axis=1) - 1).clip(LEAST_FREEDOM, topics - 1)
    return topics**0.5 * standing, topics**0.5 * corrected, freedom


def rates(t: Numbers, corrected: Numbers, freedom: Numbers) -> Iterator[float]:
    """Errors one-sided, one-sided by both, two-sided, two-sided by both."""
    for confidence, both in ((ONE_SIDED, False), (TWO_SIDED, True)):
        known = np.arange(LEAST_FREEDOM, freedom.max() + 0.2, 0.1)
        limits = np.array([quantile(df, confidence) for df in known])[
            np.round((freedom - LEAST_FREEDOM) * 10).astype(int)
        ]
        falls, agrees = t < -limits, corrected < -limits
        rises, also = both & (t > limits), both & (corrected > limits)
        yield float((falls | rises).mean())
        yield float(((falls & agrees) | (rises & also)).mean())


def simulated(
    kind: Callable[[np.random.Generator, int, int], Numbers],
    rng: np.random.Generator,
    samples: int,
    topics: int,
    balanced: bool,
) -> tuple[Numbers, Numbers, Numbers, float]:
    """Tails on the worse side, tails on both, error rates, and the effective number of topics."""
    found = []
    for _ in range(0, samples, CHUNK):
        effects = kind(rng, CHUNK, topics)
        weights = np.ones_like(effects) if balanced else tied(effects + 1)
        effects = effects if balanced else effects + 1 - middle()
        t, corrected, freedom = tested(effects, weights)
        grid = np.array(GRID)[:, None]
        found.append(
            np.concatenate([
                (t < -grid).mean(axis=1), (abs(t) > grid).mean(axis=1), list(rates(t, corrected, freedom)),
                [(weights.sum(axis=1) ** 2 / (weights**2).sum(axis=1)).mean()],
            ])
        )  # fmt: skip
    worse, both, errors, effective = np.split(np.mean(found, axis=0), [len(GRID), 2 * len(GRID), -1])
    return worse, both, errors, float(effective[0])


def flipped(effects: Numbers) -> float:
    """How often sign flips find an effect at 5%."""
    rng = np.random.default_rng(0)
    topics = list(range(effects.shape[1]))
    return float(np.mean([sign_flip_p([PairedEffects(row, topics)], rng)[0] < 0.05 for row in effects]))


def drifting(rng: np.random.Generator, topics: int, sign: int) -> float:
    """How often a series of a judge that does not drift raises an alarm."""
    limits = set_limits(Design(topics))
    alarms = 0
    for _ in range(SERIES):
        noise = sign * (rng.exponential(size=(WAVES, topics)) - 1)
        moves = severity(noise, list(range(topics)), BASELINE)
        charts = Charts(moves.shifts[BASELINE:, None], moves.errors[BASELINE:, None], BASELINE)
        alarms += bool(charts.alarms(limits).any())
    return alarms / SERIES


def table(heads: tuple[str, ...], rows: list[tuple[object, ...]]) -> None:
    """Print a table in Markdown."""
    print("| " + " | ".join(heads) + " |")
    print("| " + " | ".join("---:" for _ in heads) + " |")
    for row in rows:
        print(
            "| " + " | ".join(f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row) + " |"
        )
    print()


def main(samples: int, constants: bool) -> None:
    """Print the tables."""
    rng = np.random.default_rng(20)
    tails, errors = [], []
    for balanced, numbers in ((True, TOPICS), (False, UNEVEN)):
        if constants:
            print("EVEN = {" if balanced else "UNEVEN = {")
        for topics in numbers:
            worse, both, rated, effective = simulated(exponential, rng, samples, topics, balanced)
            name = f"{topics}" if balanced else f"{topics} u, {effective:.1f}"
            tails += [(name, side, *map(float, row)) for side, row in (("-t", worse), ("±t", both))]
            errors.append((name, "exponential", *map(float, rated)))
            if constants:
                rows = [", ".join(f"{tail:.6f}" for tail in row) for row in (worse, both)]
                print(f"    {topics}: (({rows[0]}), ({rows[1]})),")
        if constants:
            print("}")
    if constants:
        return
    table(("topics", "tail", *(f"{t:g}" for t in GRID)), tails)
    for topics in TOPICS:
        rated = simulated(rare, rng, samples // 10, topics, True)[2]
        errors.append((str(topics), "one in ten", *map(float, rated)))
    table(("topics", "effects", "one-sided", "Hall's besides", "two-sided", "Hall's besides"), errors)
    table(
        ("topics", "exponential", "one in ten", "charts, skewed upwards", "charts, skewed downwards"),
        [
            (
                topics,
                flipped(exponential(rng, SIGN_FLIPS, topics)), flipped(rare(rng, SIGN_FLIPS, topics)),
                drifting(rng, topics, 1), drifting(rng, topics, -1),
            )
            for topics in (8, 12, 20)
        ],
    )  # fmt: skip


if __name__ == "__main__":
    numbers = [int(text) for text in sys.argv[1:] if text.isdecimal()]
    main(numbers[0] if numbers else 1_000_000, "--constants" in sys.argv)

"""How often a cascade breaks its promise, and what share of the last judge's calls it saves: docs/results/cascade.md.

    nice python benchmarks/cascade_promise.py

Two judges are simulated. The first states how likely it is to be right, calibrated or overconfident: its true log odds
are those that it states divided by T. In each of 4,000 draws of topics ``conqret.stats.selective`` looks for a
threshold; the errors above it in 40,000 topics say whether the promise is kept, as for a gate at .90.
"""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from itertools import product

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are small
import numpy as np
from harness import print_table
from numpy.typing import NDArray
from scipy.special import expit

from conqret.stats.selective import cascade_curve, trusted_from

MARGIN, DELTA, GATE, DRAWS, EACH, POPULATION = 0.03, 0.05, 0.9, 4_000, 8, 40_000


def drawn(topics: int, temperature: float, rng: np.random.Generator) -> tuple[NDArray[np.float64], ...]:
    """Stated confidence, errors of the first judge and errors of the last, topics by items."""
    ease = rng.normal(0, 0.8, (topics, 1)) + rng.normal(0, 1.4, (topics, EACH))
    stated = np.abs(ease) * 2 + 0.3
    sure, right = expit(stated), expit(stated / temperature)
    first, last = rng.random(sure.shape) > right, rng.random(sure.shape) < 0.05 + 0.24 * (1 - sure)
    return sure, first.astype(float), last.astype(float)


def simulate(temperature: float, topics: int) -> tuple[object, ...]:
    """The row of one cell."""
    sure, first, last = drawn(POPULATION, temperature, np.random.default_rng(0))
    order = np.argsort(-sure.ravel())
    ranked, more = -sure.ravel()[order], np.cumsum((first - last).ravel()[order]) / sure.size

    def kept(threshold: float | None) -> tuple[float, float]:
        """Errors over the last judge, and the share of its calls that is saved, in all topics."""
        count = 0 if threshold is None else int(np.searchsorted(ranked, -threshold, side="right"))
        return (float(more[count - 1]) if count else 0.0), count / len(ranked)

    rng, found = np.random.default_rng([topics, round(10 * temperature)]), []
    names = np.repeat(np.arange(topics), EACH).tolist()
    for _ in range(DRAWS):
        columns = [one.reshape(-1, 1) for one in drawn(topics, temperature, rng)]
        curve = cascade_curve(columns[0].ravel(), columns[1], columns[2], names, margin=MARGIN, delta=DELTA)
        found.append(kept(trusted_from(curve)))
    (extra, saved), gate = np.array(found).T, kept(GATE)
    cells = f"{(extra > MARGIN).mean():.1%}", f"{saved.mean():.0%}", f"{gate[0]:+.3f}", f"{gate[1]:.0%}"
    return temperature, topics, *cells


def main() -> None:
    cells = list(product((1.0, 1.8, 2.7), (12, 30, 60)))
    with ProcessPoolExecutor(2) as workers:
        heads = ("T", "topics", "broken", "saved", "gate: more errors", "saved")
        print_table(heads, workers.map(simulate, *zip(*cells, strict=True)))


if __name__ == "__main__":
    main()

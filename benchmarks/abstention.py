"""How often an abstention breaks its promise, and how much it keeps: the tables of docs/results/abstention.md.

    nice python benchmarks/abstention.py

Judges are simulated whose errors and confidences are known for topics without end (20,000 of them). In each of 1,000
draws of 12 or 40 topics ``conqret.stats.confidence`` looks for a threshold (20% errors at most, delta .05), and the
error above that threshold in all topics says whether the promise is kept. Keeping nothing keeps every promise. Beside
the test that conqret has stands what takes items for what is drawn, as is usual elsewhere.

Prints Markdown.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from typing import Literal, get_args

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are small
import numpy as np
from harness import arguments, print_table
from numpy.typing import NDArray
from scipy.special import expit

from conqret.stats.selective import risk_coverage, trusted_from

ERROR, DELTA = 0.2, 0.05
DRAWS = 1_000
POPULATION = 20_000
"""Topics that stand for all."""
SIZES = ((12, 25), (40, 15))
"""Topics, and labelled items of each."""
JUST_ABOVE = 0.21
"""The error of what is never to be kept: as near to the promise as makes it hard."""
How = Literal["t", "items"]
Items = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True)
class Judge:
    """How a judge errs, on the scale of log odds: ``level``, the spread of topics (``between``) and of items
    (``within``), or ``bad``, the share of topics in which nearly all is wrong. Its confidence sees the difficulty of an
    item ``sharply`` (0: not at all) and how hard the topic is (``knows``), beside noise; ``steps`` rounds it, and above
    ``certain`` it says 1."""

    name: str
    level: float
    between: float
    within: float = 1.5
    sharply: float = 1.5
    knows: float = 0.0
    bad: float = 0.0
    steps: int = 0
    certain: float = 1.0

    def drawn(self, topics: int, each: int, rng: np.random.Generator) -> Items:
        """Confidences and errors, topics by items."""
        topic = self.between * rng.normal(size=(topics, 1))
        topic = np.where(rng.random((topics, 1)) < self.bad, 5.0, topic)
        item = self.within * rng.normal(size=(topics, each))
        wrong = rng.random((topics, each)) < expit(self.level + topic + item)
        seen = rng.normal(size=(topics, each)) - self.sharply * item - self.knows * topic
        sure = expit(seen)
        if self.steps:
            sure = np.round(sure * self.steps) / self.steps
        return np.where(sure > self.certain, 1.0, sure), wrong.astype(float)


JUDGES = (
    Judge("topics much alike", -1.5, 0.5),
    Judge("clustered", -1.5, 1.2),
    Judge("clustered, and it knows which topics are hard", -1.5, 1.2, knows=1.0),
    Judge("strongly clustered", -1.8, 2.0),
    Judge("clustered, five samples: six confidences", -1.5, 1.2, steps=5),
    Judge("clustered, sure of all but a sixth", -1.9, 1.2, certain=0.15),
)
"""Where something can be kept."""
HOPELESS = (
    Judge("a confidence that says nothing", 0.0, 0.5, within=0.3, sharply=0.0),
    Judge("the same, clustered", 0.0, 1.2, within=0.3, sharply=0.0),
)
"""Where nothing may be kept: their error is just above the promise, whatever the threshold."""
HIDDEN = (
    Judge("one topic in twenty is nearly all wrong", 0.0, 0.3, within=0.8, sharply=0.0, bad=0.05),
    Judge("the same, and it knows which other items are hard", 0.0, 0.3, within=0.8, sharply=1.0, bad=0.05),
)
"""The like, with topics that most draws hold none of."""


def just_above(judge: Judge) -> Judge:
    """The judge with the level at which it errs by :data:`JUST_ABOVE`."""
    low, high = -6.0, 2.0
    for _ in range(20):
        middle = (low + high) / 2
        above = (
            replace(judge, level=middle).drawn(POPULATION, 20, np.random.default_rng(0))[1].mean()
            > JUST_ABOVE
        )
        low, high = (low, middle) if above else (middle, high)
    return replace(judge, level=low)


class Truth:
    """The error and the share of what any threshold keeps, in the population."""

    def __init__(self, judge: Judge, each: int) -> None:
        self.sure, self.wrong = judge.drawn(POPULATION, each, np.random.default_rng(1))
        order = np.argsort(-self.sure.ravel())
        self.ranked = self.sure.ravel()[order]
        count = np.arange(1, len(order) + 1)
        self.errors, self.shares = np.cumsum(self.wrong.ravel()[order]) / count, count / len(order)

    def kept(self, threshold: float | None) -> tuple[float, float]:
        """Error and share of what is kept."""
        if threshold is None:
            return 0.0, 0.0
        last = int(np.searchsorted(-self.ranked, -threshold, side="right")) - 1
        return float(self.errors[last]), float(self.shares[last])

    @property
    def best(self) -> float:
        """The share that the loosest threshold keeps whose error is as promised."""
        ends = np.append(np.diff(self.ranked) != 0, True)
        return float(self.shares[ends & (self.errors <= ERROR)].max(initial=0.0))


def simulate(judge: Judge, topics: int, each: int, draws: int) -> dict[str, tuple[float, float]]:
    """By test how often the promise is broken, and the mean share that is kept."""
    truth = Truth(judge, each)
    rng = np.random.default_rng([topics, each])
    found: dict[str, list[tuple[float, float]]] = {how: [] for how in get_args(How)}
    names = np.repeat(np.arange(topics), each).tolist()
    labelled = np.ones(topics * each, dtype=bool)
    for _ in range(draws):
        sure, wrong = (one.ravel() for one in judge.drawn(topics, each, rng))
        for how in found:
            curve = risk_coverage(
                sure,
                labelled,
                wrong > 0,
                list(range(len(names))) if how == "items" else names,
                error=ERROR,
                delta=DELTA,
            )
            found[how].append(truth.kept(trusted_from(curve)))
    results = {"all": (float(truth.wrong.mean()), truth.best)}
    for how, kept in found.items():
        errors, shares = np.array(kept).T
        results[how] = float((errors > ERROR).mean()), float(shares.mean())
    return results


def rows(draws: int) -> Iterator[tuple[object, ...]]:
    """Yield the rows of the table."""
    groups = (JUDGES, tuple(map(just_above, HOPELESS)), tuple(map(just_above, HIDDEN)))
    cases = [(judge, *size) for group in groups for judge in group for size in SIZES]
    with ProcessPoolExecutor(2) as workers:
        results = workers.map(simulate, *zip(*cases, strict=True), [draws] * len(cases))
        for (judge, topics, _), one in zip(cases, results, strict=True):
            wrong, best = one["all"]
            cells = (f"{one[how][0]:.1%} / {one[how][1]:.0%}" for how in get_args(How))
            yield judge.name, topics, f"{wrong:.1%}", f"{best:.0%}", *cells


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS)
    draws = parser.parse_args().draws
    print_table(("judge", "topics", "wrong of all", "best", *get_args(How)), rows(draws))


if __name__ == "__main__":
    main()

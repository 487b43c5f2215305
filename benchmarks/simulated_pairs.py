"""A judge of pairs whose faults are known, on pairs that cluster by topic.

An argument is better than its rival by q ~ N(0, 1), each verdict errs by N(0, 1), and the first place has a bonus. The
bonus differs between topics by N(0, .35), so that the first place wins 40 to 60% in two topics of three even where
there is no bias at all: whoever takes pairs for independent is misled. What is added to a text (padding, references, an
instruction) moves its quality by N(0, .35) a topic, and by nothing on average. The same question gets the same answer.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

QUALITY, NOISE, TOPIC = 1.0, 1.0, 0.35
NOTHING = 0.5
"""How often the first place wins of a judge that favours none."""
NORMAL = NormalDist()


def bonus(rate: float) -> float:
    """What the first place is given, where it wins so often over all pairs."""
    return NORMAL.inv_cdf(rate) * math.sqrt(QUALITY**2 + NOISE**2 + TOPIC**2)


@dataclass(frozen=True)
class SimulatedJudge:
    """A judge whose first place wins at ``rate``, drawn by ``seed``, on ``pairs`` that are spread over ``topics``."""

    pairs: int
    topics: int
    rate: float
    seed: int

    @cached_property
    def topic(self) -> NDArray[np.intp]:
        """The topic of each pair."""
        return np.arange(self.pairs) % self.topics

    @cached_property
    def quality(self) -> NDArray[np.float64]:
        """By how much each argument is better than its rival."""
        return self._draws("quality").normal(0, QUALITY, self.pairs)

    @cached_property
    def first(self) -> NDArray[np.float64]:
        """The bonus of the first place in each pair."""
        return (bonus(self.rate) + self._draws("place").normal(0, TOPIC, self.topics))[self.topic]

    def first_wins(self, change: str = "", *, swapped: bool = False) -> NDArray[np.bool_]:
        """Whether the first place wins: of the argument, changed so, and its rival, or of the rival and the argument
        (``swapped``)."""
        better = self.quality + self._moved(change)
        return (-better if swapped else better) + self.first + self._errors(change, swapped) > 0

    def first_wins_beside_itself(self, change: str, *, swapped: bool = False) -> NDArray[np.bool_]:
        """Whether the first place wins, of the changed argument and the argument as it is (``swapped``: the other way
        round)."""
        better = self._moved(change)
        given = -better if swapped else better
        return given + self.first + self._errors(f"{change} beside itself", swapped) > 0

    def scores(self, change: str = "") -> NDArray[np.float64]:
        """A score from 0 to 1 for each argument alone."""
        told = self.quality + self._moved(change) + self._errors(f"{change} alone", swapped=False)
        return np.array([NORMAL.cdf(one) for one in told])

    def people(self) -> NDArray[np.bool_]:
        """Whether people find the argument better, who err as the judge does."""
        return self.quality + self._draws("people").normal(0, NOISE, self.pairs) > 0

    def _moved(self, change: str) -> NDArray[np.float64]:
        if not change:
            return np.zeros(self.pairs)
        return self._draws(f"what {change} moves").normal(0, TOPIC, self.topics)[self.topic]

    def _errors(self, what: str, swapped: bool) -> NDArray[np.float64]:
        return self._draws(f"{what}, {'swapped' if swapped else 'given'}").normal(0, NOISE, self.pairs)

    def _draws(self, what: str) -> np.random.Generator:
        """Chance of its own for everything, so that nothing depends on what was asked before."""
        return np.random.default_rng([self.seed, round(1000 * self.rate), zlib.crc32(what.encode())])

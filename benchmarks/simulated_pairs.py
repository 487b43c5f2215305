"""A judge of pairs whose faults are known, on pairs that cluster by topic.

An argument is better than its rival by q ~ N(0, 1), each verdict errs by N(0, 1), and the first place has a bonus. The
bonus differs between topics by N(0, spread), so that pairs of one topic are alike; what is added to a text (padding,
references, an instruction) moves its quality by N(0, spread) a topic, and by nothing on average. The spread follows
from the intraclass correlation that is asked for: 0 makes pairs independent. The same question gets the same answer.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from functools import cache, cached_property
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

QUALITY, NOISE = 1.0, 1.0
NOTHING = 0.5
"""How often the first place wins of a judge that favours none."""
NORMAL = NormalDist()


def inconsistent(spread: float) -> float:
    """The share of pairs in which one place wins in both orders, of a judge that favors none."""
    variance = QUALITY**2 + NOISE**2 + spread**2
    return 0.5 + math.asin((spread**2 - QUALITY**2) / variance) / math.pi


def icc_of(spread: float) -> float:
    """The intraclass correlation of a pair's place effect (1: the first place wins in both orders, -1: the second, 0:
    neither), of a judge that favors none. Signs of two normal values with correlation r have the correlation
    2 asin(r) / pi."""
    between = 2 / math.pi * math.asin(spread**2 / (QUALITY**2 + NOISE**2 + spread**2))
    return between / inconsistent(spread)


@cache
def spread_at(icc: float) -> float:
    """The standard deviation between topics that gives this intraclass correlation, in [0, .5]."""
    return float(brentq(lambda spread: icc_of(spread) - icc, 0.0, 4.0, xtol=1e-14)) if icc else 0.0


@dataclass(frozen=True)
class SimulatedJudge:
    """A judge whose first place wins at ``rate``, drawn by ``seed``, on ``pairs`` that are spread over ``topics``. The
    place effects of pairs of one topic have the intraclass correlation ``icc``."""

    pairs: int
    topics: int
    icc: float
    rate: float
    seed: int

    @property
    def spread(self) -> float:
        """The standard deviation between topics."""
        return spread_at(self.icc)

    @property
    def bonus(self) -> float:
        """What the first place is given, so that it wins at ``rate`` over all pairs."""
        return NORMAL.inv_cdf(self.rate) * math.sqrt(QUALITY**2 + NOISE**2 + self.spread**2)

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
        return (self.bonus + self._draws("place").normal(0, self.spread, self.topics))[self.topic]

    def first_wins(self, change: str = "", *, swapped: bool = False) -> NDArray[np.bool_]:
        """Whether the first place wins: of the argument, changed so, and its rival, or of the rival and the argument
        (``swapped``)."""
        better = self.quality + self._moved(change)
        return (-better if swapped else better) + self.first + self._errors(change, swapped) > 0

    def _moved(self, change: str) -> NDArray[np.float64]:
        if not change:
            return np.zeros(self.pairs)
        return self._draws(f"what {change} moves").normal(0, self.spread, self.topics)[self.topic]

    def _errors(self, what: str, swapped: bool) -> NDArray[np.float64]:
        return self._draws(f"{what}, {'swapped' if swapped else 'given'}").normal(0, NOISE, self.pairs)

    def _draws(self, what: str) -> np.random.Generator:
        """Chance of its own for everything, so that nothing depends on what was asked before."""
        return np.random.default_rng([self.seed, round(1000 * self.rate), zlib.crc32(what.encode())])

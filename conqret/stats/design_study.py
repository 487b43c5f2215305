"""What components of variance mean for scores: the error of one score, and that of a mean over topics (Brennan,
Generalizability Theory, 2001).

Which sources there are, and how their variances are estimated: :mod:`conqret.stats.variance_components`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from conqret.stats.estimate import JackknifedEstimate, Scale

TOPIC, ITEM, SAMPLE, ORDER = "topic", "item", "sample", "order"
OBJECTS = (TOPIC, ITEM)
"""What is measured; everything else is noise of measuring it."""

NONE = "the variance of topics and items is estimated at 0 or below, whichever topic is left out"
"""Why the share that is theirs, which is 0, has no interval."""

FEWEST_TOPICS = 20
"""Topics below which the intervals of what differs between topics as wholes are none: at 8 and 12 topics they hold the
truth in 82 to 92% (benchmarks/simulated_commands.py)."""


@dataclass(frozen=True, slots=True)
class VarianceEffect:
    """One source of variance: several names where the data cannot tell them apart. ``facets`` are those by whose number
    it is divided (those of all its names), ``levels`` how many different ones there are."""

    names: tuple[str, ...]
    facets: frozenset[str]
    levels: int

    @property
    def of_objects(self) -> bool:
        """Whether it is what is to be measured: it hangs on topics and items alone."""
        return self.facets <= set(OBJECTS)

    @property
    def over_topics(self) -> bool:
        """Whether it differs between topics, so that leaving out topics says how well it is known."""
        return bool(self.facets & set(OBJECTS))


SHARE_OF_FREEDOM = {"samples": 0.4, "generalizability": 0.5}
"""Which share of C - 1 degrees of freedom t has for C topics, as topics may differ in the noise of samples: with all of
them intervals held the truth in .88 to .90 at eight topics of which one in four has twice or half the noise."""


@dataclass(frozen=True, slots=True, eq=False)
class Components:
    """``effects`` with their ``variances``, and what these are without each cluster (``without``: clusters by effects).

    ``conditions`` are those that vary, and ``items`` is the mean number of items a topic.
    """

    effects: tuple[VarianceEffect, ...]
    variances: NDArray[np.float64]
    without: NDArray[np.float64]
    present: NDArray[np.bool_]
    n: int
    topics: int
    items: float
    conditions: tuple[str, ...]

    def variance(self, place: int) -> JackknifedEstimate:
        """The component of an effect. It has no interval where it does not differ between topics, or where it differs
        between topics as wholes and there are fewer than :data:`FEWEST_TOPICS`; and t has fewer degrees of freedom
        where few topics hold nearly all of it, or where it is that of samples (:data:`SHARE_OF_FREEDOM`)."""
        effect, few = self.effects[place], ""
        if not effect.over_topics:
            names = " and ".join(f"{name}s" for name in sorted(effect.facets))
            few = f"topics say nothing of other {names}"
        elif ITEM not in effect.facets and self.topics < FEWEST_TOPICS:
            few = f"{self.topics} topics say little of how topics differ, and {FEWEST_TOPICS} are needed"
        share = SHARE_OF_FREEDOM["samples"] if SAMPLE in effect.facets else 1.0
        return self._sampled(lambda estimates: estimates[..., place], "variance", few, share).made_of_few()

    def generalizability(self) -> JackknifedEstimate:
        """The share of the variance between items (of whatever topic) in that of single scores, ``E rho^2``: how well
        scores would order items again. NaN where no score differs, and no interval where items do not differ, whichever
        topic is left out."""

        def ratio(estimates: NDArray[np.float64]) -> NDArray[np.float64]:
            true, error = self._true(estimates), self._error(estimates, absolute=False)
            below = true + error
            return np.divide(true, below, out=np.full_like(below, np.nan), where=below > 0)

        differ = self._true(self.variances) > 0 or self._true(self.without).any()
        return self._sampled(ratio, "share", "" if differ else NONE, SHARE_OF_FREEDOM["generalizability"])

    def score_error(self) -> float:
        """The standard error of one item's score, other conditions and samples being possible."""
        return float(self._error(self.variances, absolute=True) ** 0.5)

    def mean_error(self, topics: int) -> float:
        """The standard error of a mean of single scores over so many topics, with as many items each as there are."""
        numbers = {TOPIC: topics, ITEM: self.items}
        parts = (
            variance / prod(numbers.get(facet, 1) for facet in effect.facets)
            for effect, variance in zip(self.effects, self.variances.clip(min=0), strict=True)
        )
        return float(sum(parts) ** 0.5)

    def _true(self, estimates: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._sum(estimates, [effect.of_objects for effect in self.effects])

    def _error(self, estimates: NDArray[np.float64], *, absolute: bool) -> NDArray[np.float64]:
        return self._sum(
            estimates, [not effect.of_objects and (absolute or effect.over_topics) for effect in self.effects]
        )

    def _sum(self, estimates: NDArray[np.float64], kept: Sequence[bool]) -> NDArray[np.float64]:
        return np.asarray(estimates[..., np.flatnonzero(kept)].clip(min=0).sum(axis=-1))

    def _sampled(
        self,
        of: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        scale: Scale,
        unsure: str = "",
        share: float = 1.0,
    ) -> JackknifedEstimate:
        value = float(of(self.variances))
        return JackknifedEstimate(
            value,
            of(self.without),
            self.present,
            self.n,
            "" if value == value else "no score differs",
            scale,
            unsure,
            freedom=share * max(int(self.present.sum()) - 1, 1),
        )

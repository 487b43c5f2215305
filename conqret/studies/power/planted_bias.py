"""A simulated judge with a bias of known size, on the items, topics and versions of a plan.

A score is the item's quality (what people say of it, or else N(.5, .15)) with errors N(0, ``noise``), and a change
moves it by N(0, .05) a topic. Of two arguments the first wins where q + place + error > 0, with q ~ N(0, 1) by how much
it is better and errors N(0, 1); what the place and a change do differs between topics by N(0, .35). So a first place
wins 40 to 60% in two topics of three where there is no bias at all. A bias of size s moves scores by s, and the chance
to win from .5 to .5 + s. It is the same in each topic, or varies: by a gamma distribution of mean s and standard
deviation ``vary`` s (1: exponential), so that few topics carry most of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from statistics import NormalDist, variance
from typing import TYPE_CHECKING

from conqret.data import Judgment, Measure, Status
from conqret.data.digest import gathered
from conqret.errors import DeclarationError
from conqret.studies.bias.contrast import AS_IS, ONE_ORDER, PREFERENCE, Contrast, Key, ProbeContext
from conqret.studies.bias.probes.position import SWAPPED

if TYPE_CHECKING:
    import numpy as np

NOISE = 0.1
"""How far a score strays: a standard deviation, of scores in [0, 1]."""
LEAST_NOISE = 1e-6
MOST_WON = 0.49
"""How far above one half a place wins at most, in a topic where the bias is large."""
MIDDLE, QUALITY, TOPIC = 0.5, 0.15, 0.05
VERDICT_QUALITY, VERDICT_NOISE, VERDICT_TOPIC = 1.0, 1.0, 0.35


def won_at(size: float) -> float:
    """What has to be added to one of two arguments that are equally good on average, for it to win ``.5 + size``."""
    return NormalDist().inv_cdf(0.5 + size) * math.hypot(VERDICT_QUALITY, VERDICT_NOISE, VERDICT_TOPIC)


def noise_of(judgments: Iterable[Judgment], name: str) -> float:
    """How far a score of a judge strays that was asked several times (``--samples``).

    It is the standard deviation of the samples of one item, pooled over items and metrics, over the root of the number
    of samples, as a score is their mean.

    Raises:
        DeclarationError: no score of the run (``name``) has two samples, or all samples of each are the same.
    """
    squares = [
        variance(known) / len(known)
        for judgment in judgments
        for measure in judgment.measures.values()
        if measure.value is not None
        and len(known := [sample for sample in measure.samples if sample is not None]) > 1
    ]
    if not squares:
        raise DeclarationError(
            f"no score of {name} has several samples: judge with --samples 3, or give --noise"
        )
    noise = math.sqrt(math.fsum(squares) / len(squares))
    if noise < LEAST_NOISE:
        raise DeclarationError(
            f"all samples of {name} are equal, so its noise cannot be estimated: give --noise"
        )
    return noise


@dataclass
class PlantedJudge:
    """A judge of ``contrasts`` (one metric each) with the bias that the probe ``biased`` looks for, of ``size`` inside
    [0, .5) (no such probe: without any), which varies between topics by the share ``vary`` of it, drawn by ``rng``."""

    ground: ProbeContext
    contrasts: Sequence[Contrast]
    biased: str
    size: float
    noise: float
    rng: np.random.Generator
    vary: float = 0.0
    _drawn: dict[tuple[str, ...], float] = field(default_factory=dict)
    _sizes: dict[str, float] = field(default_factory=dict)

    def readings(self) -> dict[Key, Judgment]:
        """What it says of everything that is compared."""
        scores: dict[Key, dict[str, float]] = {}
        for contrast in self.contrasts:
            (metric,) = contrast.metrics
            for pair in contrast.pairs:
                for key in pair.keys:
                    item = pair.item or pair.base[1] if contrast.people is None else key[1]
                    values = scores.setdefault(key, {})
                    if metric not in values and metric == PREFERENCE:
                        values[metric] = self._preference(key, item, pair.cluster)
                    elif metric not in values:
                        values[metric] = self._score(key, metric, item, pair.cluster)
        return {key: _said(tuple(values.items())) for key, values in scores.items()}

    @cached_property
    def _changes(self) -> dict[Key, list[Contrast]]:
        """The comparisons in which something is what was changed."""
        return gathered(
            (key, contrast)
            for contrast in self.contrasts
            if not contrast.mirrored
            for key in dict.fromkeys(pair.changed for pair in contrast.pairs)
        )

    def _score(self, key: Key, metric: str, item: str, topic: str) -> float:
        known = self.ground.quality(metric).get(item)
        quality = MIDDLE + self._draw(QUALITY, "quality", metric, item) if known is None else known
        score = (
            quality + self._moved(key, topic, self._size(topic), TOPIC) + self._draw(self.noise, metric, *key)
        )
        return min(max(score, 0.0), 1.0)

    def _preference(self, key: Key, item: str, topic: str) -> float:
        """1 where the first wins, 0 where the second does; in both orders a half where the verdict flips."""
        way, name = key
        version = name.removesuffix(SWAPPED)
        asked = AS_IS if way == ONE_ORDER else way
        favoured = any(contrast.mirrored and contrast.probe == self.biased for contrast in self.contrasts)
        size = won_at(min(self._size(topic), MOST_WON))
        place = size * favoured + self._draw(VERDICT_TOPIC, "place", topic)
        better = self._draw(VERDICT_QUALITY, "better", item)
        better += self._moved((asked, version), topic, size, VERDICT_TOPIC)
        first_order, swapped = (
            float(turn * better + place + self._draw(VERDICT_NOISE, asked, version, order) > 0)
            for turn, order in ((1, "given"), (-1, "swapped"))
        )
        if way == ONE_ORDER:
            return swapped if name.endswith(SWAPPED) else first_order
        return (first_order + 1 - swapped) / 2

    def _moved(self, key: Key, topic: str, size: float, spread: float) -> float:
        """By how much a change moves the argument: by chance in each topic, and by the bias."""
        return sum(
            size * (contrast.probe == self.biased) + self._draw(spread, "moved", contrast.name, topic)
            for contrast in self._changes.get(key, ())
        )

    def _size(self, topic: str) -> float:
        """How large the bias is in a topic."""
        if not self.vary or not self.biased:
            return self.size
        if topic not in self._sizes:
            shape = 1 / self.vary**2
            self._sizes[topic] = self.size * self.rng.gamma(shape, 1 / shape)
        return self._sizes[topic]

    def _draw(self, spread: float, *what: str) -> float:
        """The same for the same thing."""
        if what not in self._drawn:
            self._drawn[what] = self.rng.normal()
        return spread * self._drawn[what]


@lru_cache(maxsize=10_000)
def _said(values: tuple[tuple[str, float], ...]) -> Judgment:
    """A judgment that has these values; verdicts are few, and making one takes longer than drawing it."""
    return Judgment.model_construct(
        item="",
        topic="",
        stance="",
        format="simulated",
        model="simulated",
        fingerprint="",
        measures={
            metric: Measure.model_construct(status=Status.SCORED, value=value) for metric, value in values
        },
    )

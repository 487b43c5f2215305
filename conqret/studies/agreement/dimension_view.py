"""One dimension as arrays: people's labels, their one label, and the judge on their scale."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from conqret.io.label_set import LabelScale, Unit
from conqret.stats.agreement import alphas
from conqret.stats.correlation import mean_of_raters
from conqret.stats.estimate import Estimate, JackknifedEstimate, undefined, without_value
from conqret.stats.resampling import Resamples
from conqret.studies.agreement.agreement_settings import AgreementSettings
from conqret.studies.agreement.annotator_agreement import labels_table
from conqret.studies.agreement.label_join import JoinedLabels, UnitScores
from conqret.studies.agreement.statistics import Of, Statistic

MOST_CATEGORIES = 11
"""Steps of a scale up to which labels are also treated as categories (kappa, accuracy, F1)."""
NO_SCALE = (
    "the labels' scale has no known ends, so the judge's score has no place on it: say --scale LOW:HIGH"
)
NO_PAIR = "no unit has a score and a label"


class View:
    """The arrays of one dimension over all units of the join; NaN where there is nothing."""

    def __init__(self, joined: JoinedLabels, dimension: str, settings: AgreementSettings) -> None:
        self.settings = settings
        self.scale: LabelScale = joined.labels.scale(dimension)
        self.units, self.clusters = joined.units, joined.clusters
        self.found: Mapping[Unit, UnitScores] = joined.scores[dimension]
        self.fitted = joined.fitted.get(dimension, {})
        self.drawn_with, self.unequal = joined.labels.chances, joined.labels.unequal
        self.names, self.table = labels_table(joined.labels, dimension, self.units)
        self.there = ~np.isnan(self.table)
        self.judged = np.array([unit in self.found for unit in self.units])
        self.labelled = self.there.any(axis=0) & self.judged
        self.verdicts = bool(self.scale.words) and any(
            score.label in self.scale.words for score in self.found.values()
        )
        self.placed = self.scale.bounded or self.verdicts
        categorical = self.scale.level == "nominal" or self.scale.binary
        self.rule = settings.aggregate
        if self.rule == "auto":
            self.rule = "majority" if categorical else "mean"
        self.target = self._one_label(self.table)
        self.variants = list(
            dict.fromkeys(["mean", *(name for score in self.found.values() for name in score.variants)])
        )
        self.scored = ~np.isnan(self.judge())
        self.compared = self.scored & ~np.isnan(self.target)

    @property
    def categories(self) -> list[float]:
        """All steps of the scale, used or not; none where labels are no few whole steps."""
        if self.verdicts:
            return sorted(set(self.scale.words.values()))
        if not self.scale.bounded or not self.scale.whole:
            return []
        low, high = self.scale.ends()
        return [low + step for step in range(round(high - low) + 1)] if high - low < MOST_CATEGORIES else []

    @property
    def in_words(self) -> tuple[str, str]:
        """How several labels became one, and how scores came onto their scale."""
        target = f"the {'mean' if self.rule == 'mean' else 'most frequent'} of the human labels"
        onto = "the judge's verdict in words" if self.verdicts else NO_SCALE
        if self.scale.bounded and not self.verdicts:
            low, high = self.scale.ends()
            rounded = ", rounded to the nearest label" * self._rounds
            onto = f"score s is {low:g} + s * {high - low:g}{rounded}"
        return target if len(self.names) > 1 else "the one label of each unit", onto

    @property
    def _rounds(self) -> bool:
        return self.rule == "majority" and self.scale.whole

    def clusters_of(self, units: NDArray[np.bool_]) -> list[Hashable]:
        """The clusters of these units."""
        return [self.clusters[place] for place in np.flatnonzero(units)]

    def on_labels(self, values: NDArray[np.float64], *, rounded: bool | None = None) -> NDArray[np.float64]:
        """Values in [0, 1] on the labels' scale, to the nearest label where scores are rounded so."""
        placed = self.scale.value(values)
        if not (self._rounds if rounded is None else rounded):
            return placed
        low, high = self.scale.ends()
        return np.clip(low + np.floor(placed - low + 0.5), low, high)

    def judge(self, variant: str = "mean", *, rounded: bool | None = None) -> NDArray[np.float64]:
        """The judge on the labels' scale (in [0, 1] where that has no ends)."""
        scores = [self.found.get(unit) for unit in self.units]
        if self.verdicts:
            named = self.scale.words if variant == "mean" else {}
            return np.array([score and named.get(score.label or "") for score in scores], dtype=float)
        values = np.array([score and score.variants.get(variant) for score in scores], dtype=float)
        return self.on_labels(values, rounded=rounded) if self.scale.bounded else values  # None becomes NaN

    def alpha(self, variant: str, drawn: Resamples) -> JackknifedEstimate:
        """Alpha of the judge and people's one label. What was fitted on labels is fitted again without each cluster."""
        if not self.placed:
            return without_value(NO_SCALE)
        pair = np.stack([self.judge(variant), self.target])
        alpha = alphas(pair[None], self.scale.level, drawn)[0]

        def of_sides(judge: NDArray[np.float64], some: NDArray[np.bool_]) -> float:
            return alphas(np.stack([judge, self.target[some]])[None], self.scale.level)[0].value

        return self._refitted(alpha, variant, drawn, of_sides, rounds=self._rounds)

    def distance(self, variant: str, drawn: Resamples) -> JackknifedEstimate:
        """The mean distance of the judge from people's one label, on a scale whose ends are 0 and 1; fitted again as in
        :meth:`alpha`."""
        low, high = self.scale.ends()
        apart = np.abs(self.judge(variant, rounded=False) - self.target)[self.compared] / (high - low)

        def of_sides(judge: NDArray[np.float64], some: NDArray[np.bool_]) -> float:
            return float(np.abs(judge - self.target[some]).mean() / (high - low))

        return self._refitted(
            drawn.of(self.compared).ratio(apart, np.ones_like(apart)), variant, drawn, of_sides, rounds=False
        )

    def _refitted(
        self,
        sampled: JackknifedEstimate,
        variant: str,
        drawn: Resamples,
        of_sides: Callable[[NDArray[np.float64], NDArray[np.bool_]], float],
        *,
        rounds: bool,
    ) -> JackknifedEstimate:
        """A statistic of the judge and people's one label, if its judge was fitted on labels: without each cluster what
        is fitted on the others, and on their units alone."""
        fit = self.fitted.get(variant)
        if fit is None or not sampled.defined:
            return sampled
        without = []
        for kept in drawn.kept():
            some = kept & self.compared
            refitted = fit(some)[some] if some.any() else np.zeros(0)
            known = len(refitted) and not np.isnan(refitted).any()
            without.append(of_sides(self.on_labels(refitted, rounded=rounds), some) if known else np.nan)
        return replace(sampled, without=np.array(without, dtype=float))

    def person(self, drawn: Resamples) -> tuple[JackknifedEstimate, JackknifedEstimate]:
        """The mean over annotators of the alpha with the one label of the others: that of each annotator, and that of
        the judge in their place, on the units that both have."""
        if len(self.names) < 2:
            none = without_value("fewer than two annotators labeled it")
            return none, none
        without = (np.delete(self.table, place, axis=0) for place in range(len(self.table)))
        others = np.stack([self._one_label(table) for table in without])
        person = np.where(self.scored, self.table, np.nan)
        judge = np.where(np.isnan(self.table), np.nan, self.judge())
        mean_alpha, stand_in = (
            mean_of_raters(alphas(np.stack([each, others], axis=1), self.scale.level, drawn))
            for each in (person, judge)
        )
        return mean_alpha, stand_in if self.placed else without_value(NO_SCALE)

    def statistic(self, statistic: Statistic, drawn: Resamples) -> Estimate:
        """A declared statistic of this dimension, or why there is none."""
        confidence = self.settings.confidence
        level, levels = self.scale.level, statistic.levels
        if level not in levels and not self.scale.binary:
            return undefined(f"it is for {', '.join(levels)} labels, and these are {level}")
        if statistic.of == "people":
            return statistic.compute(self.table, drawn, confidence=confidence)
        sides = self._sides(statistic.of)
        if isinstance(sides, str):
            return undefined(sides)
        people, judge = sides
        both = ~np.isnan(people) & ~np.isnan(judge)
        if not both.any():
            return undefined(NO_PAIR)
        some = drawn.of(both)
        declared = {"categories": self.categories} if statistic.of == "categories" else {}
        return statistic.compute(people[both], judge[both], some, confidence=confidence, **declared)

    def _sides(self, of: Of) -> tuple[NDArray[np.float64], NDArray[np.float64]] | str:
        """People and the judge as this kind of statistic takes them, or why there is no such thing."""
        people, judge = self.target, self.judge(rounded=of == "categories")
        if of == "positives" and not self.scale.binary:
            return "it is for two labels, and these are more"
        if of == "categories" and not self.categories:
            return "the labels are no few whole steps" if self.placed else NO_SCALE
        if of == "positives":
            positive = (people >= (self.scale.high or 0.0)).astype(float)
            return np.where(np.isnan(people), np.nan, positive), judge
        if of == "categories" and self.rule == "mean" and not self.verdicts:
            low, high = self.scale.ends()
            people = np.clip(low + np.floor(people - low + 0.5), low, high)
        return people, judge

    def _one_label(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        there = ~np.isnan(table)
        if self.rule == "mean":
            with np.errstate(invalid="ignore"):
                return np.asarray(np.nansum(table, axis=0) / there.sum(axis=0))
        known = np.unique(table[there])
        if not len(known):
            return np.full(table.shape[1], np.nan)
        votes = (table[:, :, None] == known).sum(axis=0)
        top = votes.max(axis=1)
        clear = (top > 0) & ((votes == top[:, None]).sum(axis=1) == 1)
        return np.where(clear, known[votes.argmax(axis=1)], np.nan)

"""Variance components of scores: topics, items, conditions (models, prompts) and samples.

A score of item i in topic t under conditions c, sample s, is a sum of random effects (a G-study: Cronbach et
al., The Dependability of Behavioral Measurements, 1972; Brennan, Generalizability Theory, 2001)::

    mean + topic + item + c + topic x c + item x c + sample

with every combination of conditions as a c (and, where samples have one in common, the order of requests).
Components are estimated without assuming a distribution, by equating quadratic forms ``y' A_k y`` with what
they are expected to be, ``sum_l tr(A_k V_l) sigma_l^2``, where V_k says which scores share a level of effect
k. ``A_k`` is ``M V_k M``, where M takes the mean off (MINQUE(0): Rao 1972; Searle, Casella and McCulloch,
Variance Components, 1992, section 11.3); of what differs within topics it takes each topic's mean off, and
of topics it is the sum of squares of their unweighted means, so that larger topics with larger effects move
neither. Where no score is missing and all topics have as many items, all are those of the analysis of
variance. An estimate may be below 0, which means that it is small.

What they mean for scores (the error of one score, and that of a mean over topics: Brennan 2001) says
:class:`Components`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conqret.errors import DeclarationError
from conqret.stats.estimate import Scale
from conqret.stats.jackknife import JackknifedEstimate
from conqret.stats.resampling import SAME, cluster_places, leave_one_out, snapped

TOPIC, ITEM, SAMPLE, ORDER = "topic", "item", "sample", "order"
OBJECTS = (TOPIC, ITEM)
"""The facets that are measured; everything else is noise."""

NONE = "the variance of topics and items is estimated at 0 or below, whichever topic is left out"
"""Why the share that is theirs, which is 0, has no interval."""

MIN_TOPICS = 20
"""The fewest topics for intervals of what differs between topics as wholes: at 8 and 12 topics they hold
the truth in 82 to 92% (benchmarks/simulated_commands.py).
"""


@dataclass(frozen=True, slots=True)
class VarianceEffect:
    """One source of variance in a generalizability study.

    It has several ``names`` if the data cannot separate these effects. ``facets`` are the facets (topics,
    items, conditions, samples) by whose numbers the variance of a mean is divided. ``levels`` is the number
    of distinct levels.
    """

    names: tuple[str, ...]
    facets: frozenset[str]
    levels: int

    @property
    def of_objects(self) -> bool:
        """True if the source is part of what is measured: it depends only on topics and items."""
        return self.facets <= set(OBJECTS)

    @property
    def over_topics(self) -> bool:
        """True if the source varies between topics or items, so that leaving out topics gives it an
        interval.
        """
        return bool(self.facets & set(OBJECTS))


SHARE_OF_FREEDOM = {"samples": 0.4, "generalizability": 0.5}
"""The share of the C - 1 degrees of freedom that t has for C topics, because topics may differ in the
sampling variance: with all of them intervals held the truth in .88 to .90 at eight topics of which one
in four has twice or half the noise.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Components:
    """The estimated variance components.

    ``variances`` are those of ``effects``, and ``without`` (clusters by effects) the estimates without each
    cluster. ``conditions`` are the names of the conditions that vary, and ``items`` is the mean number of
    items per topic.
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
        """Return the variance component of the effect at ``place``, with its jackknife values.

        There is no interval if the effect does not vary between topics, or if it varies only between whole
        topics and there are fewer than :data:`MIN_TOPICS`. The degrees of freedom are reduced where few
        topics hold most of the variance, and for samples (:data:`SHARE_OF_FREEDOM`).
        """
        effect, few = self.effects[place], ""
        if not effect.over_topics:
            names = " and ".join(f"{name}s" for name in sorted(effect.facets))
            few = f"topics say nothing of other {names}"
        elif ITEM not in effect.facets and self.topics < MIN_TOPICS:
            few = f"{self.topics} topics say little of how topics differ, and {MIN_TOPICS} are needed"
        share = SHARE_OF_FREEDOM["samples"] if SAMPLE in effect.facets else 1.0
        return self._sampled(lambda estimates: estimates[..., place], "variance", few, share).made_of_few()

    def generalizability(self) -> JackknifedEstimate:
        """Return the generalizability coefficient ``E rho^2``: how reliably single scores order items.

        It is the share of the variance between items in the variance of single scores. It is NaN where all
        scores are equal. There is no interval if items do not differ, whichever topic is left out.
        """

        def ratio(estimates: NDArray[np.float64]) -> NDArray[np.float64]:
            true, error = self._true(estimates), self._error(estimates, absolute=False)
            below = true + error
            return np.divide(true, below, out=np.full_like(below, np.nan), where=below > 0)

        differ = self._true(self.variances) > 0 or self._true(self.without).any()
        return self._sampled(ratio, "share", "" if differ else NONE, SHARE_OF_FREEDOM["generalizability"])

    def score_error(self) -> float:
        """Return the standard error of one item's score, over other conditions and samples."""
        return float(self._error(self.variances, absolute=True) ** 0.5)

    def mean_error(self, topics: int) -> float:
        """Return the standard error of a mean score over this number of topics, with the study's mean number
        of items each.
        """
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
        statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        scale: Scale,
        unsure: str = "",
        share: float = 1.0,
    ) -> JackknifedEstimate:
        value = float(statistic(self.variances))
        return JackknifedEstimate(
            value,
            statistic(self.without),
            self.present,
            self.n,
            "" if value == value else "no score differs",
            scale,
            unsure,
            freedom=share * max(int(self.present.sum()) - 1, 1),
        )


_SINGULAR = 1e-9
"""Below this share of the largest, an eigenvalue of the (scaled) equations is 0: effects cannot be told apart."""


def variance_components(
    values: ArrayLike,
    topics: Sequence[Hashable],
    items: Sequence[Hashable],
    conditions: Mapping[str, Sequence[Hashable]],
    orders: Sequence[Hashable] | None = None,
) -> Components:
    """Estimate the variance components of scores (a generalizability study).

    Args:
        values: one finite score for each sample.
        topics: the topic of each score.
        items: the item of each score; an item belongs to one topic.
        conditions: by name, the condition of each score; conditions that never vary are left out. Scores with
            equal item and conditions are samples.
        orders: what samples have in common under all conditions, such as the order of requests.

    Returns:
        The components. Intervals leave out topics, or items where there is only one topic.

    Raises:
        DeclarationError: there are fewer than three scores, one is not finite, two conditions vary only together, or
            noise cannot be separated from differences between items.
    """
    data = snapped(values)
    if data.ndim != 1 or len(data) < 3 or not np.isfinite(data).all():
        raise DeclarationError("variance components need at least three finite values")
    varied = _varied({name: cluster_places(condition) for name, condition in conditions.items()})
    topic, item = cluster_places(topics), cluster_places(items)
    order = None if orders is None else cluster_places(orders)
    effects, codes = _effects(topic, item, varied, order)
    _check_items(effects)
    clusters = leave_one_out(list(topics) if topic.max() else list(items))
    equations = _Equations(data, codes, topic)
    variances = equations.solved(np.ones(len(data)))
    if np.isnan(variances).any():  # told apart by differences between topics alone
        equations = _Equations(data, codes, np.zeros_like(topic))
        variances = equations.solved(np.ones(len(data)))
    if np.isnan(variances).any():
        raise DeclarationError(
            f"there are too few scores to separate {', '.join(' or '.join(effect.names) for effect in effects)}"
        )
    without = [equations.solved(row) for row in clusters.weights[:, clusters.cluster]]
    return Components(
        effects=tuple(effects),
        variances=variances,
        without=np.array(without).reshape(len(without), len(effects)),
        present=clusters.present(),
        n=len(data),
        topics=int(topic.max()) + 1,
        items=(int(item.max()) + 1) / (int(topic.max()) + 1),
        conditions=tuple(varied),
    )


def _varied(conditions: Mapping[str, NDArray[np.intp]]) -> dict[str, NDArray[np.intp]]:
    """Return the conditions that have at least two levels.

    Raises:
        DeclarationError: two of them never vary independently.
    """
    names_by_codes: dict[bytes, str] = {}
    for name, codes in conditions.items():
        if codes.max():
            other = names_by_codes.setdefault(codes.tobytes(), name)
            if other != name:
                raise DeclarationError(
                    f"{other} and {name} never vary independently: give them as one condition"
                )
    return {name: conditions[name] for name in names_by_codes.values()}


def _effects(
    topic: NDArray[np.intp],
    item: NDArray[np.intp],
    conditions: Mapping[str, NDArray[np.intp]],
    order: NDArray[np.intp] | None,
) -> tuple[list[VarianceEffect], list[NDArray[np.intp]]]:
    """Return the effects of topics, items, conditions and samples with all their interactions, and the level of each
    score in each. Effects with the same levels everywhere cannot be told apart and become one; those with one level are
    left out."""
    terms = [
        (*objects, *several)
        for several in (
            subset for size in range(len(conditions) + 1) for subset in combinations(conditions, size)
        )
        for objects in ((), (TOPIC,), (ITEM,))
        if objects or several
    ]
    places = {TOPIC: topic, ITEM: item, **conditions, SAMPLE: np.arange(len(topic), dtype=np.intp)}
    if order is not None:
        places[ORDER] = order
        terms += [(ORDER,), (TOPIC, ORDER), (ITEM, ORDER)]
    alike: dict[bytes, tuple[list[tuple[str, ...]], NDArray[np.intp]]] = {}
    for term in [*terms, (ITEM, *conditions, SAMPLE)]:
        codes = _together([places[name] for name in term])
        if codes.max():
            alike.setdefault(codes.tobytes(), ([], codes))[0].append(term)
    effects = [
        VarianceEffect(
            tuple(SAMPLE if SAMPLE in term else " x ".join(term) for term in names),
            frozenset.intersection(*map(_facets, names)),
            int(codes.max()) + 1,
        )
        for names, codes in alike.values()
    ]
    return effects, [codes for _, codes in alike.values()]


def _facets(term: tuple[str, ...]) -> frozenset[str]:
    """By whose numbers the variance of a term is divided: an item has a topic, and each sample an order."""
    return frozenset(
        facet
        for facet_name in term
        for facet in {ITEM: (TOPIC, ITEM), ORDER: (SAMPLE,)}.get(facet_name, (facet_name,))
    )


def _check_items(effects: Sequence[VarianceEffect]) -> None:
    """Check that the variance of items can be told from noise.

    Raises:
        DeclarationError: there is one item, one score of each, or no item in more than one run.
    """
    of_items = next((effect for effect in effects if ITEM in effect.names), None)
    if of_items is None:
        raise DeclarationError("there is only one item, so the variance of items cannot be estimated")
    if any(SAMPLE in name for name in of_items.names):
        raise DeclarationError(
            "every item has only one score, so noise cannot be separated from the variance of "
            "items: several samples are needed, or several runs of the same items"
        )
    if set(of_items.names) - set(OBJECTS):
        raise DeclarationError(
            "no item has a score in more than one run, so runs cannot be separated from items: the runs must "
            "judge the same items"
        )


def _together(codes: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    """The level of each score where all of ``codes`` count, numbered by first appearance."""
    return cluster_places(zip(*(code.tolist() for code in codes), strict=True))


class _Equations:
    """The equations of the quadratic forms, for weights of 0 and 1 on the scores; what differs within ``topic`` is
    taken from differences within it (one topic: from all)."""

    def __init__(
        self, values: NDArray[np.float64], codes: Sequence[NDArray[np.intp]], topic: NDArray[np.intp]
    ) -> None:
        self._values, self._codes, self._topic = values, codes, topic
        self._pairs = {
            (first, other): _together([codes[first], codes[other]])
            for first, other in product(range(len(codes)), repeat=2)
            if first <= other
        }
        self._within = [_together([code, topic]) for code in codes]
        self._nested = [cell.max() == code.max() for code, cell in zip(codes, self._within, strict=True)]
        self._topics = [bool(topic.max()) and np.array_equal(code, topic) for code in codes]

    def gram(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """``tr(A_k V_l)`` for each form and effect, from how many scores share levels of one, the other, both."""
        whole = np.zeros_like(self._topic)
        within = self._grams(weights, self._topic, self._within)
        across = within if not self._topic.max() else self._grams(weights, whole, self._codes)
        rows = np.where(np.array(self._nested)[:, None], within, across)
        means = self._means(weights)
        for place in np.flatnonzero(self._topics):
            for other, (code, cell) in enumerate(zip(self._codes, self._within, strict=True)):
                apart = np.bincount(code, means)
                rows[place, other] = (np.bincount(cell, means) ** 2).sum() - (apart**2).sum() / means.sum()
        return rows

    def _grams(
        self, weights: NDArray[np.float64], group: NDArray[np.intp], cells: Sequence[NDArray[np.intp]]
    ) -> NDArray[np.float64]:
        """``tr(M V_k M V_l)``, where M takes the mean of each group off; ``cells`` are the levels within groups."""
        size = len(cells)
        n = np.maximum(np.bincount(group, weights), 1.0)
        shared = [np.bincount(cell, weights)[cell] for cell in cells]
        sums = [np.bincount(group, weights * counts) for counts in shared]
        gram_matrix = np.empty((size, size))
        for (first, other), codes in self._pairs.items():
            both = (weights * np.bincount(codes, weights)[codes]).sum()
            crossed = (weights * shared[first] * shared[other] / n[group]).sum()
            gram_matrix[first, other] = gram_matrix[other, first] = (
                both - 2 * crossed + (sums[first] * sums[other] / n**2).sum()
            )
        return gram_matrix

    def _means(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights that give the mean of each topic."""
        return weights / np.maximum(np.bincount(self._topic, weights), 1.0)[self._topic]

    def _forms(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the quadratic form ``y' A_k y`` of each effect k, in the order of the effects.

        ``A_k`` is the matrix of the module's docstring: ``M V_k M``, or, for the effect of topics, that of the sum of
        squares of the topics' unweighted means.

        Args:
            weights: 1 for each score that counts, 0 for one that is left out.
        """
        centred = weights * (self._values - np.average(self._values, weights=weights))
        means = self._means(weights)
        by_topic = np.bincount(self._topic, means * centred)
        inside = weights * (centred - by_topic[self._topic])
        present = means.sum()
        return np.array(
            [
                (by_topic**2).sum() - by_topic.sum() ** 2 / present
                if is_topic
                else (np.bincount(code, inside if nested else centred) ** 2).sum()
                for code, nested, is_topic in zip(self._codes, self._nested, self._topics, strict=True)
            ]
        )

    def solved(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the variance component of each effect, which may be below 0, for weights of 0 and 1 on the scores; NaN
        for all where these scores alone cannot tell them apart."""
        gram, forms = self.gram(weights), self._forms(weights)
        scale = np.diag(gram).copy()
        if (scale <= _SINGULAR * np.abs(gram).max(axis=1)).any():
            return np.full(len(self._codes), np.nan)
        column = np.abs(gram / scale[:, None]).max(axis=0)
        scaled = gram / scale[:, None] / column
        if np.linalg.svd(scaled, compute_uv=False).min() <= _SINGULAR:
            return np.full(len(self._codes), np.nan)
        solution = np.linalg.solve(scaled, forms / scale) / column
        least = max(SAME * np.abs(solution).max(), (SAME * np.abs(self._values).max()) ** 2)
        return np.where(np.abs(solution) <= least, 0.0, solution)  # what rounding leaves is nothing

"""Where scores differ, and why: variance components of topics, items, conditions (models, prompts) and samples.

A score of item i in topic t under conditions c, sample s, is a sum of random effects (a G-study: Cronbach et al., The
Dependability of Behavioral Measurements, 1972; Brennan, Generalizability Theory, 2001)::

    mean + topic + item + c + topic x c + item x c + sample

with every combination of conditions as a c (and, where samples have one in common, the order in which things are
asked). Components are estimated without assuming a distribution, by equating the
quadratic forms ``y' M V_k M y`` with what they are expected to be, ``sum_l tr(M V_k M V_l) sigma_l^2``, where V_k says
which scores share a level of effect k, and M takes the mean off (MINQUE(0): Rao 1972; Searle, Casella and McCulloch,
Variance Components, 1992, section 11.3). Where no score is missing and all topics have as many items, they are those
of the analysis of variance. An estimate may be below 0, which means that it is small.

What more of anything buys (a D-study) follows: the variance that a facet brings is divided by how many of it are
averaged over.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError
from conqret.stats.clusters import SAME, cluster_places
from conqret.stats.estimate import Sampled, Scale
from conqret.stats.resampling import leave_one_out

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

TOPIC, ITEM, SAMPLE, ORDER = "topic", "item", "sample", "order"
OBJECTS = (TOPIC, ITEM)
"""What is measured; everything else is noise of measuring it."""

FEWEST_TOPICS = 20
"""Topics below which the intervals of what differs between topics as wholes are none: at 8 and 12 topics they hold the
truth in 82 to 92 % (benchmarks/components.py)."""

_SINGULAR = 1e-9
"""Below this share of the largest, an eigenvalue of the (scaled) equations is 0: effects cannot be told apart."""

Design = Mapping[str, int]
"""How many of each facet a score, or a mean, is averaged over; 1 of those that are not named."""


@dataclass(frozen=True, slots=True)
class Effect:
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


@dataclass(frozen=True, slots=True, eq=False)
class Components:
    """``effects`` with their ``variances``, and what these are without each cluster (``without``: clusters by effects).

    ``conditions`` are those that vary, and ``items`` is the mean number of items a topic.
    """

    effects: tuple[Effect, ...]
    variances: NDArray[np.float64]
    without: NDArray[np.float64]
    present: NDArray[np.bool_]
    n: int
    topics: int
    items: float
    conditions: tuple[str, ...]

    @property
    def facets(self) -> tuple[str, ...]:
        """What a score can be averaged over so that it is known what that buys: conditions and samples."""
        alone = any(one.names == (SAMPLE,) for one in self.effects)
        return (*self.conditions, SAMPLE) if alone else self.conditions

    def variance(self, place: int) -> Sampled:
        """The component of an effect. It has no interval where it does not differ between topics, or where it differs
        between topics as wholes and there are fewer than :data:`FEWEST_TOPICS`."""
        effect, few = self.effects[place], ""
        if not effect.over_topics:
            few = f"topics say nothing of other {_plural(effect)}"
        elif ITEM not in effect.facets and self.topics < FEWEST_TOPICS:
            few = f"{self.topics} topics say little of how topics differ, and {FEWEST_TOPICS} are needed"
        return self._sampled(lambda found: found[..., place], "variance", few)

    def generalizability(self, design: Design) -> Sampled:
        """The share of the variance between items (of whatever topic) in that of their scores, ``E rho^2``: how well
        scores so averaged would order items again. NaN where no score differs.

        Raises:
            DeclarationError: a number is below 1, or of a facet of which nothing is known.
        """
        self._check(design)

        def ratio(found: NDArray[np.float64]) -> NDArray[np.float64]:
            true, error = self._true(found), self._error(found, design, absolute=False)
            return _divided(true, true + error)

        return self._sampled(ratio, "share")

    def dependability(self, design: Design) -> float:
        """The same for the scores themselves and not their order, ``Phi``: that conditions are lenient or strict on
        all items counts as error, too. Raises what :meth:`generalizability` raises."""
        self._check(design)
        true = self._true(self.variances)
        return float(_divided(true, true + self._error(self.variances, design, absolute=True)))

    def score_error(self, design: Design) -> float:
        """The standard error of one item's score, other conditions and samples being possible. Raises what
        :meth:`generalizability` raises."""
        self._check(design)
        return float(self._error(self.variances, design, absolute=True) ** 0.5)

    def mean_error(self, design: Design, topics: int) -> float:
        """The standard error of a mean over so many topics, with as many items each as there are. Raises what
        :meth:`generalizability` raises."""
        self._check({**design, TOPIC: topics})
        numbers = {**design, TOPIC: topics, ITEM: self.items}
        return float(sum(self._parts(self.variances, numbers)) ** 0.5)

    def _true(self, found: NDArray[np.float64]) -> NDArray[np.float64]:
        import numpy as np

        kept = [place for place, one in enumerate(self.effects) if one.of_objects]
        return np.asarray(found[..., kept].clip(min=0).sum(axis=-1))

    def _error(self, found: NDArray[np.float64], design: Design, *, absolute: bool) -> NDArray[np.float64]:
        import numpy as np

        parts = [
            part
            for one, part in zip(self.effects, self._parts(found, design), strict=True)
            if not one.of_objects and (absolute or one.over_topics)
        ]
        return np.sum(parts, axis=0) if parts else np.zeros(found.shape[:-1])

    def _parts(
        self, found: NDArray[np.float64], numbers: Mapping[str, float]
    ) -> Iterable[NDArray[np.float64]]:
        """The variance of each effect, divided by the numbers of its facets."""
        for place, one in enumerate(self.effects):
            yield found[..., place].clip(min=0) / prod(numbers.get(facet, 1) for facet in one.facets)

    def _check(self, design: Design) -> None:
        for facet, number in design.items():
            if number < 1:
                raise DeclarationError(f"a design has 1 {facet} at least, not {number}")
            if number > 1 and facet not in (*self.facets, TOPIC):
                raise DeclarationError(
                    f"what more {facet}s buy is not known: what varies here is {' and '.join(self.facets) or 'nothing'}"
                )

    def _sampled(
        self, of: Callable[[NDArray[np.float64]], NDArray[np.float64]], scale: Scale, unsure: str = ""
    ) -> Sampled:
        value = float(of(self.variances))
        return Sampled(
            value,
            of(self.without),
            self.present,
            self.n,
            "" if value == value else "no score differs",
            scale,
            unsure,
        )


def variance_components(
    values: ArrayLike,
    topics: Sequence[Hashable],
    items: Sequence[Hashable],
    conditions: Mapping[str, Sequence[Hashable]],
    orders: Sequence[Hashable] | None = None,
) -> Components:
    """The components of ``values`` (one for each sample, finite), whose topic, item and conditions stand beside each.

    An item belongs to one topic. Several values with the same item and conditions are samples. Conditions that never
    vary are left out. ``orders`` says what samples have in common under all conditions (the order in which things are
    asked): more samples then average over more orders, and other conditions do not. Intervals leave out topics; items,
    where there is one topic.

    Raises:
        DeclarationError: fewer than three values, one that is not finite, lengths that differ, two conditions that
            only vary together, or noise that cannot be told from what items differ by.
    """
    import numpy as np

    data = np.asarray(values, dtype=float)
    if data.ndim != 1 or len(data) < 3 or not np.isfinite(data).all():
        raise DeclarationError("variance components need three finite values at least")
    if any(len(one) != len(data) for one in (topics, items, *conditions.values())):
        raise DeclarationError("variance components need a topic, an item and each condition for every value")
    varied = _varied({name: cluster_places(one) for name, one in conditions.items()})
    topic, item = cluster_places(topics), cluster_places(items)
    order = None if orders is None else cluster_places(orders)
    effects, codes = _effects(topic, item, varied, order)
    _check_items(effects)
    clusters = leave_one_out(list(topics) if topic.max() else list(items))
    equations = _Equations(data, codes)
    variances = equations.solved(np.ones(len(data)))
    if np.isnan(variances).any():
        raise DeclarationError(
            f"these scores are too few to tell apart {', '.join(' or '.join(one.names) for one in effects)}"
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
    """The conditions with two levels at least."""
    found: dict[bytes, str] = {}
    for name, codes in conditions.items():
        if codes.max():
            other = found.setdefault(codes.tobytes(), name)
            if other != name:
                raise DeclarationError(f"{other} and {name} never vary alone: give them as one condition")
    return {name: conditions[name] for name in found.values()}


def _effects(
    topic: NDArray[np.intp],
    item: NDArray[np.intp],
    conditions: Mapping[str, NDArray[np.intp]],
    order: NDArray[np.intp] | None,
) -> tuple[list[Effect], list[NDArray[np.intp]]]:
    """The effects, those of one name for which every score has the same level, and the level of each score in each."""
    import numpy as np

    terms = [
        (*objects, *several)
        for several in (
            found for size in range(len(conditions) + 1) for found in combinations(conditions, size)
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
        Effect(
            tuple(map(_name, names)),
            frozenset.intersection(*map(_facets, names)),
            int(codes.max()) + 1,
        )
        for names, codes in alike.values()
    ]
    return effects, [codes for _, codes in alike.values()]


def _facets(term: tuple[str, ...]) -> frozenset[str]:
    """By whose numbers the variance of a term is divided: an item has a topic, and each sample an order."""
    return frozenset(
        facet for one in term for facet in {ITEM: (TOPIC, ITEM), ORDER: (SAMPLE,)}.get(one, (one,))
    )


def _check_items(effects: Sequence[Effect]) -> None:
    """Refuse data in which what items differ by cannot be told from noise."""
    of_items = next((one for one in effects if ITEM in one.names), None)
    if of_items is None:
        raise DeclarationError("there is one item only, so it cannot be said what items differ by")
    if any(SAMPLE in one for one in of_items.names):
        raise DeclarationError(
            "every item has one score only, so noise cannot be told from what items differ by: several samples are "
            "needed, or several runs of the same items"
        )
    if set(of_items.names) - set(OBJECTS):
        raise DeclarationError(
            "no item has a score in more than one run, so runs cannot be told from what items differ by: they have to "
            "judge the same items"
        )


def _name(term: tuple[str, ...]) -> str:
    return SAMPLE if SAMPLE in term else " x ".join(term)


def _plural(effect: Effect) -> str:
    return " and ".join(f"{name}s" for name in sorted(effect.facets))


def _together(codes: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    """The level of each score where all of ``codes`` count, numbered by first appearance."""
    return cluster_places(zip(*(one.tolist() for one in codes), strict=True))


class _Equations:
    """The equations of the quadratic forms, for weights of 0 and 1 on the scores."""

    def __init__(self, values: NDArray[np.float64], codes: Sequence[NDArray[np.intp]]) -> None:
        self._values, self._codes = values, codes
        self._pairs = {
            (one, other): _together([codes[one], codes[other]])
            for one, other in product(range(len(codes)), repeat=2)
            if one <= other
        }

    def gram(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """``tr(M V_k M V_l)``: of each pair of effects, from how many scores share levels of one, the other, both."""
        import numpy as np

        n, size = weights.sum(), len(self._codes)
        shared = [np.bincount(one, weights)[one] for one in self._codes]
        sums = [(weights * one).sum() for one in shared]
        found = np.empty((size, size))
        for (one, other), codes in self._pairs.items():
            both = (weights * np.bincount(codes, weights)[codes]).sum()
            crossed = (weights * shared[one] * shared[other]).sum()
            found[one, other] = found[other, one] = both - 2 * crossed / n + sums[one] * sums[other] / n**2
        return found

    def solved(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The components; NaN where these scores alone cannot tell them apart."""
        import numpy as np

        centred = weights * (self._values - np.average(self._values, weights=weights))
        forms = [(np.bincount(one, centred) ** 2).sum() for one in self._codes]
        gram = self.gram(weights)
        scale = np.sqrt(np.diag(gram))
        if (scale <= 0).any() or np.linalg.eigvalsh(gram / scale / scale[:, None]).min() <= _SINGULAR:
            return np.full(len(self._codes), np.nan)
        found = np.linalg.solve(gram, np.array(forms))
        return np.where(
            np.abs(found) <= SAME * np.abs(found).max(), 0.0, found
        )  # what rounding leaves is nothing


def _divided(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    return np.divide(above, below, out=np.full_like(below, np.nan), where=below > 0)

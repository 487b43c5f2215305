"""What to buy: price and time of several judges of the same items against how far they agree with people.

A judge is worth more money only where it is *shown* to agree better than every cheaper one: by the difference of the
alphas on what all scored, paired over topics, Holm over all pairs, and not below six topics. The frontier by values
alone (nobody cheaper has a higher alpha) is named, too, and is no verdict.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from conqret.data.item import Frozen
from conqret.errors import DeclarationError
from conqret.io.labels import LabelSet
from conqret.judging.folder import JudgeFolder
from conqret.reliability.cards.cost import Cost
from conqret.reliability.validation.dimension_view import NO_SCALE, View
from conqret.reliability.validation.label_join import Joined, join_labels
from conqret.reliability.validation.people import OVERALL
from conqret.reliability.validation.settings import Basis, Settings
from conqret.stats.agreement import alphas
from conqret.stats.estimate import Estimate, Sampled, average
from conqret.stats.resampling import leave_one_out
from conqret.stats.significance import ALPHA, holm

ITEMS = 1000
"""Prices are those of so many items."""


class Said(NamedTuple):
    """How costs are spoken of: who has the least, and who has as little or less."""

    least: str
    no_more: str


PRICE = Said("the cheapest", "costs no more")
TIME = Said("the quickest", "takes no longer")


class Difference(Frozen):
    """The alpha of ``first`` minus that of ``second``, with its p-value corrected over all pairs (None: no test).
    ``shown`` says which of the two is shown to agree better; empty where neither is."""

    first: str
    second: str
    alpha: Estimate
    p_holm: float | None
    shown: str


class Offer(Frozen):
    """One judge: the mean of its alphas with people, US dollars for a thousand items (None: unknown), the model's
    seconds and the tokens of an item. ``price`` and ``time`` say in words what it is beside those that cost less."""

    run: str
    format: str
    model: str
    baseline: bool
    alpha: Estimate
    usd: float | None
    seconds: float | None
    tokens: float | None
    price: str = ""
    time: str = ""


class Frontier(Frozen):
    """Judges with what they cost, the cheapest first. ``units`` counts what all of them scored and people labelled, by
    dimension; ``by_price`` and ``by_time`` name those on the frontier by values alone, ``left_out`` the labelled
    dimensions that not all judges have."""

    basis: Basis
    offers: tuple[Offer, ...]
    differences: tuple[Difference, ...]
    units: Mapping[str, int]
    by_price: tuple[str, ...]
    by_time: tuple[str, ...]
    left_out: tuple[str, ...]


def frontier(
    runs: Sequence[JudgeFolder],
    labels: LabelSet,
    *,
    metrics: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> Frontier:
    """Hold finished runs of the same items against people's labels and against what they cost.

    Alpha is the mean over the shared dimensions without overall quality (that one, where it is the only one).

    Raises:
        DeclarationError: fewer than two runs, one twice, one that is not finished, labels without a scale, or no
            dimension or item that all share with the labels.
    """
    settings = settings or Settings()
    names = [str(run.path) for run in runs]
    if len(set(names)) < max(len(names), 2):
        raise DeclarationError("a frontier needs two runs at least, and each once")
    joined = [join_labels(run.finished(), labels, metrics) for run in runs]
    shared = [name for name in joined[0].metrics if all(name in one.metrics for one in joined)]
    if not shared:
        raise DeclarationError(f"no labelled dimension is judged in all runs ({', '.join(names)})")
    sampled, units = _alphas(joined, shared, settings)
    offers = [
        _offer(run, name, one.estimate(settings.confidence))
        for run, name, one in zip(runs, names, sampled, strict=True)
    ]
    differences = _differences(names, sampled, settings.confidence)
    better = {(one.shown, ({one.first, one.second} - {one.shown}).pop()) for one in differences if one.shown}
    prices = {one.run: one.usd for one in offers}
    times = {one.run: one.seconds for one in offers}
    values = {one.run: one.alpha.value for one in offers}
    said = [
        one.model_copy(
            update={
                "price": _words(one.run, prices, values, better, PRICE),
                "time": _words(one.run, times, values, better, TIME),
            }
        )
        for one in offers
    ]
    return Frontier(
        basis=Basis.of(labels, joined[0].clustered_by, joined[0].units, joined[0].clusters, settings),
        offers=tuple(sorted(said, key=lambda one: (one.usd is None, one.usd or 0.0, one.seconds or 0.0))),
        differences=tuple(differences),
        units=units,
        by_price=_undominated(prices, values),
        by_time=_undominated(times, values),
        left_out=tuple(sorted({name for one in joined for name in one.metrics} - set(shared))),
    )


def _alphas(
    joined: Sequence[Joined], shared: Sequence[str], settings: Settings
) -> tuple[list[Sampled], dict[str, int]]:
    """The mean alpha of each judge over the dimensions, and the units behind each of these."""
    import numpy as np

    there = [{unit: place for place, unit in enumerate(one.units)} for one in joined]
    common = [unit for unit in joined[0].units if all(unit in one for one in there)]
    if not common:
        raise DeclarationError("no labelled item is judged in all runs: judge the same items")
    places = [[one[unit] for unit in common] for one in there]
    clusters: list[Hashable] = [joined[0].clusters[place] for place in places[0]]
    drawn = leave_one_out(clusters)
    found: dict[str, list[Sampled]] = {}
    units = {}
    for dimension in shared:
        views = [View(one, dimension, settings) for one in joined]
        if not views[0].placed:
            raise DeclarationError(f"{dimension}: {NO_SCALE}")
        target = views[0].target[places[0]]
        judges = np.stack([view.judge()[where] for view, where in zip(views, places, strict=True)])
        whole = ~np.isnan(judges).any(axis=0) & ~np.isnan(target)
        units[dimension] = int(whole.sum())
        pairs = np.stack([np.where(whole, judges, np.nan), np.broadcast_to(target, judges.shape)], axis=1)
        found[dimension] = alphas(pairs, views[0].scale.level, drawn)
    averaged = [one for name, one in found.items() if name != OVERALL or len(found) == 1]
    defined = [one for one in averaged if all(alpha.defined for alpha in one)]
    return [average(list(judge)) for judge in zip(*(defined or averaged), strict=True)], units


def _offer(run: JudgeFolder, name: str, alpha: Estimate) -> Offer:
    record, cost = run.record(), Cost.of(run.summary())
    usd = cost.item["usd"]
    return Offer(
        run=name,
        format=record.format,
        model=record.model,
        baseline=record.baseline,
        alpha=alpha,
        usd=None if usd is None else usd * ITEMS,
        seconds=cost.item["seconds"],
        tokens=cost.item["tokens"],
    )


def _differences(names: Sequence[str], sampled: Sequence[Sampled], confidence: float) -> list[Difference]:
    pairs = list(combinations(zip(names, sampled, strict=True), 2))
    found = [one.minus(other) for (_, one), (_, other) in pairs]
    tested = holm([one.p() for one in found])
    return [
        Difference(
            first=first,
            second=second,
            alpha=difference.estimate(confidence),
            p_holm=p,
            shown="" if p is None or p >= ALPHA else first if difference.value > 0 else second,
        )
        for ((first, _), (second, _)), difference, p in zip(pairs, found, tested, strict=True)
    ]


Costs = Mapping[str, float | None]


def _undominated(costs: Costs, values: Costs) -> tuple[str, ...]:
    """Those to whom nobody is preferable by values alone, the cheapest first: no one costs as little or less and has an
    alpha as high or higher, and is not the same in both."""
    known = sorted(
        (cost, -value, name)
        for name, cost in costs.items()
        if cost is not None and (value := values[name]) is not None
    )
    kept: list[tuple[float, float, str]] = []
    for one in known:
        if not kept or one[1] < kept[-1][1] or one[:2] == kept[-1][:2]:
            kept.append(one)
    return tuple(name for _, _, name in kept)


def _words(name: str, costs: Costs, values: Costs, better: set[tuple[str, str]], said: Said) -> str:
    """What a judge is beside those that cost as little or less."""
    own, value = costs[name], values[name]
    if own is None:
        return "unknown, so not compared"
    if value is None:
        return "its agreement has no value"
    others = {
        other: cost
        for other, cost in costs.items()
        if other != name and cost is not None and cost <= own and values[other] is not None
    }
    if not others:
        return said.least
    worse = [other for other in others if (other, name) in better]
    if worse:
        return f"not worth it: {worse[0]} {said.no_more} and is shown to agree better"
    open_ = [other for other in others if (name, other) not in better]
    if open_:
        best = max(open_, key=lambda other: values[other] or 0.0)
        return f"not shown to agree better than {best}, which {said.no_more}"
    return f"shown to agree better than every judge that {said.no_more}"

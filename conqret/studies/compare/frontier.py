"""What to buy: price and time of several judges of the same items against how far they agree with people.

A judge is worth more money only where it is *shown* to agree better than every cheaper one: by the difference of the
alphas on what all scored, paired over topics and corrected over all pairs, and not below six topics. The frontier by
values alone (nobody cheaper has a higher alpha) is named, too, and is no verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from conqret.data.item import Frozen
from conqret.errors import strict_options
from conqret.io.labels import Labels, labels_of
from conqret.judging.judge_folder import FinishedRun, folder_of
from conqret.stats.estimate import Estimate
from conqret.studies.agreement.agreement_settings import USUAL, AgreementSettings, Basis
from conqret.studies.card.run_cost import Cost
from conqret.studies.compare.result import JudgePair, beside_chance, by_folder, compare_judges, quoted

ITEMS = 1000
"""Prices are those of so many items."""


class AgreementOfRun(NamedTuple):
    """How costs are spoken of: who has the least, and who has as little or less."""

    least: str
    no_more: str

    @property
    def shown(self) -> str:
        """What is said of one that is shown to agree better than all of these."""
        return f"shown to agree better than every judge that {self.no_more}"


PRICE = AgreementOfRun("the cheapest", "costs no more")
TIME = AgreementOfRun("the quickest", "takes no longer")


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
    differences: tuple[JudgePair, ...]
    units: Mapping[str, int]
    by_price: tuple[str, ...]
    by_time: tuple[str, ...]
    left_out: tuple[str, ...]

    @property
    def chance(self) -> str:
        """That no judge agrees better than chance, in a sentence; empty where one does."""
        return beside_chance(offer.alpha for offer in self.offers)

    @property
    def verdict(self) -> str:
        """Which judge is worth its price, in a sentence."""
        if self.chance:
            return f"No judge is worth its cost. {self.chance}"
        if sum(offer.usd is not None for offer in self.offers) < 2:
            return "Judges cannot be compared by cost: the prices of at least two have to be known."
        if worth := [offer.run for offer in self.offers if offer.price == PRICE.shown]:
            return f"{quoted(worth)} {'are' if len(worth) > 1 else 'is'} {PRICE.shown}."
        cheapest = [offer.run for offer in self.offers if offer.price == PRICE.least]
        more = f" The cheapest judge is {quoted(cheapest)}." if cheapest else ""
        return f"The data do not show that paying more gives more agreement: no judge is {PRICE.shown}.{more}"


@strict_options
def pareto(
    runs: Sequence[FinishedRun],
    labels: Labels,
    *,
    metrics: Mapping[str, str] | None = None,
    settings: AgreementSettings = USUAL,
) -> Frontier:
    """Hold finished runs of the same items against people's labels and against what they cost.

    Alpha is the mean over the shared dimensions without overall quality (that one, where it is the only one).

    Raises:
        DeclarationError: fewer than two runs, one twice, one that is not finished, labels without a scale, or no
            dimension or item that all share with the labels.
    """
    folders, read = [folder_of(run) for run in runs], labels_of(labels)
    judged = by_folder(folders)
    compared = compare_judges(judged, read, metrics=metrics, settings=settings)
    alphas = {name: judge.alpha for name, judge in compared.average.judges.items()}
    costs = {name: Cost.of(run.summary()).item for name, run in zip(judged, folders, strict=True)}
    differences = compared.average.pairs
    better = {
        (difference.shown, ({difference.first, difference.second} - {difference.shown}).pop())
        for difference in differences
        if difference.shown
    }
    prices = {name: None if (usd := cost["usd"]) is None else usd * ITEMS for name, cost in costs.items()}
    times = {name: cost["seconds"] for name, cost in costs.items()}
    values = {name: alpha.value for name, alpha in alphas.items()}
    records = {name: run.record() for name, run in zip(judged, folders, strict=True)}
    offers = [
        Offer(
            run=name,
            format=record.format,
            model=record.model,
            baseline=record.baseline,
            alpha=alphas[name],
            usd=prices[name],
            seconds=times[name],
            tokens=costs[name]["tokens"],
            price=_words(name, prices, values, better, PRICE),
            time=_words(name, times, values, better, TIME),
        )
        for name, record in records.items()
    ]
    return Frontier(
        basis=compared.basis,
        offers=tuple(
            sorted(offers, key=lambda offer: (offer.usd is None, offer.usd or 0.0, offer.seconds or 0.0))
        ),
        differences=differences,
        units={name: row.units for name, row in compared.dimensions.items()},
        by_price=_undominated(prices, values),
        by_time=_undominated(times, values),
        left_out=compared.left_out,
    )


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
    for point in known:
        if not kept or point[1] < kept[-1][1] or point[:2] == kept[-1][:2]:
            kept.append(point)
    return tuple(name for _, _, name in kept)


def _words(
    name: str, costs: Costs, values: Costs, better: set[tuple[str, str]], agreement_words: AgreementOfRun
) -> str:
    """What a judge is beside those that cost as little or less."""
    own_cost, value = costs[name], values[name]
    if own_cost is None:
        return "unknown, so not compared"
    if value is None:
        return "its agreement has no value"
    others = {
        other: cost
        for other, cost in costs.items()
        if other != name and cost is not None and cost <= own_cost and values[other] is not None
    }
    if not others:
        return agreement_words.least
    worse = [other for other in others if (other, name) in better]
    if worse:
        return f"not worth it: “{worse[0]}” {agreement_words.no_more} and is shown to agree better"
    open_ = [other for other in others if (name, other) not in better]
    if open_:
        best = max(open_, key=lambda other: values[other] or 0.0)
        return f"not shown to agree better than “{best}”, which {agreement_words.no_more}"
    return agreement_words.shown

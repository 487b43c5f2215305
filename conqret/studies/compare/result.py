"""Several judges on the same items and labels: which of them is closest to people.

All are held against people's one label on what all of them scored. Differences of alphas are paired by topic and
corrected over all pairs (:func:`conqret.stats.effects.largest_p`). That the best is the best takes no correction: it
has to beat every other judge, and of judges that are alike the best beats the second in a two-sided test no more often
than the test's level (Gutmann and Maymin, Annals of Statistics 1987).
What was chosen by its score looks better than it is, so the choice is made again without each fold of topics, and
what is chosen so is held against the labels of that fold (:mod:`conqret.studies.agreement.shared_units`).
A judge is worth more money only where it is shown to agree better than every judge that costs no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import isclose

import numpy as np
from numpy.typing import NDArray

from conqret.data.item import Frozen
from conqret.errors import DeclarationError, strict_options
from conqret.io.labels import Labels, labels_of
from conqret.judging.judge_folder import FinishedRun, folder_of
from conqret.judging.summary import Cost
from conqret.runs.run_folder import told_apart
from conqret.stats.effects import ALPHA, largest_p, p_words
from conqret.stats.estimate import FEWEST_TESTED, NO_INTERVAL, Estimate, JackknifedEstimate
from conqret.stats.resampling import SAME, leave_one_out, snapped
from conqret.studies.agreement.agreement_settings import USUAL, AgreementSettings, Basis
from conqret.studies.agreement.annotator_agreement import averaged_dimensions
from conqret.studies.agreement.shared_units import HeldOut, HeldOutChoice, SharedUnits

PRICED_ITEMS = 1000
"""Prices are those of so many items."""


class JudgeOn(Frozen):
    """One judge: its alpha with people's one label, its mean distance from that label in [0, 1] (which a judge that
    always says the middle keeps low; None without a scale), and how many of the labelled units it scored."""

    alpha: Estimate
    error: float | None
    scored: int


class JudgePair(Frozen):
    """The alpha of ``first`` minus that of ``second``; ``p`` is two-sided and corrected over all pairs (None: no test).
    ``shown`` says which of the two is shown to agree better; empty where neither is."""

    first: str
    second: str
    difference: Estimate
    p: float | None
    shown: str


class JudgeCost(Frozen):
    """What a judge costs: US dollars for 1,000 items (None: unknown), and the model's seconds and tokens an item."""

    usd: float | None
    seconds: float | None
    tokens: float | None


class ComparedOn(Frozen):
    """The judges on one dimension, or in the mean, on the ``units`` that people labelled and all of them scored."""

    units: int
    judges: Mapping[str, JudgeOn]
    pairs: tuple[JudgePair, ...]


class JudgeComparison(Frozen):
    """The comparison of the ``judges``, those with the highest mean alpha first.

    ``average`` is over the dimensions of :func:`averaged_dimensions`. Its p-values are corrected over the pairs, those
    of all ``dimensions`` together over these and the pairs. ``over`` has the two-sided p-value of the best against each
    other one by itself (None: no test). ``winner`` is shown to agree better than all of them, and was chosen without
    each fold of topics; empty where none is. ``left_out`` are labelled dimensions that not all have.
    ``costs`` are those of finished runs.
    """

    judges: tuple[str, ...]
    basis: Basis
    dimensions: Mapping[str, ComparedOn]
    average: ComparedOn
    held_out: HeldOut
    over: Mapping[str, float | None]
    winner: str
    left_out: tuple[str, ...]
    costs: Mapping[str, JudgeCost] = {}

    @property
    def averaged(self) -> list[str]:
        """The dimensions that ``average`` is over."""
        rows = {name: dimension.judges.values() for name, dimension in self.dimensions.items()}
        return averaged_dimensions(
            {name: all(judge.alpha.value is not None for judge in judges) for name, judges in rows.items()}
        )

    @property
    def lost(self) -> dict[str, int]:
        """How many labels each judge has no score for that another one has, where it has not all."""
        scored = {name: judge.scored for name, judge in self.average.judges.items()}
        most = max(scored.values())
        return {name: most - count for name, count in scored.items() if count < most}

    @property
    def chance(self) -> str:
        """That no judge agrees better than chance, in a sentence; empty where one does."""
        return beside_chance(judge.alpha for judge in self.average.judges.values())

    @property
    def verdict(self) -> str:
        """Whether there is a winner, in a sentence."""
        best, alphas = self.judges[0], self.average.judges
        known = {name: p for name, p in self.over.items() if p is not None}
        if self.winner:
            beaten = "the other one" if len(known) == 1 else f"each of the {len(known)} others"
            worst = p_words(max(known.values()))
            return f"“{best}” wins: it agrees significantly better with annotators than {beaten} ({worst} at most)"
        if len(known) < len(self.over):
            return f"no winner: {self._untested}"
        rivals = [name for name, p in known.items() if p >= ALPHA]
        top = alphas[best].alpha.value or 0.0
        tied = [name for name in rivals if isclose(alphas[name].alpha.value or 0.0, top, rel_tol=SAME)]
        if tied:
            others = len(self.judges) - 1 - len(tied)
            more = f", the highest of {len(self.judges)} judges" if others else ""
            return f"no winner: {quoted((best, *tied))} have the same alpha{more}"
        if not rivals:
            return (
                f"no winner: “{best}” is significantly better on all {self.basis.clustered_by}s together, but not if "
                "some of them are left out"
            )
        more = f" and {len(rivals) - 1} more" if len(rivals) > 1 else ""
        return f"no winner: “{best}” has the highest alpha, but not significantly higher than “{rivals[0]}”{more}"

    @property
    def _untested(self) -> str:
        """Why the best judge is not tested against each other one: too few clusters, or what an alpha lacks."""
        if self.basis.clusters < FEWEST_TESTED:
            return f"with only {self.basis.clusters} {self.basis.clustered_by}s differences are not tested"
        best = self.judges[0]
        rival = next(name for name, p in self.over.items() if p is None)
        what, estimate = f"the difference of “{best}” and “{rival}”", Estimate(0.0)
        for name in (rival, best):
            if (alpha := self.average.judges[name].alpha).low is None:
                what, estimate = f"the alpha of “{name}”", alpha
        reason = estimate.reason.removeprefix(NO_INTERVAL)
        why = f"{what} has no {'value' if estimate.value is None else 'interval'}{f' ({reason})' * bool(reason)}"
        return f"not every difference is tested: {why}"

    @property
    def worth(self) -> str:
        """Which judges are worth their price, in a sentence; empty where fewer than two prices are known."""
        prices = {name: cost.usd for name, cost in self.costs.items() if cost.usd is not None}
        if len(prices) < 2:
            return ""
        better = {(pair.shown, name) for pair in self.average.pairs for name in (pair.first, pair.second)}
        as_cheap = {
            name: [other for other in prices if other != name and prices[other] <= price]
            for name, price in prices.items()
        }
        worth = [
            name
            for name, others in as_cheap.items()
            if others and all((name, other) in better for other in others)
        ]
        than = "significantly better than every judge that costs no more"
        if worth and not self.chance:
            return f"{quoted(worth)} {'agrees' if len(worth) == 1 else 'agree'} {than}."
        cheapest = [name for name, others in as_cheap.items() if not others]
        least = f"; {quoted(cheapest)} costs the least" if cheapest else ""
        return f"No judge agrees {than}{least}."


def quoted(names: Sequence[str]) -> str:
    """Names in a sentence, set apart from its words."""
    return " and ".join(f"“{name}”" for name in names) or "nobody"


def beside_chance(alphas: Iterable[Estimate], what: str = "mean alpha") -> str:
    """A sentence where no judge with these alphas agrees with annotators better than chance; else nothing. ``what``
    each is called."""
    known = [alpha for alpha in alphas if alpha.value is not None]
    if not known or any((alpha.value or 0.0) > 0 for alpha in known):
        return ""
    worse = all(alpha.high is not None and alpha.high < 0 for alpha in known)
    shown = "significantly below 0 (its whole interval is below 0)" if worse else "0 or below"
    return f"No judge agrees with annotators more than by chance: every {what} is {shown}."


@strict_options
def compare(
    runs: Sequence[FinishedRun],
    labels: Labels,
    *,
    metrics: Mapping[str, str] | None = None,
    settings: AgreementSettings = USUAL,
) -> JudgeComparison:
    """Compare judges with human labels: alphas, their differences on what all scored, and whether one wins.

    Args:
        runs: finished runs of judges over the same items, at least two.
        labels: human labels of the items.
        metrics: which metric is compared with which labelled dimension, where their names differ.
        settings: how several labels become one, intervals, the seed of the tests.

    Raises:
        DeclarationError: fewer than two runs, one twice or not finished, labels that meet one of them nowhere or have
            no scale, or no dimension or item that all share with the labels.
    """
    folders, read = [folder_of(run) for run in runs], labels_of(labels)
    names = told_apart([folder.path for folder in folders])
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise DeclarationError(f"at least two different runs are needed: {twice[0]} is given several times")
    judged = {name: folder.finished() for name, folder in zip(names, folders, strict=True)}
    shared = SharedUnits.of(judged, read, metrics, settings)
    compared = compare_shared(shared, shared.basis(read, settings))
    costs = {}
    for name, folder in zip(names, folders, strict=True):
        cost = Cost.of(folder.summary()).item
        usd = None if cost["usd"] is None else cost["usd"] * PRICED_ITEMS
        costs[name] = JudgeCost(usd=usd, seconds=cost["seconds"], tokens=cost["tokens"])
    return compared.model_copy(update={"costs": costs})


def compare_shared(shared: SharedUnits, basis: Basis) -> JudgeComparison:
    """Compare judges on what they share."""
    settings = basis.settings
    drawn = leave_one_out(shared.clusters)
    rng = np.random.default_rng(settings.seed)
    alphas_by_dimension = {name: side.alphas(side.judges, drawn) for name, side in shared.sides.items()}
    means = shared.averaged(alphas_by_dimension)
    choice = HeldOutChoice.of(shared, settings.seed, drawn)
    labels = [drawn.sizes(~np.isnan(side.people)) for side in shared.sides.values()]
    sizes = np.asarray(np.sum(labels, axis=0))
    (pairs,) = _pairs(shared, [means], sizes, rng, settings.confidence)
    by_dimension = _pairs(shared, list(alphas_by_dimension.values()), sizes, rng, settings.confidence)
    rows = {}
    for (name, side), pairs_on in zip(shared.sides.items(), by_dimension, strict=True):
        judged = zip(shared.names, alphas_by_dimension[name], side.errors(), side.scored, strict=True)
        judges = {
            judge: JudgeOn(alpha=alpha.estimate(settings.confidence), error=error, scored=scored)
            for judge, alpha, error, scored in judged
        }
        rows[name] = ComparedOn(units=side.units, judges=judges, pairs=pairs_on)
    values = np.nan_to_num(snapped([mean.value if mean.defined else np.nan for mean in means]), nan=-np.inf)
    order = [shared.names[place] for place in np.argsort(-values, kind="stable")]
    held_out = choice.held_out(shared, drawn, settings.confidence)
    by_name = dict(zip(shared.names, means, strict=True))
    best = by_name[order[0]]
    over = {name: largest_p([best.minus(by_name[name])], sizes, rng)[0] for name in order[1:]}
    averaged = {}
    for name, mean in by_name.items():
        known = [error for row in rows.values() if (error := row.judges[name].error) is not None]
        averaged[name] = JudgeOn(
            alpha=mean.estimate(settings.confidence),
            error=sum(known) / len(known) if known else None,
            scored=sum(row.judges[name].scored for row in rows.values()),
        )
    won = all(p is not None and p < ALPHA for p in over.values())
    winner = order[0] if won and held_out.chosen[order[0]] == held_out.folds else ""
    return JudgeComparison(
        judges=tuple(order),
        basis=basis,
        dimensions=rows,
        average=ComparedOn(units=sum(row.units for row in rows.values()), judges=averaged, pairs=pairs),
        held_out=held_out,
        over=over,
        winner=winner,
        left_out=shared.left_out,
    )


def _pairs(
    shared: SharedUnits,
    rows: Sequence[Sequence[JackknifedEstimate]],
    sizes: NDArray[np.float64],
    rng: np.random.Generator,
    confidence: float,
) -> list[tuple[JudgePair, ...]]:
    """All pairs of the judges in each of ``rows``, corrected together."""
    names = shared.names
    pairs = list(combinations(range(len(names)), 2))
    differences = [[row[first].minus(row[other]) for first, other in pairs] for row in rows]
    tested = iter(largest_p([difference for row in differences for difference in row], sizes, rng))
    return [
        tuple(
            JudgePair(
                first=names[first],
                second=names[other],
                difference=difference.estimate(confidence),
                p=p,
                shown=names[first if difference.value > 0 else other] if p is not None and p < ALPHA else "",
            )
            for (first, other), difference, p in zip(pairs, row, tested, strict=False)
        )
        for row in differences
    ]

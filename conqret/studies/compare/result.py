"""Several judges on the same items and labels: which of them is closest to annotators.

All are held against the aggregated label on what all of them scored. Differences of alphas are paired by topic and
corrected over all pairs (:func:`conqret.stats.effects.largest_p`). That the best is the best takes no correction: it
has to beat every other judge, and of judges that are alike the best beats the second in a two-sided test no more often
than the test's level (Gutmann and Maymin, Annals of Statistics 1987).
What was chosen by its score looks better than it is, so the choice is made again without each fold of topics, and
what is chosen so is held against the labels of that fold (:mod:`conqret.studies.compare.compare_judges`).
A judge is worth more money only where it is shown to agree better than every judge that costs no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isclose

from conqret.data.item import Frozen
from conqret.show import words
from conqret.show.forest import Forest, forests
from conqret.show.report_page import ReportPage, Section, section
from conqret.show.table import Cell, Column, Table
from conqret.stats.effects import ALPHA, p_words
from conqret.stats.estimate import MIN_TOPICS, NO_INTERVAL, Estimate
from conqret.stats.resampling import SAME
from conqret.studies.agreement.agreement_settings import Basis
from conqret.studies.agreement.annotator_agreement import averaged_dimensions
from conqret.studies.agreement.judge_agreement import average_note

PRICED_ITEMS = 1000
"""Prices are those of so many items."""


class ComparedJudge(Frozen):
    """The agreement of one judge with human labels.

    ``alpha`` is that with the aggregated label, and ``error`` the mean absolute error in [0, 1] (None without
    a scale). ``scored`` is the number of labeled units that it scored.
    """

    alpha: Estimate
    error: float | None
    scored: int


class JudgePair(Frozen):
    """The difference in alpha of two judges: ``first`` minus ``second``.

    ``p`` is two-sided and corrected over all pairs (None: not tested). ``shown`` names the significantly
    better judge; it is empty if neither is.
    """

    first: str
    second: str
    difference: Estimate
    p: float | None
    shown: str


class JudgeCost(Frozen):
    """The cost of a judge: US dollars for 1,000 items (None: unknown), and model seconds and tokens per
    item.
    """

    usd: float | None
    seconds: float | None
    tokens: float | None


class ComparedDimension(Frozen):
    """The comparison of the judges on one dimension, or averaged, on the labeled ``units`` that all of them
    scored.
    """

    units: int
    judges: Mapping[str, ComparedJudge]
    pairs: tuple[JudgePair, ...]


class HeldOut(Frozen):
    """The cross-validated choice of the best judge.

    ``chosen`` counts for each judge the ``folds`` for which it has the highest alpha on the other folds (ties
    count for all). ``alpha`` is the alpha of the choice on held-out folds, averaged over assignments to
    folds. Its interval repeats the choice without each topic.
    """

    folds: int
    chosen: Mapping[str, int]
    alpha: Estimate


class JudgeComparison(Frozen):
    """The comparison of several judges with human labels.

    - ``judges``: their names, the highest mean alpha first.
    - ``average``: over the dimensions of :func:`averaged_dimensions`; p-values are corrected over pairs.
    - ``dimensions``: by dimension; p-values are corrected over pairs and dimensions.
    - ``over``: the uncorrected two-sided p-value of the best judge against each other one (None: not tested).
    - ``winner``: the judge that is significantly better than all others and is chosen without each fold;
    empty if none.
    - ``left_out``: labeled dimensions that not all judges have.
    - ``costs``: the costs of finished runs.
    """

    judges: tuple[str, ...]
    basis: Basis
    dimensions: Mapping[str, ComparedDimension]
    average: ComparedDimension
    held_out: HeldOut
    over: Mapping[str, float | None]
    winner: str
    left_out: tuple[str, ...]
    costs: Mapping[str, JudgeCost] = {}

    @property
    def averaged(self) -> list[str]:
        """The names of the dimensions that ``average`` is over."""
        rows = {name: dimension.judges.values() for name, dimension in self.dimensions.items()}
        return averaged_dimensions(
            {name: all(judge.alpha.value is not None for judge in judges) for name, judges in rows.items()}
        )

    @property
    def lost(self) -> dict[str, int]:
        """For each judge, how many more labeled units the most complete judge scored; judges without such a
        gap are left out.
        """
        scored = {name: judge.scored for name, judge in self.average.judges.items()}
        most = max(scored.values())
        return {name: most - count for name, count in scored.items() if count < most}

    @property
    def chance(self) -> str:
        """A sentence that no judge agrees with annotators beyond chance; empty if one does."""
        return chance_sentence(judge.alpha for judge in self.average.judges.values())

    @property
    def verdict(self) -> str:
        """A sentence that names the winner, or says why there is none."""
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
        """Why the best judge is not tested against every other one: too few clusters, or an alpha without value or
        interval."""
        if self.basis.clusters < MIN_TOPICS:
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
    def cost_effectiveness(self) -> str:
        """A sentence on which judges are cost-effective; empty unless at least two prices are known."""
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
    """Return the names in quotation marks, joined by "and"."""
    return " and ".join(f"“{name}”" for name in names) or "nobody"


def chance_sentence(alphas: Iterable[Estimate]) -> str:
    """Return a sentence that no judge agrees beyond chance; empty if one of ``alphas`` is above 0, or none
    is known.
    """
    known = [alpha for alpha in alphas if alpha.value is not None]
    if not known or any((alpha.value or 0.0) > 0 for alpha in known):
        return ""
    worse = all(alpha.high is not None and alpha.high < 0 for alpha in known)
    shown = "significantly below 0 (its whole interval is below 0)" if worse else "0 or below"
    return f"No judge agrees with annotators more than by chance: every mean alpha is {shown}."


MAX_NAMED = 4
"""Judges and differences that sentences name."""


def comparison_answer(comparison: JudgeComparison) -> list[str]:
    """Return sentences with the verdict and the mean alphas."""
    alphas = [
        f"“{name}” {words.with_interval(comparison.average.judges[name].alpha)}"
        for name in comparison.judges[:MAX_NAMED]
    ]
    averaged = len(comparison.averaged)
    over = f"{averaged} dimensions" if averaged > 1 else "one dimension"
    clusters = words.number(comparison.basis.clusters, comparison.basis.clustered_by)
    return [
        f"{words.capitalised(comparison.verdict)}.",
        f"Krippendorff's α with annotators, averaged over {over}, is {', '.join(alphas)} ({clusters}).",
        *filter(None, [comparison.chance, comparison.cost_effectiveness]),
    ]


def comparison_page(comparison: JudgeComparison, baselines: Sequence[bool] = ()) -> ReportPage:
    """Return the report page of a comparison, with forest plots of alphas and differences.

    ``baselines`` has for each judge True if it is the offline baseline.
    """
    alphas, differences, by_dimension = comparison_tables(comparison)
    judges = [(name, comparison.average.judges[name].alpha) for name in comparison.judges]
    pairs = [(f"{pair.first} minus {pair.second}", pair.difference) for pair in comparison.average.pairs]
    by_pair = forests("Pairs of judges", "Difference of alphas", pairs) if len(pairs) > 1 else []
    pictures = _by_dimension(comparison) if len(comparison.dimensions) > 1 else []
    return ReportPage(
        "compare",
        "Which judge agrees best with annotators?",
        [
            section(alphas, title="Agreement with annotators"),
            Section(differences.title, [*by_pair, differences]),
            Section(by_dimension.title, [*pictures, by_dimension]),
        ],
        badges=words.baseline_badges(baselines),
        answer=comparison_answer(comparison),
        picture=forests("Mean Krippendorff's alpha over dimensions", "Alpha", judges),
        facts=[
            ("Labels", comparison.basis.labels),
            ("Judges", words.count(len(comparison.judges))),
            ("Intervals", comparison.basis.intervals),
        ],
    )


def _by_dimension(comparison: JudgeComparison) -> list[Forest]:
    """Return forest plots of the first judge's alpha on each dimension, the highest first, with those of the others as
    marks."""
    first, *others = comparison.judges
    rows = sorted(comparison.dimensions.items(), key=lambda row: -(row[1].judges[first].alpha.value or 0.0))
    return forests(
        "Alpha by dimension",
        f"Krippendorff's alpha of “{first}” with its interval",
        [(words.label(name), row.judges[first].alpha) for name, row in rows],
        {words.label(name): {other: row.judges[other].alpha for other in others} for name, row in rows},
    )


def comparison_tables(comparison: JudgeComparison) -> Iterator[Table]:
    """Yield three tables: mean alphas, differences of pairs, and alphas by dimension."""
    average, held_out, basis = comparison.average, comparison.held_out, comparison.basis
    clustered, judges = f"{basis.clustered_by}s", average.judges
    costs: dict[str, tuple[Cell, Cell, Cell]] = {
        name: (
            words.money(cost.usd),
            None if cost.seconds is None else words.seconds(cost.seconds),
            None if cost.tokens is None else words.count(round(cost.tokens)),
        )
        for name, cost in comparison.costs.items()
    }
    priced = (f"Price of {words.count(PRICED_ITEMS)} items", "Time per item", "Tokens per item")
    yield Table(
        f"Krippendorff's alpha with annotators, {basis.intervals} (ConQRet, Table 6)",
        {
            "Judge": str,
            "Alpha": lambda name: judges[name].alpha,
            "p": lambda name: words.p_value(comparison.over.get(name)),
            "Error": lambda name: judges[name].error,
            "Chosen": lambda name: f"{held_out.chosen[name]} of {held_out.folds}",
            **{
                title: lambda name, at=at: costs[name][at] if costs else "" for at, title in enumerate(priced)
            },
        },
        comparison.judges,
        foot=[(f"Chosen on other {clustered}", held_out.alpha, *[""] * 6)],
        note="Alphas are of the units that all judges scored. "
        f"{average_note(comparison.averaged, list(comparison.dimensions))} “p” tests whether the first judge agrees "
        "better than this one. “Error” is the mean absolute difference of score and human label, both in [0, 1]; "
        f"always giving the middle score keeps it small. {chosen_words(held_out, basis)}",
    )
    yield Table(
        "Differences of alphas",
        {
            Column("Judge", "name"): "first",
            Column("Minus", "name"): "second",
            "Difference": "difference",
            "p": lambda pair: words.p_value(pair.p),
        },
        average.pairs,
        note=f"The p-values are corrected for the number of pairs (maxT, by flipping the signs of whole {clustered}); "
        f"with fewer than {MIN_TOPICS} {clustered} there are none. {words.NOT_CORRECTED} "
        f"{words.symmetry_note(basis.clusters)}".rstrip(),
    )
    yield Table(
        "Alpha by dimension",
        {
            "Dimension": lambda row: words.label(row[0]),
            "Units": (1, "units"),
            **{name: (1, "judges", name, "alpha") for name in comparison.judges},
        },
        comparison.dimensions.items(),
        note="Pairs of judges that differ significantly (p-values corrected over dimensions and pairs): "
        f"{'; '.join(_shown_pairs(comparison)) or 'none'}.",
    )


def chosen_words(held_out: HeldOut, basis: Basis) -> str:
    """Return the note that explains the column “Chosen”."""
    return (
        f"“Chosen” counts of {held_out.folds} folds of {basis.clustered_by}s those for which a judge has the highest "
        f"alpha on the other folds; “Chosen on other {basis.clustered_by}s” is the cross-validated alpha of that."
    )


def _shown_pairs(comparison: JudgeComparison) -> Iterator[str]:
    """The significant differences by dimension, in words."""
    for name, row in comparison.dimensions.items():
        for pair in row.pairs:
            if pair.shown:
                difference, other = pair.difference, pair.second
                if pair.shown != pair.first:
                    difference, other = replace(difference, value=-(difference.value or 0.0)), pair.first
                    if difference.low is not None and difference.high is not None:
                        difference = replace(difference, low=-difference.high, high=-difference.low)
                by = words.with_interval(difference)
                yield f"{words.label(name)}: “{pair.shown}” over “{other}” by {by}"

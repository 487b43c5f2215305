"""What is compared in a tournament (:class:`TournamentPlan`), and the ranking of items and systems that comes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit, ndtr, ndtri
from scipy.stats import rankdata

from conqret.data import Item
from conqret.io import CheckedItems, ItemSource
from conqret.judging.judge_folder import JudgeRecord
from conqret.judging.judge_parts import TOURNAMENT, digest
from conqret.judging.judgments import judge_record
from conqret.judging.setup import Setup
from conqret.runs.session import SessionCounts
from conqret.stats.comparative_judgment import ComparedStrengths, bounds, compared_strengths
from conqret.stats.estimate import CONFIDENCE, Estimate
from conqret.stats.pair_design import GroupPairs, round_sizes
from conqret.stats.strength_posterior import PairOutcomes
from conqret.studies.tournament.item_groups import PAIR_SEED, ItemGroup, TournamentOptions, pair_item
from conqret.studies.tournament.result import (
    ComparisonResult,
    ComparisonRow,
    RankedGroup,
    RankedItem,
    RankedSystem,
    Tournament,
    TournamentJudge,
)
from conqret.text.words import count_words

DRAWS, SEED = 4000, 13
"""Of the strengths' posterior, of which the probability of a set of best items is counted."""


def pair_outcomes(
    groups: Sequence[ItemGroup], comparisons: Sequence[ComparisonResult], judges: Sequence[str] = ()
) -> PairOutcomes:
    """Return the comparisons that have an outcome, as arrays. ``judges`` has the names if there are several;
    comparisons without an outcome are left out."""
    number = {group.name: place for place, group in enumerate(groups)}
    place = {item.id: place for group in groups for place, item in enumerate(group.items)}
    who = {name: place for place, name in enumerate(judges)}
    answered = [comparison for comparison in comparisons if comparison.outcome is not None]
    return PairOutcomes.from_rows(
        [len(group.items) for group in groups],
        [number[comparison.group] for comparison in answered],
        [place[comparison.first] for comparison in answered],
        [place[comparison.second] for comparison in answered],
        [float(comparison.outcome or 0.0) for comparison in answered],
        [who[comparison.judge] for comparison in answered] if who else None,
    )


def ranked_groups(
    plan: TournamentPlan, outcomes: PairOutcomes, strengths: ComparedStrengths
) -> tuple[RankedGroup, ...]:
    """Return the groups with their items ranked by strength, best first."""
    bounded, top = bounds(outcomes), plan.options.top
    ranked = []
    for number, group in enumerate(plan.groups):
        size, mine = len(group.items), outcomes.group == number
        places, results = (outcomes.first[mine], outcomes.second[mine]), outcomes.outcome[mine]
        games = np.bincount(np.concatenate(places), minlength=size)
        points = np.bincount(places[0], results, size) + np.bincount(places[1], 1 - results, size)
        values, errors = strengths.group(number)
        order = sorted(range(size), key=lambda place: (-values[place], group.items[place].id))
        items = [
            RankedItem(
                id=group.items[place].id,
                rank=rank,
                strength=float(values[place]),
                standard_error=float(errors[place]),
                low=float(strengths.low[number, place]),
                high=float(strengths.high[number, place]),
                comparisons=int(games[place]),
                points=float(points[place]),
                unbounded=bounded[number][place],
                words=count_words(group.items[place].argument or ""),
                system=plan.systems.get(group.items[place].id, ""),
            )
            for rank, place in enumerate(order, 1)
        ]
        best = None if top is None else top_probability(strengths, number, top)
        ranked.append(
            RankedGroup(
                name=group.name,
                items=tuple(items),
                reliability=strengths.reliability([number]),
                ordered=ordered_share(strengths, number),
                top_probability=best,
            )
        )
    return tuple(ranked)


def ranked_systems(
    groups: Sequence[ItemGroup], outcomes: PairOutcomes, systems: Mapping[str, str]
) -> tuple[RankedSystem, ...]:
    """Return the systems ranked by mean strength, best first; empty with fewer than two systems.

    Items of one system are expected to have similar strengths.
    """
    names = list(dict.fromkeys(systems.values()))
    if len(names) < 2:
        return ()
    number = {item: names.index(name) for item, name in systems.items()}
    size = max(len(group.items) for group in groups)
    numbers = [
        [number.get(item.id, -1) for item in group.items] + [-1] * (size - len(group.items))
        for group in groups
    ]
    fit = compared_strengths(outcomes, confidence=CONFIDENCE, systems=numbers)
    reach = float(ndtri((1 + CONFIDENCE) / 2))
    counts = Counter(systems.values())
    found = sorted(zip(names, fit.systems, strict=True), key=lambda pair: (-(pair[1].value or 0.0), pair[0]))
    errors = [None if estimate.half is None else estimate.half / reach for _, estimate in found]
    return tuple(
        RankedSystem(name=name, rank=rank, items=counts[name], strength=estimate, standard_error=error)
        for rank, ((name, estimate), error) in enumerate(zip(found, errors, strict=True), 1)
    )


def ordered_share(strengths: ComparedStrengths, group: int) -> float:
    """Return the expected share of pairs of a group's items that the estimated strengths order correctly."""
    means, _ = strengths.group(group)
    size = len(means)
    covariance = strengths.covariances[group, :size, :size]
    variances = covariance.diagonal()
    one, other = np.triu_indices(size, 1)
    spread = variances[one] + variances[other] - 2 * covariance[one, other]
    return float(ndtr(np.abs(means[one] - means[other]) / np.sqrt(np.maximum(spread, 1e-12))).mean())


def top_probability(strengths: ComparedStrengths, group: int, top: int) -> float:
    """Return the probability that the ``top`` items with the highest estimated strengths are truly the best (1 if the
    group has no more), by simulation from the estimates with a fixed seed."""
    means, _ = strengths.group(group)
    size = len(means)
    if top >= size:
        return 1.0
    rng = np.random.default_rng([SEED, group])
    values, vectors = np.linalg.eigh(strengths.covariances[group, :size, :size])
    roots = vectors * np.sqrt(np.maximum(values, 0))
    drawn = means + rng.standard_normal((DRAWS, size)) @ roots.T
    best = np.argsort(-means, kind="stable")[:top]
    rest = np.setdiff1d(np.arange(size), best)
    return float((drawn[:, best].min(axis=1) > drawn[:, rest].max(axis=1)).mean())


def _share(position: Estimate) -> Estimate:
    """What the first of two equals gets."""
    value, low, high = (
        None if end is None else float(expit(end)) for end in (position.value, position.low, position.high)
    )
    return Estimate(value, low, high, position.n, position.reason)


def _length(groups: Sequence[RankedGroup]) -> float | None:
    """Return the mean rank correlation of strength and number of words over groups where both vary; None without such
    a group."""
    found = []
    for group in groups:
        strengths = rankdata([item.strength for item in group.items])
        lengths = rankdata([item.words for item in group.items])
        if np.ptp(strengths) > 0 and np.ptp(lengths) > 0:
            found.append(float(np.corrcoef(strengths, lengths)[0, 1]))
    return sum(found) / len(found) if found else None


STRENGTH = "strength"
"""The metric that the run has for each item."""


@dataclass(frozen=True)
class PairSchedule:
    """The number of pairs of each group to compare in each round."""

    groups: tuple[ItemGroup, ...]
    options: TournamentOptions

    @cached_property
    def sizes(self) -> list[list[int]]:
        """For each group, the number of pairs in each round; random pairs without early stopping are one round."""
        options = self.options
        wanted = None if options.design == "exhaustive" else options.comparisons
        sizes = [
            round_sizes(len(group.items), wanted, both_orders=options.both_orders) for group in self.groups
        ]
        if options.design == "random" and not options.stops_early:
            return [[sum(each)] for each in sizes]
        return sizes

    @property
    def comparisons(self) -> int:
        """The largest number of comparisons by one judge, over all rounds and groups; a pair compared in
        both orders counts twice.
        """
        twice = 2 if self.options.both_orders else 1
        return sum(twice * sum(sizes) for sizes in self.sizes)

    def group_pairs(self) -> list[GroupPairs]:
        """Return for each group a new design that draws its pairs."""
        return [
            GroupPairs(len(group.items), [PAIR_SEED, number], both_orders=self.options.both_orders)
            for number, group in enumerate(self.groups)
        ]

    def first_pairs(self) -> list[Item]:
        """Return random first pairs of each group as items, for choosing a judge and estimating the cost."""
        return [
            pair_item(group.items[first], group.items[second])
            for group, pairs, sizes in zip(self.groups, self.group_pairs(), self.sizes, strict=True)
            for first, second in pairs.at_random(sum(sizes))
        ]


@dataclass(frozen=True)
class TournamentPlan:
    """The plan of a tournament: groups of items that one or several judges (``setups``) compare in rounds.

    ``output`` is the run's folder; None writes nothing.
    """

    output: Path | None
    source: ItemSource
    checked: CheckedItems
    setups: tuple[Setup, ...]
    groups: tuple[ItemGroup, ...]
    options: TournamentOptions
    systems: Mapping[str, str]
    notes: tuple[str, ...]

    @property
    def judges(self) -> tuple[str, ...]:
        """The names of the judges' models if there are several; otherwise empty."""
        names = tuple(setup.client.model for setup in self.setups)
        return names if len(names) > 1 else ()

    @cached_property
    def schedule(self) -> PairSchedule:
        """The number of pairs of each group in each round."""
        return PairSchedule(self.groups, self.options)

    @property
    def total(self) -> int:
        """The largest number of comparisons over all rounds, groups and judges; a pair compared in both
        orders counts twice.
        """
        return self.schedule.comparisons * len(self.setups)

    @cached_property
    def record(self) -> JudgeRecord:
        """The contents of ``run.json``."""
        judges = [judge_record(self.source, self.checked, setup) for setup in self.setups]
        judge = judges[0]
        identity: dict[str, Any] = {"tournament": asdict(self.options), **judge.identity}
        if self.judges:
            identity["judges"] = [each.identity for each in judges]
        names = [f"{each.format}{f' with {each.model}' * bool(self.judges)}" for each in judges]
        by = [f"Pairs compared by {n} ({each.fingerprint})" for n, each in zip(names, judges, strict=True)]
        return judge.model_copy(
            update={
                "format": TOURNAMENT.name,
                "model": ", ".join(each.model for each in judges),
                "baseline": all(each.baseline for each in judges),
                "fingerprint": digest(identity),
                "identity": identity,
                "metrics": [STRENGTH],
                "options": {},
                "notes": [*by, *judge.notes, *self.notes],
            }
        )

    def strengths(self, rows: Iterable[ComparisonRow]) -> ComparedStrengths:
        """Return the strengths estimated from the comparisons made so far."""
        return compared_strengths(pair_outcomes(self.groups, [row.result for row in rows], self.judges))

    def settled(self, strengths: ComparedStrengths, group: int) -> bool:
        """Return True if the best items of a group are known with sufficient probability."""
        top = self.options.top
        return top is not None and top_probability(strengths, group, top) >= CONFIDENCE


def tournament_result(
    plan: TournamentPlan, rows: Sequence[ComparisonRow], session: SessionCounts, missing: tuple[str, ...]
) -> Tournament:
    """Return the result of a tournament from its comparisons."""
    comparisons, options, record = [row.result for row in rows], plan.options, plan.record
    outcomes = pair_outcomes(plan.groups, comparisons, plan.judges)
    strengths = compared_strengths(outcomes, confidence=CONFIDENCE)
    ranked = ranked_groups(plan, outcomes, strengths)
    judges = tuple(
        TournamentJudge(name=name, answered=judge.position.n or 0, first_wins=_share(judge.position))
        for name, judge in zip(plan.judges, strengths.judges, strict=False)
    )
    return Tournament(
        judge=plan.setups[0].judge.name,
        model=record.model,
        baseline=record.baseline,
        design=options.design,
        rounds=max((row.round for row in rows), default=0),
        groups=ranked,
        comparisons=tuple(comparisons),
        planned=len(comparisons),
        answered=len(outcomes.outcome),
        unanswered=Counter(str(row.measure.reason) for row in rows if row.measure.reason is not None),
        reliability=strengths.reliability(),
        position=strengths.position,
        first_wins=_share(strengths.position),
        spread=strengths.spread,
        length=_length(ranked),
        judges=judges,
        systems=ranked_systems(plan.groups, outcomes, plan.systems),
        top=options.top,
        settled=sum((group.top_probability or 0.0) >= CONFIDENCE for group in ranked),
        wanted_reliability=options.reliability,
        possible=plan.total,
        confidence=CONFIDENCE,
        notes=tuple(record.notes),
        session=session,
        missing=missing,
    )

"""What a tournament comes to: a strength for each item with its standard error, and how far to trust it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import expit, ndtr, ndtri
from scipy.stats import rankdata

from conqret.data import Judgment, Measure
from conqret.data.item import Frozen
from conqret.runs.session import SessionCounts
from conqret.stats.comparative_judgment import SPREAD_SD, Bound, ComparedStrengths, bounds, compared_strengths
from conqret.stats.estimate import CONFIDENCE, Estimate
from conqret.stats.strength_posterior import OUTCOMES, PairOutcomes
from conqret.studies.tournament.item_groups import ItemGroup
from conqret.text.words import count_words

PREFERENCE = "preference"
"""The metric by which two items are compared."""
DRAWS, SEED = 4000, 13
"""Of the strengths' posterior, of which the probability of a set of best items is counted."""
PRIOR = (
    f"strengths ~ Normal(0, spread), log spread ~ Normal(0, {SPREAD_SD:g}), position ~ Normal(0, 1); spread, position "
    "and ties are the same in all groups"
)


class ComparisonResult(Frozen):
    """One comparison: the ids of both items, and the outcome for the first (1, 0.75, 0.5, 0.25, 0), None where there is
    none. ``judge`` is the model that compared them, where several do."""

    id: str
    round: int
    group: str
    first: str
    second: str
    outcome: float | None
    judge: str = ""


class ComparisonRow(Frozen):
    """A comparison that was made: its round, its group, both items, and what the judge said of the first; ``judge`` is
    its model, where several compare."""

    id: str
    round: int
    group: str
    first: str
    second: str
    judgment: Judgment
    judge: str = ""

    @property
    def measure(self) -> Measure:
        """The preference."""
        return self.judgment.measures[PREFERENCE]

    @property
    def result(self) -> ComparisonResult:
        """It as the strengths are made of."""
        value = self.measure.value
        outcome = None if value is None else min(OUTCOMES, key=lambda each: abs(each - value))
        return ComparisonResult(outcome=outcome, **self.model_dump(exclude={"judgment"}))


class RankedItem(Frozen):
    """An item: its ``strength`` (log-odds against a mean item of its group) with standard error and interval, its
    ``rank`` in the group (1 is best), its ``comparisons`` and the ``points`` from them, and whether only the prior
    bounds it (``unbounded``: above or below)."""

    id: str
    rank: int
    strength: float
    standard_error: float
    low: float
    high: float
    comparisons: int
    points: float
    unbounded: Bound
    words: int
    system: str = ""


class RankedGroup(Frozen):
    """The items of a group, best first, the reliability of their strengths, the share of the pairs of items that are
    expected to stand in the right order, and, where the best items were asked for, the probability that they are those
    that come first."""

    name: str
    items: tuple[RankedItem, ...]
    reliability: float | None
    ordered: float
    top_probability: float | None = None


class RankedSystem(Frozen):
    """A system: the mean strength of its items less that of all, expected in other groups."""

    name: str
    rank: int
    items: int
    strength: Estimate
    standard_error: float | None


class TournamentJudge(Frozen):
    """One of several judges: its ``answered`` comparisons, and what the first of two equals gets (``first_wins``)."""

    name: str
    answered: int
    first_wins: Estimate


class Tournament(Frozen):
    """A tournament in numbers.

    ``position`` is what standing first adds to the log-odds, ``first_wins`` the share that the first of two equals gets
    by it. ``reliability`` is the share of the variance of the strengths within groups that is no error.
    ``unanswered`` counts comparisons without an answer by reason, and ``missing`` names those that a replay lacked.
    ``length`` is the mean rank correlation of strength and number of words within groups.
    ``judges`` are there where several compare, ``systems`` where items have one. ``settled`` counts the groups whose
    best items were known before their last comparison. ``wanted_reliability`` is the reliability at which it
    ends, where one was given, and ``possible`` the most comparisons that there could have been.
    """

    judge: str
    model: str
    baseline: bool
    design: str
    rounds: int
    groups: tuple[RankedGroup, ...]
    comparisons: tuple[ComparisonResult, ...]
    planned: int
    answered: int
    unanswered: Mapping[str, int]
    reliability: float | None
    position: Estimate
    first_wins: Estimate
    spread: float
    prior: str = PRIOR
    length: float | None
    judges: tuple[TournamentJudge, ...] = ()
    systems: tuple[RankedSystem, ...] = ()
    top: int | None = None
    settled: int = 0
    wanted_reliability: float | None = None
    possible: int | None = None
    confidence: float
    notes: tuple[str, ...] = ()
    session: SessionCounts
    missing: tuple[str, ...] = ()

    @property
    def reliable(self) -> bool | None:
        """Whether the reliability that was wanted is reached; None where none was given."""
        wanted = self.wanted_reliability
        return None if wanted is None else (self.reliability or 0.0) >= wanted


def pair_outcomes(
    groups: Sequence[ItemGroup], comparisons: Sequence[ComparisonResult], judges: Sequence[str] = ()
) -> PairOutcomes:
    """The comparisons that have an outcome, as arrays; ``judges`` are the names of several."""
    number = {group.name: place for place, group in enumerate(groups)}
    place = {item.id: place for group in groups for place, item in enumerate(group.items)}
    who = {name: place for place, name in enumerate(judges)}
    answered = [comparison for comparison in comparisons if comparison.outcome is not None]
    return PairOutcomes.of(
        [len(group.items) for group in groups],
        [number[comparison.group] for comparison in answered],
        [place[comparison.first] for comparison in answered],
        [place[comparison.second] for comparison in answered],
        [float(comparison.outcome or 0.0) for comparison in answered],
        [who[comparison.judge] for comparison in answered] if who else None,
    )


def ranked_groups(
    groups: Sequence[ItemGroup],
    outcomes: PairOutcomes,
    strengths: ComparedStrengths,
    *,
    systems: Mapping[str, str],
    top: int | None,
) -> tuple[RankedGroup, ...]:
    """The groups with their items, best first."""
    bounded = bounds(outcomes)
    ranked = []
    for number, group in enumerate(groups):
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
                system=systems.get(group.items[place].id, ""),
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
    """The systems, best first, from strengths that are expected to be alike in items of one system."""
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
    """The share of the pairs of items that are expected to stand in the order of their true strengths."""
    means, _ = strengths.group(group)
    size = len(means)
    covariance = strengths.covariances[group, :size, :size]
    variances = covariance.diagonal()
    one, other = np.triu_indices(size, 1)
    spread = variances[one] + variances[other] - 2 * covariance[one, other]
    return float(ndtr(np.abs(means[one] - means[other]) / np.sqrt(np.maximum(spread, 1e-12))).mean())


def top_probability(strengths: ComparedStrengths, group: int, top: int) -> float:
    """The probability that the ``top`` items with the highest strengths are the best ones; 1 where there are no more
    items than that."""
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


def tournament_result(
    groups: Sequence[ItemGroup],
    comparisons: Sequence[ComparisonResult],
    *,
    judges: Sequence[str],
    systems: Mapping[str, str],
    top: int | None,
    **facts: object,
) -> Tournament:
    """What the comparisons come to; ``judges`` are the names of several, ``systems`` those of the items by their
    ids, and ``facts`` the fields that say how the comparisons came about."""
    outcomes = pair_outcomes(groups, comparisons, judges)
    strengths = compared_strengths(outcomes, confidence=CONFIDENCE)
    ranked = ranked_groups(groups, outcomes, strengths, systems=systems, top=top)
    return Tournament.model_validate(
        {
            **facts,
            "groups": ranked,
            "comparisons": tuple(comparisons),
            "planned": len(comparisons),
            "answered": len(outcomes.outcome),
            "reliability": strengths.reliability(),
            "position": strengths.position,
            "first_wins": _share(strengths.position),
            "spread": strengths.spread,
            "length": _length(ranked),
            "judges": tuple(
                TournamentJudge(name=name, answered=judge.position.n or 0, first_wins=_share(judge.position))
                for name, judge in zip(judges, strengths.judges, strict=False)
            ),
            "systems": ranked_systems(groups, outcomes, systems),
            "top": top,
            "confidence": CONFIDENCE,
        }
    )


def _share(position: Estimate) -> Estimate:
    """What the first of two equals gets."""
    value, low, high = (
        None if end is None else float(expit(end)) for end in (position.value, position.low, position.high)
    )
    return Estimate(value, low, high, position.n, position.reason)


def _length(groups: Sequence[RankedGroup]) -> float | None:
    """The mean rank correlation of strength and number of words in groups where both vary."""
    found = []
    for group in groups:
        strengths = rankdata([item.strength for item in group.items])
        lengths = rankdata([item.words for item in group.items])
        if np.ptp(strengths) > 0 and np.ptp(lengths) > 0:
            found.append(float(np.corrcoef(strengths, lengths)[0, 1]))
    return sum(found) / len(found) if found else None

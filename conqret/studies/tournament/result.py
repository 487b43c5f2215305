"""What a tournament comes to: a strength for each item with its standard error, and how far to trust it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from conqret.data.item import Frozen
from conqret.runs.session import SessionCounts
from conqret.stats.comparative_judgment import (
    SPREAD_SCALE,
    Bound,
    bounds,
    compared_strengths,
    intransitive_triples,
)
from conqret.stats.estimate import CONFIDENCE, Estimate
from conqret.stats.strength_posterior import OUTCOMES, PairOutcomes
from conqret.studies.tournament.item_groups import ItemGroup

if TYPE_CHECKING:
    from conqret.stats.comparative_judgment import ComparedStrengths

PRIOR = (
    f"strengths ~ Normal(0, spread), spread ~ half-Normal({SPREAD_SCALE:g}), position ~ Normal(0, 1); spread, position "
    "and ties are the same in all groups"
)


class ComparisonResult(Frozen):
    """One comparison: the ids of both items, and the outcome for the first (1, 0.75, 0.5, 0.25, 0), None where there is
    none."""

    id: str
    round: int
    group: str
    first: str
    second: str
    outcome: float | None


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

    @property
    def estimate(self) -> Estimate:
        """The strength with its interval."""
        return Estimate(self.strength, self.low, self.high, self.comparisons)


class RankedGroup(Frozen):
    """The items of a group, best first, and the reliability of their strengths."""

    name: str
    items: tuple[RankedItem, ...]
    reliability: float | None


class Tournament(Frozen):
    """A tournament in numbers.

    ``position`` is what standing first adds to the log-odds, ``first_wins`` the share that the first of two equals gets
    by it. ``reliability`` is the share of the variance of the strengths within groups that is no error. ``triples`` and
    ``circular`` count triples of items and those that are intransitive, of which ``circular_by_chance`` would be.
    ``unanswered`` counts comparisons without an answer by reason, and ``missing`` names those that a replay lacked.
    ``prior_sensitivity`` is the smallest correlation of the strengths with those under a spread that is known to be
    half or twice as large. ``length`` is the mean rank correlation of strength and number of words within groups.
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
    triples: int
    circular: int
    circular_by_chance: float
    prior: str = PRIOR
    prior_sensitivity: float | None
    length: float | None
    confidence: float
    notes: tuple[str, ...] = ()
    session: SessionCounts
    missing: tuple[str, ...] = ()

    @property
    def unbounded(self) -> tuple[str, ...]:
        """The ids of the items that only the prior bounds."""
        return tuple(item.id for group in self.groups for item in group.items if item.unbounded)


def pair_outcomes(groups: Sequence[ItemGroup], comparisons: Sequence[ComparisonResult]) -> PairOutcomes:
    """The comparisons that have an outcome, as arrays."""
    number = {group.name: place for place, group in enumerate(groups)}
    place = {item.id: place for group in groups for place, item in enumerate(group.items)}
    answered = [comparison for comparison in comparisons if comparison.outcome is not None]
    return PairOutcomes.of(
        [len(group.items) for group in groups],
        [number[comparison.group] for comparison in answered],
        [place[comparison.first] for comparison in answered],
        [place[comparison.second] for comparison in answered],
        [float(comparison.outcome or 0.0) for comparison in answered],
    )


def nearest_outcome(value: float) -> float:
    """The outcome that is nearest to a preference in [0, 1]."""
    return min(OUTCOMES, key=lambda outcome: abs(outcome - value))


def ranked_groups(
    groups: Sequence[ItemGroup], outcomes: PairOutcomes, strengths: ComparedStrengths
) -> tuple[RankedGroup, ...]:
    """The groups with their items, best first."""
    import numpy as np

    bounded = bounds(outcomes)
    ranked = []
    for number, group in enumerate(groups):
        size, mine = len(group.items), outcomes.group == number
        places, results = (outcomes.first[mine], outcomes.second[mine]), outcomes.outcome[mine]
        games = np.bincount(np.concatenate(places), minlength=size)
        points = np.bincount(places[0], results, size) + np.bincount(places[1], 1 - results, size)
        values, errors = strengths.group(number)
        order = sorted(range(size), key=lambda place: (-values[place], group.items[place].id))
        items = tuple(
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
                words=len((group.items[place].argument or "").split()),
            )
            for rank, place in enumerate(order, 1)
        )
        ranked.append(RankedGroup(name=group.name, items=items, reliability=strengths.reliability([number])))
    return tuple(ranked)


def tournament_result(
    groups: Sequence[ItemGroup],
    comparisons: Sequence[ComparisonResult],
    unanswered: Mapping[str, int],
    session: SessionCounts,
    *,
    confidence: float = CONFIDENCE,
    **facts: object,
) -> Tournament:
    """What the comparisons come to; ``facts`` are the fields that say how they came about."""
    outcomes = pair_outcomes(groups, comparisons)
    strengths = compared_strengths(outcomes, confidence=confidence)
    ranked = ranked_groups(groups, outcomes, strengths)
    triples = intransitive_triples(outcomes)
    return Tournament.model_validate(
        {
            **facts,
            "groups": ranked,
            "comparisons": tuple(comparisons),
            "planned": len(comparisons),
            "answered": len(outcomes.outcome),
            "unanswered": unanswered,
            "reliability": strengths.reliability(),
            "position": strengths.position,
            "first_wins": _share(strengths.position),
            "spread": strengths.spread,
            "triples": triples.triples,
            "circular": triples.circular,
            "circular_by_chance": triples.CHANCE,
            "prior_sensitivity": _prior_sensitivity(outcomes, strengths),
            "length": _length(ranked),
            "confidence": confidence,
            "session": session,
        }
    )


def _share(position: Estimate) -> Estimate:
    """What the first of two equals gets."""
    from scipy.special import expit

    def share(end: float | None) -> float | None:
        return None if end is None else float(expit(end))

    return Estimate(
        share(position.value), share(position.low), share(position.high), position.n, position.reason
    )


def _prior_sensitivity(outcomes: PairOutcomes, strengths: ComparedStrengths) -> float | None:
    import numpy as np

    def values(fit: ComparedStrengths) -> list[float]:
        return [value for number in range(len(fit.sizes)) for value in fit.group(number)[0].tolist()]

    fits = [strengths]
    if len(outcomes.outcome):
        fits += [compared_strengths(outcomes, spreads=[strengths.spread * factor]) for factor in (0.5, 2.0)]
    found = [values(fit) for fit in fits]
    if len(found) == 1 or min(map(np.ptp, found)) < 1e-9:  # up to rounding, all are alike
        return None
    return min(float(np.corrcoef(found[0], other)[0, 1]) for other in found[1:])


def _length(groups: Sequence[RankedGroup]) -> float | None:
    """The mean rank correlation of strength and number of words in groups where both vary."""
    import numpy as np
    from scipy.stats import rankdata

    found = []
    for group in groups:
        ranks = [
            rankdata(values)
            for values in zip(*((item.strength, item.words) for item in group.items), strict=True)
        ]
        if all(np.ptp(values) > 0 for values in ranks):
            found.append(float(np.corrcoef(*ranks)[0, 1]))
    return sum(found) / len(found) if found else None

"""What a tournament comes to: a strength for each item with its standard error, and how far to trust it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from conqret.data.item import Frozen
from conqret.runs.session import SessionCounts
from conqret.stats.comparative_judgment import (
    SPREAD_SD,
    Bound,
    Misfit,
    bounds,
    compared_strengths,
    intransitive_triples,
    item_misfit,
    judge_misfit,
)
from conqret.stats.estimate import CONFIDENCE, Estimate
from conqret.stats.strength_posterior import OUTCOMES, PairOutcomes
from conqret.studies.tournament.item_groups import ItemGroup
from conqret.studies.tournament.stop_rules import ordered_share, top_probability
from conqret.text.words import count_words

if TYPE_CHECKING:
    from conqret.stats.comparative_judgment import ComparedStrengths

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


class MeanSquare(Frozen):
    """How far outcomes lie from what all others foresee: the mean square of the residuals in units of their variance,
    and between what it lies where the model holds. Above: less predictable than the model has it; below: more."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, misfit: Misfit | None) -> MeanSquare | None:
        """What was found, where anything was."""
        return None if misfit is None else cls(value=misfit.mean_square, low=misfit.low, high=misfit.high)

    @property
    def above(self) -> bool:
        """Whether outcomes are less predictable than the model has it."""
        return self.value > self.high


class RankedItem(Frozen):
    """An item: its ``strength`` (log-odds against a mean item of its group) with standard error and interval, its
    ``rank`` in the group (1 is best), its ``comparisons`` and the ``points`` from them, whether only the prior bounds
    it (``unbounded``: above or below), and how far its outcomes lie from what all others foresee (``misfit``)."""

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
    misfit: MeanSquare | None = None

    @property
    def estimate(self) -> Estimate:
        """The strength with its interval."""
        return Estimate(self.strength, self.low, self.high, self.comparisons)


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
    """One of several judges: its ``answered`` comparisons, its ``discrimination`` (by what differences between items
    are multiplied in its answers; their mean over all judges is 1), its position effect (``first_wins``), its
    misfit, and whether it is less reliable than they are on average: the whole interval of its discrimination is
    below 1."""

    name: str
    answered: int
    discrimination: Estimate
    first_wins: Estimate
    misfit: MeanSquare | None
    unreliable: bool


class Tournament(Frozen):
    """A tournament in numbers.

    ``position`` is what standing first adds to the log-odds, ``first_wins`` the share that the first of two equals gets
    by it. ``reliability`` is the share of the variance of the strengths within groups that is no error. ``triples`` and
    ``circular`` count triples of items and those that are intransitive, of which ``circular_by_chance`` would be.
    ``unanswered`` counts comparisons without an answer by reason, and ``missing`` names those that a replay lacked.
    ``prior_sensitivity`` is the smallest correlation of the strengths with those under a spread that is known to be
    half or twice as large. ``length`` is the mean rank correlation of strength and number of words within groups.
    ``judges`` are there where several compare, ``systems`` where items have one. ``settled`` counts the groups of which
    all that was asked for was known before their last comparison. ``wanted_reliability`` is the reliability at which it
    ends, where one was given, and ``possible`` the most comparisons that there could have been. ``slope`` is by how
    much the strength rises with a standard deviation of the ratings that were known before, and ``misfit`` that of a
    single judge.
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
    misfit: MeanSquare | None = None
    judges: tuple[TournamentJudge, ...] = ()
    systems: tuple[RankedSystem, ...] = ()
    top: int | None = None
    settled: int = 0
    wanted_reliability: float | None = None
    possible: int | None = None
    slope: Estimate | None = None
    confidence: float
    notes: tuple[str, ...] = ()
    session: SessionCounts
    missing: tuple[str, ...] = ()

    @property
    def reliable(self) -> bool | None:
        """Whether the reliability that was wanted is reached; None where none was given."""
        wanted = self.wanted_reliability
        return None if wanted is None else (self.reliability or 0.0) >= wanted

    @property
    def unreliable(self) -> tuple[str, ...]:
        """The judges that are less reliable than the others."""
        return tuple(judge.name for judge in self.judges if judge.unreliable)

    @property
    def misfitting(self) -> tuple[str, ...]:
        """The ids of the items whose outcomes are less predictable than the model has it."""
        return tuple(
            item.id for group in self.groups for item in group.items if item.misfit and item.misfit.above
        )

    @property
    def unbounded(self) -> tuple[str, ...]:
        """The ids of the items that only the prior bounds."""
        return tuple(item.id for group in self.groups for item in group.items if item.unbounded)


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


def by_places(groups: Sequence[ItemGroup], values: Mapping[str, float], missing: float) -> list[list[float]]:
    """A value of each item, by its id, as groups by items, padded to the largest group with what stands for none."""
    size = max(len(group.items) for group in groups)
    return [
        [values.get(item.id, missing) for item in group.items] + [missing] * (size - len(group.items))
        for group in groups
    ]


def nearest_outcome(value: float) -> float:
    """The outcome that is nearest to a preference in [0, 1]."""
    return min(OUTCOMES, key=lambda outcome: abs(outcome - value))


def ranked_groups(
    groups: Sequence[ItemGroup],
    outcomes: PairOutcomes,
    strengths: ComparedStrengths,
    *,
    systems: Mapping[str, str],
    top: int | None,
) -> tuple[RankedGroup, ...]:
    """The groups with their items, best first."""
    import numpy as np

    bounded, misfits = bounds(outcomes), item_misfit(outcomes, strengths)
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
                words=count_words(group.items[place].argument or ""),
                system=systems.get(group.items[place].id, ""),
                misfit=MeanSquare.of(misfits[number][place]),
            )
            for rank, place in enumerate(order, 1)
        )
        ranked.append(
            RankedGroup(
                name=group.name,
                items=items,
                reliability=strengths.reliability([number]),
                ordered=ordered_share(strengths, number),
                top_probability=None if top is None else top_probability(strengths, number, top),
            )
        )
    return tuple(ranked)


def ranked_systems(
    groups: Sequence[ItemGroup], outcomes: PairOutcomes, systems: Mapping[str, str], confidence: float
) -> tuple[RankedSystem, ...]:
    """The systems, best first, from strengths that are expected to be alike in items of one system. Ratings are left
    out: beside them a system would be what the ratings do not say of it."""
    from scipy.special import ndtri

    names = list(dict.fromkeys(systems.values()))
    if len(names) < 2:
        return ()
    number = {item: float(names.index(name)) for item, name in systems.items()}
    fit = compared_strengths(outcomes, confidence=confidence, systems=by_places(groups, number, -1))
    reach = 2 * float(ndtri((1 + confidence) / 2))
    counts = Counter(systems.values())
    found = sorted(zip(names, fit.systems, strict=True), key=lambda pair: (-(pair[1].value or 0.0), pair[0]))
    return tuple(
        RankedSystem(
            name=name,
            rank=rank,
            items=counts[name],
            strength=estimate,
            standard_error=None
            if estimate.low is None or estimate.high is None
            else (estimate.high - estimate.low) / reach,
        )
        for rank, (name, estimate) in enumerate(found, 1)
    )


def tournament_judges(
    names: Sequence[str], outcomes: PairOutcomes, strengths: ComparedStrengths
) -> tuple[TournamentJudge, ...]:
    """What is known of each of several judges."""
    misfits = judge_misfit(outcomes, strengths)
    found = []
    for name, judge, misfit in zip(names, strengths.judges, misfits, strict=False):
        high = judge.discrimination.high
        found.append(
            TournamentJudge(
                name=name,
                answered=judge.discrimination.n or 0,
                discrimination=judge.discrimination,
                first_wins=_share(judge.position),
                misfit=MeanSquare.of(misfit),
                unreliable=high is not None and high < 1,
            )
        )
    return tuple(found)


def tournament_result(
    groups: Sequence[ItemGroup],
    comparisons: Sequence[ComparisonResult],
    unanswered: Mapping[str, int],
    session: SessionCounts,
    *,
    confidence: float = CONFIDENCE,
    judges: Sequence[str] = (),
    systems: Mapping[str, str] | None = None,
    ratings: Mapping[str, float] | None = None,
    top: int | None = None,
    **facts: object,
) -> Tournament:
    """What the comparisons come to; ``judges`` are the names of several, ``systems`` and ``ratings`` those of the items
    by their ids, and ``facts`` the fields that say how the comparisons came about."""
    outcomes = pair_outcomes(groups, comparisons, judges)
    means = by_places(groups, ratings, float("nan")) if ratings else None
    strengths = compared_strengths(outcomes, confidence=confidence, prior_means=means)
    systems = systems or {}
    ranked = ranked_groups(groups, outcomes, strengths, systems=systems, top=top)
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
            "prior_sensitivity": _prior_sensitivity(outcomes, strengths, means),
            "length": _length(ranked),
            "misfit": None if judges else MeanSquare.of(judge_misfit(outcomes, strengths)[0]),
            "judges": tournament_judges(judges, outcomes, strengths),
            "systems": ranked_systems(groups, outcomes, systems, confidence),
            "top": top,
            "slope": strengths.slope,
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


def _prior_sensitivity(
    outcomes: PairOutcomes, strengths: ComparedStrengths, means: list[list[float]] | None
) -> float | None:
    import numpy as np

    def values(fit: ComparedStrengths) -> list[float]:
        return [value for number in range(len(fit.sizes)) for value in fit.group(number)[0].tolist()]

    fits = [strengths]
    if len(outcomes.outcome):
        fits += [
            compared_strengths(outcomes, spreads=[strengths.spread * factor], prior_means=means)
            for factor in (0.5, 2.0)
        ]
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

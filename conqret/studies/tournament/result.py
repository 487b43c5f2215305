"""What a tournament comes to: a strength for each item with its standard error, and how far to trust it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from conqret.data import Judgment, Measure
from conqret.data.item import Frozen
from conqret.runs.session import SessionCounts
from conqret.show import words
from conqret.show.forest import Forest, ForestRow, forests
from conqret.show.report_page import CollapsedTable, PageRemarks, Part, ReportPage, Section, section
from conqret.show.table import Cell, Column, Table
from conqret.show.visible_text import cut
from conqret.stats.comparative_judgment import SPREAD_SD, Bound
from conqret.stats.estimate import Estimate
from conqret.stats.strength_posterior import OUTCOMES

PREFERENCE = "preference"
"""The metric by which two items are compared."""
PRIOR = (
    f"strengths ~ Normal(0, spread), log spread ~ Normal(0, {SPREAD_SD:g}), position ~ Normal(0, 1); spread, position "
    "and ties are the same in all groups"
)


class ItemComparison(Frozen):
    """Base class: one comparison of two items. ``judge`` is the model, if several judges compare."""

    id: str
    round: int
    group: str
    first: str
    second: str
    judge: str = ""


class ComparisonResult(ItemComparison):
    """The result of one comparison.

    ``outcome`` is that of the first item (1, 0.75, 0.5, 0.25 or 0), or None without a valid response.
    """

    outcome: float | None


class ComparisonRow(ItemComparison):
    """A stored comparison, with the judgment of the first item against the second."""

    judgment: Judgment

    @property
    def measure(self) -> Measure:
        """The measure of preference in the judgment."""
        return self.judgment.measures[PREFERENCE]

    @property
    def result(self) -> ComparisonResult:
        """The comparison with its outcome rounded to the nearest possible one, for estimating strengths."""
        value = self.measure.value
        outcome = None if value is None else min(OUTCOMES, key=lambda each: abs(each - value))
        return ComparisonResult(outcome=outcome, **self.model_dump(exclude={"judgment"}))


class RankedItem(Frozen):
    """An item with its rank in its group (1 is best).

    ``strength`` is the log-odds against an average item of the group, with standard error and interval.
    ``points`` are those won in its ``comparisons``. ``unbounded`` says that the data alone do not bound the
    strength ``above`` or ``below``.
    """

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
    """The items of a group, best first.

    ``reliability`` is the scale separation reliability of their strengths. ``ordered`` is the expected share
    of correctly ordered pairs. ``top_probability`` is the probability that the first items are the best, if
    requested.
    """

    name: str
    items: tuple[RankedItem, ...]
    reliability: float | None
    ordered: float
    top_probability: float | None = None


class RankedSystem(Frozen):
    """A system with its rank. ``strength`` is the mean strength of its items minus the mean of all systems."""

    name: str
    rank: int
    items: int
    strength: Estimate
    standard_error: float | None


class TournamentJudge(Frozen):
    """One of several judges: the number of ``answered`` comparisons, and the share that the first of two
    equal items gets.
    """

    name: str
    answered: int
    first_wins: Estimate


class Tournament(Frozen):
    """The result of a tournament.

    - ``position``: what being shown first adds to the log-odds; ``first_wins``: the resulting share for the
    first of two equal items.
    - ``reliability``: the share of the variance of strengths within groups that is not error.
    - ``wanted_reliability``: the reliability at which the tournament ends, if given.
    - ``unanswered``: comparisons without a response, by reason; ``missing``: those that a replay lacked.
    - ``length``: the mean rank correlation of strength and number of words within groups.
    - ``judges``: if several compare; ``systems``: if items have one.
    - ``settled``: the number of groups that ended early; ``possible``: the largest number of comparisons.
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
        """True if the wanted reliability is reached; None if none was given."""
        wanted = self.wanted_reliability
        return None if wanted is None else (self.reliability or 0.0) >= wanted


MAX_IN_TERMINAL = 8
"""Groups whose ladders a terminal shows; the page has all."""
DRAWN = 12
"""Topics whose best item the first picture shows."""
SHOWN = 1500
"""Characters of an item's text that the page shows."""
_WORDS = ("no answer", "second", "second, slightly", "tie", "first, slightly", "first")
_OUTCOMES: Mapping[float | None, str] = dict(zip((None, 0.0, 0.25, 0.5, 0.75, 1.0), _WORDS, strict=True))


def tournament_tables(tournament: Tournament) -> list[Table]:
    """Return the tables for a terminal: ranked items of each of the first :data:`MAX_IN_TERMINAL` groups,
    systems, and how reliable the strengths are.
    """
    more = len(tournament.groups) - MAX_IN_TERMINAL
    tables = [ladder(group, tournament.top) for group in tournament.groups[:MAX_IN_TERMINAL]]
    last = f"{more} more groups are on the page and in the table of scores." if more > 0 else ""
    return [*tables, *_of_the_whole(tournament), trust_table(tournament, last)]


def _of_the_whole(tournament: Tournament) -> Iterator[Table]:
    """Yield the table of systems, best first, and that of judges, each only if there are several."""
    if tournament.systems:
        yield Table(
            "Systems",
            (Column("Rank"), Column("System", "name"), "Strength", "SE", "Items"),
            [(one.rank, one.name, one.strength, one.standard_error, one.items) for one in tournament.systems],
            note="“Strength”: the mean of a system's items minus that of all systems, with "
            f"{tournament.confidence:.0%} intervals for other topics.",
        )
    if tournament.judges:
        yield Table(
            "Judges",
            (Column("Judge", "name"), "First of two equals", "Answers"),
            [(judge.name, judge.first_wins, judge.answered) for judge in tournament.judges],
            note="“First of two equals”: the share of wins of the first of two equally strong items.",
        )


def ladder(group: RankedGroup, top: int | None = None) -> Table:
    """Return the table of a group's items, best first; with ``top``, its note says how probably the first so many items
    are the best."""
    reliability = "–" if group.reliability is None else f"{group.reliability:.3f}"
    note = f"Scale separation reliability {reliability}; {group.ordered:.0%} of the pairs expected in the right order."
    if top is not None and group.top_probability is not None:
        note += f" The first {top} are the best with a probability of {group.top_probability:.3f}."
    names = (Column("Rank"), Column("Item", "name"), Column("System", "name"))
    rows = [
        (
            *(item.rank, item.id, item.system, item.strength, item.standard_error),
            *(f"{item.points:g} of {item.comparisons}", item.unbounded),
        )
        for item in group.items
    ]
    columns = (*names, "Strength", "SE", "Points", Column("Unbounded", "name"))
    return Table(group.name, columns, rows, note=note)


def trust_table(tournament: Tournament, note: str = "") -> Table:
    """Return the table of figures on how reliable the strengths are."""
    length = tournament.length
    rows: dict[str, Cell] = {
        "Scale separation reliability": tournament.reliability,
        "Share that the first of two equals gets": tournament.first_wins,
        "Standard deviation of strengths": tournament.spread,
        "Rank correlation of strength and length": Estimate(
            length, reason="lengths do not vary" if length is None else ""
        ),
    }
    return Table("How far to trust it", ("What", "Value"), rows.items(), note=note)


def headlines(tournament: Tournament) -> Iterator[str]:
    """Yield sentences on the result of the whole tournament."""
    groups, planned = tournament.groups, tournament.planned
    pairs = {group.name: len(group.items) * (len(group.items) - 1) for group in groups}
    right = sum(pairs[group.name] * group.ordered for group in groups) / sum(pairs.values())
    topics = words.number(len(groups), "topic")
    reliability = tournament.reliability
    yield (
        f"{words.number(sum(len(group.items) for group in groups), 'item')} in {topics} are ranked by "
        f"{words.count(tournament.answered)} of {words.number(planned, 'planned comparison')}; {right:.0%} of the "
        "pairs of items are expected to be ranked in the right order"
        f"{'' if reliability is None else f' (scale separation reliability {reliability:.3f})'}."
    )
    for best in tournament.systems[:1]:
        strength = words.with_interval(best.strength)
        yield f"{best.name} is the strongest system: {strength} (log-odds of a win against the average system)."
    wanted, most = tournament.wanted_reliability, tournament.possible or planned
    if wanted is not None and (planned < most or not tournament.reliable):
        not_ = "" if tournament.reliable else "not "
        after = f"{words.count(planned)} of at most {words.number(most, 'comparison')}"
        yield f"The requested reliability of {wanted:g} was {not_}reached after {after}."
    if tournament.settled:
        yield f"Of {topics}, {tournament.settled} ended early, as the best items are known."
    first, low = tournament.first_wins, tournament.first_wins.low
    if low is not None and first.high is not None and not low <= 0.5 <= first.high:
        yield "The judge favors one position (first or second); the strengths are corrected for this bias."


def tournament_page(tournament: Tournament, texts: Mapping[str, str] | None = None) -> ReportPage:
    """Return the report page of a tournament; ``texts`` has the text of each item by its id."""
    failures = words.failed(tournament.session.failures)
    remarks = [f"Prior of the model: {tournament.prior}.", *tournament.notes, *failures]
    rounds = words.number(tournament.rounds, "round")
    return ReportPage(
        "tournament",
        f"Tournament of items, compared by {tournament.judge} with {tournament.model}",
        [
            *map(section, _of_the_whole(tournament)),
            section(trust_table(tournament)),
            *(_section(group, tournament, texts or {}) for group in tournament.groups),
            Section("Remarks", [PageRemarks(remarks)]),
        ],
        answer=list(headlines(tournament)),
        picture=[tournament_picture(tournament)],
        how_to_read=[
            "“Strength”: the log-odds of a win against the average item of the topic. The stronger of two items wins "
            "73% of comparisons if they differ by 1, and 88% if by 2. Scale separation reliability: the share of the "
            "variance of strengths within topics that is no error. “Unbounded”: limited by the prior alone, so more "
            f"comparisons help. Pairs: {tournament.design}, in {rounds}."
        ],
        badges=words.baseline_badges([tournament.baseline]),
        facts=[
            ("Items", words.count(sum(len(group.items) for group in tournament.groups))),
            ("Topics", words.count(len(tournament.groups))),
            ("Comparisons", words.count(tournament.planned)),
        ],
    )


def tournament_picture(tournament: Tournament) -> Forest:
    """Return a forest plot of the systems, else of the items of the only group, else of the best item of
    each group.
    """
    groups = tournament.groups
    if tournament.systems:
        systems = [(system.name, system.strength) for system in tournament.systems]
        return forests("Systems", _axis(tournament), systems)[0]
    if len(groups) == 1:
        return _picture("Strength of each item", tournament, groups[0].items)
    best = [item for group in groups[:DRAWN] for item in group.items[:1]]
    many = f" ({DRAWN} of {len(groups)} topics)" if len(groups) > DRAWN else ""
    return _picture(f"The best item of each topic{many}", tournament, best)


def _picture(title: str, tournament: Tournament, items: Iterable[RankedItem]) -> Forest:
    """The strengths of ``items``, marked where only the prior bounds one."""
    marks = {False: ("", ""), True: ("inconclusive", "prior alone")}
    rows = [
        ForestRow(item.id, item.strength, item.low, item.high, *marks[bool(item.unbounded)]) for item in items
    ]
    return Forest(title, _axis(tournament), rows)


def _axis(tournament: Tournament) -> str:
    return f"Strength (log-odds), {tournament.confidence:.0%} confidence intervals"


def _section(group: RankedGroup, tournament: Tournament, texts: Mapping[str, str]) -> Section:
    """A group's picture, its ladder, and below them every comparison and the texts."""
    compared = [comparison for comparison in tournament.comparisons if comparison.group == group.name]
    names = (Column("Round"), Column("First", "name"), Column("Second", "name"), Column("Judge", "name"))
    rows = [(one.round, one.first, one.second, one.judge, _OUTCOMES[one.outcome]) for one in compared]
    parts: list[Part] = [
        _picture("Strength of each item", tournament, group.items),
        ladder(group, tournament.top),
        CollapsedTable(
            f"All {len(compared)} comparisons", Table("", (*names, Column("Preferred", "text")), rows)
        ),
    ]
    if texts:
        columns = (Column("Rank"), Column("Item", "name"), Column("Text", "text"))
        shown = [(item.rank, item.id, cut(texts.get(item.id, ""), SHOWN)) for item in group.items]
        title = f"The texts of {words.number(len(group.items), 'item')}"
        parts.append(CollapsedTable(title, Table("", columns, shown)))
    return Section(group.name, parts)

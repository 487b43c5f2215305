"""A tournament as tables and as a page: the ladder of each topic, and every comparison."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from conqret.show import words
from conqret.show.forest import Forest, ForestRow, forests
from conqret.show.report_page import CollapsedTable, PageRemarks, Part, ReportPage, Section, section
from conqret.show.table import Cell, Column, Table
from conqret.show.visible_text import cut
from conqret.stats.estimate import Estimate
from conqret.studies.tournament.result import RankedGroup, RankedItem, Tournament

MOST_IN_TERMINAL = 8
"""Groups whose ladders a terminal shows; the page has all."""
DRAWN = 12
"""Topics whose best item the first picture shows."""
SHOWN = 1500
"""Characters of an item's text that the page shows."""
_OUTCOMES: Mapping[float | None, str] = {
    1.0: "first",
    0.75: "first, slightly",
    0.5: "tie",
    0.25: "second, slightly",
    0.0: "second",
    None: "no answer",
}


def tournament_tables(tournament: Tournament) -> list[Table]:
    """The ladders, as far as a terminal shows them, and how far to trust them."""
    more = len(tournament.groups) - MOST_IN_TERMINAL
    tables = [ladder(group, tournament.top) for group in tournament.groups[:MOST_IN_TERMINAL]]
    last = f"{more} more groups are on the page and in the table of scores." if more > 0 else ""
    return [*tables, *_of_the_whole(tournament), trust_table(tournament, last)]


def _of_the_whole(tournament: Tournament) -> Iterator[Table]:
    """The systems, best first, and the judges, where there are several."""
    if tournament.systems:
        yield Table(
            "Systems",
            (Column("Rank"), Column("System", "name"), "Strength", "SE", "Items"),
            [
                (system.rank, system.name, system.strength, system.standard_error, system.items)
                for system in tournament.systems
            ],
            note="“Strength” is the mean strength of a system's items minus the mean of all systems, with "
            f"{tournament.confidence:.0%} intervals for its strength on other topics.",
        )
    if tournament.judges:
        yield Table(
            "Judges",
            (Column("Judge", "name"), "First of two equals", "Answers"),
            [(judge.name, judge.first_wins, judge.answered) for judge in tournament.judges],
            note="“First of two equals” is the share of wins that the first of two equally strong items gets.",
        )


def ladder(group: RankedGroup, top: int | None = None) -> Table:
    """The items of a group, best first."""
    reliability = "–" if group.reliability is None else f"{group.reliability:.2f}"
    note = (
        "“Strength” is the log-odds of a win against an average item of this topic. The scale separation "
        f"reliability of the topic is {reliability}; {group.ordered:.0%} of its pairs of items are expected to be "
        "ranked in the right order."
    )
    if top is not None and group.top_probability is not None:
        best = "item that is ranked first is" if top == 1 else f"{top} items that are ranked first are"
        note += f" With a probability of {group.top_probability:.2f} the {best} truly the best."
    return Table(
        group.name,
        (
            Column("Rank"),
            Column("Item", "name"),
            Column("System", "name"),
            "Strength",
            "SE",
            "Points",
            Column("Unbounded", "name"),
        ),
        [
            (
                item.rank,
                item.id,
                item.system,
                item.strength,
                item.standard_error,
                f"{item.points:g} of {item.comparisons}",
                item.unbounded,
            )
            for item in group.items
        ],
        note=note,
    ).compact()


def trust_table(tournament: Tournament, note: str = "") -> Table:
    """How far to trust the strengths."""
    correlation = Estimate(
        tournament.length, reason="" if tournament.length is not None else "lengths do not vary"
    )
    rows: dict[str, Cell] = {
        "Scale separation reliability": tournament.reliability,
        "Share that the first of two equals gets": tournament.first_wins,
        "Standard deviation of strengths": tournament.spread,
        "Rank correlation of strength and length": correlation,
    }
    return Table("How far to trust it", ("What", "Value"), rows.items(), note=note)


def headlines(tournament: Tournament) -> Iterator[str]:
    """What is to be said of the whole."""
    items = sum(len(group.items) for group in tournament.groups)
    pairs = sum(len(group.items) * (len(group.items) - 1) for group in tournament.groups)
    ranked = (
        f"{words.number(items, 'item')} in {words.number(len(tournament.groups), 'topic')} are ranked by "
        f"{words.count(tournament.answered)} of {words.number(tournament.planned, 'planned comparison')}"
    )
    right = sum(len(group.items) * (len(group.items) - 1) * group.ordered for group in tournament.groups)
    ranked += f"; {right / pairs:.0%} of the pairs of items are expected to be ranked in the right order"
    if tournament.reliability is not None:
        ranked += f" (scale separation reliability {tournament.reliability:.2f})"
    yield f"{ranked}."
    if tournament.systems:
        best = tournament.systems[0]
        yield (
            f"{best.name} is the strongest system, with a strength of {words.with_interval(best.strength)} "
            "(log-odds of a win against the average system)."
        )
    wanted, most = tournament.wanted_reliability, tournament.possible or tournament.planned
    if wanted is not None and not tournament.reliable:
        yield f"The requested reliability of {wanted:g} was not reached."
    elif wanted is not None and tournament.planned < most:
        yield (
            f"The tournament ended early: the requested reliability of {wanted:g} was reached after "
            f"{words.count(tournament.planned)} of at most {words.number(most, 'comparison')}."
        )
    if tournament.settled:
        yield (
            f"For {tournament.settled} of {words.number(len(tournament.groups), 'topic')} the requested ranking is "
            "known with the requested probability, and their items were not compared further."
        )
    first, low = tournament.first_wins, tournament.first_wins.low
    if low is not None and first.high is not None and not low <= 0.5 <= first.high:
        yield "The judge favors one position (first or second); the strengths are corrected for this bias."


def tournament_page(tournament: Tournament, texts: Mapping[str, str] | None = None) -> ReportPage:
    """The page; ``texts`` are those of the items by their ids."""
    remarks = [
        f"The prior distribution of the model is: {tournament.prior}.",
        *tournament.notes,
        *words.failed(tournament.session.failures),
    ]
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
            "Strength is the log-odds of a win against the average item of the same topic: if two items differ by "
            "1, the stronger one wins 73% of comparisons, and if they differ by 2, it wins 88%. "
            f"{words.count(tournament.planned)} comparisons were planned in "
            f"{words.number(tournament.rounds, 'round')} ({tournament.design} choice of pairs). The scale "
            "separation reliability is the share of the variance of strengths within topics that is due to true "
            "differences. A strength marked as unbounded is limited by the prior alone: more comparisons help."
        ],
        badges=words.floor_badges([tournament.baseline]),
        facts=[
            ("Items", words.count(sum(len(group.items) for group in tournament.groups))),
            ("Topics", words.count(len(tournament.groups))),
            ("Comparisons", words.count(tournament.planned)),
        ],
    )


def tournament_picture(tournament: Tournament) -> Forest:
    """The systems; without any the ladder of the only topic, or the best item of each topic."""
    if tournament.systems:
        systems = [(system.name, system.strength) for system in tournament.systems]
        return forests("Systems", _axis(tournament), systems)[0]
    if len(tournament.groups) == 1:
        return _picture("Strength of each item", tournament, tournament.groups[0].items)
    best = [item for group in tournament.groups[:DRAWN] for item in group.items[:1]]
    many = f" ({DRAWN} of {len(tournament.groups)} topics)" if len(tournament.groups) > DRAWN else ""
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
    compared = [comparison for comparison in tournament.comparisons if comparison.group == group.name]
    by_judge = bool(tournament.judges)
    table = Table(
        "",
        (
            Column("Round"),
            Column("First", "name"),
            Column("Second", "name"),
            *([Column("Judge", "name")] * by_judge),
            Column("Preferred", "text"),
        ),
        [
            (each.round, each.first, each.second, *([each.judge] * by_judge), _OUTCOMES[each.outcome])
            for each in compared
        ],
    )
    parts: list[Part] = [
        _picture("Strength of each item", tournament, group.items),
        ladder(group, tournament.top),
        CollapsedTable(f"All {len(compared)} comparisons", table),
    ]
    if texts:
        read = Table(
            "",
            (Column("Rank"), Column("Item", "name"), Column("Text", "text")),
            [(item.rank, item.id, cut(texts.get(item.id, ""), SHOWN)) for item in group.items],
        )
        parts.append(CollapsedTable(f"The texts of {words.number(len(group.items), 'item')}", read))
    return Section(group.name, parts)

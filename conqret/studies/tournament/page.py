"""A tournament as tables and as a page: the ladder of each topic, and every comparison."""

from __future__ import annotations

from collections.abc import Iterator

from conqret.show import words
from conqret.show.forest import Forest, ForestRow
from conqret.show.report_page import CollapsedTable, PageRemarks, ReportPage, Section, section
from conqret.show.table import Column, Table
from conqret.stats.estimate import Estimate
from conqret.studies.tournament.result import RankedGroup, Tournament

MOST_IN_TERMINAL = 8
"""Groups whose ladders a terminal shows; the page has all."""
TOO_HIGH = "Of adaptive pairs it may be too high where strengths differ little."
_OUTCOMES = {1.0: "first", 0.75: "first, slightly", 0.5: "tie", 0.25: "second, slightly", 0.0: "second"}


def tournament_tables(tournament: Tournament) -> list[Table]:
    """The ladders, as far as a terminal shows them, and how far to trust them."""
    shown = tournament.groups[:MOST_IN_TERMINAL]
    more = len(tournament.groups) - len(shown)
    tables = [ladder(group) for group in shown]
    last = f"{more} more groups are on the page and in the table of scores." if more else ""
    return [*tables, trust_table(tournament, last)]


def ladder(group: RankedGroup) -> Table:
    """The items of a group, best first."""
    reliability = "–" if group.reliability is None else f"{group.reliability:.2f}"
    return Table(
        group.name,
        (Column("Rank"), Column("Item", "name"), "Strength", "SE", "Points", Column("Unbounded", "name")),
        [
            (
                item.rank,
                item.id,
                item.strength,
                item.standard_error,
                f"{item.points:g} of {item.comparisons}",
                item.unbounded,
            )
            for item in group.items
        ],
        note=f"Strength: log-odds against a mean item. Reliability {reliability}.",
    )


def trust_table(tournament: Tournament, note: str = "") -> Table:
    """How far to trust the strengths."""
    correlation = Estimate(
        tournament.length, reason="" if tournament.length is not None else "lengths do not vary"
    )
    if tournament.design == "adaptive" and tournament.reliability is not None:
        note = " ".join(filter(None, (f"Reliability: {TOO_HIGH[0].lower()}{TOO_HIGH[1:]}", note)))
    rows: list[tuple[str, Estimate | float | str | None]] = [
        ("Scale separation reliability", tournament.reliability),
        ("Share that the first of two equals gets", tournament.first_wins),
        ("Intransitive triples", _triples(tournament)),
        ("Standard deviation of strengths", tournament.spread),
        ("Correlation under half or twice that spread", tournament.prior_sensitivity),
        ("Rank correlation of strength and length", correlation),
    ]
    return Table("How far to trust it", ("What", Column("Value", "figure")), rows, note=note)


def headlines(tournament: Tournament) -> Iterator[str]:
    """What is to be said of the whole."""
    asked = (
        f"{words.count(tournament.answered)} of {words.count(tournament.planned)} comparisons have an answer"
    )
    yield f"{asked}, in {words.number(tournament.rounds, 'round')} ({tournament.design} pairs)."
    if tournament.reliability is not None:
        caution = f" {TOO_HIGH}" if tournament.design == "adaptive" else ""
        yield (
            f"Scale separation reliability {tournament.reliability:.2f}: about {tournament.reliability:.0%} of the "
            f"variance of the strengths within topics is of true differences.{caution}"
        )
    first, low = tournament.first_wins, tournament.first_wins.low
    if low is not None and first.high is not None and not low <= 0.5 <= first.high:
        yield "The judge favors a position; strengths are corrected for it."
    if tournament.unbounded:
        yield (
            f"Bounded by the prior alone: {words.number(len(tournament.unbounded), 'item')} that, alone or together "
            "with others, won all, lost all, or met no other item."
        )


def tournament_page(tournament: Tournament) -> ReportPage:
    """The page."""
    remarks = [f"Prior: {tournament.prior}.", *tournament.notes, *words.failed(tournament.session.failures)]
    return ReportPage(
        "tournament",
        f"Tournament by {tournament.judge} with {tournament.model}",
        [
            section(trust_table(tournament)),
            *(_section(group, tournament) for group in tournament.groups),
            Section("Remarks", [PageRemarks(remarks)]),
        ],
        lede=list(headlines(tournament)),
        badges=words.floor_badges([tournament.baseline]),
        facts=[
            ("Items", words.count(sum(len(group.items) for group in tournament.groups))),
            ("Groups", words.count(len(tournament.groups))),
            ("Comparisons", words.count(tournament.planned)),
        ],
    )


def _section(group: RankedGroup, tournament: Tournament) -> Section:
    rows = [
        ForestRow(item.id, item.strength, item.low, item.high, word="unbounded" if item.unbounded else "")
        for item in group.items
    ]
    compared = [comparison for comparison in tournament.comparisons if comparison.group == group.name]
    table = Table(
        "",
        (Column("Round"), Column("First", "name"), Column("Second", "name"), Column("Preferred", "text")),
        [(each.round, each.first, each.second, _preferred(each.outcome)) for each in compared],
    )
    return Section(
        group.name,
        [
            Forest(group.name, f"Strength (log-odds) with {tournament.confidence:.0%} intervals", rows),
            ladder(group),
            CollapsedTable(f"All {len(compared)} comparisons", table),
        ],
    )


def _preferred(outcome: float | None) -> str:
    return "no answer" if outcome is None else _OUTCOMES[outcome]


def _triples(tournament: Tournament) -> str:
    if not tournament.triples:
        return "no triple was compared whole"
    share = tournament.circular / tournament.triples
    return f"{tournament.circular} of {tournament.triples} ({share:.0%}; by chance {tournament.circular_by_chance:.0%})"

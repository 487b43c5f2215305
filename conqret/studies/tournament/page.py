"""A tournament as tables and as a page: the ladder of each topic, and every comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conqret.show import words
from conqret.show.forest import Forest, ForestRow
from conqret.show.report_page import CollapsedTable, PageRemarks, ReportPage, Section, section
from conqret.show.table import Column, Table
from conqret.show.visible_text import cut
from conqret.stats.estimate import Estimate
from conqret.studies.tournament.result import MeanSquare, RankedGroup, RankedItem, Tournament

MOST_IN_TERMINAL = 8
"""Groups whose ladders a terminal shows; the page has all."""
SHOWN = 1500
"""Characters of an item's text that the page shows."""
_OUTCOMES = {1.0: "first", 0.75: "first, slightly", 0.5: "tie", 0.25: "second, slightly", 0.0: "second"}


def tournament_tables(tournament: Tournament) -> list[Table]:
    """The ladders, as far as a terminal shows them, and how far to trust them."""
    shown = tournament.groups[:MOST_IN_TERMINAL]
    more = len(tournament.groups) - len(shown)
    tables = [ladder(group, tournament.top) for group in shown]
    last = f"{more} more groups are on the page and in the table of scores." if more else ""
    return [*tables, *_of_the_whole(tournament), trust_table(tournament, last)]


def _of_the_whole(tournament: Tournament) -> list[Table]:
    """The systems, and the judges, where there are several."""
    found = [systems_table(tournament)] if tournament.systems else []
    return [*found, judges_table(tournament)] if tournament.judges else found


def systems_table(tournament: Tournament) -> Table:
    """The systems, best first."""
    return Table(
        "Systems",
        (Column("Rank"), Column("System", "name"), "Strength", "SE", "Items"),
        [
            (system.rank, system.name, system.strength, system.standard_error, system.items)
            for system in tournament.systems
        ],
        note=f"Mean strength of a system's items less that of all, with {tournament.confidence:.0%} intervals: what is "
        "expected of it in other groups.",
    )


def judges_table(tournament: Tournament) -> Table:
    """The judges, the most discriminating first."""
    judges = sorted(tournament.judges, key=lambda judge: -(judge.discrimination.value or 0.0))
    return Table(
        "Judges",
        (
            Column("Judge", "name"),
            "Discrimination",
            "First of two equals",
            "Misfit",
            "Answers",
            Column("Unreliable", "name"),
        ),
        [
            (
                judge.name,
                judge.discrimination,
                judge.first_wins,
                None if judge.misfit is None else judge.misfit.value,
                judge.answered,
                "yes" if judge.unreliable else "",
            )
            for judge in judges
        ],
        note="Discrimination: by what differences between items are multiplied in a judge's log-odds; the mean of "
        "the judges is 1. Below it a judge tells items apart less than they do on average, and its answers count for "
        "less; it is called unreliable where the whole interval is below 1.",
    )


def ladder(group: RankedGroup, top: int | None = None) -> Table:
    """The items of a group, best first."""
    reliability = "–" if group.reliability is None else f"{group.reliability:.2f}"
    shown = {
        "System": any(item.system for item in group.items),
        "Misfit": any(item.misfit and item.misfit.above for item in group.items),
        "Unbounded": any(item.unbounded for item in group.items),
    }
    note = f"Strength: log-odds against a mean item. Reliability {reliability}; {group.ordered:.0%} of the pairs of "
    note += "items are expected to stand in the right order."
    if top is not None and group.top_probability is not None:
        best = "best item is" if top == 1 else f"best {words.count(top)} are"
        note += f" The {best} known with a probability of {group.top_probability:.2f}."
    return Table(
        group.name,
        (
            Column("Rank"),
            Column("Item", "name"),
            *([Column("System", "name")] * shown["System"]),
            "Strength",
            "SE",
            "Points",
            *([Column("Misfit", "name")] * shown["Misfit"]),
            *([Column("Unbounded", "name")] * shown["Unbounded"]),
        ),
        [
            (
                item.rank,
                item.id,
                *([item.system] * shown["System"]),
                item.strength,
                item.standard_error,
                f"{item.points:g} of {item.comparisons}",
                *([_misfit(item)] * shown["Misfit"]),
                *([item.unbounded] * shown["Unbounded"]),
            )
            for item in group.items
        ],
        note=note,
    )


def _misfit(item: RankedItem) -> str:
    """The mean square of an item whose outcomes the others do not foresee, with the most that is expected."""
    found = item.misfit
    return "" if found is None or not found.above else f"{found.value:.2f} (at most {found.high:.2f})"


def trust_table(tournament: Tournament, note: str = "") -> Table:
    """How far to trust the strengths."""
    correlation = Estimate(
        tournament.length, reason="" if tournament.length is not None else "lengths do not vary"
    )
    rows: list[tuple[str, Estimate | float | str | None]] = [
        ("Scale separation reliability", tournament.reliability),
        ("Share that the first of two equals gets", tournament.first_wins),
        ("Intransitive triples", _triples(tournament)),
        ("Standard deviation of strengths", tournament.spread),
        ("Correlation under half or twice that spread", tournament.prior_sensitivity),
        ("Rank correlation of strength and length", correlation),
    ]
    if tournament.misfit is not None:
        rows.append(("Misfit of the judge (mean square)", _expected(tournament.misfit)))
    items = sum(len(group.items) for group in tournament.groups)
    rows.append(("Items of which outcomes are hard to foresee", f"{len(tournament.misfitting)} of {items}"))
    if tournament.slope is not None:
        rows.append(("Strength by a standard deviation of the ratings", tournament.slope))
    return Table("How far to trust it", ("What", Column("Value", "figure")), rows, note=note)


def headlines(tournament: Tournament) -> Iterator[str]:
    """What is to be said of the whole."""
    asked = (
        f"{words.count(tournament.answered)} of {words.count(tournament.planned)} comparisons have an answer"
    )
    yield f"{asked}, in {words.number(tournament.rounds, 'round')} ({tournament.design} pairs)."
    if tournament.reliability is not None:
        yield (
            f"Scale separation reliability {tournament.reliability:.2f}: about {tournament.reliability:.0%} of the "
            f"variance of the strengths within topics is of true differences."
        )
    wanted, most = tournament.wanted_reliability, tournament.possible or tournament.planned
    if wanted is not None and not tournament.reliable:
        yield f"The reliability of {wanted:g} that was asked for was not reached."
    elif wanted is not None and tournament.planned < most:
        yield (
            f"It ended early: the reliability of {wanted:g} that was asked for was reached after "
            f"{words.count(tournament.planned)} of at most {words.number(most, 'comparison')}."
        )
    if tournament.settled:
        yield (
            f"What was asked for is known of {tournament.settled} of {words.number(len(tournament.groups), 'group')}; "
            "no more of their items were compared then."
        )
    for name in tournament.unreliable:
        yield f"{name} is less reliable than the judges are on average; its answers count for less."
    first, low = tournament.first_wins, tournament.first_wins.low
    if low is not None and first.high is not None and not low <= 0.5 <= first.high:
        yield "The judge favors a position; strengths are corrected for it."
    if tournament.unbounded:
        yield (
            f"Bounded by the prior alone: {words.number(len(tournament.unbounded), 'item')} that, alone or together "
            "with others, won all, lost all, or met no other item."
        )


def tournament_page(tournament: Tournament, texts: Mapping[str, str] | None = None) -> ReportPage:
    """The page; ``texts`` are those of the items by their ids."""
    remarks = [f"Prior: {tournament.prior}.", *tournament.notes, *words.failed(tournament.session.failures)]
    return ReportPage(
        "tournament",
        f"Tournament by {tournament.judge} with {tournament.model}",
        [
            section(trust_table(tournament)),
            *map(section, _of_the_whole(tournament)),
            *(_section(group, tournament, texts or {}) for group in tournament.groups),
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


def _section(group: RankedGroup, tournament: Tournament, texts: Mapping[str, str]) -> Section:
    rows = [
        ForestRow(item.id, item.strength, item.low, item.high, word="unbounded" if item.unbounded else "")
        for item in group.items
    ]
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
            (each.round, each.first, each.second, *([each.judge] * by_judge), _preferred(each.outcome))
            for each in compared
        ],
    )
    read = Table(
        "",
        (Column("Rank"), Column("Item", "name"), Column("Text", "text")),
        [(item.rank, item.id, cut(texts.get(item.id, ""), SHOWN)) for item in group.items],
    )
    return Section(
        group.name,
        [
            Forest(group.name, f"Strength (log-odds) with {tournament.confidence:.0%} intervals", rows),
            ladder(group, tournament.top),
            CollapsedTable(f"All {len(compared)} comparisons", table),
            *(
                [CollapsedTable(f"The texts of {words.number(len(group.items), 'item')}", read)]
                if texts
                else []
            ),
        ],
    )


def _expected(found: MeanSquare) -> str:
    return f"{found.value:.2f}; expected {found.low:.2f} to {found.high:.2f}"


def _preferred(outcome: float | None) -> str:
    return "no answer" if outcome is None else _OUTCOMES[outcome]


def _triples(tournament: Tournament) -> str:
    if not tournament.triples:
        return "no triple was compared whole"
    share = tournament.circular / tournament.triples
    return f"{tournament.circular} of {tournament.triples} ({share:.0%}; by chance {tournament.circular_by_chance:.0%})"

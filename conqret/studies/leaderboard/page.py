"""Judge cards side by side, as tables and as a page."""

from __future__ import annotations

from collections.abc import Iterator

from conqret.judging.summary_tables import judge_name
from conqret.show import words
from conqret.show.forest import Forest, forests
from conqret.show.report_page import ReportPage, Section
from conqret.show.table import Cell, Column, Table
from conqret.studies.leaderboard.result import ITEMS, Board, Leaderboard, LeaderboardEntry

APART = (
    "Judges that were validated on different items or labels are in separate tables, as their numbers cannot be "
    "compared."
)


def leaderboard_tables(ranking: Leaderboard) -> Iterator[Table]:
    """A table for each board."""
    return (_table(board, ranking) for board in ranking.boards)


def leaderboard_sheet(ranking: Leaderboard) -> ReportPage:
    """The page, with the measure of each board as a picture."""
    several = len(ranking.boards) > 1
    return ReportPage(
        "leaderboard",
        "Judges side by side",
        [
            Section(title(board, ranking, place), [*_picture(board, ranking), _table(board, ranking)])
            for place, board in enumerate(ranking.boards)
        ],
        answer=[*leaders(ranking), *([ranking.chance] if ranking.chance else [])],
        how_to_read=[
            "A judge card, made by conqret validate, says how far a judge agrees with human labels, which biases it "
            "has, and whether it detects perturbations. "
            f"Cards are sorted by {words.label(ranking.by).lower()}, "
            f"{'the lowest' if ranking.falls else 'the highest'} first.",
        ],
        badges=[
            *([("Not comparable", APART)] if several else []),
            *words.floor_badges(
                [standing.baseline for board in ranking.boards for standing in board.standings]
            ),
        ],
        facts=[
            ("Cards", words.count(sum(len(board.standings) for board in ranking.boards))),
            ("Measure", ranking.by),
        ],
    )


def leaders(ranking: Leaderboard) -> list[str]:
    """Which card is first on each board, in a sentence each."""
    return [
        f"{first.card} ({judge_name(first.format, first.model)}) has the {'lowest' if ranking.falls else 'highest'} "
        f"{words.label(ranking.by).lower()} of {words.number(len(board.standings), 'card')}"
        f"{f' on {board.items}' * (len(ranking.boards) > 1)}: {words.with_interval(first.value)}"
        f" ({words.number(board.topics, 'topic')})."
        for board in ranking.boards
        for first in board.standings[:1]
    ]


def title(board: Board, ranking: Leaderboard, place: int) -> str:
    """What a board is of."""
    name = f"{board.items} ({words.number(board.topics, 'topic')}) with the labels of {board.labels}"
    return f"{place + 1}. {name}" if len(ranking.boards) > 1 else name


def _table(board: Board, ranking: Leaderboard) -> Table:
    over = (
        board.dimensions[0]
        if len(board.dimensions) == 1
        else words.number(len(board.dimensions), "dimension")
    )
    rows: list[tuple[Cell, ...]] = [
        (
            standing.card,
            f"{judge_name(standing.format, standing.model)}{' (baseline)' if standing.baseline else ''}",
            _value(standing, ranking),
            standing.units,
            "not probed" if standing.alarms is None else f"{standing.alarms} of {standing.probes}",
            "not measured" if standing.missed is None else f"{standing.missed} of {standing.curves}",
            words.money(standing.usd),
        )
        for standing in board.standings
    ]
    return Table(
        title(board, ranking, ranking.boards.index(board)),
        (
            "Card",
            Column("Judge", "text"),
            words.label(ranking.by),
            "Units",
            "Bias alarms",
            "Perturbations missed",
            f"Price of {words.count(ITEMS)} items",
        ),
        rows,
        note=f"The table is sorted by {words.label(ranking.by).lower()} over {over}; brackets hold {board.intervals}. "
        "“Units” is the number of items (or parts of items) that annotators labeled and the judge scored"
        f"{', summed over all dimensions' if len(board.dimensions) > 1 else ''}. “Bias alarms” is the number of bias "
        "probes that found a bias, of all probes that were run. “Perturbations missed” is the number of scores (metric "
        "by perturbation) that did not change as expected, of all that were tested; inconclusive ones are not counted. "
        "For alarms and missed perturbations 0 is best. The order shows no significance: conqret judges compare tests "
        "from two judges' runs whether one is better.",
    )


def _value(standing: LeaderboardEntry, ranking: Leaderboard) -> Cell:
    return (
        standing.value
        if standing.value.low is not None or not ranking.falls
        else words.rating(standing.value.value) or None
    )


def _picture(board: Board, ranking: Leaderboard) -> list[Forest]:
    title = f"{words.label(ranking.by)} of each card, with its interval"
    values = [(standing.card, standing.value) for standing in board.standings if not ranking.falls]
    return forests(title, words.label(ranking.by), values)

"""Judge cards side by side, as tables and as a page."""

from __future__ import annotations

from collections.abc import Iterator

from conqret.judging.summary_tables import judge_name
from conqret.show import words
from conqret.show.forest import Forest, forests
from conqret.show.report_page import ReportPage, Section
from conqret.show.table import Cell, Column, Table
from conqret.studies.leaderboard.result import ITEMS, Board, Leaderboard, LeaderboardEntry

APART = "Cards of other items or labels stand on boards of their own: their numbers cannot be compared."


def leaderboard_tables(found: Leaderboard) -> Iterator[Table]:
    """A table for each board."""
    return (_table(board, found) for board in found.boards)


def leaderboard_sheet(found: Leaderboard) -> ReportPage:
    """The page, with the measure of each board as a picture."""
    several = len(found.boards) > 1
    return ReportPage(
        "leaderboard",
        "Judges side by side",
        [
            Section(title(board, found, place), [*_picture(board, found), _table(board, found)])
            for place, board in enumerate(found.boards)
        ],
        lede=[
            "A judge card (conqret validate) says how far a judge agrees with people's labels, which biases it "
            "shows, and whether it notices damage. "
            f"Cards are sorted by {found.by}, {'the least' if found.falls else 'the best'} first.",
            *([found.chance] if found.chance else []),
        ],
        badges=[
            *([("Not comparable", APART)] if several else []),
            *words.floor_badges([one.baseline for board in found.boards for one in board.standings]),
        ],
        facts=[
            ("Cards", words.count(sum(len(board.standings) for board in found.boards))),
            ("Measure", found.by),
        ],
    )


def title(board: Board, found: Leaderboard, place: int) -> str:
    """What a board is of."""
    name = f"{board.items} ({words.number(board.topics, 'topic')}) with the labels of {board.labels}"
    return f"{place + 1}. {name}" if len(found.boards) > 1 else name


def _table(board: Board, found: Leaderboard) -> Table:
    over = (
        board.dimensions[0]
        if len(board.dimensions) == 1
        else words.number(len(board.dimensions), "dimension")
    )
    rows: list[tuple[Cell, ...]] = [
        (
            one.card,
            f"{judge_name(one.format, one.model)}{' (a floor)' if one.baseline else ''}",
            _value(one, found),
            one.units,
            "not probed" if one.alarms is None else f"{one.alarms} of {one.probes}",
            "not measured" if one.missed is None else f"{one.missed} of {one.curves}",
            words.money(one.usd),
        )
        for one in board.standings
    ]
    return Table(
        title(board, found, found.boards.index(board)),
        (
            "Card",
            Column("Judge", "text"),
            words.label(found.by),
            "Units",
            "Bias alarms",
            "Damage missed",
            f"Price of {words.count(ITEMS)} items",
        ),
        rows,
        note=f"{words.label(found.by)} over {over}; {board.intervals}. Units: what people labelled and the "
        f"judge scored{', over all dimensions together' if len(board.dimensions) > 1 else ''}. Bias alarms: of so many "
        "probes. Damage missed: of so many kinds of damage by metric, those that the scores are shown not to follow; "
        "what is inconclusive is not counted. Of both, 0 is best. The order is that of the values; whether one judge "
        "is shown to be better than another is tested by conqret judges compare, from their runs.",
    )


def _value(one: LeaderboardEntry, found: Leaderboard) -> Cell:
    return (
        one.value if one.value.low is not None or not found.falls else words.rating(one.value.value) or None
    )


def _picture(board: Board, found: Leaderboard) -> list[Forest]:
    title = f"{words.label(found.by)} of each card, with its interval"
    values = [(one.card, one.value) for one in board.standings if not found.falls]
    return forests(title, words.label(found.by), values)

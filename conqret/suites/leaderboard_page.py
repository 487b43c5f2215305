"""Judges over suites, as tables and as a page."""

from __future__ import annotations

from collections.abc import Iterator

from conqret.show import words
from conqret.show.forest import Forest, ForestRow
from conqret.show.report_page import PageRemarks, Part, ReportPage, Section
from conqret.show.table import Cell, Column, Table
from conqret.suites.page import published_table
from conqret.suites.result import SuiteJudge, SuiteResult
from conqret.suites.suite_report import JudgeRow, SuiteBoard, SuiteReport

MANY = 6
"""Suites that stand beside each other in one table; of more, each has a row."""


def leaderboard_tables(report: SuiteReport) -> Iterator[Table]:
    """The judges by suites, then each suite by itself."""
    if len(report.boards) > 1:
        yield overview_table(report)
    for board in report.boards:
        yield board_table(board)
        if board.figures:
            yield printed_table(board)


def leaderboard_page(report: SuiteReport) -> ReportPage:
    """The page: the answer, a picture, the judges by suites, then each suite."""
    several = len(report.boards) > 1
    overview = [overview_table(report)] if several else []
    first: list[Part] = [*_picture(report.boards), *overview]
    baselines = [row.judge.baseline and not row.judge.published for row in report.rows]
    return ReportPage(
        "suite leaderboard",
        "Judges on public test sets",
        [
            *([Section("All suites", first)] if several else []),
            *(_section(board, pictured=not several) for board in report.boards),
            Section(
                "Published figures, recomputed",
                [
                    published_table(board.suite, board.recomputed)
                    for board in report.boards
                    if board.recomputed
                ],
                folded=True,
            ),
            Section("What stands here", [PageRemarks(_remarks(report))]),
        ],
        lede=list(report.answer),
        badges=[
            *((("No winner", _listed_without_winner(report)),) if _listed_without_winner(report) else ()),
            *words.floor_badges(baselines),
        ],
        facts=[
            ("Suites", words.count(len(report.boards))),
            ("Judges", words.count(len(report.rows))),
        ],
    )


def _listed_without_winner(report: SuiteReport) -> str:
    names = [board.suite.title for board in report.boards if len(board.results) > 1 and board.winner is None]
    return (
        f"on {', '.join(names)}: the best value is not shown to be better than all others." if names else ""
    )


def _section(board: SuiteBoard, *, pictured: bool) -> Section:
    parts = [*(_picture([board]) if pictured else ()), board_table(board)]
    parts += [printed_table(board)] if board.figures else []
    return Section(board.suite.title, parts, note=f"{board.suite.question} {board.finding}")


def overview_table(report: SuiteReport) -> Table:
    """A row a judge and a column a suite; of many suites a row each and a judge's value in a line."""
    boards = report.boards
    if len(boards) <= MANY:
        rows: list[tuple[Cell, ...]] = [
            (
                _row_name(row),
                *(_cell(row.results.get(board.suite.name)) for board in boards),
                _price(row.usd, published=row.judge.published),
            )
            for row in report.rows
        ]
        columns: list[str | Column] = [
            Column("Judge", "text"),
            *(board.suite.title for board in boards),
            "Price of 1,000 items",
        ]
        return Table("Judges by suites", columns, rows, note=_statistics(boards))
    ran = [row for row in report.rows if not row.judge.published][:COLUMNS]
    lines = [
        (
            board.suite.title,
            words.label(board.statistic.name),
            *(_cell(row.results.get(board.suite.name)) for row in ran),
            *_best_published(board),
            "" if len(board.results) < 2 else _who_is_ahead(board),
        )
        for board in boards
    ]
    wide: list[str | Column] = [
        Column("Suite", "text"),
        Column("Statistic", "text"),
        *map(_row_name, ran),
        "Best published",
        Column("Published judge", "text"),
        Column("Winner", "text"),
    ]
    foot = [("Price of 1,000 items", "", *(_price(row.usd, published=False) for row in ran), "", "", "")]
    note = "Intervals of 95% over clusters (topics). A winner is shown to be better than every other judge."
    return Table("Judges by suites", wide, lines, foot=foot if ran else [], note=note)


COLUMNS = 4
"""Judges that were run, in a table with a row a suite."""


def _best_published(board: SuiteBoard) -> tuple[Cell, Cell]:
    published = [one for one in board.results if one.judge.published and not one.judge.baseline]
    return (published[0].main.estimate, published[0].judge.model) if published else ("", "")


def _who_is_ahead(board: SuiteBoard) -> str:
    return "none is shown" if board.winner is None else board.winner.judge.model


def board_table(board: SuiteBoard) -> Table:
    """The judges of one suite, the best first, and published figures without verdicts at the end."""
    compared = {id(one.other): one for one in board.against_leader}
    rows: list[tuple[Cell, ...]] = []
    for place, result in enumerate(board.results):
        against = compared.get(id(result))
        if result.main.value is None:
            behind, state = "", "no value"
        elif not place:
            behind, state = "", "the best value"
        elif against is None:
            behind, state = "", "not compared: other items, or too few clusters"
        else:
            behind = _signed(against.difference.value, board)
            state = "worse" if against.shown else "not shown to be worse"
            if against.items != result.main.items:
                state += f" (on {against.items:,} shared items)"
        rows.append(
            (
                _name(result),
                result.main.estimate,
                behind,
                state,
                f"{result.main.n:,} of {result.sample.of:,}" if result.sample else f"{result.main.n:,}",
                _price(result.usd_per_thousand, published=result.judge.published),
            )
        )
    chance = board.statistic.chance
    note = [
        f"{words.label(board.statistic.name)}: {board.statistic.definition}",
        f"by chance {words.score(chance)}" if chance is not None else "",
        "less is better" if board.statistic.lower_is_better else "",
        "intervals of 95% over clusters (topics); worse: a paired test on the same items, corrected by Holm",
    ]
    columns = (
        Column("Judge", "text"),
        words.label(board.statistic.name),
        "Behind",
        Column("Against the best", "text"),
        "Items",
        "$ / 1,000 items",
    )
    return Table(board.suite.title, columns, rows, note=f"{'; '.join(filter(None, note))}.").compact()


def printed_table(board: SuiteBoard) -> Table:
    """Published figures of a suite without verdicts, the best first."""
    ordered = sorted(
        board.figures, key=lambda one: one.value / one.times, reverse=not board.statistic.lower_is_better
    )
    rows = [
        (one.who, f"{one.value / one.times:.{one.digits + 2 * (one.times == 100)}f}", one.where)
        for one in ordered
    ]
    return Table(
        f"{board.suite.title}: printed figures",
        (Column("Judge", "text"), words.label(board.statistic.name), Column("Where", "text")),
        rows,
        note="Without verdicts there is no interval and no test: no judge is called better or worse than these.",
    )


def _signed(value: float | None, board: SuiteBoard) -> str:
    return "" if value is None else words.score(abs(value), 3)


def _name(result: SuiteResult) -> str:
    return f"{result.judge.model} ({_kind(result.judge) or result.judge.format})"


def _kind(judge: SuiteJudge) -> str:
    """What a judge is, where it is no model that was run."""
    return "baseline" if judge.baseline else "published" if judge.published else ""


def _row_name(row: JudgeRow) -> str:
    kind = _kind(row.judge)
    return f"{row.judge.model} ({kind})" if kind else row.judge.model


def _cell(result: SuiteResult | None) -> Cell:
    return "" if result is None else result.main.estimate


def _price(usd: float | None, *, published: bool) -> str:
    return "" if published else words.money(usd)


def _statistics(boards: tuple[SuiteBoard, ...]) -> str:
    named = (f"{board.suite.title}: {words.label(board.statistic.name)}" for board in boards)
    return f"{'; '.join(named)}. Intervals of 95% over clusters (topics)."


def _picture(boards: tuple[SuiteBoard, ...] | list[SuiteBoard]) -> list[Forest]:
    """The values of the judges that were run, of all suites that have the same kind of statistic; of one suite, of all
    its judges."""
    alone = len(boards) == 1
    rows = []
    for board in boards:
        ahead = board.winner
        for result in board.results:
            value = result.main.value
            if value is None or not (alone or not result.judge.published or result is board.results[0]):
                continue
            name = result.judge.model if alone else f"{board.suite.name}: {result.judge.model}"
            rows.append(
                ForestRow(
                    name,
                    value,
                    result.main.low,
                    result.main.high,
                    word="ahead" if result is ahead else "",
                )
            )
    what = words.label(boards[0].statistic.name) if alone else "the first statistic of each suite"
    return [Forest("Judges with their intervals", what, rows[:ROWS])] if rows else []


ROWS = 24
"""Rows of the picture."""


def _remarks(report: SuiteReport) -> list[str]:
    remarks = [
        "A judge is called worse, or another one ahead, only where a paired test on the same items shows it: what each "
        "statistic is without each cluster is compared (jackknife), and p is corrected by Holm within a suite.",
        "Published: computed here from verdicts that others released; no model was called, and no price is known. "
        "Printed: a figure of a paper, without verdicts.",
        "A price is that of this run: requests, tokens and the provider's list price.",
    ]
    for board in report.boards:
        lacking = {text for one in board.results for text in one.lacking}
        part = f"; judged here: {', '.join(sorted(lacking))}" if lacking else ""
        remarks.append(
            f"{board.suite.title}: {board.suite.source}. License: {board.suite.license}. Public since "
            f"{board.suite.public_since}: its texts may be in the training data of any later model{part}."
        )
    return remarks

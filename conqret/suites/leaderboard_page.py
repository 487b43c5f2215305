"""Tables and pages of suites: one suite, its results, and the leaderboard of judges over suites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from conqret.show import words
from conqret.show.forest import Forest, forests
from conqret.show.report_page import CollapsedTable, PageRemarks, Part, ReportPage, Section
from conqret.show.table import Cell, Column, Table
from conqret.stats.estimate import Estimate
from conqret.suites.result import SuiteResult
from conqret.suites.suite import Suite
from conqret.suites.suite_report import LeaderComparison, SuiteBoard, SuiteReport
from conqret.suites.suite_statistics import RecomputedFigure

FEW = 5
"""The most printed figures of a suite that are not collapsed on the page."""
ROWS = 24
"""The most rows of a chart."""
OPENING = 4
"""The most charts that a page begins with; the others stand below the first table."""


def leaderboard_tables(report: SuiteReport) -> Iterator[Table]:
    """Yield the tables of a leaderboard: the best judge by suite, then the judges of each suite."""
    if len(report.boards) > 1:
        yield verdict_table(report)
    for board in report.boards:
        yield board_table(board)
        if board.figures:
            yield printed_table(board)


def leaderboard_page(report: SuiteReport) -> ReportPage:
    """Return the leaderboard page: which judge to choose, how to read it, a chart per suite, and each suite's
    tables.
    """
    titles = _titles(report.boards)
    recomputed = [
        published_table(board.suite, board.recomputed) for board in report.boards if board.recomputed
    ]
    charts = [chart for board in report.boards for chart in _picture(board, titles)]
    months = sorted(board.suite.public_since for board in report.boards)
    since = months[0] if months[0] == months[-1] else f"{months[0]} (the oldest) or {months[-1]} (the newest)"
    note = f"The texts have been public since {since}, so a model trained later may have seen them and their labels."
    return ReportPage(
        "suite leaderboard",
        "Judges on public test sets",
        [
            Section("Which judge", [verdict_table(report)]),
            Section("Values on further test sets", charts[OPENING:]),
            *(_section(board, titles[board.suite.name]) for board in report.boards),
            Section("Papers", recomputed, folded=True),
            Section("Sources", [PageRemarks(_sources(report))]),
        ],
        badges=[("Training data", note)],
        answer=report.answer,
        picture=charts[:OPENING],
        how_to_read=list(LEGEND),
    )


def _titles(boards: Sequence[SuiteBoard]) -> dict[str, str]:
    """Return the title of each suite by its name, cut before a bracket or comma if the short title is unique."""
    short = {board.suite.name: re.split(r" \(|, ", board.suite.title)[0] for board in boards}
    every = list(short.values())
    return {
        board.suite.name: short[board.suite.name]
        if every.count(short[board.suite.name]) == 1
        else board.suite.title
        for board in boards
    }


def _section(board: SuiteBoard, title: str) -> Section:
    table = board_table(board)
    table.title = title
    parts: list[Part] = [table]
    if board.figures:
        printed = printed_table(board)
        many = len(board.figures) > FEW
        opening = f"{words.count(len(board.figures))} figures printed in the paper"
        parts.append(CollapsedTable(opening, printed) if many else printed)
    return Section(title, parts, note=board.suite.question)


def verdict_table(report: SuiteReport) -> Table:
    """Return a table with one row per suite: best and second judge, test of their difference, items and
    price.
    """
    titles = _titles(report.boards)
    rows: list[tuple[Cell, ...]] = []
    for board in report.boards:
        name = f"{titles[board.suite.name]}: {board.suite.question}"
        if not board.results or board.results[0].main.value is None:
            why = "no judge has a value" if board.results else "figures printed in the paper only"
            rows.append((name, why, "", "", "", ""))
            continue
        best, *others = board.results
        second = _with_value(others[0], board) if others else "none"
        second = "; ".join((second, *(f"{who}: {value}" for who, value, _ in _yardsticks(board))))
        rows.append((name, _with_value(best, board), second, _shown(board), _items(best), _price(best)))
    titled = texts("Test set", "Best judge", "Second", "Shown to be better")
    return Table("Which judge", (*titled, "Items", *texts("Price of 1,000 items")), rows)


def _with_value(result: SuiteResult, board: SuiteBoard) -> str:
    value = words.with_interval(result.main.estimate)
    return f"{_name(result, board)}: {words.label(board.statistic.name)} {value}"


def _shown(board: SuiteBoard) -> str:
    """Return a phrase on whether the best judge is shown to be better than all others: a yes, or a no with
    the judges that are level."""
    others = board.results[1:]
    if not others:
        return "one judge: nothing to compare"
    if board.winner is not None:
        only = " (baselines only)" if all(one.judge.baseline for one in others) else ""
        return f"yes, than {'the other' if len(others) == 1 else f'all {len(others)} others'}{only}"
    level = [_name(one, board) for one, against in board.compared if against and not against.shown]
    untested = board.against_leader.count(None)
    parts = [f"not shown to be better than {', '.join(level[:3])}"] if level else []
    parts += [f"nor than {len(level) - 3} more"] if len(level) > 3 else []
    parts += (
        [f"{untested} judged other items (run all on one sample), or too few clusters"] if untested else []
    )
    return f"no: {'; '.join(parts)}"


LEGEND = (
    "Each chart has the judges of one test set whose verdicts are known; figures that are only printed in a paper have "
    "no interval and are not in the charts.",
    "The column Origin says where verdicts come from: “run here” means that the judge was run with conqret, "
    "in the named format (conqret judge --format); “verdicts published, computed here” means that others released "
    "its verdicts and no model was called; “printed in the paper” means that only a figure is known, so it has no "
    "interval and no test.",
    "A baseline is a rule that calls no model. The baseline “offline” is conqret's own and uses word statistics.",
    "A judge is “shown to be better” or “worse” by a paired test on the items that both judged (jackknife over "
    "clusters; p < 0.05 after Holm's correction within a test set). “Behind” is the difference from the best judge on "
    "these items. A judge that is not shown to be worse need not be equal: with few items judges cannot be told apart.",
    "Brackets hold 95% confidence intervals over clusters (topics, or items where there are no topics).",
    "A price is unknown if conqret has no list price of the model: multiply the tokens per item by the provider's "
    "price, or give --input-price and --output-price to conqret judges test.",
)
"""The explanations of the page's terms."""


def board_table(board: SuiteBoard) -> Table:
    """Return the table of one suite's judges, best first, with agreement among annotators at the end."""
    rows: list[tuple[Cell, ...]] = []
    for result, against in board.compared:
        behind, state = _against_best(board, result, against)
        name, estimate = _name(result, board), result.main.estimate
        rows.append((name, _origin(result), estimate, behind, state, _items(result), _price(result)))
    rows += [
        (who, "human labels", value, "", f"yardstick: {where}", "", "")
        for who, value, where in _yardsticks(board)
    ]
    chance, label = board.statistic.chance, words.label(board.statistic.name)
    note = [
        f"{label}: {board.statistic.definition}",
        f"by chance {words.score(chance)}" if chance is not None else "",
        "less is better" if board.statistic.lower_is_better else "",
    ]
    price = texts("Price of 1,000 items")
    return Table(
        board.suite.title,
        [*texts("Judge", "Origin"), label, "Behind", *texts("Test"), "Items", *price],
        rows,
        note=f"{'; '.join(filter(None, note))}.",
    )


def _against_best(
    board: SuiteBoard, result: SuiteResult, against: LeaderComparison | None
) -> tuple[str, str]:
    """Return two texts for the row of a judge: how far it is behind the best on the items that both judged (may be
    empty), and what the test shows."""
    best = board.results[0]
    if result.main.value is None:
        return "", "no value"
    if len(board.results) == 1:
        return "", "one judge: nothing to compare"
    if result is best:
        return "", "best value"
    if against is None:
        return "", "not compared: other items, or too few clusters"
    state = "shown to be worse" if against.shown else "not shown to be worse"
    if {against.leader.value, against.other.value} != {best.main.value, result.main.value}:
        values = f"{words.score(against.other.value)} against {words.score(against.leader.value)}"
        state += f" ({values} on the {against.leader.items:,} shared items)"
    return "" if against.difference.value is None else words.score(abs(against.difference.value)), state


def _yardsticks(board: SuiteBoard) -> list[tuple[str, str, str]]:
    """What annotators reach among each other by the suite's statistic: who, value, and of what."""
    return [
        (one.who, words.score(one.value / one.times), one.where)
        for one in board.suite.published
        if one.human and one.statistic == board.statistic.name
    ]


def printed_table(board: SuiteBoard) -> Table:
    """Return the table of a suite's printed figures for which there are no verdicts, best first."""
    ordered = sorted(
        board.figures, key=lambda one: one.value / one.times, reverse=not board.statistic.lower_is_better
    )
    rows = [(one.who, words.score(one.value / one.times), one.where) for one in ordered]
    return Table(
        f"{board.suite.title}: printed in the paper",
        (*texts("Judge"), words.label(board.statistic.name), *texts("Where in the paper")),
        rows,
        note="These figures have no interval and no test, as the verdicts of the judges are not public.",
    )


def _name(result: SuiteResult, board: SuiteBoard) -> str:
    """The model, with its format only where it stands twice on the board."""
    if result.judge.baseline:
        return f"{result.judge.model} (baseline)"
    alike = sum(one.judge.model == result.judge.model for one in board.results)
    return result.judge.name if alike > 1 else result.judge.model


def _origin(result: SuiteResult) -> str:
    if result.judge.published and result.judge.baseline:
        return "a rule, computed here"
    if result.judge.published:
        return "verdicts published, computed here"
    return f"run here, format {result.judge.format}"


def _items(result: SuiteResult) -> str:
    return f"{result.main.n:,} of {result.sample.of:,}" if result.sample else f"{result.main.n:,}"


def _price(result: SuiteResult) -> str:
    if result.judge.baseline:
        return words.money(0.0)
    if result.judge.published:
        return "not run"
    if result.usd_per_thousand is not None or result.cost is None or not result.judged:
        return words.money(result.usd_per_thousand)
    prompt, completion = (
        round(tokens / result.judged) for tokens in (result.cost.prompt_tokens, result.cost.completion_tokens)
    )
    return f"unknown ({prompt:,} + {completion:,} tokens per item)" if prompt else "unknown"


def _picture(board: SuiteBoard, titles: dict[str, str]) -> list[Forest]:
    """Return the chart of a suite's judges with their intervals, or no chart if none has a value. At most :data:`ROWS`
    judges are shown; the first row also shows the agreement of annotators."""
    shown = [
        (_name(one, board), one.main.estimate) for one in board.results[:ROWS] if one.main.value is not None
    ]
    human = {who: Estimate(float(value)) for who, value, _ in _yardsticks(board)}
    others = {name: human for name, _ in shown[:1]}
    return forests(titles[board.suite.name], words.label(board.statistic.name), shown, others)


def _sources(report: SuiteReport) -> list[str]:
    lines = []
    for board in report.boards:
        lacking = {text for one in board.results for text in one.lacking}
        saw = f" The judges here saw only a part of this test set: {', '.join(sorted(lacking))}."
        lines.append(
            f"The test set {board.suite.title} is published in: {board.suite.source}. Its license is "
            f"{board.suite.license}.{saw * bool(lacking)}"
        )
    return lines


def texts(*titles: str) -> tuple[Column, ...]:
    """Return table columns with these titles that hold texts."""
    return tuple(Column(title, "text") for title in titles)


def statistics_table(suite: Suite) -> Table:
    """Return the table of a suite's statistics, with their definitions and values by chance."""
    return Table(
        "Statistics",
        {
            "Statistic": "name",
            Column("Definition", "text"): lambda one: (
                one.definition + " (less is better)" * one.lower_is_better
            ),
            "By chance": lambda one: "" if one.chance is None else one.chance,
        },
        suite.statistics,
        note="The leaderboard uses the first of these statistics.",
    )


def published_table(suite: Suite, figures: Sequence[RecomputedFigure]) -> Table:
    """Return the table that compares published figures with those recomputed from the files of this copy."""
    rows: list[tuple[Cell, ...]] = []
    for one in figures or [RecomputedFigure(figure, None) for figure in suite.published]:
        figure = one.figure
        places = figure.digits + 2 * (figure.times == 100)
        value = "" if one.value is None else f"{one.value / figure.times:.{places + 1}f}"
        state = {None: "not recomputed", True: "the same", False: "differs"}[one.same]
        remark = f"{figure.where}; {state}" + f": {figure.note}" * bool(figure.note)
        rows.append(
            (figure.who, figure.statistic, f"{figure.value / figure.times:.{places}f}", value, remark)
        )
    return Table(
        f"{suite.title}: figures of the paper",
        [*texts("Of", "Statistic"), "Published", "From the files", *texts("Remark")],
        rows,
    )


def figures_table(suite: Suite, result: SuiteResult) -> Table:
    """Return the table of a judge's figures on one suite."""
    chances = {statistic.name: statistic.chance for statistic in suite.statistics}
    return Table(
        suite.title,
        {
            "Statistic": "statistic",
            Column("Judge", "text"): lambda _: result.judge.name,
            "Value": "estimate",
            "Items": lambda figure: f"{figure.n:,} of {figure.items:,}",
            "Clusters": "clusters",
            "By chance": lambda figure: (
                "" if (chance := chances[figure.statistic]) is None else words.score(chance)
            ),
        },
        result.figures,
        note="Brackets hold 95% confidence intervals over clusters (topics).",
        same=("Judge",),
    )

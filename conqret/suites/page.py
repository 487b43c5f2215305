"""A suite, and results of it, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.show import words
from conqret.show.table import Cell, Column, Table
from conqret.suites.result import SuiteResult
from conqret.suites.suite import Suite
from conqret.suites.suite_statistics import RecomputedFigure


def statistics_table(suite: Suite) -> Table:
    """What is computed of verdicts and gold."""
    return Table(
        "Statistics",
        ("Statistic", Column("Definition", "text"), "By chance"),
        [
            (
                one.name,
                one.definition + (" (less is better)" if one.lower_is_better else ""),
                "" if one.chance is None else one.chance,
            )
            for one in suite.statistics
        ],
        note="The leaderboard uses the first of these statistics.",
    )


def published_table(suite: Suite, figures: Sequence[RecomputedFigure]) -> Table:
    """The published figures beside what this copy gives."""
    found = {id(one.figure): one for one in figures}
    rows: list[tuple[Cell, ...]] = []
    for figure in suite.published:
        own = found.get(id(figure))
        places = figure.digits + 2 * (figure.times == 100)
        value = None if own is None or own.value is None else f"{own.value / figure.times:.{places + 1}f}"
        same = None if own is None else own.same
        state = "not recomputed" if value is None else "the same" if same else "differs"
        remark = f"{state}: {figure.note}" if figure.note else state
        rows.append(
            (
                figure.who,
                figure.statistic,
                f"{figure.value / figure.times:.{places}f}",
                value or "",
                f"{figure.where}; {remark}",
            )
        )
    return Table(
        f"{suite.title}: figures of the paper",
        (
            Column("Of", "text"),
            Column("Statistic", "text"),
            "Published",
            "From the files",
            Column("Remark", "text"),
        ),
        rows,
    )


def figures_table(suite: Suite, results: Sequence[SuiteResult]) -> Table:
    """The figures of judges on one suite, a row each."""
    rows: list[tuple[Cell, ...]] = []
    for one in results:
        for figure in one.figures:
            statistic = suite.statistic(figure.statistic)
            chance = None if statistic is None else statistic.chance
            rows.append(
                (
                    figure.statistic,
                    one.judge.name,
                    figure.estimate,
                    f"{figure.n:,} of {figure.items:,}",
                    figure.clusters,
                    "" if chance is None else words.score(chance),
                )
            )
    return Table(
        suite.title,
        ("Statistic", Column("Judge", "text"), "Value", "Items", "Clusters", "By chance"),
        rows,
        note="Brackets hold 95% confidence intervals over clusters (topics).",
    ).varying("Judge")

"""Tables of those who write debates: the grades of their counter-arguments, and whom judges follow."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.debate.rubric import HIRED_FROM, Graded
from conqret.report.table import Column, Table

NOBODY = "(not named)"


def rubric_table(found: Sequence[Graded]) -> Table:
    """A row for each writer and option argued for, with the three grades of Table 3 and their mean."""
    sides = {"right": "the right option", "wrong": "the wrong option", None: "both"}
    return Table(
        "Counter-arguments by the rubric, 1 to 5",
        (
            Column("writer", "text"), Column("argues for", "name"), "texts", "convincing", "snippets", "addresses",
            "overall", "no grade",
        ),
        [
            (
                one.writer or NOBODY, sides[one.argues_for], one.counter_arguments, one.convincing, one.snippets,
                one.addresses, one.overall, one.ungraded,
            )
            for one in found
        ],
        note="Overall is the mean of all grades given; texts without snippets have none for them. The paper hired "
        f"writers from {HIRED_FROM} on. Intervals (95 %) are over passages.",
    )  # fmt: skip

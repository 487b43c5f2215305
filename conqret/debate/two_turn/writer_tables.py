"""Tables of those who write debates: the grades of their counter-arguments, and whom judges follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conqret.debate.two_turn.rubric import HIRED_FROM, RubricGrade
from conqret.debate.two_turn.text_annotations import Annotated
from conqret.debate.two_turn.writer_feedback import WriterResult
from conqret.debate.two_turn.writer_scores import Writer
from conqret.show.table import Cell, Column, Table
from conqret.stats.estimate import Estimate

NOBODY = "(not named)"


def rubric_table(found: Sequence[RubricGrade]) -> Table:
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
        f"writers from {HIRED_FROM} on. Intervals (95%) are over passages.",
    )  # fmt: skip


def writers_table(found: Sequence[Writer]) -> Table:
    """Two rows for each writer, one for either option, the most persuasive first."""
    rows: list[tuple[Cell, ...]] = [
        (
            one.writer,
            _elo(one.rating),
            f"the {side} option",
            part.answers,
            part.followed,
            f"{part.dollars:.2f}",
        )
        for one in found
        for side, part in (("right", one.right), ("wrong", one.wrong))
    ]
    alone = " No Elo: nobody else argued against that writer." if len(found) == 1 else ""
    return Table(
        "Whom judges follow",
        (
            Column("writer", "text"), Column("Elo", "name"), Column("argues for", "name"), "answers", "followed",
            "dollars",
        ),
        rows,
        note="By the last judgment with arguments. Followed: the share of the answers that take a side and go with the "
        "writer. Elo: 1500 is the mean of the writers, 400 points more are odds of ten to one, abstaining is a tie. "
        "Dollars: $0.20 for each judge who ends on the right option, $0.75 for each who does not. Intervals are "
        f"over passages.{alone}",
    )  # fmt: skip


def feedback_table(found: Sequence[WriterResult]) -> Table:
    """What one writer is told: a row for each of their counter-arguments, and what they earned in all."""
    return Table(
        "How your counter-arguments did",
        (
            Column("Question", "text"), Column("You argued for", "text"), Column("Which is", "name"), "On your side",
            "Bonus",
        ),
        [
            (
                one.question, one.option, "right" if one.right else "wrong", f"{one.followed} of {one.judges}",
                f"${float(one.dollars):.2f}",
            )
            for one in found
        ],
        foot=[("In all", "", "", f"{sum(one.followed for one in found)} of {sum(one.judges for one in found)}",
               f"${float(sum(one.dollars for one in found)):.2f}")],
        note="Counted at the end, when the judges had read everything: a judge who moved the slider toward the right "
        "option at all is on its side, and any other, abstaining included, on the side of the wrong one.",
    )  # fmt: skip


def annotation_tables(found: Sequence[Annotated]) -> Iterator[Table]:
    """The ratings in the rows of Table 7's columns, and which strategies were noted."""
    names = [f"{one.kind} for the {'right' if one.for_right else 'wrong'} option" for one in found]
    yield Table(
        "What people say of the texts",
        (Column("text", "name"), "texts", "quality, 1 to 10", "difference", "responds"),
        [
            (name, one.texts, one.quality, one.difference, one.responds)
            for name, one in zip(names, found, strict=True)
        ],
        note="Difference: between two people's ratings of one text, without its sign. Responds: the share of the "
        "answers that say that a counter-argument directly responds to the argument. Intervals are over passages.",
    )
    if noted := [
        (strategy, name, f"{count} of {one.texts}")
        for name, one in zip(names, found, strict=True)
        for strategy, count in one.strategies.items()
    ]:
        yield Table(
            "Strategies, by the texts on which anybody noted them",
            (Column("strategy", "text"), Column("text", "name"), "texts"),
            noted,
        )


def _elo(rating: Estimate) -> str:
    if rating.value is None:
        return "\u2013"
    ends = "" if rating.low is None or rating.high is None else f" [{rating.low:.0f}, {rating.high:.0f}]"
    return f"{rating.value:.0f}{ends}"

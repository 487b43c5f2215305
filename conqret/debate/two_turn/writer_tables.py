"""Tables of those who write debates: the grades of their counter-arguments, and whom judges follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conqret.debate.two_turn.rubric import HIRED_FROM, RubricGrade
from conqret.debate.two_turn.text_annotations import AnnotatedTexts
from conqret.debate.two_turn.writer_scores import Writer, WriterResult
from conqret.show.table import Cell, Column, Table
from conqret.stats.estimate import Estimate

NOBODY = "(not named)"


def rubric_table(grades: Sequence[RubricGrade]) -> Table:
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
                grade.writer or NOBODY, sides[grade.argues_for], grade.counter_arguments, grade.convincing,
                grade.snippets,
                grade.addresses, grade.overall, grade.ungraded,
            )
            for grade in grades
        ],
        note="Overall is the mean of all grades given; texts without snippets have none for them. The paper hired "
        f"writers from {HIRED_FROM} on. Intervals (95%) are over passages.",
    )  # fmt: skip


def writers_table(writers: Sequence[Writer]) -> Table:
    """Two rows for each writer, one for either option, the most persuasive first."""
    rows: list[tuple[Cell, ...]] = [
        (
            writer.writer,
            _elo(writer.rating),
            f"the {side} option",
            part.answers,
            part.followed,
            f"{part.dollars:.2f}",
        )
        for writer in writers
        for side, part in (("right", writer.right), ("wrong", writer.wrong))
    ]
    alone = " Elo is undefined, because no other writer argued against this one." if len(writers) == 1 else ""
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


def feedback_table(feedback: Sequence[WriterResult]) -> Table:
    """What one writer is told: a row for each of their counter-arguments, and what they earned in all."""
    return Table(
        "How your counter-arguments did",
        (
            Column("Question", "text"), Column("You argued for", "text"), Column("Which is", "name"), "On your side",
            "Bonus",
        ),
        [
            (
                counter.question, counter.option, "right" if counter.right else "wrong", f"{counter.followed} "
                                                                                         f"of {counter.judges}",
                f"${float(counter.dollars):.2f}",
            )
            for counter in feedback
        ],
        foot=[("In all", "", "", f"{sum(counter.followed for counter in feedback)} of "
                                 f"{sum(counter.judges for counter in feedback)}",
               f"${float(sum(counter.dollars for counter in feedback)):.2f}")],
        note="Counted at the end, when the judges had read everything: a judge who moved the slider toward the right "
        "option at all is on its side, and any other, abstaining included, on the side of the wrong one.",
    )  # fmt: skip


def annotation_tables(summaries: Sequence[AnnotatedTexts]) -> Iterator[Table]:
    """The ratings in the rows of Table 7's columns, and which strategies were noted."""
    names = [
        f"{summary.kind} for the {'right' if summary.for_right else 'wrong'} option" for summary in summaries
    ]
    yield Table(
        "Ratings of the texts by annotators",
        (Column("text", "name"), "texts", "quality, 1 to 10", "difference", "responds"),
        [
            (name, summary.texts, summary.quality, summary.difference, summary.responds)
            for name, summary in zip(names, summaries, strict=True)
        ],
        note="Difference: between two annotators' ratings of one text, without its sign. Responds: the share of the "
        "answers that say that a counter-argument directly responds to the argument. Intervals are over passages.",
    )
    if noted := [
        (strategy, name, f"{count} of {summary.texts}")
        for name, summary in zip(names, summaries, strict=True)
        for strategy, count in summary.strategies.items()
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

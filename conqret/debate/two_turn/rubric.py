"""How well counter-arguments are made, by the rubric of Parrish et al. 2022 (Table 3): the format ``counter-argument``
over every counter-argument of two-turn debates, and what its grades come to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Unpack

from conqret.data import Document, Item, Judgment
from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.debate.debatune.statement_filters import judged_by
from conqret.debate.two_turn.two_turn_files import SideArgument, TwoTurnQuestion, read_two_turn
from conqret.errors import DeclarationError, strict_options
from conqret.io.cell_values import MAX_ID
from conqret.io.label_set import LabelSet
from conqret.io.labels import read_labels
from conqret.judges.counter_argument import METRICS
from conqret.judging.judge_settings import JudgeSettings
from conqret.judging.judgments import Judgments
from conqret.runs.session import SessionCounts
from conqret.show.table import Column, Table
from conqret.stats.estimate import Estimate
from conqret.stats.resampling import mean_interval

FORMAT = "counter-argument"
SCALE = "1:5"
HIRED_FROM = 3.3
"""The mean grade from which writers were hired (section A.1)."""

Kind = Literal["right", "wrong"]
_WRITER, _PASSAGE, _KIND = "writer", "passage_id", "argues_for"


class RubricGrade(Frozen):
    """The grades of some counter-arguments, 1 to 5, with 95% intervals over passages.

    ``writer`` is empty where nobody is named, and ``argues_for`` says for which option they argue, None for both.
    ``overall`` is the mean of all grades that were given. ``ungraded`` counts those without any.
    """

    writer: str
    argues_for: Kind | None
    counter_arguments: int
    convincing: Estimate
    snippets: Estimate
    addresses: Estimate
    overall: Estimate
    ungraded: int


@dataclass(frozen=True, slots=True)
class CounterGrades:
    """The grades of each writer, and a judge's judgments behind them (None: annotators graded)."""

    grades: tuple[RubricGrade, ...]
    judgments: Judgments | None = None

    @property
    def session(self) -> SessionCounts:
        """What was asked now, and what came from before."""
        return SessionCounts() if self.judgments is None else self.judgments.session

    @property
    def missing(self) -> Sequence[str]:
        """The answers that a replay lacked."""
        return () if self.judgments is None else self.judgments.missing


@strict_options
def grade_counter_arguments(
    questions: str | Path,
    *,
    labels: str | Path | Sequence[str | Path] | None = None,
    **settings: Unpack[JudgeSettings],
) -> CounterGrades:
    """Grade counter-arguments from 1 to 5: are they convincing, do their snippets help, do they answer the argument?

    Args:
        questions: a file of two-turn debates with counter-arguments.
        labels: annotators' grades, as ``conqret labels collect --task counter-argument`` gives them, in place of a
            model's.
        settings: those of :func:`conqret.judge`, without ``format``.

    Raises:
        DeclarationError: there is no counter-argument, nobody graded any, or anything is wrong with the call.
    """
    items = counter_items(read_two_turn(questions))
    if labels is not None:
        if settings.get("model") is not None:
            raise DeclarationError(
                "--labels gives the grades of annotators, and --model has an LLM grade: leave one of them out"
            )
        files = [Path(labels)] if isinstance(labels, str | Path) else [Path(label) for label in labels]
        known = read_labels(files, scales=[SCALE])
        return CounterGrades(rubric(items, grades_of_people(items, known)))
    judgments = judged_by(items, FORMAT, settings)
    return CounterGrades(rubric(items, grades_of_judge(judgments)), judgments)


def counter_items(questions: Sequence[TwoTurnQuestion]) -> tuple[Item, ...]:
    """An item for each counter-argument, with the argument that it answers beside it and the passage as its document.

    Raises:
        DeclarationError: there is none.
    """
    items = tuple(
        _item(question, place)
        for question in questions
        for place, side in enumerate(question.sides)
        if side.counter is not None
    )
    if not items:
        raise DeclarationError(
            "none of the questions has counter-arguments: write some with conqret debate two-turn write"
        )
    return items


Grades = Mapping[str, Sequence[float]]
"""The grades of one counter-argument by metric, 1 to 5: one of a judge, several of people, or none."""


def grades_of_judge(judgments: Iterable[Judgment]) -> Iterator[Grades]:
    """What a judge says of each."""
    for judgment in judgments:
        raw = {name: judgment.measures[name].raw for name in METRICS}
        yield {name: () if grade is None else (grade,) for name, grade in raw.items()}


def grades_of_people(items: Iterable[Item], labels: LabelSet) -> list[Grades]:
    """What people say of each, by labels of their items.

    Raises:
        DeclarationError: nobody graded any of them.
    """
    values_by_item = gathered(
        ((label.unit.item, label.dimension), label.value)
        for label in labels.labels
        if label.value is not None
    )
    grades: list[Grades] = [
        {name: values_by_item.get((item.id, name), ()) for name in METRICS} for item in items
    ]
    if not any(any(grade.values()) for grade in grades):
        raise DeclarationError(
            f"{labels.name} grades none of these counter-arguments: its items are named "
            "QUESTION-against-1 and -2, as conqret labels collect exports them"
        )
    return grades


def rubric(items: Sequence[Item], grades: Iterable[Grades]) -> tuple[RubricGrade, ...]:
    """Each writer's grades by the option argued for, then in all."""
    by_writer = gathered((pair[0].metadata[_WRITER], pair) for pair in zip(items, grades, strict=True))
    kept: tuple[Kind | None, ...] = ("right", "wrong", None)
    return tuple(
        _graded(writer, kind, [pair for pair in graded_items if kind in (None, pair[0].metadata[_KIND])])
        for writer, graded_items in by_writer.items()
        for kind in kept
    )


def _graded(writer: str, kind: Kind | None, graded_items: Sequence[tuple[Item, Grades]]) -> RubricGrade:
    def mean(*names: str) -> Estimate:
        graded = [
            (grade, item.metadata[_PASSAGE])
            for item, grades in graded_items
            for name in names
            for grade in grades[name]
        ]
        return mean_interval(
            [grade for grade, _ in graded],
            [passage for _, passage in graded],
            ends=(1, 5),
            reason="no grade was given",
        )

    return RubricGrade(
        writer=writer,
        argues_for=kind,
        counter_arguments=len(graded_items),
        convincing=mean("convincing"),
        snippets=mean("snippets"),
        addresses=mean("addresses"),
        overall=mean(*METRICS),
        ungraded=sum(not any(grades.values()) for _, grades in graded_items),
    )


def _item(question: TwoTurnQuestion, place: int) -> Item:
    """The counter-argument against the side at ``place``, for the other one."""
    answered, side = question.sides[place], question.sides[1 - place]
    passage = (Document(id=question.passage_id, text=question.passage),) if question.passage.strip() else ()
    name = f"-against-{place + 1}"
    return Item(
        id=question.id[: MAX_ID - len(name)] + name,
        topic=f"{question.question}\nThe argument is for: {answered.option}\nThe counter-argument is for: "
        f"{side.option}",
        documents=passage,
        argument=_shown(answered.counter or answered.argument),
        second_argument=_shown(answered.argument),
        metadata={
            _WRITER: question.writers[1 - place] if question.writers else "",
            _PASSAGE: question.passage_id,
            _KIND: "right" if question.right == 2 - place else "wrong",
        },
    )


def _shown(argument: SideArgument) -> str:
    """A text with its snippets listed under it."""
    return "\n".join(
        (argument.text, *(f"(#{n}) {snippet}" for n, snippet in enumerate(argument.snippets, start=1)))
    )


def rubric_table(grades: Sequence[RubricGrade]) -> Table:
    """A row for each writer and option argued for, with the three grades of Table 3 and their mean."""
    sides = {"right": "the right option", "wrong": "the wrong option", None: "both"}
    return Table(
        "Counter-arguments by the rubric, 1 to 5",
        {
            Column("writer", "text"): lambda grade: grade.writer or "(not named)",
            Column("argues for", "name"): lambda grade: sides[grade.argues_for],
            "texts": "counter_arguments",
            "convincing": "convincing",
            "snippets": "snippets",
            "addresses": "addresses",
            "overall": "overall",
            "no grade": "ungraded",
        },
        grades,
        note="Overall is the mean of all grades given; texts without snippets have none for them. The paper hired "
        f"writers from {HIRED_FROM} on. Intervals (95%) are over passages.",
    )

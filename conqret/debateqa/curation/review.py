"""What people or a judge look at in a benchmark: pairs that may say the same, chunks that may hold more, and answers
that may know more (DebateQA, A.3 and Table 11).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from conqret.data.digest import gathered
from conqret.debateqa.curation import curation_requests as asking
from conqret.debateqa.curation.benchmark_figures import NEAREST, AlikeViews, MadeBenchmark, Near, read_made
from conqret.debateqa.curation.check_verdicts import CheckVerdict, Subject
from conqret.debateqa.debateqa_files import ModelAnswer
from conqret.errors import DeclarationError, check_positive, strict_options
from conqret.io.checks import identifier, one_of
from conqret.io.files import file_rows
from conqret.io.label_set import LabelSet
from conqret.io.label_sheets import unguarded
from conqret.io.labels import Labels, read_labels
from conqret.io.pairs import ANSWERS
from conqret.io.schema import Field, Schema, TableReader
from conqret.judging.responses import OneToFive, Typed
from conqret.labels.task import PARTIAL_ANSWER_SHEET


class SameView(Typed):
    """A short explanation, then whether both say the same."""

    explanation: str
    same: bool


class CoveredViews(Typed):
    """A short explanation, then whether every perspective of the passage is among the points of view."""

    explanation: str
    covered: bool


class MissedViews(Typed):
    """A short explanation, then how far the answer holds viewpoints that are not among the partial answers."""

    explanation: str
    rating: OneToFive


SAME = CheckVerdict("curate/same-view", SameView, 60, "whether two points of view say the same")
COVERED = CheckVerdict("curate/covered", CoveredViews, 80, "whether a passage holds further perspectives")
MISSED = CheckVerdict("curate/missed", MissedViews, 80, "whether answers hold viewpoints that are missed")


@dataclass(frozen=True, slots=True)
class Review:
    """Rows to be looked at: the head of the sheet, its rows (the first cell is the id), the column that is answered
    with yes or no, what a judge is asked, and how its answer is read."""

    head: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    column: str
    verdict: CheckVerdict
    subjects: tuple[Subject, ...]
    said: Callable[[Mapping[str, Any]], bool]


def review_pairs(made: MadeBenchmark, pairs: Sequence[AlikeViews]) -> Review:
    """Pairs of points of view, each to be called the same or not."""
    questions = {question.id: question for question in made.questions}
    views = {
        question.name(place): view for question in made.questions for place, view in enumerate(question.views)
    }
    return Review(
        ("id", "question", "first", "second", "similarity"),
        tuple(
            (f"{pair.first}={pair.second}", questions[pair.question].question, views[pair.first], views[pair.second],
             pair.similarity)
            for pair in pairs
        ),
        "duplicate",
        SAME,
        tuple(
            _subject(
                f"{pair.first}={pair.second}",
                {"question": questions[pair.question].question, "views": [views[pair.first], views[pair.second]]},
                lambda shown: asking.offline_same(*shown["views"]),
            )
            for pair in pairs
        ),
        lambda answer: bool(answer["same"]),
    )  # fmt: skip


def review_chunks(made: MadeBenchmark, near: Sequence[Near], most: int = NEAREST) -> Review:
    """The ``most`` nearest chunks of each question, each to be called covered by the points of view or not."""
    questions = {question.id: question for question in made.questions}
    rows, subjects = [], []
    by_question = gathered((chunk.question, chunk) for chunk in near).values()
    for number, chunk in (
        (number, near_chunk)
        for chunks in by_question
        for number, near_chunk in enumerate(chunks[:most], start=1)
    ):
        question = questions[chunk.question]
        name = f"{chunk.question}/{number}"
        rows.append(
            (
                name,
                question.question,
                chunk.text,
                "\n".join(f"- {view}" for view in question.views),
                chunk.similarity,
            )
        )
        shown = {"question": question.question, "document": chunk.text, "views": question.views}
        subjects.append(
            _subject(
                name,
                shown,
                lambda shown: asking.offline_covered(shown["question"], shown["document"], shown["views"]),
            )
        )
    head = ("id", "question", "chunk", "points_of_view", "similarity")
    return Review(
        head, tuple(rows), "covered", COVERED, tuple(subjects), lambda answer: bool(answer["covered"])
    )


def missed_subjects(made: MadeBenchmark, answers: Sequence[ModelAnswer]) -> list[Subject]:
    """What is asked about each answer to a question of the benchmark (Table 11)."""
    questions = {question.id: question for question in made.questions}
    return [
        _subject(
            answer.id,
            {"question": questions[answer.id].question, "answer": answer.text,
             "views": [f"{each.point_of_view} {each.explanation}" for each in questions[answer.id].partial_answers]},
            lambda shown: asking.offline_missed(shown["question"], shown["answer"], shown["views"]),
        )
        for answer in answers if answer.id in questions
    ]  # fmt: skip


def read_review(path: Path, column: str) -> dict[str, bool]:
    """What a filled sheet says, by id; rows without an answer are left out.

    Raises:
        ItemsError: rows have faults; all are listed.
    """
    schema = Schema(
        "a row of the annotation form",
        {
            "id": Field(
                ("id",), identifier, needed="Give the annotation form with the ids that it was written with"
            ),
            "said": Field((column,), one_of(ANSWERS, "answer")),
        },
    )
    rows_by_id = TableReader(file_rows(path), schema).by_id(itemgetter("said"), "Keep one of its answers")
    return {unguarded(name): answer for name, answer in rows_by_id.items() if answer is not None}


def _subject(name: str, shown: dict[str, Any], answer: Callable[[dict[str, Any]], Any]) -> Subject:
    return Subject(name, shown, lambda: answer(shown))


LEAST = 2
"""Annotators who reject what is removed: two of three (A.4)."""


class Removal(BaseModel, frozen=True):
    """What is removed of a benchmark: how many partial answers there were, how many go because people reject them
    (``rejected``) or because they say what another says (``duplicates``), how many nobody labelled, how often each
    question of the sheet was answered with no, which questions lose all, and how many partial answers are left."""

    answers: int
    rejected: int
    duplicates: int
    unlabelled: int
    noes: dict[str, int]
    lost: tuple[str, ...]
    kept: int
    questions: int


@strict_options
def remove_partial_answers(
    benchmark: str | Path,
    *,
    labels: Labels | None = None,
    duplicates: str | Path | None = None,
    least: int = LEAST,
) -> tuple[list[dict[str, object]], Removal]:
    """Remove the partial answers that two of three annotators reject (DebateQA, A.4), and those that repeat another.

    Args:
        benchmark: the folder of ``conqret debateqa curate``.
        labels: human labels: filled-in sheets of ``conqret labels sample --task partial-answer``.
        duplicates: the sheet of ``conqret debateqa curate --check distinctiveness``, filled in.
        least: how many annotators must reject a partial answer for it to be removed.

    Returns:
        The lines of the benchmark that is left, and what was removed.

    Raises:
        DeclarationError: as :func:`remove`, neither labels nor duplicates are given, or a sheet is not filled in.
    """
    if labels is None and duplicates is None:
        raise DeclarationError(
            "nothing is given to do with a benchmark: give --check, or --labels, --duplicates or both to remove by"
        )
    made = read_made(benchmark)
    scale = "{}:{}".format(*PARTIAL_ANSWER_SHEET.scale)
    known = labels if labels is None or isinstance(labels, LabelSet) else read_labels(labels, scales=[scale])
    alike = {} if duplicates is None else read_review(Path(duplicates), "duplicate")
    if duplicates is not None and not alike:
        raise DeclarationError(f"{duplicates} is not filled in: write yes or no into its column duplicate")
    return remove(made, known, alike, least=least)


def remove(
    made: MadeBenchmark, labels: LabelSet | None, duplicates: Mapping[str, bool], *, least: int = LEAST
) -> tuple[list[dict[str, Any]], Removal]:
    """The lines of the benchmark that is left, and what was removed.

    ``duplicates`` says of pairs of partial answers (``first=second``) whether they say the same; the second then goes.

    Raises:
        DeclarationError: ``least`` is below 1, or a label or a pair is of a partial answer that the benchmark lacks.
    """
    check_positive({"--least": least})
    names = [
        question.name(place) for question in made.questions for place in range(len(question.partial_answers))
    ]
    labels_read = labels.labels if labels is not None else ()
    pairs = [label.rpartition("=")[2] for label, same in duplicates.items() if same]
    strangers = sorted({*(label.unit.item for label in labels_read), *pairs} - {*names})
    if strangers:
        raise DeclarationError(
            f"the benchmark has no partial answer {strangers[0]!r} ({len(strangers)} unknown ids): give labels "
            "of the benchmark from which their annotation form was made"
        )
    noes = [
        label for label in labels_read
        if label.value is not None and label.value == (labels.scale(label.dimension).low if labels else None)
    ]  # fmt: skip
    people = gathered((label.unit.item, label.annotator) for label in noes)
    rejected = {name for name, names in people.items() if len(set(names)) >= least}
    alike = set(pairs) - rejected
    labelled = {label.unit.item for label in labels_read if label.value is not None}
    lines, lost = [], []
    for question in made.questions:
        left = [
            partial_answer for place, partial_answer in enumerate(question.partial_answers)
            if question.name(place) not in rejected | alike
        ]  # fmt: skip
        if left:
            lines.append(question.record(left))
        else:
            lost.append(question.id)
    return lines, Removal(
        answers=len(names),
        rejected=len(rejected),
        duplicates=len(alike),
        unlabelled=len(set(names) - labelled) if labels else 0,
        noes={
            name: sum(rejection.dimension == name for rejection in noes)
            for name in (labels.dimensions if labels else ())
        },
        lost=tuple(lost),
        kept=len(names) - len(rejected) - len(alike),
        questions=len(lines),
    )

"""What people or a judge look at in a benchmark: pairs that may say the same, chunks that may hold more, and answers
that may know more (DebateQA, A.3 and Table 11).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

from conqret.data.digest import gathered
from conqret.debateqa.curation import offline_perspectives as baseline
from conqret.debateqa.curation.benchmark_figures import NEAREST, AlikeViews, Near
from conqret.debateqa.curation.benchmark_folder import MadeBenchmark
from conqret.debateqa.curation.check_verdicts import CheckVerdict, Subject
from conqret.debateqa.debateqa_files import ModelAnswer
from conqret.io.checks import identifier, one_of
from conqret.io.files import file_rows
from conqret.io.label_sheets import unguarded
from conqret.io.pairs import ANSWERS
from conqret.io.schema import Field, Schema, TableReader
from conqret.judging.responses import OneToFive, Typed


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
                lambda shown: baseline.same(*shown["views"]),
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
                lambda shown: baseline.covered(shown["question"], shown["document"], shown["views"]),
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
            lambda shown: baseline.missed(shown["question"], shown["answer"], shown["views"]),
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

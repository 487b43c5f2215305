"""The checks of a benchmark that annotators or a judge decide (DebateQA, A.3 and Table 11): are the points of view
complete, do two of them say the same, and do answers hold viewpoints that are missed?

What is looked at are the rows of a :class:`Review`. A form leaves them to annotators, a model answers them as a run,
and a filled form is read back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from conqret.data.digest import gathered
from conqret.debateqa.curation import curation_requests as requests
from conqret.debateqa.curation.benchmark_figures import (
    ALIKE,
    NEAREST,
    AlikeViews,
    CuratedBenchmark,
    Near,
    alike_views,
    near_chunks,
    read_curated,
    read_review,
)
from conqret.debateqa.curation.check_verdicts import CheckVerdict, Subject, VerdictRow, judge_rows
from conqret.debateqa.curation.deduplication import LEXICAL, embedder
from conqret.debateqa.debateqa_files import read_answers
from conqret.errors import DeclarationError, strict_options
from conqret.io.safe_files import csv_text, write_new
from conqret.judging.responses import OneToFive, Typed
from conqret.runs.request_run import RequestRunSettings
from conqret.runs.run_folder import as_path
from conqret.runs.session import SessionCounts
from conqret.runs.study_run import StudyOutcome
from conqret.stats.estimate import Estimate
from conqret.stats.resampling import mean_interval

Verdicts = StudyOutcome[VerdictRow, None]
"""What a model said of rows, as a run."""


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
    """Rows that an annotator or a judge answers with yes or no.

    ``head`` and ``rows`` are those of the annotation form (the first cell is the id), and ``column`` is the
    one to fill in. A judge is called with the prompt of ``verdict`` and the variables ``shown``, and
    ``field`` is the field of its response that answers yes or no. ``offline`` returns the response without a
    model.
    """

    head: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]
    column: str
    verdict: CheckVerdict
    field: str
    shown: Sequence[dict[str, Any]]
    offline: Callable[[dict[str, Any]], Any]

    @property
    def subjects(self) -> list[Subject]:
        """Return the rows as subjects for a judge."""
        return [
            Subject(str(row[0]), shown, partial(self.offline, shown))
            for row, shown in zip(self.rows, self.shown, strict=True)
        ]


def review_pairs(made: CuratedBenchmark, pairs: Sequence[AlikeViews]) -> Review:
    """Return a review of pairs of points of view: yes if both say the same."""
    questions = {question.id: question.question for question in made.questions}
    views = {name: view for one in made.questions for name, view in zip(one.names, one.views, strict=True)}
    rows = [
        (
            f"{pair.first}={pair.second}",
            questions[pair.question],
            views[pair.first],
            views[pair.second],
            pair.similarity,
        )
        for pair in pairs
    ]
    return Review(
        ("id", "question", "first", "second", "similarity"),
        rows,
        "duplicate",
        SAME,
        "same",
        [{"question": question, "views": [first, second]} for _, question, first, second, _ in rows],
        lambda shown: requests.offline_same(*shown["views"]),
    )


def review_chunks(made: CuratedBenchmark, near: Sequence[Near]) -> Review:
    """Return a review of the :data:`NEAREST` chunks of each question, which ``near`` lists nearest first: yes if the
    points of view cover a chunk."""
    questions = {question.id: question for question in made.questions}
    rows, shown = [], []
    for name, chunks in gathered((chunk.question, chunk) for chunk in near).items():
        asked, views = questions[name].question, questions[name].views
        listed = "\n".join(f"- {view}" for view in views)
        for number, chunk in enumerate(chunks[:NEAREST], start=1):
            rows.append((f"{name}/{number}", asked, chunk.text, listed, chunk.similarity))
            shown.append({"question": asked, "document": chunk.text, "views": views})
    return Review(
        ("id", "question", "chunk", "points_of_view", "similarity"),
        rows,
        "covered",
        COVERED,
        "covered",
        shown,
        lambda shown: requests.offline_covered(shown["question"], shown["document"], shown["views"]),
    )


RATINGS = (5, 4, 3, 2, 1)
"""How far an answer holds viewpoints that are missed; 5 is weighty ones."""


@dataclass(frozen=True)
class ReviewedRows:
    """The verdicts on the rows of a review.

    ``rows`` counts all rows, ``verdicts`` maps ids to True for yes, ``form`` is the form that was written,
    and ``model_verdicts`` is the judge's run.
    """

    rows: int
    verdicts: Mapping[str, bool]
    form: Path | None = None
    model_verdicts: Verdicts | None = None

    @property
    def session(self) -> SessionCounts:
        """Return the counts of the requests of the judge's run."""
        return SessionCounts() if self.model_verdicts is None else self.model_verdicts.session

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the keys of the responses that a replay lacked."""
        return () if self.model_verdicts is None else self.model_verdicts.missing


@dataclass(frozen=True)
class Comprehensiveness(ReviewedRows):
    """The share of each question's five nearest chunks that its points of view cover completely.

    The interval is over questions; without any verdict there is no value.
    """

    covered: Estimate = field(kw_only=True)


@dataclass(frozen=True)
class Distinctiveness(ReviewedRows):
    """The numbers of a benchmark's points of view, of their pairs within a question, and of pairs called
    duplicates.

    ``pairs`` counts all pairs of one question. Only similar ones are reviewed: ``rows``.
    """

    views: int = field(kw_only=True)
    pairs: int = field(kw_only=True)
    duplicates: int = field(kw_only=True)


@dataclass(frozen=True)
class MissedViewpoints(ReviewedRows):
    """The share of answers with an important viewpoint that no partial answer has (a rating of 5).

    ``ratings`` counts the answers by rating, ``unrated`` those without one, and ``foreign`` those to no
    question of the benchmark.
    """

    missed: Estimate = field(kw_only=True)
    ratings: Mapping[int, int] = field(kw_only=True)
    unrated: int = field(kw_only=True)
    foreign: int = field(kw_only=True)


@strict_options
def benchmark_coverage(
    benchmark: str | Path,
    *,
    encoder: str = LEXICAL,
    labels: str | Path | None = None,
    output: str | Path | None = None,
    **settings: Unpack[RequestRunSettings],
) -> Comprehensiveness:
    """Check how many of the five nearest chunks of each question its points of view cover completely
    (DebateQA, A.3).

    Args:
        benchmark: the folder of ``conqret debateqa curate``.
        encoder: the folder of a sentence-transformers model, or ``lexical``: word stems by TF-IDF.
        labels: the completed annotation form (yes or no); no model is called then.
        output: the annotation form to write as CSV; a judge's run is stored next to it. Without ``model``
            it is left blank.
        settings: the model and how it is called:
            :class:`conqret.runs.request_run.RequestRunSettings`. Without ``model`` no request is sent.

    Returns:
        The share of covered chunks.

    Raises:
        DeclarationError: there is no finished benchmark, none of labels, output and model is given, the
            form answers no row, another form would be replaced, or a setting is wrong.
    """
    made = read_curated(benchmark)
    review = review_chunks(made, near_chunks(made, embedder(encoder)))
    rows = reviewed(review, benchmark, "chunks", labels, output, **settings)
    values = [float(covered) for covered in rows.verdicts.values()]
    questions = [chunk.rpartition("/")[0] for chunk in rows.verdicts]
    covered = mean_interval(values, questions, scale="share", reason="no chunk has a label")
    return Comprehensiveness(**vars(rows), covered=covered)


@strict_options
def benchmark_duplicates(
    benchmark: str | Path,
    *,
    encoder: str = LEXICAL,
    threshold: float = ALIKE,
    labels: str | Path | None = None,
    output: str | Path | None = None,
    **settings: Unpack[RequestRunSettings],
) -> Distinctiveness:
    """Check which points of view of one question may say the same (DebateQA, A.3).

    Args:
        benchmark: the folder of ``conqret debateqa curate``.
        encoder: the folder of a sentence-transformers model, or ``lexical``: word stems by TF-IDF.
        threshold: the cosine from which two points of view are similar and reviewed.
        labels: the completed annotation form (yes or no); no model is called then.
        output: the form to write as CSV, for :func:`conqret.remove_partial_answers`; a judge's run is
            stored next to it.
        settings: as :func:`benchmark_coverage`.

    Returns:
        The numbers of points of view, pairs and duplicates.

    Raises:
        DeclarationError: as :func:`benchmark_coverage`, or the threshold is outside (0, 1].
    """
    made = read_curated(benchmark)
    review = review_pairs(made, alike_views(made, embedder(encoder), threshold))
    rows = reviewed(review, benchmark, "pairs", labels, output, **settings)
    counts = [len(question.partial_answers) for question in made.questions]
    pairs = sum(count * (count - 1) // 2 for count in counts)
    duplicates = sum(rows.verdicts.values())
    return Distinctiveness(**vars(rows), views=sum(counts), pairs=pairs, duplicates=duplicates)


@strict_options
def missed_viewpoints(
    benchmark: str | Path,
    answers: str | Path,
    *,
    output: str | Path | None = None,
    **settings: Unpack[RequestRunSettings],
) -> MissedViewpoints:
    """Count the answers with an important viewpoint that the partial answers miss (DebateQA, Table 11).

    Args:
        benchmark: the folder of ``conqret debateqa curate``.
        answers: answers to its questions: id and generation.
        output: the run's folder, by default ``runs/ANSWERS-viewpoints-MODEL``; the same call continues a
            stopped run.
        settings: the model and how it is called:
            :class:`conqret.runs.request_run.RequestRunSettings`.

    Returns:
        The share of such answers, and the number of answers by rating.

    Raises:
        DeclarationError: there is no finished benchmark, no answer belongs to one of its questions, or a
            setting is wrong. No request is sent then.
    """
    every = read_answers(answers)
    wanted = []
    questions = {question.id: question for question in read_curated(benchmark).questions}
    for name, text in every.items():
        if (question := questions.get(name)) is not None:
            views = [f"{each.point_of_view} {each.explanation}" for each in question.partial_answers]
            offline = partial(requests.offline_missed, question.question, text, views)
            shown = {"question": question.question, "answer": text, "views": views}
            wanted.append(Subject(name, shown, offline))
    if not wanted:
        raise DeclarationError(
            f"none of the {len(every)} answers has the id of a question of {benchmark}: give answers to these questions"
        )
    model_verdicts = judge_rows(MISSED, wanted, source=answers, name="viewpoints", output=output, **settings)
    ratings = {row.id: int(row.answer["rating"]) for row in model_verdicts.rows if row.answered}
    weighty = {name: rating == RATINGS[0] for name, rating in ratings.items()}
    return MissedViewpoints(
        len(model_verdicts.rows),
        weighty,
        model_verdicts=model_verdicts,
        missed=mean_interval([*map(float, weighty.values())], scale="share", reason="no answer"),
        ratings={rating: [*ratings.values()].count(rating) for rating in RATINGS},
        unrated=len(model_verdicts.rows) - len(ratings),
        foreign=len(every) - len(wanted),
    )


def reviewed(
    review: Review,
    benchmark: str | Path,
    name: str,
    labels: str | Path | None,
    output: str | Path | None,
    **settings: Unpack[RequestRunSettings],
) -> ReviewedRows:
    """Return the verdicts on the rows of a review, from a completed form or from a model; rows without an
    answer have none.

    ``labels`` is a completed form, which is read. Otherwise, the model (if any) is called, and the form
    ``output`` (if any) is written for annotators with the model's verdicts. The model's run is stored next to
    the form, in a folder with the ending ``.run``.

    Raises:
        DeclarationError: the completed form answers none of the rows, there is neither a form nor a
            model, or another form would be replaced.
    """
    names = [str(row[0]) for row in review.rows]
    if not names:
        return ReviewedRows(0, {})
    if labels is not None:
        answers = read_review(Path(labels), review.column)
        known = {one: answers[one] for one in names if one in answers}
        if not known:
            raise DeclarationError(
                f"{labels} answers none of the {len(names)} rows: fill its column {review.column} with yes or "
                "no, and use the benchmark, encoder and threshold with which the annotation form was made"
            )
        return ReviewedRows(len(names), known)
    form, model_verdicts = as_path(output), None
    verdicts: dict[str, bool] = {}
    if settings.get("model") is not None:
        beside = None if form is None else form.with_suffix(".run")
        model_verdicts = judge_rows(
            review.verdict, review.subjects, source=benchmark, name=name, output=beside, **settings
        )
        verdicts = {row.id: bool(row.answer[review.field]) for row in model_verdicts.rows if row.answered}
    if form is not None:
        words = {True: "yes", False: "no", None: ""}
        rows = [(*row, words[verdicts.get(one)]) for one, row in zip(names, review.rows, strict=True)]
        content = csv_text((*review.head, review.column), rows)
        write_new({form: content}, overwrite=settings.get("overwrite", False), register=Path(benchmark))
    elif model_verdicts is None:
        raise DeclarationError(
            f"{len(names)} rows need a label: write them for annotators with -o FORM, have a "
            "judge label them with --model, or read a filled-in form with --labels FORM"
        )
    return ReviewedRows(len(names), verdicts, form, model_verdicts)

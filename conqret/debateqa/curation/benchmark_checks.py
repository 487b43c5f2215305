"""The checks of a benchmark that annotators or a judge decide (DebateQA, A.3 and Table 11): are the points of view
complete, do two of them say the same, and do answers hold viewpoints that are missed?

What is looked at are the rows of a :class:`~conqret.debateqa.curation.review.Review`. A sheet leaves them to
annotators, a model answers them as a run, and a filled sheet is read back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from conqret.debateqa.curation.benchmark_figures import (
    ALIKE,
    MadeBenchmark,
    alike_views,
    near_chunks,
    read_made,
)
from conqret.debateqa.curation.check_verdicts import (
    CheckVerdict,
    Subject,
    VerdictFolder,
    VerdictPlan,
    VerdictRow,
)
from conqret.debateqa.curation.embeddings import LEXICAL, embedder
from conqret.debateqa.curation.review import (
    MISSED,
    Review,
    missed_subjects,
    read_review,
    review_chunks,
    review_pairs,
)
from conqret.debateqa.debateqa_files import check_answers, read_answers
from conqret.errors import DeclarationError, strict_options
from conqret.io.label_sheets import csv_text
from conqret.io.overwriting import write_new
from conqret.judging.judge_settings import AskedSettings, as_path, asked_session
from conqret.runs.engine import run
from conqret.runs.run_folder import default_folder, stem
from conqret.runs.session import Session
from conqret.runs.study_run import StudyOutcome
from conqret.stats.estimate import Estimate, undefined
from conqret.stats.resampling import mean_interval

Verdicts = StudyOutcome[VerdictRow, None]
"""What a model said of rows, as a run."""

RunVerdicts = Callable[[CheckVerdict, Sequence[Subject], str, Path | None], Verdicts]
"""How a model is asked: for what, about which subjects, under which name a run without a folder is kept, and where."""

RATINGS = (5, 4, 3, 2, 1)
"""How far an answer holds viewpoints that are missed; 5 is weighty ones."""


@dataclass(frozen=True)
class ReviewedRows:
    """What is known of rows that are to be looked at: ``verdicts`` by id, the ``sheet`` that was written, and the run
    of the model that was asked."""

    rows: int
    verdicts: Mapping[str, bool]
    sheet: Path | None = None
    asked: Verdicts | None = None


@dataclass(frozen=True)
class Comprehensiveness:
    """The share of the five nearest chunks of each question whose perspectives are all among its points of view, with
    an interval over questions; without a value where nobody has looked at any."""

    covered: Estimate
    reviewed: ReviewedRows

    @classmethod
    def of(cls, reviewed: ReviewedRows) -> Comprehensiveness:
        """The share among the rows that were looked at."""
        verdicts = reviewed.verdicts
        if not verdicts:
            return cls(undefined("no chunk has a label"), reviewed)
        values = [float(covered) for covered in verdicts.values()]
        questions = [chunk.rpartition("/")[0] for chunk in verdicts]
        return cls(mean_interval(values, questions, scale="share"), reviewed)


@dataclass(frozen=True)
class Distinctiveness:
    """How many points of view a benchmark has, how many pairs of them belong to one question, and the rows of pairs
    with a cosine of ``threshold`` or more, of which a verdict says whether both are the same."""

    views: int
    pairs: int
    threshold: float
    reviewed: ReviewedRows

    @classmethod
    def of(cls, made: MadeBenchmark, threshold: float, reviewed: ReviewedRows) -> Distinctiveness:
        """The figures of a benchmark whose similar pairs were looked at."""
        counts = [len(question.partial_answers) for question in made.questions]
        return cls(sum(counts), sum(count * (count - 1) // 2 for count in counts), threshold, reviewed)

    @property
    def duplicates(self) -> int:
        """How many pairs are called duplicates."""
        return sum(self.reviewed.verdicts.values())


@dataclass(frozen=True)
class MissedViewpoints:
    """The share of answers that hold a weighty viewpoint which no partial answer has (a rating of 5), and how many
    answers have each rating, none, or no question in the benchmark."""

    missed: Estimate
    ratings: Mapping[int, int]
    unrated: int
    foreign: int
    asked: Verdicts

    @classmethod
    def of(cls, asked: Verdicts, foreign: int) -> MissedViewpoints:
        """The figures of the ratings that a model gave."""
        ratings = [int(row.answer["rating"]) for row in asked.rows if row.answered]
        weighty = [float(rating == RATINGS[0]) for rating in ratings]
        share = mean_interval(weighty, scale="share") if weighty else undefined("no answer")
        counts = {rating: ratings.count(rating) for rating in RATINGS}
        return cls(share, counts, len(asked.rows) - len(ratings), foreign, asked)


@strict_options
def benchmark_coverage(
    benchmark: str | Path,
    *,
    encoder: str = LEXICAL,
    labels: str | Path | None = None,
    output: str | Path | None = None,
    **settings: Unpack[AskedSettings],
) -> Comprehensiveness:
    """Check whether the points of view hold all that the five nearest chunks of each question say (DebateQA, A.3).

    Args:
        benchmark: the folder of ``conqret debateqa curate``.
        encoder: the folder of a sentence-transformers model, or ``lexical``: word stems by TF-IDF.
        labels: the sheet, filled in with yes and no; no model is called then.
        output: the sheet to write as CSV; a judge's run lies beside it. Without ``model`` it is left for annotators.
        settings: who is asked, and how: :class:`conqret.judging.judge_settings.AskedSettings`. Without ``model`` no
            model is asked.

    Raises:
        DeclarationError: there is no finished benchmark, none of labels, output and model is given, the sheet answers
            no row, another one would be replaced, or a setting is wrong.
    """
    review = chunks_to_review(read_made(benchmark), encoder)
    return Comprehensiveness.of(_reviewed(review, Path(benchmark), "chunks", labels, output, settings))


@strict_options
def benchmark_duplicates(
    benchmark: str | Path,
    *,
    encoder: str = LEXICAL,
    threshold: float = ALIKE,
    labels: str | Path | None = None,
    output: str | Path | None = None,
    **settings: Unpack[AskedSettings],
) -> Distinctiveness:
    """Check which points of view of one question may say the same (DebateQA, A.3).

    Args:
        benchmark: the folder of ``conqret debateqa curate``.
        encoder: the folder of a sentence-transformers model, or ``lexical``: word stems by TF-IDF.
        threshold: the cosine from which two points of view count as similar and are looked at.
        labels: the sheet, filled in with yes and no; no model is called then.
        output: the sheet to write as CSV, for :func:`conqret.remove_partial_answers`; a judge's run lies beside it.
        settings: as :func:`benchmark_coverage`.

    Raises:
        DeclarationError: as :func:`benchmark_coverage`, or the threshold is outside (0, 1].
    """
    made = read_made(benchmark)
    review = pairs_to_review(made, encoder, threshold)
    reviewed = (
        _reviewed(review, Path(benchmark), "pairs", labels, output, settings)
        if review.rows
        else ReviewedRows(0, {})
    )
    return Distinctiveness.of(made, threshold, reviewed)


@strict_options
def missed_viewpoints(
    benchmark: str | Path,
    answers: str | Path,
    *,
    output: str | Path | None = None,
    **settings: Unpack[AskedSettings],
) -> MissedViewpoints:
    """Ask how many answers hold a weighty viewpoint that the partial answers miss (DebateQA, Table 11).

    Args:
        benchmark: the folder of ``conqret debateqa curate``.
        answers: answers to its questions: id and generation.
        output: the run's folder, by default ``runs/ANSWERS-viewpoints-MODEL``; the same call goes on there.
        settings: who is asked, and how: :class:`conqret.judging.judge_settings.AskedSettings`.

    Raises:
        DeclarationError: there is no finished benchmark, no answer belongs to one of its questions, or a setting is
            wrong. No model is asked then.
    """
    wanted, foreign = answers_to_rate(benchmark, answers)
    with asked_session(settings) as session:
        ask = _asks(session, answers, overwrite=settings.get("overwrite", False))
        return MissedViewpoints.of(ask(MISSED, wanted, "viewpoints", as_path(output)), foreign)


def chunks_to_review(made: MadeBenchmark, encoder: str) -> Review:
    """The nearest chunks of each question, to be called covered or not."""
    return review_chunks(made, near_chunks(made, embedder(encoder)))


def pairs_to_review(made: MadeBenchmark, encoder: str, threshold: float) -> Review:
    """The similar points of view of one question, to be called the same or not."""
    return review_pairs(made, alike_views(made, embedder(encoder), threshold))


def answers_to_rate(benchmark: str | Path, answers: str | Path) -> tuple[list[Subject], int]:
    """What is asked about each answer to a question of the benchmark, and how many answers have no question there.

    Raises:
        DeclarationError: no answer has.
    """
    every = check_answers(Path(answers))
    wanted = missed_subjects(read_made(benchmark), list(read_answers(Path(answers))))
    if not wanted:
        raise DeclarationError(
            f"none of the {len(every)} answers has the id of a question of {benchmark}: give answers to these questions"
        )
    return wanted, len(every) - len(wanted)


def labelled_rows(review: Review, labels: Path) -> ReviewedRows:
    """What a filled sheet says of the rows.

    Raises:
        DeclarationError: it answers none of them.
    """
    answers = read_review(labels, review.column)
    names = [str(row[0]) for row in review.rows]
    known = {name: answers[name] for name in names if name in answers}
    if not known:
        raise DeclarationError(
            f"{labels} answers none of the {len(review.rows)} rows: fill its column {review.column} with yes or "
            "no, and use the benchmark, encoder and threshold with which the annotation form was made"
        )
    return ReviewedRows(len(review.rows), known)


def reviewed_rows(
    review: Review,
    benchmark: Path,
    name: str,
    sheet: Path | None,
    ask: RunVerdicts | None,
    *,
    overwrite: bool,
) -> ReviewedRows:
    """What a model says of the rows, and the sheet for annotators, with the model's answers where it has any.

    Raises:
        DeclarationError: there is neither a sheet nor a model, or another sheet would be replaced.
    """
    asked = None
    verdicts: dict[str, bool] = {}
    if ask is not None:
        beside = None if sheet is None else sheet.with_suffix(".run")
        asked = ask(review.verdict, review.subjects, name, beside)
        verdicts = {row.id: review.said(row.answer) for row in asked.rows if row.answered}
    if sheet is not None:
        words = {True: "yes", False: "no", None: ""}
        rows = [(*row, words[verdicts.get(str(row[0]))]) for row in review.rows]
        content = csv_text((*review.head, review.column), rows)
        write_new({sheet: content}, overwrite=overwrite, register=benchmark)
    elif ask is None:
        raise DeclarationError(
            f"{len(review.rows)} rows need a label: write them for annotators with -o FORM, have a "
            "judge label them with --model, or read a filled-in form with --labels FORM"
        )
    return ReviewedRows(len(review.rows), verdicts, sheet, asked)


def _reviewed(
    review: Review,
    benchmark: Path,
    name: str,
    labels: str | Path | None,
    output: str | Path | None,
    settings: AskedSettings,
) -> ReviewedRows:
    if labels is not None:
        return labelled_rows(review, Path(labels))
    overwrite = settings.get("overwrite", False)
    if settings.get("model") is None:
        return reviewed_rows(review, benchmark, name, as_path(output), None, overwrite=overwrite)
    with asked_session(settings) as session:
        ask = _asks(session, benchmark, overwrite=overwrite)
        return reviewed_rows(review, benchmark, name, as_path(output), ask, overwrite=overwrite)


def _asks(session: Session, source: str | Path, *, overwrite: bool) -> RunVerdicts:
    def ask(verdict: CheckVerdict, subjects: Sequence[Subject], name: str, folder: Path | None) -> Verdicts:
        place = folder or default_folder(stem(Path(source)), name, session.options.model)
        return run(VerdictPlan(session, VerdictFolder(place), verdict, subjects), overwrite=overwrite)

    return ask

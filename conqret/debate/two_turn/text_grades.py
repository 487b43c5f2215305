"""How good the texts of two-turn debates are: what annotators say of arguments and counter-arguments (Parrish et al.
2022, section C.1), and grades of counter-arguments by the rubric (Table 3), by a judge or by annotators.

``read_annotations``: a row is what one annotator says of one text: columns ``question``, ``text`` (argument or
counter-argument), ``option`` (1 or 2: which one the text argues for), ``annotator``, and at least one of ``quality`` (1
to 10), ``responds`` (yes or no, of counter-arguments) and ``strategies`` (a list, or names with ``;`` between them).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, Literal, Unpack, get_args

from conqret.data import Document, Item, Judgment
from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.debate.debatune.statement_scores import judge_by_format
from conqret.debate.two_turn.two_turn_files import SideArgument, TwoTurnQuestion, read_two_turn
from conqret.errors import DeclarationError, strict_options
from conqret.io.cell_values import MAX_ID, as_list
from conqret.io.checks import Identifier, between, identifier, one_of
from conqret.io.files import file_rows
from conqret.io.label_set import LabelSet
from conqret.io.labels import read_labels
from conqret.io.pairs import ANSWERS
from conqret.io.rows import InvalidCell, quoted
from conqret.io.schema import TableReader, in_columns
from conqret.judges.counter_argument import METRICS
from conqret.judging.judge_settings import JudgeSettings
from conqret.judging.judgments import Judgments
from conqret.runs.session import SessionCounts
from conqret.show.table import Column, Table
from conqret.stats.estimate import Estimate
from conqret.stats.resampling import mean_interval

Kind = Literal["argument", "counter-argument"]
BEST = 10
"""The scale of quality: from 1, poor, to 10, the best that the writer could have made."""


def _names(value: object, where: str, reader: TableReader) -> tuple[str, ...]:
    listed = (
        value.split(";") if isinstance(value, str) and not value.lstrip().startswith("[") else as_list(value)
    )
    if not isinstance(listed, list):
        raise InvalidCell(f"is {quoted(value)}", "Write names of strategies with ; between them")
    names = [identifier(name, where, reader).casefold() for name in listed if str(name).strip()]
    return tuple(dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class TextAnnotation:
    """One annotator's annotation of one text.

    Attributes:
        for_right: True if the text argues for the right option.
        quality: 1 to 10; None where it was not rated.
        responds: True if a counter-argument directly responds to the argument; None where this was not
            annotated.
        strategies: the names of the writer's strategies; empty where none were noted.
    """

    question: Annotated[Identifier, in_columns("question", "question_id", needed="Name the question")]
    annotator: Annotated[Identifier, in_columns("annotator", "rater", needed="Name who says so")]
    kind: Annotated[
        Kind,
        one_of(get_args(Kind), "kind of text"),
        in_columns("text", "kind", needed="Write argument or counter-argument"),
    ]
    option: Annotated[
        int,
        between(1, 2, "Write 1 or 2: the option that the text argues for"),
        in_columns("option", "argues_for", needed="Write which option the text argues for: 1 or 2"),
    ]
    quality: Annotated[
        int | None,
        between(1, BEST, f"Write a whole number from 1 to {BEST}"),
        in_columns("quality", "rating"),
    ]
    responds: Annotated[bool | None, one_of(ANSWERS, "answer"), in_columns("responds", "directly_responds")]
    strategies: Annotated[tuple[str, ...], _names, in_columns("strategies", "strategy")] = ()
    passage: str = ""
    for_right: bool = False


def read_annotations(path: Path, questions: Sequence[TwoTurnQuestion]) -> tuple[TextAnnotation, ...]:
    """Read and check annotations of the texts of these questions.

    Raises:
        ItemsError: rows have faults: an unknown question, a missing text, a third option, an annotator
            twice on one text, or an empty row; all are listed.
        DeclarationError: there is no row.
    """
    known = {item.id: item for item in questions}
    reader, annotations = TableReader(file_rows(path)), list[TextAnnotation]()
    for annotation in reader.read_as(TextAnnotation):
        question, kind = known.get(annotation.question), annotation.kind
        if question is None:
            problem = f"is {quoted(annotation.question)}, which is none of the questions"
            reader.fault("question", problem, "Correct it")
            continue
        if kind == "counter-argument" and question.sides[2 - annotation.option].counter is None:
            problem = f"is a counter-argument, and {quoted(question.id)} has none"
            reader.fault("text", problem, "Remove the row")
        if kind == "argument" and annotation.responds is not None:
            problem = "is said of an argument, and only counter-arguments respond"
            reader.fault("responds", problem, "Remove it")
        if annotation.quality is None and annotation.responds is None and not annotation.strategies:
            problem, remedy = "is missing, and nothing else is said", "Rate the text, or remove the row"
            reader.fault("quality", problem, remedy)
        key = f"{question.id}, {kind} for option {annotation.option}, {annotation.annotator}"
        reader.once("question", key, "Keep one row of this annotator on this text")
        for_right = annotation.option == question.right
        annotations.append(replace(annotation, passage=question.passage_id, for_right=for_right))
    reader.finish(wanted="annotations")
    return tuple(annotations)


@dataclass(frozen=True, slots=True)
class AnnotatedTexts:
    """The summary of the texts of one kind for one option; intervals are over passages.

    Attributes:
        quality: the mean rating, 1 to 10.
        difference: the mean absolute difference between two annotators' ratings of one text.
        responds: the share of annotations that say that the text directly responds to the argument.
        strategies: the number of texts on which any annotator noted each strategy, the most frequent
            first.
    """

    kind: Kind
    for_right: bool
    texts: int
    quality: Estimate
    difference: Estimate
    responds: Estimate
    strategies: dict[str, int]


@strict_options
def summarize_annotations(annotations: str | Path, *, questions: str | Path) -> tuple[AnnotatedTexts, ...]:
    """Summarize annotations of the texts of debates, by kind of text and by the option argued for.

    Arguments come first, and among them those for the right option.

    Args:
        annotations: a table with a row for each annotator and text.
        questions: the questions whose texts were annotated.

    Raises:
        ItemsError: rows have faults; all are listed.
        DeclarationError: there is no row, or no question.
    """
    read = read_annotations(Path(annotations), read_two_turn(questions))
    groups = gathered(((text.kind, not text.for_right), text) for text in read)
    return tuple(_annotated(group) for _, group in sorted(groups.items()))


def _annotated(annotations: Sequence[TextAnnotation]) -> AnnotatedTexts:
    by_text = gathered((annotation.question, annotation) for annotation in annotations)
    apart = [
        (abs(quality - other), texts[0].passage)
        for texts in by_text.values()
        for quality, other in combinations([text.quality for text in texts if text.quality is not None], 2)
    ]
    noted = Counter(
        name for texts in by_text.values() for name in {name for text in texts for name in text.strategies}
    )

    def mean(values: Iterable[tuple[int | None, str]], reason: str, ends: tuple[int, int]) -> Estimate:
        known = [(int(value), passage) for value, passage in values if value is not None]
        numbers, passages = [number for number, _ in known], [passage for _, passage in known]
        return mean_interval(numbers, passages, ends=ends, reason=reason)

    return AnnotatedTexts(
        kind=annotations[0].kind,
        for_right=annotations[0].for_right,
        texts=len(by_text),
        quality=mean(
            ((annotation.quality, annotation.passage) for annotation in annotations),
            "nobody rated the quality",
            (1, BEST),
        ),
        difference=mean(apart, "nobody rated what another one rated", (0, BEST - 1)),
        responds=mean(
            ((annotation.responds, annotation.passage) for annotation in annotations),
            "nobody was asked",
            (0, 1),
        ),
        strategies=dict(sorted(noted.items(), key=lambda pair: (-pair[1], pair[0]))),
    )


def annotation_tables(summaries: Sequence[AnnotatedTexts]) -> Iterator[Table]:
    """Yield the table of the ratings (as in Table 7), and that of the strategies if any were noted."""
    named = [
        (f"{summary.kind} for the {'right' if summary.for_right else 'wrong'} option", summary)
        for summary in summaries
    ]
    yield Table(
        "Ratings of the texts by annotators",
        {
            Column("text", "name"): (0,),
            "texts": (1, "texts"),
            "quality, 1 to 10": (1, "quality"),
            "difference": (1, "difference"),
            "responds": (1, "responds"),
        },
        named,
        note="Difference: between two annotators' ratings of one text, without its sign. Responds: the share of the "
        "answers that say that a counter-argument directly responds to the argument. Intervals are over passages.",
    )
    if noted := [
        (strategy, name, f"{count} of {summary.texts}")
        for name, summary in named
        for strategy, count in summary.strategies.items()
    ]:
        yield Table(
            "Strategies, by the texts on which anybody noted them",
            (Column("strategy", "text"), Column("text", "name"), "texts"),
            noted,
        )


FORMAT = "counter-argument"
SCALE = "1:5"
HIRED_FROM = 3.3
"""The mean grade from which writers were hired (section A.1)."""

ArguedFor = Literal["right", "wrong"]
_WRITER, _PASSAGE, _KIND = "writer", "passage_id", "argues_for"


class RubricGrade(Frozen):
    """The mean grades of a group of counter-arguments, 1 to 5, with 95% intervals over passages.

    The rubric (Table 3) grades how ``convincing`` the text is, how well its ``snippets`` support it, and how well it
    ``addresses`` the argument; ``overall`` is the mean of all these grades. ``counter_arguments`` counts all of the
    group, ``ungraded`` those of them without a grade. ``writer`` is empty where unknown. ``argues_for`` is the option
    that they argue for, None for both.
    """

    writer: str
    argues_for: ArguedFor | None
    counter_arguments: int
    convincing: Estimate
    snippets: Estimate
    addresses: Estimate
    overall: Estimate
    ungraded: int


@dataclass(frozen=True, slots=True)
class CounterGrades:
    """The grades of each writer's counter-arguments, and the judgments behind them (None if annotators
    graded)."""

    grades: tuple[RubricGrade, ...]
    judgments: Judgments | None = None

    @property
    def session(self) -> SessionCounts:
        """Return the counts of the requests of this call and of earlier ones."""
        return SessionCounts() if self.judgments is None else self.judgments.session

    @property
    def missing(self) -> Sequence[str]:
        """Return the keys of the responses that a replay lacked."""
        return () if self.judgments is None else self.judgments.missing


@strict_options
def grade_counter_arguments(
    questions: str | Path,
    *,
    labels: str | Path | Sequence[str | Path] | None = None,
    **settings: Unpack[JudgeSettings],
) -> CounterGrades:
    """Grade counter-arguments from 1 to 5: how convincing they are, how well snippets help, and if they
    answer the argument.

    Args:
        questions: a file of two-turn debates with counter-arguments.
        labels: annotators' grades from ``conqret labels collect --task counter-argument``, which replace
            a model's.
        settings: those of :func:`conqret.judge`, without ``format``.

    Returns:
        The grades of each writer, and the judgments.

    Raises:
        DeclarationError: there is no counter-argument, none is graded, or the call is wrong.
    """
    items = counter_items(read_two_turn(questions))
    if labels is not None:
        if settings.get("model") is not None:
            raise DeclarationError(
                "--labels gives the grades of annotators, and --model has an LLM grade: leave one of them out"
            )
        files = [Path(labels)] if isinstance(labels, str | Path) else [Path(label) for label in labels]
        known = read_labels(files, scales=[SCALE])
        return CounterGrades(rubric(items, annotator_grades(items, known)))
    judgments = judge_by_format(items, FORMAT, settings)
    return CounterGrades(rubric(items, judge_grades(judgments)), judgments)


def counter_items(questions: Sequence[TwoTurnQuestion]) -> tuple[Item, ...]:
    """Return an item for each counter-argument, with the argument that it answers, and the passage as its
    document.

    Raises:
        DeclarationError: there is no counter-argument.
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
"""The grades of one counter-argument by metric, 1 to 5: one of a judge, several of annotators, or none."""


def judge_grades(judgments: Iterable[Judgment]) -> Iterator[Grades]:
    """Yield a judge's grades of each counter-argument, by criterion; empty where it has no valid response."""
    for judgment in judgments:
        raw = {name: judgment.measures[name].raw for name in METRICS}
        yield {name: () if grade is None else (grade,) for name, grade in raw.items()}


def annotator_grades(items: Iterable[Item], labels: LabelSet) -> list[Grades]:
    """Return for each counter-argument, in order, annotators' grades by criterion; empty where none was
    given.

    Raises:
        DeclarationError: no counter-argument is graded.
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
    """Return the mean grades of each writer, by the option argued for and overall; ``grades`` are in the
    order of ``items``."""
    by_writer = gathered((pair[0].metadata[_WRITER], pair) for pair in zip(items, grades, strict=True))
    kept: tuple[ArguedFor | None, ...] = ("right", "wrong", None)
    return tuple(
        _graded(writer, kind, [pair for pair in graded_items if kind in (None, pair[0].metadata[_KIND])])
        for writer, graded_items in by_writer.items()
        for kind in kept
    )


def _graded(writer: str, kind: ArguedFor | None, graded_items: Sequence[tuple[Item, Grades]]) -> RubricGrade:
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
    """Return an item of the counter-argument against the side at ``place`` (0 or 1), with the argument that
    it answers as the second argument."""
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
    """Build the table of rubric grades, with a row for each writer and option argued for (Table 3)."""
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

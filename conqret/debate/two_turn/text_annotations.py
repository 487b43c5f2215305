"""``read_annotations``: what people say of the arguments and counter-arguments of two-turn debates.

A row is what one person says of one text: columns ``question``, ``text`` (argument or counter-argument), ``option`` (1
or 2: which one the text argues for), ``annotator``, and at least one of ``quality`` (1 to 10), ``responds`` (yes or no,
of counter-arguments) and ``strategies`` (a list, or names with ``;`` between them). (Parrish et al. 2022, section C.1.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, Literal, get_args

from conqret.data.digest import gathered
from conqret.debate.two_turn.two_turn_files import TwoTurnQuestion, read_two_turn
from conqret.errors import strict_options
from conqret.io.cell_values import as_list
from conqret.io.checks import Identifier, between, identifier, one_of
from conqret.io.files import file_rows
from conqret.io.pairs import ANSWERS
from conqret.io.rows import Unfit, quoted
from conqret.io.schema import TableReader, in_columns
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
        raise Unfit(f"is {quoted(value)}", "Write names of strategies with ; between them")
    names = [identifier(name, where, reader).casefold() for name in listed if str(name).strip()]
    return tuple(dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class TextAnnotation:
    """What one person says of one text.

    Attributes:
        for_right: whether the text argues for the right option.
        quality: 1 to 10; None where it was not rated.
        responds: whether a counter-argument directly responds to the argument; None where that was not said.
        strategies: names of what the writer does; empty where none were noted.
    """

    question: Annotated[Identifier, in_columns("question", "question_id", needed="Name the question")]
    annotator: Annotated[Identifier, in_columns("annotator", "rater", needed="Name who says so")]
    kind: Annotated[
        Kind,
        one_of({kind: kind for kind in get_args(Kind)}, "kind of text"),
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
    """Read annotations of the texts of these questions, all of them checked.

    Raises:
        ItemsError: rows have faults: an unknown question, a text that is not there, a third option, one person twice on
            one text, or a row that says nothing; all are listed.
        DeclarationError: there is no row.
    """
    known = {item.id: item for item in questions}
    reader, annotations = TableReader(file_rows(path)), list[TextAnnotation]()
    for said in reader.read_as(TextAnnotation):
        question, kind = known.get(said.question), said.kind
        if question is None:
            problem = f"is {quoted(said.question)}, which is none of the questions"
            reader.fault("question", problem, "Correct it")
            continue
        if kind == "counter-argument" and question.sides[2 - said.option].counter is None:
            problem = f"is a counter-argument, and {quoted(question.id)} has none"
            reader.fault("text", problem, "Remove the row")
        if kind == "argument" and said.responds is not None:
            problem = "is said of an argument, and only counter-arguments respond"
            reader.fault("responds", problem, "Remove it")
        if said.quality is None and said.responds is None and not said.strategies:
            problem, remedy = "is missing, and nothing else is said", "Rate the text, or remove the row"
            reader.fault("quality", problem, remedy)
        key = f"{question.id}, {kind} for option {said.option}, {said.annotator}"
        reader.once("question", key, "Keep one row of this annotator on this text")
        for_right = said.option == question.right
        annotations.append(replace(said, passage=question.passage_id, for_right=for_right))
    reader.finish(wanted="annotations")
    return tuple(annotations)


@dataclass(frozen=True, slots=True)
class AnnotatedTexts:
    """The texts of one kind for one option; intervals are over passages.

    Attributes:
        quality: the mean rating, 1 to 10.
        difference: the mean absolute difference between two people's ratings of one text.
        responds: the share of the answers that say that it directly responds to the argument.
        strategies: on how many texts each was noted by anybody, the commonest first.
    """

    kind: Kind
    for_right: bool
    texts: int
    quality: Estimate
    difference: Estimate
    responds: Estimate
    strategies: dict[str, int]


@strict_options
def summarize_annotations(annotations: str | Path, *, of: str | Path) -> tuple[AnnotatedTexts, ...]:
    """Summarize what annotators say of the texts of debates, by kind of text and by the option argued for: arguments
    first, those for the right one first.

    Args:
        annotations: a table with a row for each annotator and text.
        of: the questions whose texts were annotated.

    Raises:
        ItemsError: rows have faults; all are listed.
        DeclarationError: there is no row, or no question.
    """
    read = read_annotations(Path(annotations), read_two_turn(of))
    groups = gathered(((text.kind, not text.for_right), text) for text in read)
    return tuple(_annotated(group) for _, group in sorted(groups.items()))


def _annotated(text_annotations: Sequence[TextAnnotation]) -> AnnotatedTexts:
    by_text = gathered((annotation.question, annotation) for annotation in text_annotations)
    rated = [
        (annotation.quality, annotation.passage)
        for annotation in text_annotations
        if annotation.quality is not None
    ]
    apart = [
        (abs(quality - other), texts[0].passage)
        for texts in by_text.values()
        for quality, other in combinations([text.quality for text in texts if text.quality is not None], 2)
    ]
    responses = [
        (int(annotation.responds), annotation.passage)
        for annotation in text_annotations
        if annotation.responds is not None
    ]
    noted = Counter(
        name for texts in by_text.values() for name in {name for text in texts for name in text.strategies}
    )

    def mean(values: Sequence[tuple[int, str]], reason: str, ends: tuple[int, int]) -> Estimate:
        numbers, passages = [number for number, _ in values], [passage for _, passage in values]
        return mean_interval(numbers, passages, ends=ends, reason=reason)

    return AnnotatedTexts(
        kind=text_annotations[0].kind,
        for_right=text_annotations[0].for_right,
        texts=len(by_text),
        quality=mean(rated, "nobody rated the quality", (1, BEST)),
        difference=mean(apart, "nobody rated what another one rated", (0, BEST - 1)),
        responds=mean(responses, "nobody was asked", (0, 1)),
        strategies=dict(sorted(noted.items(), key=lambda pair: (-pair[1], pair[0]))),
    )


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

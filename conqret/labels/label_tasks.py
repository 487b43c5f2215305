"""What people are asked on pages: conqret's own tasks, each with the screens of an item."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from conqret.data import Document, Item
from conqret.debate.two_turn.rubric import FORMAT, counter_items
from conqret.debate.two_turn.two_turn_files import read_two_turn
from conqret.debateqa.debateqa_files import check_answers, read_answers
from conqret.errors import DeclarationError
from conqret.io.pairs import read_pairs
from conqret.io.questions import read_sourced
from conqret.judges.citation_support import pairs
from conqret.judging.dimensions import DIMENSIONS
from conqret.judging.judge_parts import JUDGES
from conqret.labels.screens import Choice, Screen, ScreenPassage, ScreenQuestion, rating
from conqret.labels.task import (
    RATING_SHEET,
    AnnotationTask,
    TaskRequest,
    needing,
    passages,
    screen_of,
    where_any,
)
from conqret.labels.task_choice import format_task
from conqret.text.sentences import sentences

_KNOWN = {dimension.name: dimension for dimension in DIMENSIONS}


def question(name: str, low: int, high: int) -> ScreenQuestion:
    """What is asked under this name; a dimension of argument quality with its definition."""
    choices = rating(low, high, {low: "lowest", high: "highest"})
    known = _KNOWN.get(name)
    if known is None:
        return ScreenQuestion(name=name, asks=name.replace("_", " ").capitalize(), choices=choices)
    return ScreenQuestion(name=name, asks=known.question, guide=(known.definition,), choices=choices)


def _rating_screens(item: Item, wanted: TaskRequest) -> Iterator[Screen]:
    shown = passages(item, ("argument", "second_argument", "documents"))
    if shown:
        scale = wanted.scale or RATING_SHEET.scale
        asked = [question(name, *scale) for name in wanted.metrics or RATING_SHEET.dimensions]
        yield screen_of(item, shown, asked)


_OF = "rag-fine-grained"
"""The format whose scale and words are taken: labels of people stand beside its judgments."""


def _all_of_them(wanted: TaskRequest) -> TaskRequest:
    return replace(wanted, metrics=wanted.metrics or tuple(dimension.name for dimension in DIMENSIONS))


SYSTEMS = "systems"
"""Under this key of an item's metadata stand the names of the two systems whose texts are compared."""
PREFERENCE = ScreenQuestion(
    name="preference",
    asks="Which argument is better?",
    guide=(
        "The better one is that which should move a sensible reader more, by reasons and evidence that hold and bear "
        "on the question. Whether you share its view, how long it is, and whether it is A or B do not matter.",
    ),
    choices=(
        Choice(value="first", says="A"),
        Choice(value="tie", says="neither", meaning="they are as good, or as bad, as each other"),
        Choice(value="second", says="B"),
    ),
    mirrored={"first": "second", "second": "first"},
)


def two_sides(item: Item, wanted: TaskRequest, question: ScreenQuestion) -> Iterator[Screen]:
    """The item's two texts as A and B, the sides drawn; nothing, where it lacks one."""
    if not item.argument or not item.second_argument:
        return
    compared = _systems(item)
    swapped = random.Random(" ".join([str(wanted.seed), item.id, *compared])).random() < 0.5
    texts = [item.argument, item.second_argument]
    if swapped:
        texts.reverse()
    both = [ScreenPassage(title=title, text=text) for title, text in zip("AB", texts, strict=True)]
    shown = [*both, *passages(item, ("documents",))]
    part = " against ".join(compared)
    yield screen_of(item, shown, [question], part=part, swapped=swapped, compared=compared)


def _systems(item: Item) -> tuple[str, ...]:
    named = item.metadata.get(SYSTEMS)
    return tuple(map(str, named)) if isinstance(named, (list, tuple)) and len(named) == 2 else ()


SUPPORT = ScreenQuestion(
    name="citation_support",
    asks="Does the document bear out the marked sentence?",
    guide=(
        "Go by the text of this document alone, without what you know yourself. What has to be borne out is what the "
        "sentence states as fact, or reports that somebody says; what its author concludes from it need not be.",
    ),
    choices=(
        Choice(
            value="supports",
            meaning="it says so, in these or other words; numbers, names, dates and negations agree",
        ),
        Choice(value="contradicts", meaning="it says something that cannot be true together with it"),
        Choice(value="silent", meaning="it does not say it, says only a part of it, or something weaker"),
    ),
)


def _citation_screens(item: Item, wanted: TaskRequest) -> Iterator[Screen]:
    argument = item.argument or ""
    spans = sentences(argument)
    for number, cited in pairs(item):
        sentence = spans[number - 1]
        lit = ScreenPassage(title="Argument", text=argument, lit=((sentence.start, sentence.end),))
        shown = (lit, *passages(item, ("documents",), only=cited - 1))
        yield screen_of(item, shown, [SUPPORT], part=f"sentence {number}, document {cited}")


def _yes_or_no(name: str, asks: str, yes: str, no: str) -> ScreenQuestion:
    choices = (Choice(value="1", says="yes", meaning=yes), Choice(value="0", says="no", meaning=no))
    return ScreenQuestion(name=name, asks=asks, choices=choices)


PARTIAL_ANSWER_QUESTIONS = (
    _yes_or_no(
        "grounded",
        "Do the documents bear out what it says?",
        "all that it states stands in a document, in these or other words",
        "something of weight stands in none of them, or against one",
    ),
    _yes_or_no(
        "answers_question",
        "Does it answer the question from one perspective?",
        "whoever asked learns what one side says, and why",
        "it speaks of something else, or takes no side",
    ),
    _yes_or_no(
        "ethical",
        "Is it free of what offends common morals?",
        "nothing in it degrades or threatens anybody, or calls for harm",
        "something in it does",
    ),
)


def _partial_answer_screens(item: Item, wanted: TaskRequest) -> Iterator[Screen]:
    if item.argument and item.documents:
        shown = (ScreenPassage(title="Partial answer", text=item.argument), *passages(item, ("documents",)))
        yield screen_of(item, shown, PARTIAL_ANSWER_QUESTIONS, heading=item.topic)


CONTAINS = ScreenQuestion(
    name="contains_perspective",
    asks="Does the document contain the perspective?",
    guide=(
        "It does if somebody who holds the perspective would cite the document for it. Its author need not hold it, "
        "and the words need not be the same. Go by this document alone.",
    ),
    choices=(
        Choice(value="yes", meaning="it says so, or gives a reason or evidence for it"),
        Choice(value="no", meaning="it is about something else, says the opposite, or only names the matter"),
    ),
)


def pairs_as_items(path: Path) -> list[Item]:
    """The pairs of a file, each as an item whose argument is the perspective. Raises what :func:`read_pairs` does."""
    return [
        Item(
            id=pair.id,
            topic=pair.question or pair.perspective,
            documents=(Document(id="document", text=pair.document),),
            argument=pair.perspective,
        )
        for pair in read_pairs(path)
    ]


def _perspective_screens(item: Item, wanted: TaskRequest) -> Iterator[Screen]:
    if item.argument and item.documents:
        (document,) = passages(item, ("documents",), only=0)
        shown = (
            ScreenPassage(title="Perspective", text=item.argument),
            document.model_copy(update={"title": "Document"}),
        )
        yield screen_of(item, shown, [CONTAINS], heading=item.topic)


def counter_arguments(path: Path) -> tuple[Item, ...]:
    """An item for each counter-argument. Raises what :func:`read_two_turn` and :func:`counter_items` do."""
    return counter_items(read_two_turn(path))


ANSWERS = "answers.jsonl"
"""Of each system, in a folder that bears its name."""
QUESTIONS = "questions"
"""What the file of questions beside the folders of systems is called, before its ending."""

BETTER = ScreenQuestion(
    name="preference",
    asks="Which answer is better?",
    guide=(
        "The question is one on which sensible people differ. A good answer says so, covers the sides that matter, and "
        "gives for each of them evidence that is specific, sufficient and can be believed.",
        "Keep your own view out of it. You may look things up.",
    ),
    choices=PREFERENCE.choices,
    mirrored=PREFERENCE.mirrored,
)


def answers_of_two(folder: Path) -> list[Item]:
    """Every two answers to a question: ``folder`` holds a folder with ``answers.jsonl`` for each system, called by its
    name, and ``questions.jsonl`` (or another table).

    Raises:
        DeclarationError: there are no questions, or fewer than two systems.
        ItemsError: a file has faults.
    """
    systems = sorted(file.parent for file in folder.glob("*/" + ANSWERS))
    tables = sorted(folder.glob(f"{QUESTIONS}.*"))
    if len(systems) < 2 or len(tables) != 1:
        raise DeclarationError(
            f"{folder} contains answers of {len(systems)} systems and {len(tables)} files of questions: it needs a "
            f"folder with {ANSWERS} for each of two or more systems (conqret debateqa answer -o {folder}/SYSTEM), and "
            f"the questions as {QUESTIONS}.jsonl"
        )
    answers: dict[str, dict[str, str]] = {}
    for system in systems:
        check_answers(system / ANSWERS)
        answers[system.name] = {answer.id: answer.text for answer in read_answers(system / ANSWERS)}
    return [
        Item(
            id=question.id,
            topic=question.question,
            argument=answers[first][question.id],
            second_argument=answers[second][question.id],
            metadata={SYSTEMS: [first, second]},
        )
        for question in read_sourced(tables)
        for first, second in combinations(answers, 2)
        if question.id in answers[first] and question.id in answers[second]
    ]


TASKS = (
    AnnotationTask("rating", RATING_SHEET.summary, _rating_screens, needs=where_any("argument")),
    AnnotationTask(
        "dimensions",
        "rate an argument on its 15 quality dimensions",
        lambda item, wanted: format_task(JUDGES[_OF]).screens(item, _all_of_them(wanted)),
        needs=lambda wanted, has: format_task(JUDGES[_OF]).needs(_all_of_them(wanted), has),
    ),
    AnnotationTask(
        "preference",
        "say which of two arguments is better, or neither",
        lambda item, wanted: two_sides(item, wanted, PREFERENCE),
        needs=needing("argument", "second_argument"),
    ),
    AnnotationTask(
        "citation-support",
        "say whether each cited document bears out the sentence that cites it",
        _citation_screens,
        needs=needing("argument", "documents"),
    ),
    AnnotationTask(
        "partial-answer",
        "say whether a partial answer is grounded in its documents, answers the question, and is ethical",
        _partial_answer_screens,
        needs=needing("argument", "documents"),
    ),
    AnnotationTask(
        "perspective",
        "say whether a document contains a perspective",
        _perspective_screens,
        reads=pairs_as_items,
    ),
    AnnotationTask(
        FORMAT,
        "rate how well a counter-argument answers an argument",
        lambda item, wanted: format_task(JUDGES[FORMAT]).screens(item, wanted),
        reads=counter_arguments,
    ),
    AnnotationTask(
        "answer-preference",
        "say which of two systems' answers is better",
        lambda item, wanted: two_sides(item, wanted, BETTER),
        reads=answers_of_two,
    ),
)

"""conqret's own annotation tasks (``TASKS``), each with the screens of an item. ``questions.toml`` has
their questions.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path

from conqret.data import Document, Item
from conqret.debate.two_turn.text_grades import FORMAT, counter_items
from conqret.debate.two_turn.two_turn_files import read_two_turn
from conqret.debateqa.debateqa_files import read_answers
from conqret.errors import DeclarationError
from conqret.io.pairs import read_pairs
from conqret.io.questions import read_sourced
from conqret.judges.citation_support import pairs
from conqret.judging.dimensions import BY_NAME
from conqret.judging.judge_parts import JUDGES
from conqret.labels.screens import Screen, ScreenPassage, ScreenQuestion, rating
from conqret.labels.task import (
    QUESTIONS,
    YES_AND_NO,
    AnnotationTask,
    TaskRequest,
    needing,
    passages,
    screen_of,
    where_any,
)
from conqret.labels.task_choice import format_task
from conqret.text.sentences import sentences


def _rated(name: str, low: int, high: int) -> ScreenQuestion:
    """Return the question of this name, rated from ``low`` to ``high``; a dimension of argument quality has
    its definition.
    """
    yes, no = YES_AND_NO.get(name, ("highest", "lowest")) if (low, high) == (0, 1) else ("highest", "lowest")
    choices = rating(low, high, {low: no, high: yes})
    known = BY_NAME.get(name)
    if known is None:
        return ScreenQuestion(name=name, asks=name.replace("_", " ").capitalize(), choices=choices)
    return ScreenQuestion(name=name, asks=known.question, guide=(known.definition,), choices=choices)


def _rating_screens(item: Item, wanted: TaskRequest) -> Iterator[Screen]:
    shown = passages(item, ("argument", "second_argument", "reference", "documents"))
    if shown:
        questions = [
            _rated(name, *(wanted.scale or (1, 5))) for name in wanted.metrics or ("overall_quality",)
        ]
        yield screen_of(item, shown, questions)


SYSTEMS = "systems"
"""The key of an item's metadata with the names of the two systems whose texts are compared."""


def _two_sides(item: Item, wanted: TaskRequest, task: str) -> Iterator[Screen]:
    """Yield one screen with the item's two texts as A and B, in an order drawn from the seed and the item's id; none if
    the item lacks one of them. Two systems named in its metadata become the screen's part and what it compares."""
    if not item.argument or not item.second_argument:
        return
    named = item.metadata.get(SYSTEMS)
    compared = tuple(map(str, named)) if isinstance(named, (list, tuple)) and len(named) == 2 else ()
    swapped = random.Random(" ".join([str(wanted.seed), item.id, *compared])).random() < 0.5
    texts = [item.argument, item.second_argument]
    if swapped:
        texts.reverse()
    both = [ScreenPassage(title=title, text=text) for title, text in zip("AB", texts, strict=True)]
    shown = [*both, *passages(item, ("documents",))]
    part = " against ".join(compared)
    yield screen_of(item, shown, QUESTIONS[task], part=part, swapped=swapped, compared=compared)


def _verdict_screens(item: Item, wanted: TaskRequest) -> Iterator[Screen]:
    """The item's argument, to pass or to fail."""
    shown = passages(item, ("argument", "reference", "documents"))
    if shown:
        yield screen_of(item, shown, QUESTIONS["verdict"])


def _citation_screens(item: Item, wanted: TaskRequest) -> Iterator[Screen]:
    argument = item.argument or ""
    spans = sentences(argument)
    for number, cited in pairs(item):
        sentence = spans[number - 1]
        lit = ScreenPassage(title="Argument", text=argument, lit=((sentence.start, sentence.end),))
        shown = (lit, *passages(item, ("documents",), only=cited - 1))
        yield screen_of(
            item, shown, QUESTIONS["citation-support"], part=f"sentence {number}, document {cited}"
        )


def _partial_answer_screens(item: Item, wanted: TaskRequest) -> Iterator[Screen]:
    if item.argument and item.documents:
        shown = (ScreenPassage(title="Partial answer", text=item.argument), *passages(item, ("documents",)))
        yield screen_of(item, shown, QUESTIONS["partial-answer"], heading=item.topic)


def pairs_as_items(path: Path) -> list[Item]:
    """Read the pairs of a file as items whose argument is the perspective and whose one document is the
    pair's.

    Raises:
        DeclarationError: as :func:`read_pairs`.
    """
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
        yield screen_of(item, shown, QUESTIONS["perspective"], heading=item.topic)


ANSWERS = "answers.jsonl"
"""The name of the file with a system's answers, in a folder with the system's name."""
SOURCES = "questions"
"""The stem of the file of questions, next to the folders of systems."""


def answers_of_two(folder: Path) -> list[Item]:
    """Return an item for every two systems' answers to each question, with these as argument and second
    argument; a pair of which one left the question unanswered has none.

    ``folder`` has a table of questions (such as ``questions.jsonl``) and, for each system, a folder of its
    name with ``answers.jsonl``.

    Raises:
        DeclarationError: there is not exactly one table of questions, or there are fewer than two systems.
        ItemsError: a file has faults.
    """
    systems = sorted(file.parent for file in folder.glob("*/" + ANSWERS))
    tables = sorted(folder.glob(f"{SOURCES}.*"))
    if len(systems) < 2 or len(tables) != 1:
        raise DeclarationError(
            f"{folder} contains answers of {len(systems)} systems and {len(tables)} files of questions: it needs a "
            f"folder with {ANSWERS} for each of two or more systems (conqret debateqa answer -o {folder}/SYSTEM), and "
            f"the questions as {SOURCES}.jsonl"
        )
    answers = {system.name: read_answers(system / ANSWERS) for system in systems}
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
    AnnotationTask(
        "rating",
        "rate the argument on each dimension, given the texts next to it",
        _rating_screens,
        needs=where_any("argument"),
        dimensions=("overall_quality",),
    ),
    AnnotationTask(
        "verdict",
        "say whether an output passes or fails",
        _verdict_screens,
        needs=where_any("argument"),
        dimensions=("verdict",),
        scale=(0, 1),
    ),
    replace(  # labels stand next to this format's judgments, on its scale
        format_task(JUDGES["rag-fine-grained"], tuple(BY_NAME)),
        name="dimensions",
        summary="rate an argument on its 15 quality dimensions",
    ),
    AnnotationTask(
        "preference",
        "say which of two arguments is better, or neither",
        partial(_two_sides, task="preference"),
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
        dimensions=("grounded", "answers_question", "ethical"),
        scale=(0, 1),
        form="say 1 or 0: the partial answer is grounded in its documents, answers the question from one perspective, "
        "and violates no moral code",
    ),
    AnnotationTask(
        "perspective",
        "say whether a document contains a perspective",
        _perspective_screens,
        reads=pairs_as_items,
    ),
    replace(
        format_task(JUDGES[FORMAT]),
        summary="rate how well a counter-argument answers an argument",
        reads=lambda path: counter_items(read_two_turn(path)),
    ),
    AnnotationTask(
        "answer-preference",
        "say which of two systems' answers is better",
        partial(_two_sides, task="answer-preference"),
        reads=answers_of_two,
    ),
)

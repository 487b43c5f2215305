"""Which task a name means: one with screens of its own, a sheet's, a format of the judge, or a file of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from conqret.data import Item
from conqret.data.item import Frozen, Identifier, NonEmpty
from conqret.errors import UnknownNameError, check_known
from conqret.io.label_sheets import LabelTask
from conqret.io.toml import read_toml, toml_error
from conqret.judging.judge_parts import JUDGES
from conqret.labels.sampling import TASKS
from conqret.labels.screens import Choice, Screen, ScreenPassage, ScreenQuestion, rating
from conqret.labels.task import (
    ANNOTATION_TASKS,
    AnnotationTask,
    TaskRequest,
    needing,
    passages,
    screen_of,
    where_any,
    with_gold,
)
from conqret.labels.task_formats import format_task, states_ratings


def task_of(name: str) -> AnnotationTask:
    """The task that ``name`` means; a path that ends in ``.toml`` is a task of one's own.

    Raises:
        UnknownNameError: there is none; the message names the nearest.
        DeclarationError: the file cannot be read.
    """
    if name.endswith(".toml"):
        return custom_task(Path(name))
    if name in ANNOTATION_TASKS:
        return ANNOTATION_TASKS[name]
    if name in TASKS:
        return _of_a_sheet(TASKS[name])
    if name in JUDGES:
        return format_task(JUDGES[name])
    formats = [name for name in JUDGES if states_ratings(JUDGES[name])]
    raise UnknownNameError("task", name, dict.fromkeys([*ANNOTATION_TASKS, *TASKS, *formats]))


def screens_of(task: AnnotationTask, items: Iterable[Item], wanted: TaskRequest) -> list[Screen]:
    """All screens of all items, in their order, with the questions that are wanted.

    Raises:
        UnknownNameError: no screen has a question of that name.
        DeclarationError: an answer that an item says is known cannot be chosen.
    """
    screens = [with_gold(item, screen) for item in items for screen in task.screens(item, wanted)]
    names = dict.fromkeys(question.name for screen in screens for question in screen.questions)
    if screens:
        check_known(f"question of the task {task.name}", names, *wanted.metrics)
    return [narrowed for screen in screens if (narrowed := screen.about(wanted.metrics)).questions]


def _of_a_sheet(task: LabelTask) -> AnnotationTask:
    """The screens that ask what ``conqret labels sample`` asks on a sheet."""

    def screens(item: Item, wanted: TaskRequest) -> Iterable[Screen]:
        low, high = wanted.scale or task.scale
        shown = task.shows(item)
        passages = [
            ScreenPassage(title=name.replace("_", " ").capitalize(), text=text)
            for name, text in shown.items()
            if name not in ("topic", "stance") and text.strip()
        ]
        questions = [
            ScreenQuestion(name=name, asks=name.replace("_", " ").capitalize(), choices=rating(low, high))
            for name in wanted.metrics or task.dimensions
        ]
        yield screen_of(item, passages, questions)

    return AnnotationTask(task.name, task.summary, screens, needs=lambda wanted, has: task.needs)


EACH_DOCUMENT = "each document"


class _QuestionForm(Frozen):
    name: Identifier
    asks: NonEmpty
    guide: str = ""
    choices: tuple[Choice, ...] = Field(min_length=2)


class _Custom(Frozen):
    shows: tuple[Literal["argument", "second_argument", "reference", "documents", "each document"], ...] = (
        "argument", "documents",
    )  # fmt: skip
    summary: str = ""
    questions: tuple[_QuestionForm, ...] = Field(min_length=1)


def custom_task(path: Path) -> AnnotationTask:
    """The task that a TOML file declares::

        shows = ["argument", "documents"]        # or "each document", one screen a document

        [[questions]]
        name = "persuasive"
        asks = "Would this move somebody who is undecided?"
        guide = "Go by the text alone."
        choices = [
            { value = "1", says = "no" },
            { value = "2", says = "perhaps" },
            { value = "3", says = "yes", meaning = "most undecided readers would lean to its side" },
        ]

    Raises:
        DeclarationError: the file cannot be read, or declares no task; with the place.
    """
    text, table = read_toml(path)
    try:
        declared = _Custom.model_validate(table)
    except ValidationError as error:
        faults = [(problem["loc"], problem["msg"]) for problem in error.errors(include_url=False)]
        raise toml_error(path, text, faults, "task") from None
    questions = tuple(
        ScreenQuestion(
            name=question.name, asks=question.asks, choices=question.choices,
            guide=tuple(line for line in question.guide.splitlines() if line.strip()),
        )
        for question in declared.questions
    )  # fmt: skip

    def screens(item: Item, wanted: TaskRequest) -> Iterator[Screen]:
        if EACH_DOCUMENT not in declared.shows:
            yield screen_of(item, passages(item, declared.shows), questions)
            return
        for place, document in enumerate(item.documents):
            shown = passages(item, {*declared.shows, "documents"}, only=place)
            yield screen_of(item, shown, questions, part=document.id)

    shown = where_any(*{"argument"}.intersection(declared.shows))
    needs = needing("documents") if EACH_DOCUMENT in declared.shows else shown
    return AnnotationTask(
        path.stem, declared.summary or f"the questions of {path.name}", screens, needs=needs
    )

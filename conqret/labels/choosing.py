"""Which task a name means: one with screens of its own, a sheet's, a format of the judge, or a file of one's own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from conqret.data import Item
from conqret.errors import UnknownNameError, check_known
from conqret.io.label_sheets import LabelTask
from conqret.judging.judge_parts import JUDGES
from conqret.labels.custom import custom_task
from conqret.labels.sampling import TASKS
from conqret.labels.screens import Screen, ScreenPassage, ScreenQuestion, rating
from conqret.labels.task import ANNOTATION_TASKS, AnnotationTask, Wanted, screen_of, with_gold
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


def screens_of(task: AnnotationTask, items: Iterable[Item], wanted: Wanted) -> list[Screen]:
    """All screens of all items, in their order, with the questions that are wanted.

    Raises:
        UnknownNameError: no screen has a question of that name.
        DeclarationError: an answer that an item says is known cannot be chosen.
    """
    screens = [with_gold(item, screen) for item in items for screen in task.screens(item, wanted)]
    names = dict.fromkeys(question.name for screen in screens for question in screen.questions)
    if screens:
        check_known(f"question of the task {task.name}", names, *wanted.metrics)
    return [found for screen in screens if (found := screen.about(wanted.metrics)).questions]


def _of_a_sheet(task: LabelTask) -> AnnotationTask:
    """The screens that ask what ``conqret labels sample`` asks on a sheet."""

    def screens(item: Item, wanted: Wanted) -> Iterable[Screen]:
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

"""Find the task of a name: conqret's own or a plug-in's, one in a TOML file, or that of a judge format,
whose ratings annotators give by the format's own definitions, points and scale.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from conqret.data import Item
from conqret.data.item import Frozen
from conqret.errors import DeclarationError, UnknownNameError, check_known
from conqret.io.source import Share
from conqret.io.toml import read_toml, toml_error
from conqret.judging.dimensions import BY_NAME
from conqret.judging.instrument import filled
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.judge_parts import JUDGES, SECOND, Case, Judge
from conqret.judging.setup import PROBE
from conqret.labels.screens import Screen, ScreenQuestion, rating
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
from conqret.options import fault_text
from conqret.prompts import Library


def task_of(name: str) -> AnnotationTask:
    """Return the task with this name, that of a judge format, or the one in a ``.toml`` file.

    Raises:
        UnknownNameError: no task has this name; the message names the nearest.
        DeclarationError: the file cannot be read.
    """
    if name.endswith(".toml"):
        return custom_task(Path(name))
    if name in ANNOTATION_TASKS:
        return ANNOTATION_TASKS[name]
    if name in JUDGES:
        return format_task(JUDGES[name])
    formats = [name for name in JUDGES if states_ratings(JUDGES[name])]
    raise UnknownNameError("task", name, dict.fromkeys([*ANNOTATION_TASKS, *formats]))


def screens_of(task: AnnotationTask, items: Iterable[Item], wanted: TaskRequest) -> list[Screen]:
    """Return all screens of all items in order, with only the requested questions (``wanted.metrics``;
    empty: all).

    Raises:
        UnknownNameError: no screen has a question of that name.
        DeclarationError: a known answer is not among the question's choices.
    """
    screens = [with_gold(item, screen) for item in items for screen in task.screens(item, wanted)]
    names = dict.fromkeys(question.name for screen in screens for question in screen.questions)
    if screens:
        check_known(f"question of the task {task.name}", names, *wanted.metrics)
    return [narrowed for screen in screens if (narrowed := screen.about(wanted.metrics)).questions]


def run_form(folder: Path) -> AnnotationTask:
    """Return the form whose labels stand next to the scores of the run in ``folder``: that of ``rating`` if the judge
    scores its dimensions, else one of the run's metrics, on the judge's scale if it rates, and otherwise from 0 to 1.

    Raises:
        DeclarationError: the folder has no run of ``conqret judge``.
    """
    rated, record = ANNOTATION_TASKS["rating"], JudgeFolder(folder).record()
    if set(rated.dimensions) <= set(record.metrics):
        return rated
    ends = _SCALE.fullmatch(JUDGES[record.format].scale) if record.format in JUDGES else None
    scale = (int(ends[1]), int(ends[2])) if ends else (0, 1)
    return replace(rated, dimensions=tuple(record.metrics), scale=scale)


EACH_DOCUMENT = "each document"


class _Custom(Frozen):
    shows: tuple[Literal["argument", "second_argument", "reference", "documents", "each document"], ...] = (
        "argument",
        "documents",
    )
    summary: str = ""
    questions: tuple[ScreenQuestion, ...] = Field(min_length=1)


def custom_task(path: Path) -> AnnotationTask:
    """Return the annotation task that a TOML file declares. Such a file is, for example::

        shows = ["argument", "documents"]        # or "each document", one screen a document

        [[questions]]
        name = "persuasive"
        asks = "Would this move an annotator who is undecided?"
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
        faults = [(problem["loc"], fault_text(problem)) for problem in error.errors(include_url=False)]
        raise toml_error(path, text, faults, "task") from None

    def screens(item: Item, wanted: TaskRequest) -> Iterator[Screen]:
        if EACH_DOCUMENT not in declared.shows:
            yield screen_of(item, passages(item, declared.shows), declared.questions)
            return
        for place, document in enumerate(item.documents):
            shown = passages(item, {*declared.shows, "documents"}, only=place)
            yield screen_of(item, shown, declared.questions, part=document.id)

    shown = where_any(*{"argument"}.intersection(declared.shows))
    needs = needing("documents") if EACH_DOCUMENT in declared.shows else shown
    return AnnotationTask(
        path.stem, declared.summary or f"the questions of {path.name}", screens, needs=needs
    )


PREFERENCE = "preference"
"""The name of the task that rates the metric of this name."""
_SCALE = re.compile(r"\A(\d++) to (\d++)")
_DERIVED = ("predicted_precision",)
"""What follows from other ratings and is not requested."""
_POINT = re.compile(r"^(?:- )?(\d+)(?: \([^)]*\)|, [^:]*)?: (.+)$")
"""A line of a prompt that says what a point of a scale stands for."""
_BETWEEN = "What a dimension calls the middle"
"""How the line begins that says which points are the middle and the low of a definition."""
_NOTICE = "Everything between the tags"
"""How the paragraph for models about texts from outside begins; annotators need none."""


def format_task(judge: Judge, metrics: tuple[str, ...] = ()) -> AnnotationTask:
    """Return the task in which annotators rate the ``metrics`` of ``judge``; all its metrics if none are
    given.

    Its functions raise ``DeclarationError`` if the format has no ratings.
    """

    def screens(item: Item, wanted: TaskRequest) -> Iterator[Screen]:
        known, named = rateable(judge), wanted.metrics or metrics
        return _screens(judge, [metric for metric in known if not named or metric in named], item)

    def needs(wanted: TaskRequest, has: Mapping[str, Share]) -> frozenset[str]:
        """As for the judge: without a choice, ratings are left out whose fields no item has."""
        named = wanted.metrics or metrics
        each = [judge.select([name])[0].needs for name in rateable(judge) if not named or name in named]
        possible = [fields for fields in each if all(has[name] != "none" for name in fields)]
        return frozenset[str]().union(*(each if named else possible or each))

    return AnnotationTask(judge.name, judge.summary, screens, needs=needs)


def states_ratings(judge: Judge) -> bool:
    """Return True if the judge format requests ratings on an integer scale, which annotators can use,
    too."""
    return bool(judge.judge_prompts) and _SCALE.fullmatch(judge.scale) is not None


def rateable(judge: Judge) -> tuple[str, ...]:
    """Return the metrics of a judge format that annotators can rate on its scale.

    Raises:
        DeclarationError: the format has no ratings.
    """
    if not states_ratings(judge):
        why = (
            f"has no scale on which annotators could rate ({judge.scale})"
            if judge.judge_prompts
            else "has no rating"
        )
        raise DeclarationError(
            f"the format {judge.name} {why}; use a format with ratings, such as rag-fine-grained"
        )
    return tuple(
        metric
        for metric in judge.metrics
        if metric not in (*_DERIVED, PREFERENCE) and not metric.startswith(SECOND)
    )


def _screens(judge: Judge, metrics: Sequence[str], item: Item) -> Iterator[Screen]:
    library = Library()  # of the prompts from which the questions are explained
    questions = {metric: _question(judge, metric, library) for metric in metrics}
    needs = {metric: judge.select([metric])[0].needs for metric in metrics}
    single = [metric for metric in metrics if needs[metric] == {"documents"}]
    had = {metric for metric in metrics if all(getattr(item, name) for name in needs[metric])}
    whole = [metric for metric in metrics if metric in had and metric not in single]
    for place, document in enumerate(item.documents if single else ()):
        shown = passages(item, ("documents",), only=place)
        asked = [questions[metric] for metric in single]
        yield screen_of(item, shown, asked, part=document.id, heading=item.topic)
    if whole:
        fields = frozenset[str]().union(*(needs[metric] for metric in whole))
        yield screen_of(item, passages(item, fields), [questions[metric] for metric in whole])


def _question(judge: Judge, metric: str, library: Library) -> ScreenQuestion:
    """Return the question for a metric, with explanation and meanings of ratings taken from the judge's own
    prompt.
    """
    ask = judge.select([metric])[0]
    system = filled(library[ask.prompt], ask, Case(PROBE)).system
    low, high = map(int, judge.scale.split(" to "))
    points = {int(found[1]): found[2] for line in system.splitlines() if (found := _POINT.match(line))}
    asks, paragraphs = _explained(metric, system)
    return ScreenQuestion(name=metric, asks=asks, choices=rating(low, high, points), guide=paragraphs)


def _explained(metric: str, system: str) -> tuple[str, tuple[str, ...]]:
    """Return the question of a metric, and the paragraphs of a judge's prompt that explain it to annotators, without
    notices to the judge and lines of points. The paragraphs that begin with the metric's name are taken, or all if none
    does; a dimension of argument quality has its own question and definition."""
    if (dimension := BY_NAME.get(metric)) is not None:
        named = [line for line in system.splitlines() if line.startswith(_BETWEEN)]
        named = named if "In the middle:" in dimension.definition else []
        return dimension.question, (dimension.definition, *named)
    blocks = [block.strip() for block in re.split(r"\n\s*\n", system) if block.strip()]
    blocks = [block for block in blocks if not block.startswith(_NOTICE)]
    named = [block for block in blocks if block.startswith(f"{metric}:")]
    lines = [line for block in named or blocks for line in block.removeprefix(f"{metric}:").splitlines()]
    paragraphs = tuple(line.strip() for line in lines if line.strip() and not _POINT.match(line))
    return f"How would you rate the {metric.replace('_', ' ')}?", paragraphs

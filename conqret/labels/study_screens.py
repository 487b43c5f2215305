"""The screens of a study: those of all items, or of a plan's items in its order; and practice screens,
which all annotators get first and whose answers they are told.

An annotator with too few right answers gets no other screens. Answers without a known one to compare with, such as
counter-arguments, are read by the study's organizers, who let the writer go on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Unpack

from conqret.data import Item
from conqret.debate.two_turn.slider_answers import SliderAnswer
from conqret.errors import DeclarationError, ItemsError, number
from conqret.io import CheckedItems, ItemSource, open_items
from conqret.io.limits import whole_text
from conqret.judging.judge_settings import ItemSettings
from conqret.labels.answer_ledger import Ledger
from conqret.labels.database import FILE
from conqret.labels.screens import Annotator, Screen, ScreenResponse, Study
from conqret.labels.task import GOLD, AnnotationTask, TaskRequest
from conqret.labels.task_choice import screens_of, task_of

EVERYTHING = TaskRequest()
"""A request for all questions of a task, on its own scale."""


@dataclass(frozen=True)
class PlannedScreens:
    """The screens of a study in order, with notes for the user.

    ``estimates`` is false if a plan selected items by a judge's scores. ``probability`` is that of each
    item being drawn, if a plan drew them.
    """

    screens: list[Screen]
    notes: list[str]
    estimates: bool = True
    probability: float | None = None


def items_of(
    path: Path,
    task: str,
    wanted: TaskRequest = EVERYTHING,
    *,
    on_check: Callable[[CheckedItems], object] = lambda checked: None,
    **reading: Unpack[ItemSettings],
) -> Iterable[Item]:
    """Read and check the items of a file (``path``) for a task and the questions ``wanted``.

    A task may read a file format of its own. ``on_check`` gets the summary of the check, and ``reading``
    says how items are read.

    Raises:
        ItemsError: rows have faults, or lack a field that the task shows.
        DeclarationError: there is no such task, the file cannot be read, or nothing can be left out of it.
    """
    asked = task_of(task)
    if asked.reads is None:
        return _sound_items(path, asked, wanted, on_check, reading)
    if reading.get("skip_invalid"):
        raise DeclarationError(
            f"the task {task} reads files of its own, of which no row can be left out: correct the file"
        )
    return asked.reads(path)


def _sound_items(
    path: Path,
    task: AnnotationTask,
    wanted: TaskRequest,
    on_check: Callable[[CheckedItems], object],
    reading: ItemSettings,
) -> ItemSource:
    """Return a checked file of items that have what the task shows. ``on_check`` is called with the result of the
    check. Faults in what the task needs are listed together with all others.

    Raises:
        ConqretError: as :func:`items_of`.
    """
    source = open_items(path, **reading)
    try:
        has = source.check().has
    except ItemsError:  # what the task needs is checked all the same, so that all faults are told at once
        has = replace(source, skip_invalid=True).check().has
    needs = dict.fromkeys(sorted(task.needs(wanted, has)), f"the task {task.name} shows it")
    source = replace(source, needs=needs)
    on_check(source.check())
    return source


METRICS, SCALE = "metrics", "scale"
"""The keys of a plan with the metrics and the scale of its form."""


def plan_request(plan: Path) -> TaskRequest:
    """Return the metrics and the scale of the form of ``plan``; the defaults of a rating for a plan without them."""
    plan_data = json.loads(whole_text(plan))
    low, high = plan_data.get(SCALE) or (1, 5)
    return TaskRequest(tuple(plan_data.get(METRICS, ())), (low, high))


def planned_screens(
    items: Iterable[Item], task: str, wanted: TaskRequest = EVERYTHING, *, plan: Path | None = None
) -> PlannedScreens:
    """Return the screens of ``task`` for ``items``.

    If ``plan`` is given, a file that ``conqret labels sample`` wrote next to its form, only its items are
    included.

    Raises:
        DeclarationError: there is no such task or metric; the plan cannot be read, or names items that are not there.
    """
    chosen = list(items)
    probability = None
    if plan is not None:
        order, probability = _read(plan)
        known = {item.id: item for item in chosen}
        lacking = [name for name in order if name not in known]
        if lacking:
            raise DeclarationError(
                f"{plan} names {number(len(lacking), 'item')} that are not among the items, for "
                f"example {lacking[0]!r}; give the items from which it was made"
            )
        chosen = [known[name] for name in order]
    screens = screens_of(task_of(task), chosen, wanted)
    shown = {screen.item for screen in screens}
    without = [item.id for item in chosen if item.id not in shown]
    notes = []
    if without and shown:
        notes.append(
            f"{number(len(without), 'item')} lack what the task shows and are left out, {without[0]!r} for one"
        )
    return PlannedScreens(screens, notes, plan is None or probability is not None, probability)


def _read(plan: Path) -> tuple[list[str], float | None]:
    try:
        plan_data = json.loads(whole_text(plan))
        probability = None if plan_data["probability"] is None else float(plan_data["probability"])
        if any("probability" in entry for entry in plan_data["chosen"]):
            raise DeclarationError(
                f"{plan} draws items with unequal probabilities, which annotation pages do not keep: give annotators "
                "the form that conqret labels sample wrote next to it, or draw without --oversample-uncertain"
            )
        return [str(entry["item"]) for entry in plan_data["chosen"]], probability
    except (OSError, ValueError, KeyError, TypeError):
        raise DeclarationError(
            f"{plan} is not a plan of conqret labels sample: give the .plan.json next to its form"
        ) from None


PASSED, NOT_PASSED, WAITING = "active", "not passed", "waiting"
"""The states after practice; ``conqret labels manage FOLDER resume NAME`` lets an annotator go on from any
of them.
"""

Marked = Callable[[Sequence[ScreenResponse]], tuple[int, int] | None]
"""Takes an annotator's practice and returns how many answers are right, and of how many; None where the
organizers have to read it.
"""


def practice_screens(
    path: Path,
    task: str,
    others: Iterable[Screen],
    wanted: TaskRequest = EVERYTHING,
    *,
    on_check: Callable[[CheckedItems], object] = lambda checked: None,
    **reading: Unpack[ItemSettings],
) -> list[Screen]:
    """Return practice screens from the items of a file whose answers are known, for a study with screens
    ``others``.

    ``on_check`` gets the summary of the check.

    Raises:
        ItemsError: the file has faults.
        DeclarationError: no answer is known, or an item is also in the study.
    """
    source = _sound_items(path, task_of(task), wanted, on_check, reading)
    screens = planned_screens(source, task, wanted).screens
    known = [screen for screen in screens if screen.gold]
    if not known:
        raise DeclarationError(
            f"{path} contains no known answers: give each item metadata such as "
            f'{{"{GOLD}": {{"overall_quality": "4"}}, "why": "…"}}, with a question of the task {task}'
        )
    return to_practise(known, others)


def to_practise(screens: Iterable[Screen], others: Iterable[Screen]) -> list[Screen]:
    """Return the screens marked as practice, for a study with screens ``others``.

    Raises:
        DeclarationError: an item is in both the practice and the study.
    """
    for_practice = [screen.model_copy(update={"practice": True}) for screen in screens]
    if both := sorted({screen.item for screen in for_practice} & {screen.item for screen in others}):
        raise DeclarationError(f"{both[0]!r} is in the practice and in the study: remove it from one")
    return for_practice


def end_finished_practice(ledger: Ledger, annotator: Annotator, marked: Marked) -> Annotator:
    """End the practice of an annotator who has finished it, and return the updated annotator.

    Their state becomes passed, not passed, or waiting for review, by the result of ``marked``. If practice
    is not finished, nothing changes.
    """
    if annotator.practised or annotator.state != "active":
        return annotator
    records = list(ledger.finished_answers(practice=True, annotator=annotator.number))
    if len(records) < ledger.study.practice:
        return annotator
    outcome, state = "to be read", WAITING
    if (marks := marked(records)) is not None:
        right, of = marks
        outcome = f"{right} of {of}"
        state = PASSED if right / of >= ledger.study.passing else NOT_PASSED
    ledger.end_practice(annotator, outcome, state)
    return ledger.annotator(annotator.pseudonym)


def marked_by_gold(records: Sequence[ScreenResponse]) -> tuple[int, int]:
    """Return the numbers of correct answers and of all answers that are known; (0, 0) where none is known."""
    right = [is_right for record in records for is_right in record.screen.right(record.answers).values()]
    return sum(right), len(right)


@dataclass(frozen=True)
class PlannedStudy:
    """A study ready to begin: settings, screens, and the texts that these refer to by name.

    ``judged`` are judges' answers on texts written in the study.
    """

    study: Study
    screens: Sequence[Screen]
    texts: Mapping[str, str] = field(default_factory=dict)
    judged: Sequence[SliderAnswer] = ()

    def open(self, folder: Path, names: Sequence[str]) -> Ledger:
        """Open the study in a folder, or create it, and return its ledger.

        If screens were planned for each annotator, the annotators cannot change later.

        Raises:
            DeclarationError: the folder holds another study, or annotators are named who are not in it.
        """
        planned = any(screen.person for screen in self.screens)
        joining = () if planned and (folder / FILE).is_file() else names
        ledger = Ledger.open(folder, self.study, self.screens, joining, texts=self.texts)
        known = [annotator.name for annotator in ledger.annotators()]
        deleted = sum(annotator.state == "deleted" for annotator in ledger.annotators())
        if planned and len(set(names) - set(known)) != deleted:
            ledger.close()
            raise DeclarationError(
                f"{folder} was planned for {', '.join(known)}: name the same annotators, or another -o"
            )
        return ledger

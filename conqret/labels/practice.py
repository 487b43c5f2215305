"""Practice: screens that everybody has first and is told the answers of, and how it ends.

Who has too few of them right gets no others. What nobody can compare with a known answer, as a counter-argument, is
read by who runs the study, who lets its writer go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from conqret.errors import DeclarationError
from conqret.io import CheckedItems
from conqret.labels.answer_ledger import Ledger
from conqret.labels.records import Person, ScreenResponse
from conqret.labels.screens import Screen
from conqret.labels.study_screens import planned_screens, sound_source
from conqret.labels.task import GOLD

PASSED, NOT_PASSED, WAITING = "active", "not passed", "waiting"
"""The states in which practice ends: ``conqret labels manage --resume`` lets somebody go on all the same."""

Marked = Callable[[Sequence[ScreenResponse]], tuple[int, int] | None]
"""How many of so many a person has right in their practice; None where somebody has to read it."""


def practice_screens(
    path: Path,
    task: str,
    others: Iterable[Screen],
    *,
    metrics: Sequence[str] = (),
    scale: tuple[int, int] | None = None,
    skip_invalid: bool = False,
    language: str | None = None,
    on_check: Callable[[CheckedItems], object] = lambda checked: None,
) -> list[Screen]:
    """The screens of the items in a file whose answers are known, for a study of ``others``. ``on_check`` gets what the
    file holds, and which items are left out.

    Raises:
        ItemsError: the file has faults.
        DeclarationError: no answer is known, or an item is among those of the study, too.
    """
    source = sound_source(
        path, task, metrics=metrics, skip_invalid=skip_invalid, language=language, on_check=on_check
    )
    screens = planned_screens(source, task, metrics=metrics, scale=scale).screens
    known = [screen for screen in screens if screen.gold]
    if not known:
        raise DeclarationError(
            f"{path} contains no known answers: give each item metadata such as "
            f'{{"{GOLD}": {{"overall_quality": "4"}}, "why": "…"}}, with a question of the task {task}'
        )
    return to_practise(known, others)


def to_practise(screens: Iterable[Screen], others: Iterable[Screen]) -> list[Screen]:
    """The screens as those that are practised in a study of ``others``.

    Raises:
        DeclarationError: something is practised that the study asks, too.
    """
    for_practice = [screen.model_copy(update={"practice": True}) for screen in screens]
    if both := sorted({screen.item for screen in for_practice} & {screen.item for screen in others}):
        raise DeclarationError(
            f"{both[0]!r} is in the practice and in the study, so annotators know its answer from "
            "the practice: remove it from one"
        )
    return for_practice


def settle(ledger: Ledger, person: Person, marked: Marked) -> Person:
    """End the practice of a person who has done all of it; the person as they stand then."""
    if person.practised or person.state != "active":
        return person
    records = list(ledger.given(practice=True, person=person.number))
    if len(records) < ledger.study.practice:
        return person
    outcome, state = "to be read", WAITING
    if (marks := marked(records)) is not None:
        right, of = marks
        outcome = f"{right} of {of}"
        state = PASSED if right / of >= ledger.study.passing else NOT_PASSED
    ledger.end_practice(person, outcome, state)
    return ledger.person(person.pseudonym)


def marked_by_gold(records: Sequence[ScreenResponse]) -> tuple[int, int]:
    """How many of the answers that are known a person gave."""
    right = [is_right for record in records for is_right in record.screen.right(record.answers).values()]
    return sum(right), len(right)

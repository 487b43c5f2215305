"""What people practise first, and who goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conqret.errors import DeclarationError
from conqret.labels.answer_ledger import Ledger
from conqret.labels.screens import study_of
from conqret.labels.study_screens import end_finished_practice, marked_by_gold, practice_screens
from conqret.labels.task import TaskRequest
from conqret.labels.task_choice import screens_of, task_of
from tests.labels.studies import items

PEOPLE = ("anna", "ben")


def practice_file(folder: Path, count: int = 5, gold: object = "4", **more: object) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / "practice.jsonl"
    rows = [
        {
            "id": f"practice-{n}",
            "topic": "Should shops open on Sundays?",
            "argument": f"On Sundays {n + 2} of ten shops in our town would hire students, who have time then.",
            "second_argument": "Sunday should stay as it always was.",
            "metadata": {
                "gold": {"overall_quality": gold, "preference": "first"},
                "why": "It gives one reason. It does not weigh what speaks against it.",
            },
            **more,
        }
        for n in range(count)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def begun_with_practice(folder: Path, passing: float = 0.8, task: str = "rating", count: int = 3) -> Ledger:
    screens = screens_of(task_of(task), items(count), TaskRequest())
    screens += practice_screens(practice_file(folder), task, screens)
    study = study_of(task, screens, PEOPLE, overlap=2, passing=passing)
    return Ledger.open(folder, study, screens, PEOPLE)


def practise(ledger: Ledger, name: str, values: str) -> str:
    """Have a person answer what is to be practised; the state in which it ends."""
    for value in values:
        person = ledger.annotator(name)
        turn = ledger.next(person)
        assert turn is not None
        assert turn.screen.practice
        ledger.answer(person, turn, {"overall_quality": value}, "", turn.revision)
        end_finished_practice(ledger, ledger.annotator(name), marked_by_gold)
    return ledger.annotator(name).state


def test_practice_counts_nowhere_and_everybody_has_it_in_one_order(tmp_path: Path) -> None:
    ledger = begun_with_practice(tmp_path)
    for name in PEOPLE:
        practise(ledger, name, "44444")
    assert list(ledger.finished_answers()) == []
    assert ledger.wanted() == (0, 6)
    assert ledger.study.screens == 3
    first = [ledger.turn(ledger.annotator("ben"), number) for number in range(6, 11)]
    assert [one.screen.item for one in first if one is not None] == [f"practice-{n}" for n in range(5)]
    assert len(list(ledger.finished_answers(practice=True))) == 10
    ledger.forget(ledger.annotator("ben"))
    assert {record.annotator.name for record in ledger.finished_answers(practice=True)} == {"anna"}


@pytest.mark.parametrize(
    ("more", "gold", "says"),
    [
        ({"metadata": {}}, "4", "contains no known answers"),
        ({}, "7", "which is not a choice; write one of 1, 2, 3, 4, 5"),
        ({"id": "item-0"}, "4", "in the practice and in the study"),
    ],
)
def test_what_cannot_be_practised(tmp_path: Path, more: dict[str, object], gold: str, says: str) -> None:
    others = screens_of(task_of("rating"), items(1), TaskRequest())
    with pytest.raises(DeclarationError, match=says):
        practice_screens(practice_file(tmp_path, 1, gold, **more), "rating", others)

"""answer-preference: which of two answers to a debatable question is better, of every two systems (DebateQA, B.1.1)."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

from conqret.data import Item
from conqret.debateqa.debateqa_files import check_answers, read_answers
from conqret.errors import DeclarationError
from conqret.io.questions import read_sourced
from conqret.labels.screens import ScreenQuestion
from conqret.labels.task import AnnotationTask
from conqret.labels.tasks.preference import PREFERENCE, SYSTEMS, two_sides

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


def items(folder: Path) -> list[Item]:
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
            f"{folder} holds answers of {len(systems)} systems and {len(tables)} files of questions: it is to hold a "
            f"folder with {ANSWERS} for each of two or more systems (conqret debateqa answer -o "
            f"{folder}/SYSTEM), and the "
            f"questions as {QUESTIONS}.jsonl"
        )
    answers: dict[str, dict[str, str]] = {}
    for system in systems:
        check_answers(system / ANSWERS)
        answers[system.name] = {one.id: one.text for one in read_answers(system / ANSWERS)}
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


TASK = AnnotationTask(
    "answer-preference",
    "say which of two systems' answers is better",
    lambda item, wanted: two_sides(item, wanted, BETTER),
    reads=items,
)

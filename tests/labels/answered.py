"""A study in which every annotator has answered."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from conqret.debate.two_turn.judge_answers import give
from conqret.labels.answer_ledger import Ledger
from conqret.labels.survey import survey_questions
from conqret.labels.written_arguments import TASK, Draft


def answer_all(folder: Path) -> None:
    """Answer all screens of a study that are left, for every annotator."""
    with closing(Ledger(folder)) as ledger:
        for person in ledger.annotators():
            while (turn := ledger.next(person)) is not None:
                if turn.screen.judging is not None:
                    ledger.start(person, turn)
                    give(ledger, person, ledger.turn(person, turn.number) or turn, str(turn.number % 3))
                    continue
                said = {
                    question.name: question.choices[
                        (turn.number * person.number) % len(question.choices)
                    ].value
                    for question in turn.screen.questions
                }
                draft = Draft(f"No, says {person.name}.").answers()
                ledger.answer(person, turn, draft if ledger.study.task == TASK else said, "", turn.revision)
            if surveyed := survey_questions(ledger):
                ledger.answer_survey(person, dict.fromkeys(surveyed, f"{person.name} cannot say."))

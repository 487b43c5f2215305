"""The survey after a debate study: open questions to judges (Parrish et al. 2022, section B.3) and to writers, all of
them optional.

It stands on the last page, is exported next to the answers, and is counted by ``conqret debate two-turn outcomes``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from conqret.debate.two_turn.judge_answers import TASK as JUDGING
from conqret.io.checks import Cell, Filled, Identifier
from conqret.io.files import file_rows
from conqret.io.safe_files import csv_text
from conqret.io.schema import TableReader, in_columns
from conqret.labels.answer_ledger import Ledger
from conqret.labels.written_arguments import TASK as WRITING
from conqret.show.table import Column, Table

MAX_SURVEY_ANSWER = 2_000
"""The most characters of an answer: a form holds 64 KiB."""
BY_TURN = {
    "first_judgment": "How did you decide on your first judgment of a question?",
    "second_judgment": "How did you decide on your second judgment, when you had read the counter-arguments?",
    "third_judgment": "How did you decide on your third judgment, when you saw the text?",
}
"""The questions to judges on their strategies, in the order of the judgments."""
SURVEY = {
    JUDGING: {
        **BY_TURN,
        "abstaining": "When did you abstain, and when did you move the slider toward an answer?",
        "abstaining_more": "What would make you abstain more often when you are unsure?",
    },
    WRITING: {
        "strategy": "How did you go about answering an argument?",
        "strategy_wrong": "What did you do differently where you had to argue for the wrong answer?",
        "minutes": "About how many minutes did one text with all its questions take you?",
    },
}
"""The questions by task; those to writers are not the paper's."""


def survey_questions(ledger: Ledger) -> dict[str, str]:
    """Return the questions of a study's survey by name; empty for a study without one.

    There is a question for each judgment on a debate, up to the study's last one.
    """
    asked = SURVEY.get(ledger.study.task, {})
    turns = max((screen.judging.turns for screen in ledger.screens() if screen.judging), default=len(BY_TURN))
    beyond = list(BY_TURN)[turns:]
    return {name: asks for name, asks in asked.items() if name not in beyond}


def survey_file(answers: Path) -> Path:
    """Return the file with the survey of a study whose answers are exported to ``answers``."""
    return answers.with_name(f"{answers.stem}.survey.csv")


def as_survey_answers(ledger: Ledger) -> str:
    """Return the survey of a study as CSV, one row for each answer; empty without answers."""
    asked = survey_questions(ledger)
    rows = [
        (annotator.pseudonym, name, asked[name], answers[name])
        for annotator, answers in ledger.surveys()
        for name in asked
        if name in answers
    ]
    return csv_text(("annotator", "question", "wording", "answer"), rows) if rows else ""


@dataclass(frozen=True, slots=True)
class SurveyAnswer:
    """One annotator's answer to one question of the survey."""

    annotator: Annotated[Identifier, in_columns("annotator", needed="Name the annotator")]
    question: Annotated[Identifier, in_columns("question", needed="Name the question")]
    answer: Annotated[Filled, in_columns("answer", needed="Write the answer")]
    wording: Cell = ""


def read_survey(answers: Path) -> tuple[SurveyAnswer, ...]:
    """Read the survey next to a file of answers; empty if there is none.

    Raises:
        ItemsError: rows have faults; all are listed.
    """
    file = survey_file(answers)
    if not file.is_file():
        return ()
    reader = TableReader(file_rows(file))
    rows = tuple(reader.read_as(SurveyAnswer))
    reader.finish(wanted="answers")
    return rows


def survey_counts(survey: Sequence[SurveyAnswer]) -> dict[str, int]:
    """Return how many annotators answered each question of a survey."""
    return dict(Counter(row.question for row in survey))


def survey_table(survey: Sequence[SurveyAnswer], file: Path) -> Table:
    """Build the table of how many annotators answered each question of the survey in ``file``."""
    asked = {row.question: row.wording or row.question for row in survey}
    annotators = len({row.annotator for row in survey})
    return Table(
        f"Survey after the task, answered by {annotators:,}",
        (Column("question", "text"), "answers"),
        [(asked[name], count) for name, count in survey_counts(survey).items()],
        note=f"The answers are in {file}.",
    )

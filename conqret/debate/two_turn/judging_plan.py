"""Who judges which two-turn debate how: a balanced plan of the study of Parrish et al. 2022 (section 2.2).

Each judge meets each question once, in one condition and under one instruction. Conditions and instructions are as
frequent as can be for every judge, for every question, and for every judge on every passage.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence

from pydantic import TypeAdapter

from conqret.data.digest import gathered
from conqret.debate.two_turn.debate_judge import DebateRequest, askings
from conqret.debate.two_turn.slider_answers import CONDITIONS, Design
from conqret.debate.two_turn.two_turn_files import TwoTurnQuestion
from conqret.errors import DeclarationError
from conqret.labels.answer_ledger import Ledger
from conqret.labels.screens import JudgingScreen, Screen, Study, study_of
from conqret.labels.study_screens import to_practise

TASK = "debate"
"""What the task of such a study is called."""
LIMIT_SECONDS = 300
"""Five minutes for each judgment of the main design, and for the pilot's with the passage (section 2.2)."""
QUESTION: TypeAdapter[TwoTurnQuestion] = TypeAdapter(TwoTurnQuestion)
"""A question as the text that a study keeps of it."""


def debate_study(
    questions: Sequence[TwoTurnQuestion],
    judges: Sequence[str],
    design: Design,
    instructions: Sequence[str],
    *,
    consent: str = "",
    practice: Sequence[TwoTurnQuestion] = (),
    passing: float = 0.0,
) -> tuple[Study, list[Screen], dict[str, str]]:
    """The study with the screens of its plan and the texts of its questions, for :meth:`Ledger.open`; each judge meets
    the questions of ``practice`` first, by a plan of their own.

    Raises:
        DeclarationError: there is no judge, names repeat, the main design lacks a passage, or a question is practised
            and in the study, too.
    """
    screens = planned_judgments(questions, len(judges), design, instructions)
    if practice:
        screens += to_practise(planned_judgments(practice, len(judges), design, instructions), screens)
    return debated(TASK, [*questions, *practice], screens, judges, consent=consent, passing=passing)


def debated(
    task: str,
    questions: Sequence[TwoTurnQuestion],
    screens: list[Screen],
    people: Sequence[str],
    *,
    consent: str = "",
    passing: float = 0.0,
) -> tuple[Study, list[Screen], dict[str, str]]:
    """A study of planned screens, with the texts of the questions that they speak of.

    Raises:
        DeclarationError: there is nobody, or names repeat.
    """
    texts = {question.id: QUESTION.dump_json(question).decode() for question in questions}
    study = study_of(task, screens, people, overlap=1, consent=consent, passing=passing)
    shown = hashlib.sha256("\n".join([study.items, *texts.values()]).encode("utf-8", "backslashreplace"))
    return study.model_copy(update={"items": shown.hexdigest()[:32]}), screens, texts


def planned_judgments(
    questions: Sequence[TwoTurnQuestion],
    judges: int,
    design: Design,
    instructions: Sequence[str],
    seed: int = 13,
) -> list[Screen]:
    """The screens of all judges, each judge's in their order: a screen for every judgment on every question.

    The instructions come one after the other, half of the judges with either first, and the questions of each in an
    order of the judge's own. Which option stands first is drawn for each judge and question.

    Raises:
        DeclarationError: the main design lacks a passage.
    """
    drawn = random.Random(seed)
    asked = gathered(
        ((asking.question.id, asking.condition, asking.instruction, asking.swapped), asking)
        for asking in askings(questions, design, instructions)
    )
    cells = _cells(design, instructions)
    ranks = drawn.sample(range(judges), judges)
    ordered = list(_mixed(questions, drawn))
    screens = []
    for person, rank in enumerate(ranks, start=1):
        mine = [
            (question, *cells[(rank + place) % len(cells)], drawn.random() < 0.5)
            for place, question in enumerate(ordered)
        ]
        drawn.shuffle(mine)
        turned = rank // 2 % 2 == 1
        mine.sort(key=lambda cell: instructions.index(cell[2]), reverse=turned)
        for question, *how in mine:
            turns = asked[(question.id, *how)]  # type: ignore[index]
            screens += [_screen(turn, len(turns), person) for turn in turns]
    return screens


def asking_of(ledger: Ledger, screen: Screen) -> DebateRequest:
    """What a screen of such a study asks, with its question.

    Raises:
        DeclarationError: it is a screen of another study.
    """
    text, shown = ledger.text(screen.item), screen.judging
    if shown is None or not text:
        raise DeclarationError(f"{screen.item!r} is not a question of a debate study")
    question = QUESTION.validate_json(text)
    return DebateRequest(question, shown.condition, shown.turn, shown.instruction, shown.swapped)


def _cells(design: Design, instructions: Sequence[str]) -> list[tuple[str, str]]:
    """Condition and instruction; in a run of any length no condition comes more than once oftener than the other."""
    without, argued = CONDITIONS[design]
    first, last = instructions[0], instructions[-1]
    cells = [(without, first), (argued, last)]
    return cells if first == last else [*cells, (without, last), (argued, first)]


def _mixed(questions: Sequence[TwoTurnQuestion], drawn: random.Random) -> Iterator[TwoTurnQuestion]:
    """The questions in a drawn order, those on one passage together."""
    by_passage = gathered((question.passage_id, question) for question in questions)
    for name in drawn.sample(list(by_passage), len(by_passage)):
        yield from drawn.sample(by_passage[name], len(by_passage[name]))


def _screen(request: DebateRequest, turns: int, person: int) -> Screen:
    timed = request.condition in CONDITIONS["main"] or request.passage
    return Screen(
        item=request.question.id,
        part=str(request.turn),
        heading=request.question.question,
        person=person,
        judging=JudgingScreen(
            condition=request.condition,
            turn=request.turn,
            turns=turns,
            instruction=request.instruction,
            swapped=request.swapped,
            limit=LIMIT_SECONDS if timed else 0,
        ),
    )

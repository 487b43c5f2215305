"""How judges took the counter-arguments of a writer, and what each earned by the rule of Parrish et al. 2022 (section
A.3): a judge is with the right option where the slider was moved toward it at all, and with the wrong one else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from conqret.data.digest import gathered
from conqret.debate.two_turn.judging_plan import QUESTION
from conqret.debate.two_turn.payoffs import writers_bonus
from conqret.debate.two_turn.slider_answers import SliderAnswer
from conqret.debate.two_turn.writer_scores import last_with_arguments
from conqret.errors import DeclarationError
from conqret.labels.answer_ledger import Ledger
from conqret.labels.records import Person, ScreenResponse


@dataclass(frozen=True, slots=True)
class WriterResult:
    """One counter-argument: its question, the ``option`` that it argued for and whether that one is ``right``; how many
    of so many ``judges`` ended on its side, and the ``dollars`` that it earned."""

    question: str
    option: str
    right: bool
    judges: int
    followed: int
    dollars: Fraction


def check_judged(ledger: Ledger, answers: Sequence[SliderAnswer]) -> None:
    """Whether answers are on debates that were written in this study.

    Raises:
        DeclarationError: none is, or none names who wrote.
    """
    answer_keys = [(record.screen.item, record.person.pseudonym) for record in ledger.given()]
    known = {(answer.question, name) for answer in last_with_arguments(answers) for name in _writers(answer)}
    if not known & set(answer_keys):
        raise DeclarationError(
            "these answers judge no text of this study: export its debates (conqret labels export), "
            "have them judged, and give the answers"
        )


def feedback(ledger: Ledger, person: Person, answers: Sequence[SliderAnswer]) -> list[WriterResult]:
    """Each of a writer's counter-arguments that was judged, in the order of the questions."""
    by_question = gathered((answer.question, answer) for answer in last_with_arguments(answers))
    taken = []
    for record in ledger.given(person=person.number):
        mine = [
            judgment
            for judgment in by_question.get(record.screen.item, ())
            if person.pseudonym in _writers(judgment)
        ]
        if mine:
            taken.append(_taken(ledger, record, mine))
    return taken


def _taken(ledger: Ledger, record: ScreenResponse, judged: Sequence[SliderAnswer]) -> WriterResult:
    question = QUESTION.validate_json(ledger.text(record.screen.item))
    argued_for = 3 - record.screen.against
    right = question.right == argued_for
    sliders = [judgment.toward_right or 0 for judgment in judged]
    return WriterResult(
        question.question,
        question.sides[argued_for - 1].option,
        right,
        len(sliders),
        sum((slider > 0) is right for slider in sliders),
        writers_bonus(right, sliders),
    )


def _writers(answer: SliderAnswer) -> tuple[str, str]:
    return answer.for_right, answer.for_wrong

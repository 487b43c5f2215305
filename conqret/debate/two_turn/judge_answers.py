"""A debate study with annotators (Parrish et al. 2022, section 2.2): who judges which debate how, and what they
answered.

The plan is balanced: each judge meets each question once, in one condition and under one instruction. Conditions and
instructions are as frequent as can be for every judge, for every question, and for every judge on every passage.
Answers are within their time or not, earn something, and become the rows that ``conqret debate two-turn outcomes``
reads.
"""

from __future__ import annotations

import contextlib
import hashlib
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction

from pydantic import TypeAdapter

from conqret.data.digest import gathered
from conqret.debate.two_turn.debate_judge import DebateJudgment, DebateRequest, debate_requests
from conqret.debate.two_turn.slider_answers import CONDITIONS, END, INSTRUCTIONS, Design, SliderAnswer
from conqret.debate.two_turn.two_turn_files import TwoTurnQuestion
from conqret.errors import DeclarationError
from conqret.io.safe_files import csv_text
from conqret.labels.answer_ledger import Ledger
from conqret.labels.screens import (
    Annotator,
    JudgingScreen,
    Screen,
    ScreenResponse,
    ScreenTurn,
    StaleAnswerError,
    Study,
    study_of,
)
from conqret.labels.study_screens import NOT_PASSED, to_practise
from conqret.show.table import Column, Table

SLIDER, REASON = "slider", "reason"
"""Under these names stand what was answered, and why nothing was."""
TIME_UP = "no answer within the time"
GRACE_SECONDS = 5
"""How late an answer may come: the page sends it when the time is up, and networks are slow."""
POINTS = tuple(str(point) for point in range(-END, END + 1))


def left(ledger: Ledger, turn: ScreenTurn) -> float | None:
    """Return the seconds left for a judgment, below 0 if its time is over; None if it has not started or has
    no time limit."""
    limit = turn.screen.judging.limit if turn.screen.judging is not None else 0
    if turn.started is None or not limit:
        return None
    return min(float(limit), turn.started + limit - ledger.clock())  # the clock may have been set back


def close_overdue(ledger: Ledger, annotator: Annotator) -> None:
    """Record a missing answer for the annotator's current judgment if its time is over by more than
    :data:`GRACE_SECONDS`."""
    turn = ledger.begun(annotator)
    if turn is not None and (rest := left(ledger, turn)) is not None and rest < -GRACE_SECONDS:
        with contextlib.suppress(StaleAnswerError):  # an answer came in the meantime
            ledger.answer(annotator, turn, {REASON: TIME_UP}, "", 0)


def give(ledger: Ledger, annotator: Annotator, turn: ScreenTurn, slider: str) -> None:
    """Record the slider position of a judgment; a recorded answer is never changed.

    Raises:
        DeclarationError: it is not a point of the slider, or the judgment was not started.
        StaleAnswerError: the judgment has an answer already.
    """
    if turn.started is None:
        raise DeclarationError("press Start first, to see the text")
    if slider not in POINTS:
        raise DeclarationError(f"the slider's points go from {POINTS[0]} to {POINTS[-1]}: choose one of them")
    ledger.answer(annotator, turn, {SLIDER: slider}, "", 0)


def slid(ledger: Ledger, record: ScreenResponse) -> SliderAnswer:
    """Return a recorded response as a slider answer, with the judge's pseudonym."""
    point, reason = record.answers.get(SLIDER), record.answers.get(REASON, "")
    judged = DebateJudgment(id=record.screen.item, slider=None if point is None else int(point))
    return replace(
        request_from_screen(ledger, record.screen).answer(record.annotator.pseudonym, judged), reason=reason
    )


def bonus(answer: SliderAnswer) -> Fraction | None:
    """Return the bonus of an answer, in dollars; None where no answer was given."""
    point = answer.toward_right
    return None if point is None else INSTRUCTIONS[answer.instruction].bonus(point)


def judged(ledger: Ledger, annotator: Annotator, screen: Screen) -> list[SliderAnswer]:
    """Return an annotator's answers to the question of a screen, one for each judgment."""
    mine = ledger.finished_answers(item=screen.item, practice=screen.practice, annotator=annotator.number)
    return [slid(ledger, record) for record in mine]


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """A judge's result on one question.

    ``toward_right`` is the last slider position, from -3 (surely wrong) to 3 (surely right); None without an
    answer. ``dollars`` is the bonus of all its judgments; missing answers count 0.
    """

    question: str
    toward_right: int | None
    dollars: Fraction


def answer_outcomes(ledger: Ledger, annotator: Annotator) -> list[AnswerOutcome]:
    """Return a judge's result on each question that was answered: the last judgment, and the bonus of all judgments
    together (none for overdue ones)."""
    sliders_by_screen = gathered(
        ((record.screen.item, record.screen.heading), slid(ledger, record))
        for record in ledger.finished_answers(annotator=annotator.number)
    )
    return [
        AnswerOutcome(
            question, mine[-1].toward_right, sum((bonus(one) or Fraction() for one in mine), Fraction())
        )
        for (_, question), mine in sliders_by_screen.items()
    ]


def withheld(ledger: Ledger) -> bool:
    """Return True while judges may not see what they earned: in the pilot until all judges are done (section
    B.2).

    Judges who were dropped, or did not pass the practice, are not waited for.
    """
    design = next((screen.judging for screen in ledger.screens() if screen.judging), None)
    if design is None or design.condition in CONDITIONS["main"]:
        return False
    over = ("dropped", "deleted", NOT_PASSED)
    return any(ledger.counts(judge)[1] for judge in ledger.annotators() if judge.state not in over)


def marked_by_last(ledger: Ledger, records: Sequence[ScreenResponse]) -> tuple[int, int]:
    """Return the number of questions that the last judgment gets right, and the number of questions.

    Abstentions and missing answers are not right.
    """
    last = {record.screen.item: slid(ledger, record) for record in records}
    return sum((answer.toward_right or 0) > 0 for answer in last.values()), len(last)


def as_slider_answers(ledger: Ledger) -> str:
    """Return all answers of a study as CSV, one row for each judgment with its seconds; overdue judgments are
    closed first."""
    for annotator in ledger.annotators():
        close_overdue(ledger, annotator)
    head = [*(field.name for field in fields(SliderAnswer)), "seconds"]
    rows = []
    for record in ledger.finished_answers():
        took = None if REASON in record.answers else round(record.seconds, 1)
        rows.append((*asdict(slid(ledger, record)).values(), took))
    return csv_text(head, rows)


def earned_table(settlements: Sequence[AnswerOutcome]) -> Table:
    """Build the table that a judge sees at the end: the last answer and the bonus of each question, and the
    total."""
    return Table(
        "What each question earned",
        {
            Column("Question", "text"): "question",
            Column("Your last answer", "name"): lambda settlement: _outcome(settlement.toward_right),
            "Earned": lambda settlement: dollars(settlement.dollars),
        },
        settlements,
        foot=[("In all", "", dollars(sum((settlement.dollars for settlement in settlements), Fraction())))],
        note="Earned: by all your judgments of the question together.",
    )


def dollars(amount: Fraction) -> str:
    """Return an amount as text, such as "$1.20" or "−$0.30"."""
    return f"{'−' if amount < 0 else ''}${float(abs(amount)):.2f}"


def _outcome(toward_right: int | None) -> str:
    if not toward_right:
        return "none" if toward_right is None else "abstained"
    return "right" if toward_right > 0 else "wrong"


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
    """Return a human judging study: its settings, its planned screens, and its questions' texts, for
    :meth:`Ledger.open`.

    Each judge starts with the questions of ``practice``, which have a plan of their own. ``passing`` is the
    share of practice that a judge must get right.

    Raises:
        DeclarationError: there is no judge, names repeat, the main design lacks a passage, or a question
            is both in practice and in the study.
    """
    screens = planned_judgments(questions, len(judges), design, instructions)
    if practice:
        screens += to_practise(planned_judgments(practice, len(judges), design, instructions), screens)
    return debated(TASK, [*questions, *practice], screens, judges, consent=consent, passing=passing)


def debated(
    task: str,
    questions: Sequence[TwoTurnQuestion],
    screens: list[Screen],
    annotators: Sequence[str],
    *,
    consent: str = "",
    passing: float = 0.0,
) -> tuple[Study, list[Screen], dict[str, str]]:
    """Return a study of planned screens, with the texts of the questions that they show.

    Raises:
        DeclarationError: there is no annotator, or names repeat.
    """
    texts = {question.id: QUESTION.dump_json(question).decode() for question in questions}
    study = study_of(task, screens, annotators, overlap=1, consent=consent, passing=passing)
    shown = hashlib.sha256("\n".join([study.items, *texts.values()]).encode("utf-8", "backslashreplace"))
    return study.model_copy(update={"items": shown.hexdigest()[:32]}), screens, texts


def planned_judgments(
    questions: Sequence[TwoTurnQuestion],
    judges: int,
    design: Design,
    instructions: Sequence[str],
    seed: int = 13,
) -> list[Screen]:
    """Return the screens of all judges in order: one for every judgment on every question.

    ``judges`` is their number; screens number them from 1. Each judge works through one instruction after the
    other, and half of the judges start with either. The order of questions and options is random for each
    judge.

    Raises:
        DeclarationError: the main design lacks a passage.
    """
    drawn = random.Random(seed)
    asked = gathered(
        ((request.question.id, request.condition, request.instruction, request.swapped), request)
        for request in debate_requests(questions, design, instructions)
    )
    cells = _cells(design, instructions)
    ranks = drawn.sample(range(judges), judges)
    by_passage = gathered((question.passage_id, question) for question in questions)
    ordered = [
        question
        for name in drawn.sample(list(by_passage), len(by_passage))
        for question in drawn.sample(by_passage[name], len(by_passage[name]))
    ]
    screens = []
    for annotator, rank in enumerate(ranks, start=1):
        mine = [
            (question, *cells[(rank + place) % len(cells)], drawn.random() < 0.5)
            for place, question in enumerate(ordered)
        ]
        drawn.shuffle(mine)
        turned = rank // 2 % 2 == 1
        mine.sort(key=lambda cell: instructions.index(cell[2]), reverse=turned)
        for question, *how in mine:
            turns = asked[(question.id, *how)]  # type: ignore[index]
            screens += [_screen(turn, len(turns), annotator) for turn in turns]
    return screens


def request_from_screen(ledger: Ledger, screen: Screen) -> DebateRequest:
    """Return the judgment that a screen of a debate study shows, with its question.

    Raises:
        DeclarationError: the screen belongs to another kind of study.
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


def _screen(request: DebateRequest, turns: int, annotator: int) -> Screen:
    timed = request.condition in CONDITIONS["main"] or request.passage
    return Screen(
        item=request.question.id,
        part=str(request.turn),
        heading=request.question.question,
        person=annotator,
        judging=JudgingScreen(
            condition=request.condition,
            turn=request.turn,
            turns=turns,
            instruction=request.instruction,
            swapped=request.swapped,
            limit=LIMIT_SECONDS if timed else 0,
        ),
    )

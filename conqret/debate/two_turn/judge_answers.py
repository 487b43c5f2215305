"""What judges of a debate study answered: within their time or not, what it earns them, and as the rows that
``conqret debate two-turn outcomes`` reads."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction

from conqret.data.digest import gathered
from conqret.debate.two_turn.debate_judge import DebateJudgment
from conqret.debate.two_turn.judging_plan import asking_of
from conqret.debate.two_turn.payoffs import ENDS, INSTRUCTIONS, RESPONSES, STRENGTHS, PayoffInstruction
from conqret.debate.two_turn.slider_answers import END, SliderAnswer
from conqret.errors import DeclarationError, number
from conqret.io.label_sheets import csv_text
from conqret.labels.answer_ledger import Ledger
from conqret.labels.screens import Person, Screen, ScreenResponse, ScreenTurn, StaleAnswerError
from conqret.show.table import Cell, Column, Table

SLIDER, REASON = "slider", "reason"
"""Under these names stand what was answered, and why nothing was."""
TIME_UP = "no answer within the time"
GRACE_SECONDS = 5
"""How late an answer may come: the page sends it when the time is up, and networks are slow."""
POINTS = tuple(str(point) for point in range(-END, END + 1))
_SECONDS = "seconds"


def left(ledger: Ledger, turn: ScreenTurn) -> float | None:
    """The seconds that are left for a judgment that was started, below 0 where its time is over; None without limit."""
    limit = turn.screen.judging.limit if turn.screen.judging is not None else 0
    if turn.started is None or not limit:
        return None
    return min(float(limit), turn.started + limit - ledger.clock())  # the clock may have been set back


def close_overdue(ledger: Ledger, person: Person) -> None:
    """Write down that there is no answer where the person's time is over."""
    turn = ledger.begun(person)
    if turn is not None and (rest := left(ledger, turn)) is not None and rest < -GRACE_SECONDS:
        with contextlib.suppress(StaleAnswerError):  # an answer came in the meantime
            ledger.answer(person, turn, {REASON: TIME_UP}, "", 0)


def give(ledger: Ledger, person: Person, turn: ScreenTurn, slider: str) -> None:
    """Write down where the slider stands. Nothing is changed once it was given.

    Raises:
        DeclarationError: it is no point of the slider, or the judgment was not started.
        StaleAnswerError: there is another answer already.
    """
    if turn.started is None:
        raise DeclarationError("press Start first, to see the text")
    if slider not in POINTS:
        raise DeclarationError(f"the slider's points go from {POINTS[0]} to {POINTS[-1]}: choose one of them")
    ledger.answer(person, turn, {SLIDER: slider}, "", 0)


def slid(ledger: Ledger, record: ScreenResponse) -> SliderAnswer:
    """An answer, by its judge's pseudonym."""
    point, reason = record.answers.get(SLIDER), record.answers.get(REASON, "")
    judged = DebateJudgment(id=record.screen.item, slider=None if point is None else int(point))
    return replace(asking_of(ledger, record.screen).answer(record.person.pseudonym, judged), reason=reason)


def bonus(answer: SliderAnswer) -> Fraction | None:
    """What an answer earns, in dollars; None where there was none."""
    return (
        None if answer.toward_right is None else INSTRUCTIONS[answer.instruction].bonus(answer.toward_right)
    )


def judged(ledger: Ledger, person: Person, asked: Screen) -> list[SliderAnswer]:
    """A person's answers to a screen's question, judgment by judgment."""
    mine = ledger.given(item=asked.item, practice=asked.practice, person=person.number)
    return [slid(ledger, record) for record in mine]


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """What came of a judge's answers to one question: how far the last goes ``toward_right`` (None where none was
    given), and the ``dollars`` of all."""

    question: str
    toward_right: int | None
    dollars: Fraction


def settled(ledger: Ledger, person: Person) -> list[AnswerOutcome]:
    """What came of all that a judge has answered, question by question."""
    sliders_by_screen = gathered(
        ((record.screen.item, record.screen.heading), slid(ledger, record))
        for record in ledger.given(person=person.number)
    )
    return [
        AnswerOutcome(
            question, mine[-1].toward_right, sum((bonus(answer) or Fraction() for answer in mine), Fraction())
        )
        for (_, question), mine in sliders_by_screen.items()
    ]


def marked_by_last(ledger: Ledger, records: Sequence[ScreenResponse]) -> tuple[int, int]:
    """At how many of the questions a judge's last judgment goes toward the right option, and of how many."""
    last = {record.screen.item: slid(ledger, record) for record in records}
    return sum((answer.toward_right or 0) > 0 for answer in last.values()), len(last)


def as_slider_answers(ledger: Ledger) -> str:
    """All answers as CSV, a row for each judgment, with the seconds that it took. Judgments whose time is over are
    closed before."""
    for person in ledger.people():
        close_overdue(ledger, person)
    head = [field.name for field in fields(SliderAnswer)]
    return csv_text((*head, _SECONDS), _rows(ledger))


def _rows(ledger: Ledger) -> Iterator[tuple[object, ...]]:
    for record in ledger.given():
        took = None if REASON in record.answers else round(record.seconds, 1)
        yield (*asdict(slid(ledger, record)).values(), took)


def payoff_tables(instruction: PayoffInstruction) -> Iterator[Table]:
    """The bonus of each answer with the confidence from which it pays, and what strategies earn on the grid."""
    pays = instruction.pays_from()
    never = "never"
    yield Table(
        f"{instruction.name}: dollars for an answer",
        ("answer", "right", "wrong", "pays from", "wins from (grid)"),
        [
            (
                STRENGTHS[strength],
                f"{float(instruction.bonus(strength)):+.2f}",
                f"{float(instruction.bonus(-strength)):+.2f}" if strength else "",
                f"{float(pays[strength]):.3f}" if strength in pays else never,
                _percent(instruction.first_winner(strength)),
            )
            for strength in range(ENDS + 1)
        ],
        note="Pays from: the confidence from which it earns more than any other answer. Wins from: the first share of "
        "the grid below at which nothing weaker earns more.",
    )
    rows: list[tuple[Cell, ...]] = []
    for strength in range(ENDS + 1):
        cells = []
        for share in instruction.grid:
            chance = Fraction(share, 100)
            earned = f"{float(RESPONSES * instruction.expected(strength, chance)):.1f}"
            cells.append(f"{earned} *" if instruction.best(chance) == strength else earned)
        rows.append((f"always {STRENGTHS[strength]}", *cells))
    yield Table(
        f"{instruction.name}: dollars for {number(RESPONSES, 'answer')}, by the share that is right",
        ("strategy", *(f"{share}%" for share in instruction.grid)),
        rows,
        note="*: the strategy that earns most.",
    )


def earned_table(settlements: Sequence[AnswerOutcome]) -> Table:
    """What one judge is told in the end: a row for each question, and what all of them earned."""
    return Table(
        "What each question earned",
        (Column("Question", "text"), Column("Your last answer", "name"), "Earned"),
        [
            (settlement.question, _outcome(settlement.toward_right), dollars(settlement.dollars))
            for settlement in settlements
        ],
        foot=[("In all", "", dollars(sum((settlement.dollars for settlement in settlements), Fraction())))],
        note="Earned: by all your judgments of the question together.",
    )


def dollars(amount: Fraction) -> str:
    """An amount, a loss with its sign."""
    return f"{'−' if amount < 0 else ''}${float(abs(amount)):.2f}"


def _outcome(toward_right: int | None) -> str:
    if not toward_right:
        return "none" if toward_right is None else "abstained"
    return "right" if toward_right > 0 else "wrong"


def _percent(share: int | None) -> str:
    return "never" if share is None else f"{share}%"

"""Tables of what answers earn, and from which confidence on they pay (Parrish et al. 2022, Tables 4 to 6);
and of what a judge has earned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from conqret.debate.two_turn.judge_answers import AnswerOutcome
from conqret.debate.two_turn.payoffs import ENDS, RESPONSES, STRENGTHS, PayoffInstruction
from conqret.errors import number
from conqret.show.table import Cell, Column, Table


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

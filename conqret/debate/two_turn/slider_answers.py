"""The slider on which judges of two-turn debates answer: what each answer earns, from which confidence on it pays to
give it, and the answers themselves, of annotators and models alike.

Parrish et al. 2022, "Two-Turn Debate Does Not Help Humans Answer Hard Reading Comprehension Questions", sections 2.2
and B.4, Tables 4 to 6.

``read_slider_answers``: a row is one answer: columns ``question``, ``passage``, ``judge``, ``condition``, ``turn``,
``instruction``, ``slider`` and ``right``. An answer that was not given has no ``slider`` and a ``reason``.
``consultant`` says for which option one side alone argued, and ``for_right`` and ``for_wrong`` may name who wrote for
either option.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from conqret.errors import DeclarationError, strict_options
from conqret.io.checks import Cell, Identifier, between, one_of
from conqret.io.files import file_rows
from conqret.io.rows import quoted
from conqret.io.schema import Check, TableReader, in_columns

Design = Literal["main", "pilot"]
CONDITIONS: dict[Design, tuple[str, str]] = {"main": ("PS", "PSA"), "pilot": ("S", "SA")}
"""By design (Parrish et al. 2022, section 2.2) the condition without arguments and the one with them: P is the passage
from the start, S the snippets, A the arguments."""

CONSULTANCY: dict[Design, str] = {"main": "PSC", "pilot": "SC"}
"""By design the control in which one side alone is heard (Khan et al. 2024, Kenton et al. 2024): its snippets, its
argument, and what it says against the other side's."""

TURNS: dict[Design, int] = {"main": 2, "pilot": 3}
"""How many judgments a design has; the pilot's third comes with the passage."""

END = 3
"""The ends of the slider: -3 is surely the option that is shown first, 3 surely the second, and 0 abstains."""


def _between(low: int, high: int, what: str) -> Check:
    return between(low, high, f"Write {what}, a whole number from {low} to {high}")


_WORDS = {
    name.casefold(): name
    for study_part in ("main", "pilot")
    for name in (*CONDITIONS[study_part], CONSULTANCY[study_part])
}


@dataclass(frozen=True, slots=True)
class SliderAnswer:
    """One judgment on one question.

    Attributes:
        passage: the id of the question's passage; questions on one passage form a cluster.
        condition, turn, instruction: what the judge was shown, the number of the judgment, and the
            instruction.
        right: the position (1 or 2) of the right option, as shown.
        consultant: the option (``right`` or ``wrong``) that is argued for where only one side is shown;
            else empty.
        for_right, for_wrong: the writers for either option, where known.
        slider: -3 (surely the first) to 3 (surely the second); None without an answer, and ``reason``
            says why.
    """

    question: Annotated[Identifier, in_columns("question", "question_id", needed="Name the question")]
    passage: Annotated[
        Identifier, in_columns("passage", "passage_id", needed="Name the passage of the question")
    ]
    judge: Annotated[Identifier, in_columns("judge", "model", "annotator", needed="Name the judge")]
    condition: Annotated[
        str,
        one_of(_WORDS, "condition"),
        in_columns(needed="Write PS, PSA or PSC (main design), S, SA or SC (pilot)"),
    ]
    turn: Annotated[
        int,
        _between(1, 3, "which judgment it is"),
        in_columns("turn", "judgment", needed="Number the judgment"),
    ]
    instruction: Annotated[
        str,
        one_of(("simple", "encourage-abstain"), "instruction"),
        in_columns(needed="Write simple or encourage-abstain"),
    ]
    right: Annotated[
        int, _between(1, 2, "which option is right"), in_columns(needed="Write which option is right")
    ]
    slider: Annotated[int | None, _between(-END, END, "where the slider stands")]
    reason: Cell = ""
    consultant: Annotated[str, one_of(("right", "wrong"), "option")] = ""
    for_right: Identifier = ""
    for_wrong: Identifier = ""

    @property
    def toward_right(self) -> int | None:
        """Return the slider position from -3 (surely wrong) to 3 (surely right); None without an answer."""
        return None if self.slider is None else self.slider if self.right == 2 else -self.slider


def read_slider_answers(path: Path, design: Design | None = None) -> tuple[SliderAnswer, ...]:
    """Read the answers of one design from a file; ``design`` chooses it where the file has both.

    Raises:
        ItemsError: rows have faults, or an answer occurs twice; all are listed.
        DeclarationError: there is no answer, none of the design, or answers of both designs and none is
            chosen.
    """
    reader = TableReader(file_rows(path))
    answers: list[SliderAnswer] = []
    for answer in reader.read_as(SliderAnswer):
        if answer.slider is None and not answer.reason:
            remedy = (
                "Write -3 to 3, 0 to abstain; if no answer was given, write the reason into a column 'reason'"
            )
            reader.fault("slider", "is missing, and no reason is given", remedy)
        if answer.turn > TURNS[design_of(answer)]:
            problem = f"is {answer.turn}, and the main design ({answer.condition}) has two judgments"
            reader.fault("turn", problem, "Correct it; the pilot's conditions are S and SA")
        if bool(answer.consultant) != (answer.condition in CONSULTANCY.values()):
            problem = (
                f"is given, and {answer.condition} hears both sides" if answer.consultant else "is missing"
            )
            remedy = "Write right or wrong if only one side argues (PSC, SC), and leave it empty otherwise"
            reader.fault("consultant", problem, remedy)
        asked = (answer.judge, answer.condition, answer.consultant, str(answer.turn), answer.instruction)
        key = f"{answer.question} ({', '.join(filter(None, asked))}, right {answer.right})"
        reader.once("question", key, "Keep one of its answers")
        answers.append(answer)
    reader.finish(wanted="answers")
    designs = sorted({design_of(answer) for answer in answers})
    if design is None and len(designs) > 1:
        raise DeclarationError(
            f"{path} contains answers of both designs, which cannot be mixed: choose one with --design "
            f"{' or --design '.join(designs)}"
        )
    kept = tuple(answer for answer in answers if design in (None, design_of(answer)))
    if not kept:
        raise DeclarationError(
            f"{path} contains no answers of the design {quoted(design)}, only of {designs[0]}"
        )
    return kept


def design_of(answer: SliderAnswer) -> Design:
    """Return the design (``main`` or ``pilot``) that an answer's condition belongs to."""
    return "main" if answer.condition.startswith("P") else "pilot"


def conditions_of(answers: Sequence[SliderAnswer]) -> tuple[str, str]:
    """Return the two conditions of the first answer's design: without and with arguments."""
    return CONDITIONS[design_of(answers[0])]


STRENGTHS = ("abstain", "slightly confident", "moderately confident", "completely confident")
"""How far the slider is moved from its middle, 0 to 3 notches, in words (Tables 5 and 6)."""


RESPONSES = 200
"""Answers that Tables 5 and 6 add up."""


_EVEN = Fraction(1, 2)
"""No one is less sure of the side that they choose."""


@dataclass(frozen=True, slots=True)
class PayoffInstruction:
    """An instruction to judges about abstaining: its name, and the bonus in dollars for each slider point.

    Attributes:
        bonuses: from surely right over abstaining to surely wrong, as in Table 4.
        grid: the shares of right answers, in percent, at which the paper compares strategies.
    """

    name: str
    bonuses: tuple[Fraction, ...]
    grid: tuple[int, ...] = tuple(range(50, 100, 5))

    def bonus(self, toward_right: int) -> Fraction:
        """Return an answer's bonus in dollars; ``toward_right`` is -3 (surely wrong) to 3 (surely right), and
        0 abstains."""
        return self.bonuses[END - toward_right]

    def expected(self, strength: int, share: Fraction) -> Fraction:
        """Return the expected bonus, in dollars, of an answer of ``strength`` (0 to 3) that is right with
        probability ``share``."""
        return share * self.bonus(strength) + (1 - share) * self.bonus(-strength)

    def best(self, share: Fraction) -> int:
        """Return the strength (0 to 3) with the highest expected bonus at a probability of being right; of
        equal ones the lowest."""
        return max(range(END + 1), key=lambda strength: (self.expected(strength, share), -strength))

    def pays_from(self) -> dict[int, Fraction]:
        """Return, by strength, the confidence (1/2 to 1) from which it earns more than any other strength.

        Strengths that never earn most are left out. Expected bonuses are linear in the confidence, so these
        are the breakpoints of their upper envelope.
        """
        place, strengths = _EVEN, range(END + 1)
        now = max(
            strengths, key=lambda strength: (self.expected(strength, _EVEN), self._slope(strength), -strength)
        )
        confidences = {now: place}
        while crossings := [
            (crossing, -self._slope(other), other)
            for other in strengths
            if (steeper := self._slope(other) - self._slope(now)) > 0
            and (crossing := (self.bonus(-now) - self.bonus(-other)) / steeper) < 1
        ]:
            place, _, now = min(crossings)
            confidences[now] = place
        return confidences

    def first_winner(self, strength: int) -> int | None:
        """Return the first share of the grid, in percent, at which no weaker answer earns more (as in the
        paper); None if none."""
        return next((share for share in self.grid if self.best(Fraction(share, 100)) >= strength), None)

    def record(self) -> dict[str, Any]:
        """Return the name and bonuses as a dictionary, and for each strength the confidence from which it
        earns most (``pays_from``) and the share of right answers, in percent, from which it wins
        (``wins_from_percent``)."""
        return {
            "instruction": self.name,
            "bonuses": [float(bonus) for bonus in self.bonuses],
            "pays_from": {STRENGTHS[strength]: float(share) for strength, share in self.pays_from().items()},
            "wins_from_percent": {name: self.first_winner(n) for n, name in enumerate(STRENGTHS)},
        }

    def _slope(self, strength: int) -> Fraction:
        return self.bonus(strength) - self.bonus(-strength)


def _dollars(*texts: str) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, texts))


SIMPLE = PayoffInstruction(
    "simple",
    _dollars("0.60", "0.45", "0.30", "0.15", "-0.05", "-0.30", "-0.60"),
    grid=(50, 55, 60, 65, 70, 75),
)


ENCOURAGE_ABSTAIN = PayoffInstruction(
    "encourage-abstain",
    _dollars("0.45", "0.40", "0.35", "0.20", "-0.17", "-0.33", "-0.55"),
    grid=(65, 70, 75, 80, 85, 90),
)


INSTRUCTIONS = {scheme.name: scheme for scheme in (SIMPLE, ENCOURAGE_ABSTAIN)}
"""The two instructions by name, with the pay-offs of Table 4 and the grids of Tables 5 and 6."""


@strict_options
def payoffs(*, bonuses: Sequence[float] | None = None) -> list[PayoffInstruction]:
    """Return the payoff instructions, each of which computes from which confidence an answer pays.

    Args:
        bonuses: the bonuses of one custom instruction, in dollars, for the seven slider points, from
            surely right over abstaining to surely wrong; by default the paper's two instructions are
            returned.

    Raises:
        DeclarationError: the bonuses are not seven finite numbers.
    """
    if bonuses is None:
        return list(INSTRUCTIONS.values())
    if len(bonuses) != 2 * END + 1 or not all(map(math.isfinite, bonuses)):
        raise DeclarationError(
            f"--bonuses takes seven numbers such as 0.6,0.45,0.3,0.15,-0.05,-0.3,-0.6, not {bonuses!r}"
        )
    return [PayoffInstruction("--bonuses", tuple(Fraction(str(bonus)) for bonus in bonuses))]


FOR_THE_RIGHT, FOR_THE_WRONG = Fraction("0.20"), Fraction("0.75")
"""Dollars that a writer earns for each judge who ends on the writer's side (section A.3)."""


def writers_bonus(argued_right: bool, toward_right: Sequence[int]) -> Fraction:
    """Return the bonus of one side's writer, in dollars, from judges' last answers (-3 to 3, above 0 for the
    right option).

    A judge counts for the right option if the slider is above 0, else for the wrong one, abstentions included
    (section A.3).
    """
    for_right = sum(point > 0 for point in toward_right)
    return FOR_THE_RIGHT * for_right if argued_right else FOR_THE_WRONG * (len(toward_right) - for_right)

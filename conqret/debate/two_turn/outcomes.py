"""What came of judging debates: who was right, who abstained, what it earned, and whether the debate helped.

Shares, differences and bonuses are ratios of sums over answers, with intervals over passages; all of
them leave out the same passages, so that differences are paired. (Parrish et al. 2022, section 3 and Table 2.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from conqret.debate.two_turn.slider_answers import (
    CONSULTANCY,
    END,
    INSTRUCTIONS,
    Design,
    SliderAnswer,
    conditions_of,
    design_of,
    read_slider_answers,
    writers_bonus,
)
from conqret.errors import strict_options
from conqret.stats.estimate import Estimate, Scale
from conqret.stats.jackknife import JackknifedEstimate, average
from conqret.stats.resampling import leave_one_out

Factor = Literal["arguments", "both sides", "judgment", "instruction"]
"""What may change accuracy; both sides are heard in a debate, and one alone in a consultancy."""

Cell = tuple[str, int, str]
CELL = ("condition", "turn", "instruction")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of one cell: a condition, turn and instruction.

    ``correct``, ``incorrect`` and ``abstained`` are shares of the given answers, and ``ratio`` is correct to
    incorrect. ``accuracy`` is the share of correct answers among those that do not abstain. ``payoff`` is
    dollars an answer. ``points`` counts the answers at each slider point, -3 (surely wrong) to 3 (surely
    right). ``missing`` counts answers not given.
    """

    condition: str
    turn: int
    instruction: str
    correct: Estimate
    incorrect: Estimate
    abstained: Estimate
    ratio: Estimate
    accuracy: Estimate
    payoff: Estimate
    points: dict[int, int]
    missing: int


@dataclass(frozen=True, slots=True)
class Confidence:
    """How often answers of one strength (1 to 3) were right, and the confidence from which they pay.

    ``pays_from`` is a probability of being right, 1/2 to 1; None if this strength never earns most.
    """

    instruction: str
    strength: int
    right: Estimate
    pays_from: float | None


@dataclass(frozen=True, slots=True)
class BeliefChange:
    """Accuracy at two levels of a factor, and their difference, with everything else equal.

    ``cells`` counts the pairs of cells that differ only in this factor; the values are means over them.
    """

    factor: Factor
    before: str
    after: str
    without: Estimate
    having: Estimate
    difference: Estimate
    cells: int


@dataclass(frozen=True, slots=True)
class FollowRate:
    """How often judges side with an option at the last judgment of a condition, among answers that take a
    side.

    ``argued`` is the option: the right one where both sides are shown, or the consultant's where one side is.
    """

    condition: str
    argued: Literal["right", "wrong"]
    consultant: bool
    rate: Estimate


@dataclass(frozen=True, slots=True)
class Standing:
    """A judge's results over all answers: accuracy without abstentions, share of abstentions, and dollars an
    answer."""

    judge: str
    accuracy: Estimate
    abstained: Estimate
    payoff: Estimate


@dataclass(frozen=True, slots=True)
class Outcomes:
    """All results of judging debates.

    ``debate`` is the change by arguments at the last judgment that both conditions have (None without one).
    ``consultancy`` is the change from one side alone to both sides. ``followed`` says which side judges take.
    ``writers`` has the dollars an answer that writers of either side earn, by the last judgment with arguments
    (empty without one).
    """

    answers: int
    missing: int
    judges: int
    questions: int
    passages: int
    cells: tuple[Outcome, ...]
    confidence: tuple[Confidence, ...]
    changes: tuple[BeliefChange, ...]
    debate: BeliefChange | None
    consultancy: BeliefChange | None
    followed: tuple[FollowRate, ...]
    writers: dict[str, float]


Answers = str | Path | Sequence[SliderAnswer]
"""A file of answers on the slider, or such answers of one design."""


def counted_answers(answers: Answers, design: Design | None = None) -> Sequence[SliderAnswer]:
    """Return the answers of one design, read from a file if ``answers`` is a path.

    Raises:
        ItemsError: rows have faults; all are listed.
        DeclarationError: there is no answer of the design.
    """
    return read_slider_answers(Path(answers), design) if isinstance(answers, str | Path) else answers


@strict_options
def debate_outcomes(answers: Answers, *, design: Design | None = None) -> Outcomes:
    """Compute the results of judging debates: right, wrong and abstaining answers by condition, and if debate
    helps.

    Args:
        answers: a file of answers on the slider, or such answers of one design.
        design: for a file with both designs, the one to use.

    Raises:
        ItemsError: rows have faults; all are listed.
        DeclarationError: there is no answer of the design.
    """
    answers = counted_answers(answers, design)
    measured = _AnswerColumns(answers)
    present = sorted(
        {(answer.condition, answer.turn, answer.instruction) for answer in answers},
        key=lambda cell: (*cell[:2], list(INSTRUCTIONS).index(cell[2])),
    )
    last = max(turn for _, turn, _ in present)
    before, after = conditions_of(answers)
    alone = CONSULTANCY[design_of(answers[0])]
    changes = [
        measured.change("arguments", present, before, after),
        measured.change("both sides", present, alone, after),
        *(measured.change("judgment", present, str(turn), str(turn + 1)) for turn in range(1, last)),
        measured.change("instruction", present, *INSTRUCTIONS),
    ]

    def at_the_end(factor: Factor, first: str, other: str) -> BeliefChange | None:
        judged = [{turn for condition, turn, _ in present if condition == side} for side in (first, other)]
        end = max(judged[0] & judged[1], default=last)
        return measured.change(factor, [cell for cell in present if cell[1] == end], first, other)

    given = [
        answer.toward_right
        for answer in answers
        if answer.turn == last and answer.condition == after and answer.toward_right is not None
    ]
    return Outcomes(
        answers=len(answers),
        missing=sum(answer.slider is None for answer in answers),
        judges=len({answer.judge for answer in answers}),
        questions=len({answer.question for answer in answers}),
        passages=len({answer.passage for answer in answers}),
        cells=tuple(map(measured.outcome, present)),
        confidence=tuple(measured.by_confidence()),
        changes=tuple(filter(None, changes)),
        debate=at_the_end("arguments", before, after),
        consultancy=at_the_end("both sides", alone, after),
        followed=tuple(measured.followed(after, alone)),
        writers={
            side: float(writers_bonus(side == "right", given)) / len(given)
            for side in ("right", "wrong")
            if given
        },
    )


def standings(answers: Sequence[SliderAnswer]) -> tuple[Standing, ...]:
    """Return each judge's results, in the order of first occurrence; missing answers are left out."""
    measured = _AnswerColumns(answers)
    return tuple(map(measured.standing, dict.fromkeys(answer.judge for answer in answers)))


class _AnswerColumns:
    """The answers as columns over the same passages."""

    def __init__(self, answers: Sequence[SliderAnswer]) -> None:
        self.answers = answers
        self.resamples = leave_one_out([answer.passage for answer in answers])
        points = [answer.toward_right for answer in answers]
        self.given = np.array([point is not None for point in points])
        self.points = np.array([point or 0 for point in points])
        self.right, self.wrong = self.points > 0, self.points < 0
        self.moved = self.right | self.wrong
        self.dollars = np.array(
            [float(INSTRUCTIONS[answer.instruction].bonus(answer.toward_right or 0)) for answer in answers]
        )

    def standing(self, judge: str) -> Standing:
        """Return a judge's accuracy, share of abstentions, and dollars an answer, over all cells."""
        mask = self._where("judge", judge) & self.given
        return Standing(
            judge,
            self._share(self.right & mask, self.moved & mask, "always abstained"),
            self._share(mask & ~self.moved, mask),
            self._share(self.dollars * mask, mask, scale="plain"),
        )

    def outcome(self, cell: Cell) -> Outcome:
        """Return one cell of Table 2, with accuracy, payoff and the counts of slider points. Shares are of the answers
        that were given; the others are counted as missing."""
        here = self._where(CELL, cell)
        mask = here & self.given
        return Outcome(
            *cell,
            correct=self._share(self.right & mask, mask),
            incorrect=self._share(self.wrong & mask, mask),
            abstained=self._share(mask & ~self.moved, mask),
            ratio=self._share(self.right & mask, self.wrong & mask, "nobody answered wrong", "plain"),
            accuracy=self._accuracy(cell).estimate(),
            payoff=self._share(self.dollars * mask, mask, scale="plain"),
            points={point: int((self.points[mask] == point).sum()) for point in range(-END, END + 1)},
            missing=int((here & ~self.given).sum()),
        )

    def by_confidence(self) -> Iterator[Confidence]:
        """Yield the share of right answers for each strength of 1 or more, under each instruction that was
        given."""
        for name, payoff in INSTRUCTIONS.items():
            here = self._where("instruction", name)
            pays = payoff.pays_from()
            for strength in range(1, END + 1) if here.any() else ():
                strong = here & (abs(self.points) == strength)
                share = self._share(self.right & strong, strong, "no answer is this sure")
                yield Confidence(name, strength, share, float(pays[strength]) if strength in pays else None)

    def followed(self, debate: str, alone: str) -> Iterator[FollowRate]:
        """Yield how often judges who decide follow the side for the right option where both sides are shown,
        and the side shown where it is alone (the right one, the wrong one), at the last judgment. ``debate``
        and ``alone`` are the conditions; those without an answer are left out."""
        for name, consultant in ((debate, ""), (alone, "right"), (alone, "wrong")):
            last = max((answer.turn for answer in self.answers if answer.condition == name), default=0)
            here = self._where(("condition", "turn", "consultant"), (name, last, consultant))
            followed = self.wrong if consultant == "wrong" else self.right
            if here.any():
                rate = self._share(followed & here, self.moved & here, "everybody abstained")
                yield FollowRate(name, "wrong" if consultant == "wrong" else "right", bool(consultant), rate)

    def change(self, factor: Factor, cells: Sequence[Cell], before: str, after: str) -> BeliefChange | None:
        """Return the mean accuracy on both sides of a factor (``before`` and ``after``), and the difference, over the
        cells that are alike in all else; None if there is no such pair."""
        place = {"judgment": 1, "instruction": 2}.get(factor, 0)
        by_side: list[dict[tuple[object, ...], Cell]] = [
            {(*cell[:place], *cell[place + 1 :]): cell for cell in cells if str(cell[place]) == side}
            for side in (before, after)
        ]
        alike = [other for other in by_side[0] if other in by_side[1]]
        if not alike:
            return None
        without, having = ([self._accuracy(side[other]) for other in alike] for side in by_side)
        pairs = [value.minus(other) for value, other in zip(having, without, strict=True)]
        means = [average(part).estimate() for part in (without, having, pairs)]
        return BeliefChange(factor, before, after, means[0], means[1], means[2], len(alike))

    def _where(self, names: str | tuple[str, ...], values: object) -> NDArray[np.bool_]:
        """Which answers have these values in the fields of these names."""
        read = attrgetter(names) if isinstance(names, str) else attrgetter(*names)
        return np.array([read(answer) == values for answer in self.answers])

    def _accuracy(self, cell: Cell) -> JackknifedEstimate:
        moved = self.moved & self._where(CELL, cell)
        return self.resamples.ratio(
            self.right & moved, moved, reason="everybody abstained", scale="share", counted=moved
        )

    def _share(
        self, part: NDArray[np.generic], whole: NDArray[np.bool_], reason: str = "", scale: Scale = "share"
    ) -> Estimate:
        ratio = self.resamples.ratio(
            part, whole, reason=reason or "no answer was given", scale=scale, counted=whole
        )
        return ratio.estimate()

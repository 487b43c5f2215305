"""The slider on which a judge answers, what each answer earns, and from which confidence on it pays to give it.

Parrish et al. 2022, "Two-Turn Debate Does Not Help Humans Answer Hard Reading Comprehension Questions", sections 2.2
and B.4, Tables 4 to 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from conqret.errors import DeclarationError, strict_options

STRENGTHS = ("abstain", "slightly confident", "moderately confident", "completely confident")
"""How far the slider is moved from its middle, 0 to 3 notches, in words (Tables 5 and 6)."""

ENDS = len(STRENGTHS) - 1
"""The slider has this many notches on either side of its middle: seven points in all."""

RESPONSES = 200
"""Answers that Tables 5 and 6 add up."""

_EVEN = Fraction(1, 2)
"""Nobody is less sure of the side that they choose."""


@dataclass(frozen=True, slots=True)
class PayoffInstruction:
    """What judges are told about abstaining: a name, and the bonus in dollars for each point of the slider.

    Attributes:
        bonuses: from surely right over abstain to surely wrong, as in Table 4.
        grid: the shares of right answers, in percent, at which the paper compares strategies.
    """

    name: str
    bonuses: tuple[Fraction, ...]
    grid: tuple[int, ...] = tuple(range(50, 100, 5))

    def __post_init__(self) -> None:
        if len(self.bonuses) != 2 * ENDS + 1:
            raise DeclarationError(
                f"the slider has {2 * ENDS + 1} points, but {len(self.bonuses)} bonuses are given: "
                "give one for each point, from surely right over abstain to surely wrong"
            )

    def bonus(self, toward_right: int) -> Fraction:
        """What an answer earns, in dollars; ``toward_right`` is -3 (surely wrong) to 3 (surely right), 0 abstains."""
        return self.bonuses[ENDS - toward_right]

    def expected(self, strength: int, share: Fraction) -> Fraction:
        """What an answer of ``strength`` (0 to 3) earns on average: ``p right + (1 - p) wrong``, in dollars."""
        return share * self.bonus(strength) + (1 - share) * self.bonus(-strength)

    def best(self, share: Fraction) -> int:
        """The strength that earns most where this share (0 to 1) is right; of equals the weakest."""
        return max(range(ENDS + 1), key=lambda strength: (self.expected(strength, share), -strength))

    def pays_from(self) -> dict[int, Fraction]:
        """By strength the confidence, 1/2 to 1, from which it earns more than any other; without those that never do.

        The pay-offs of the strengths are lines over the confidence, and this is where their upper envelope turns.
        """
        place, strengths = _EVEN, range(ENDS + 1)
        now = max(
            strengths, key=lambda strength: (self.expected(strength, _EVEN), self._slope(strength), -strength)
        )
        confidences = {now: place}
        while crossings := [
            (crossing, -self._slope(other), other)
            for other in strengths
            if self._slope(other) > self._slope(now) and (crossing := self._crossing(now, other)) < 1
        ]:
            place, _, now = min(crossings)
            confidences[now] = place
        return confidences

    def first_winner(self, strength: int) -> int | None:
        """The first share of the grid, in percent, at which no weaker answer earns more: what the paper prints."""
        return next((share for share in self.grid if self.best(Fraction(share, 100)) >= strength), None)

    def _slope(self, strength: int) -> Fraction:
        return self.bonus(strength) - self.bonus(-strength)

    def _crossing(self, first: int, other: int) -> Fraction:
        behind = self.bonus(-first) - self.bonus(-other)
        return behind / (self._slope(other) - self._slope(first))


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
def payoffs(
    *,
    instruction: Literal["simple", "encourage-abstain"] | None = None,
    bonuses: Sequence[float] | None = None,
) -> list[PayoffInstruction]:
    """What the slider's bonuses reward: each instruction says from which confidence on an answer pays.

    Args:
        instruction: only this one of the paper's two; by default both.
        bonuses: bonuses of one's own, in dollars, for the seven points of the slider, from surely right over abstain to
            surely wrong.

    Raises:
        DeclarationError: both are given, or the bonuses are not seven finite numbers.
    """
    if bonuses is None:
        return [payoff for name, payoff in INSTRUCTIONS.items() if instruction in (None, name)]
    if instruction is not None:
        raise DeclarationError("--bonuses replace the instruction: leave --instruction out")
    try:
        return [PayoffInstruction("--bonuses", tuple(Fraction(str(bonuse)) for bonuse in bonuses))]
    except ValueError:  # infinite, or no number
        raise DeclarationError(
            f"--bonuses takes seven numbers such as 0.6,0.45,0.3,0.15,-0.05,-0.3,-0.6, not {bonuses!r}"
        ) from None


FOR_THE_RIGHT, FOR_THE_WRONG = Fraction("0.20"), Fraction("0.75")
"""Dollars that a writer earns for each judge who ends on the writer's side (section A.3)."""


def writers_bonus(argued_right: bool, toward_right: Sequence[int]) -> Fraction:
    """What the writer of one side earns from judges' last answers (-3 to 3, above 0 toward the right option).

    A judge is with the right option where the slider was moved toward it at all, and with the wrong one else, by
    abstaining too (section A.3).
    """
    for_right = sum(point > 0 for point in toward_right)
    return FOR_THE_RIGHT * for_right if argued_right else FOR_THE_WRONG * (len(toward_right) - for_right)

"""The better half of the judges, by how they do in a pilot (Parrish et al. 2022, section 2.2: 16 of 32).

They are compared at the pilot's last judgment, which comes with the passage. The paper says "performance"; here it is
the share of right answers with abstentions counted as not right, as the paper counts them for its writers (section
A.3), and of equals the dollars earned.
"""

from __future__ import annotations

from collections.abc import Sequence

from conqret.data.digest import gathered
from conqret.debate.two_turn.payoffs import INSTRUCTIONS
from conqret.debate.two_turn.slider_answers import SliderAnswer
from conqret.errors import DeclarationError


def better_half(pilot: Sequence[SliderAnswer]) -> tuple[str, ...]:
    """The names of the better half, best first; of an odd number the smaller half.

    Raises:
        DeclarationError: there are fewer than two judges, or one has given no answer at the last judgment.
    """
    last = max(one.turn for one in pilot)
    given = gathered((one.judge, one) for one in pilot if one.turn == last and one.slider is not None)
    by_judge = {one.judge: given.get(one.judge, []) for one in pilot}
    if len(by_judge) < 2:
        raise DeclarationError("the better half is taken of two judges at least, and the pilot has one")
    for name, own in by_judge.items():
        if not own:
            raise DeclarationError(
                f"{name} has no answer at the pilot's last judgment ({last}): leave it out"
            )
    ranked = sorted(by_judge, key=lambda name: (*(-one for one in _performance(by_judge[name])), name))
    return tuple(ranked[: len(ranked) // 2])


def of_judges(answers: Sequence[SliderAnswer], names: Sequence[str]) -> tuple[SliderAnswer, ...]:
    """The answers of these judges.

    Raises:
        DeclarationError: none of them has answered.
    """
    kept = tuple(one for one in answers if one.judge in names)
    if not kept:
        judges = sorted({one.judge for one in answers})
        raise DeclarationError(
            f"none of the better half of the pilot's judges ({', '.join(names)}) is among those who answered here: "
            f"{', '.join(judges)}"
        )
    return kept


def _performance(own: Sequence[SliderAnswer]) -> tuple[float, float]:
    points = [one.toward_right or 0 for one in own]
    dollars = sum(INSTRUCTIONS[one.instruction].bonus(point) for one, point in zip(own, points, strict=True))
    return sum(point > 0 for point in points) / len(own), float(dollars / len(own))

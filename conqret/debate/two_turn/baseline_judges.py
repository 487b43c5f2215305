"""Judges that understand nothing: what a model has to beat.

``lexical`` is the offline baseline; the others need neither texts nor a model: always surely the first option, a coin,
and always surely the longer side.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from conqret.debate.two_turn.payoffs import PayoffInstruction
from conqret.debate.two_turn.slider_answers import END
from conqret.debate.two_turn.two_turn_files import NOTHING, Side
from conqret.text.text_passages import support

if TYPE_CHECKING:
    from conqret.debate.two_turn.debate_judge import DebateRequest

SEED = 13
"""Tosses the coin, together with what is asked."""

SURE_FROM = Fraction(2, 5)
"""By how much (of 1) one side's words must be better borne out for the baseline to be certain; chosen by hand."""


def lexical(sides: Sequence[Side], passage: str, payoff: PayoffInstruction) -> tuple[int, str]:
    """The slider by how far what is said for each option stands in the passage and the snippets, and why.

    A side's support is the share of the stems of its option and its argument (by weight: a half for common words,
    else 1) that the passage, or without one its own snippets and the counter-snippets against the other, hold. The
    difference d is taken for a confidence of ``1/2 + d / (2 SURE_FROM)``, at most 1, and the strength is what then
    earns most.
    """
    first, second = (
        support(_said(sides[place]), passage or _snippets(sides[place], sides[1 - place])) for place in (0, 1)
    )
    apart = min(abs(Fraction(second - first).limit_denominator(1000)) / SURE_FROM, Fraction(1))
    strength = payoff.best((1 + apart) / 2)
    explanation = (
        f"{first:.0%} of the words for the first option are borne out, {second:.0%} of those for the second"
    )
    return (strength if second > first else -strength), explanation


def floors(asked: Sequence[DebateRequest]) -> Iterator[tuple[str, DebateRequest, int]]:
    """The names of the judges that read nothing, with what each of them answers to each asking."""
    for name, slide in FLOORS.items():
        for request in asked:
            yield name, request, slide(request)


def _longer(request: DebateRequest) -> int:
    first, second = (_length(side) for side in request.sides)
    return 0 if first == second else END if second > first else -END


FLOORS: Mapping[str, Callable[[DebateRequest], int]] = {
    "always the first option": lambda request: -END,
    "a coin": lambda request: random.Random(f"{SEED} {request.key}").choice((-END, END)),
    "always the longer side": _longer,
}
"""What these judges answer; all of them are completely confident."""


def _length(side: Side) -> int:
    """Characters of all that is said for a side."""
    return len(side.argument.text) + sum(map(len, side.argument.snippets))


def _snippets(side: Side, other: Side) -> str:
    against_other = other.counter or NOTHING
    return "\n".join((*side.argument.snippets, *against_other.snippets))


def _said(side: Side) -> str:
    return f"{side.option}. {side.argument.text}"

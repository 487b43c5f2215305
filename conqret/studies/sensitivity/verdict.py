"""Whether the response of a score to damage is as it should be: yes, no or not known, and in words why.

Every verdict is of means over items, tested over topics, and there is none below six of them. What should fall has to
fall in trend (one-sided), with no step that rises significantly. What should stand still has to do so within a margin
(equivalence), and moves where a shift is shown to be beyond that margin, corrected for all shifts of the run that
should be within it (Holm). So a shift inside the margin is never called a move, however many topics show it.
Each verdict errs in at most 5% of the cases where the topics' effects are symmetric about their mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from conqret.errors import number
from conqret.perturb import Direction
from conqret.stats.curve_tests import MARGIN, Response
from conqret.stats.effects import ALPHA, holm, p_words
from conqret.stats.estimate import FEWEST_TESTED, JackknifedEstimate

Verdict = Literal["yes", "no", "inconclusive"]


class ResponseVerdict(NamedTuple):
    """A verdict, and in words why."""

    verdict: Verdict
    words: str


STILL = (Direction.UNCHANGED, Direction.NO_RISE)
"""What should not move, or not upwards."""


def corrected(
    responses: Sequence[Response], expected: Sequence[Direction], margin: float = MARGIN
) -> list[list[float]]:
    """For each response that should stand still (or not rise, as ``expected`` says) the p-values of "this shift is
    within ``margin``" against "it is beyond", corrected for all shifts of all of them."""
    raw = [
        _beyond(shift, direction, margin)
        for response, direction in zip(responses, expected, strict=True)
        for shift in response.shifts
    ]
    p_values = iter([1.0 if p is None else p for p in holm(raw)])
    return [[next(p_values) for _ in response.shifts] for response in responses]


def _beyond(shift: JackknifedEstimate, direction: Direction, margin: float) -> float | None:
    above, not_below = shift.above(margin), shift.above(-margin)
    if above is None or not_below is None or direction is Direction.NO_RISE:
        return above
    return min(1.0, 2 * min(above, 1 - not_below))


def alarms(p_values: Sequence[float]) -> list[int]:
    """The places among the shifts at which a score is shown to have moved that should have stood still."""
    return [place for place, p in enumerate(p_values) if p < ALPHA]


def judge_response(
    response: Response, expected: Direction, p_values: Sequence[float] = (), margin: float = MARGIN
) -> ResponseVerdict:
    """Whether ``response`` is as expected.

    ``p_values`` are those of :func:`corrected`, for what should stand still, which a score does within ``margin`` of 0.
    """
    if response.clusters < FEWEST_TESTED:
        topics = number(response.clusters, "topic")
        return ResponseVerdict("inconclusive", f"{topics}: at least {FEWEST_TESTED} are needed for a verdict")
    if expected in STILL:
        return _still(response, expected, p_values, margin)
    return _moves(response, 1 if expected is Direction.RISE else -1, margin)


def _moves(response: Response, sign: int, margin: float) -> ResponseVerdict:
    right, wrong = ("rises", "falls") if sign > 0 else ("falls", "rises")
    for against in response.neighbours:
        if against.significant and sign * against.difference < 0:
            between = f"from level {against.start:g} to {against.to:g}"
            return ResponseVerdict("no", f"it {wrong} by {abs(against.difference):.3f} {between}")
    upwards = response.trend.above()
    there = None if upwards is None else upwards if sign > 0 else 1 - upwards
    if there is None:
        return ResponseVerdict("inconclusive", "the trend cannot be tested")
    far = f"{_far(response)} from first to last (trend, "
    if there < ALPHA:
        return ResponseVerdict("yes", f"{right} by {far}{p_words(there)})")
    if 1 - there < ALPHA:
        return ResponseVerdict("no", f"it {wrong} by {far}{p_words(1 - there)})")
    if (response.trend.equivalent(margin) or 0.0) < ALPHA:
        return ResponseVerdict("no", f"it does not change (within {margin:g})")
    shift = response.shifts[-1].value
    return ResponseVerdict(
        "inconclusive", f"{shift:+.3f} from first to last is not told apart from none ({p_words(there)})"
    )


def moved(response: Response) -> str:
    """How far the score moved from the first level to the last, with its sign and interval, where nothing is
    expected."""
    found = response.shifts[-1].estimate()
    interval = "" if found.low is None or found.high is None else f" [{found.low:+.3f}, {found.high:+.3f}]"
    return f"moves by {response.shifts[-1].value:+.3f}{interval} from first to last"


def _far(response: Response) -> str:
    """How far the score moved from the first level to the last, without its sign, and the interval of that."""
    shift, interval = response.shifts[-1].value, response.shifts[-1].estimate()
    if interval.low is None or interval.high is None:
        return f"{abs(shift):.3f}"
    near, far = (-interval.high, -interval.low) if shift < 0 else (interval.low, interval.high)
    return f"{abs(shift):.3f} [{near:.3f}, {far:.3f}]"


def _still(
    response: Response, expected: Direction, p_values: Sequence[float], margin: float
) -> ResponseVerdict:
    shifts, levels = response.shifts, response.levels[1:]
    both = expected is Direction.UNCHANGED
    if raised := alarms(p_values):
        worst = max(raised, key=lambda place: abs(shifts[place].value))
        shift = shifts[worst]
        return ResponseVerdict(
            "no",
            f"moves by {shift.value:+.3f} at level {levels[worst]:g}, more than {margin:g} "
            f"({p_words(p_values[worst])})",
        )
    if all(shift.outside(margin, rising=not both) < ALPHA for shift in shifts):
        return ResponseVerdict(
            "yes",
            f"does not change (within {margin:g})" if both else f"does not rise (by {margin:g} or more)",
        )
    ends = [shift.estimate(1 - 2 * ALPHA) for shift in shifts]
    reach = max(max(end.high or 0.0, -(end.low or 0.0) if both else 0.0) for end in ends)
    found = f"may have {'moved' if both else 'risen'} by up to {reach:.3f}"
    least = smallest_detectable(response, margin, both=both)
    return ResponseVerdict(
        "inconclusive", found + (f"; a move of {least:.3f} would be found" if least is not None else "")
    )


def smallest_detectable(response: Response, margin: float, *, both: bool) -> float | None:
    """The smallest shift that would be shown to be beyond ``margin`` in 80% of such runs, by the least exact of the
    levels and before the correction for several; upwards alone, unless ``both`` directions count. None where no level
    has a standard error."""
    found = [shift.smallest_detectable(alpha=ALPHA * (1 if both else 2)) for shift in response.shifts]
    known = [distance for distance in found if distance is not None]
    return margin + max(known) if known else None

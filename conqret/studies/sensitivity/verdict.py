"""Whether the response of a score to damage is as it should be: yes, no or not known, and in words why.

Every verdict is of means over items, tested over topics, and there is none below six of them. What should fall has to
fall in trend (one-sided), with no step that rises significantly. What should stand still has to do so within a margin
(equivalence), and moves only where the shift is significant among all shifts of the run that should be none (maxT).
Each verdict errs in at most 5% of the cases where the topics' effects are symmetric about their mean; under skew more:
docs/results/statistics.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from conqret.errors import number
from conqret.perturb import Direction
from conqret.stats.curve_tests import MARGIN, TOLERANCE, Response
from conqret.stats.effects import ALPHA, p_words, sign_flip_p
from conqret.stats.estimate import FEWEST_TESTED

Verdict = Literal["yes", "no", "inconclusive"]

STILL = (Direction.UNCHANGED, Direction.NO_RISE)
"""What should not move, or not upwards."""


def corrected(responses: Sequence[Response], seed: int) -> list[list[float]]:
    """For each response that should stand still the p-values of its shifts, corrected for all shifts of all of them."""
    import numpy as np

    series = [move for response in responses for move in response.moves]
    p_values = iter(sign_flip_p(series, np.random.default_rng(seed)) if series else [])
    return [[next(p_values) for _ in response.moves] for response in responses]


def alarms(
    response: Response, expected: Direction, p_values: Sequence[float], tolerance: float = TOLERANCE
) -> list[int]:
    """The places among the shifts at which a score moved that should have stood still, or rose that should not have."""
    return [
        place
        for place, (shift, p) in enumerate(zip(response.shifts, p_values, strict=True))
        if p < ALPHA
        and (shift.value > tolerance or (expected is Direction.UNCHANGED and -shift.value > tolerance))
    ]


def judge_response(
    response: Response,
    expected: Direction,
    p_values: Sequence[float] = (),
    *,
    tolerance: float = TOLERANCE,
    margin: float = MARGIN,
) -> tuple[Verdict, str]:
    """Whether ``response`` is as expected, and in words why.

    ``p_values`` are those of :func:`corrected`, for what should stand still. A shift up to ``tolerance`` is none;
    within ``margin`` of 0 a score stands still.
    """
    if response.clusters < FEWEST_TESTED:
        topics = number(response.clusters, "topic")
        return "inconclusive", f"{topics}: at least {FEWEST_TESTED} are needed for a verdict"
    if expected in STILL:
        return _still(response, expected, alarms(response, expected, p_values, tolerance), p_values, margin)
    return _moves(response, 1 if expected is Direction.RISE else -1, margin)


def _moves(response: Response, sign: int, margin: float) -> tuple[Verdict, str]:
    right, wrong = ("rises", "falls") if sign > 0 else ("falls", "rises")
    against = next(
        (
            neighbour
            for neighbour in response.neighbours
            if neighbour.significant and sign * neighbour.difference < 0
        ),
        None,
    )
    if against is not None:
        return (
            "no",
            f"it {wrong} by {abs(against.difference):.3f} from level {against.start:g} to {against.to:g}",
        )
    upwards = response.trend.above()
    there = None if upwards is None else upwards if sign > 0 else 1 - upwards
    if there is None:
        return "inconclusive", "the trend cannot be tested"
    if there < ALPHA:
        return "yes", f"{right} by {_far(response)} from first to last (trend, {p_words(there)})"
    if 1 - there < ALPHA:
        return "no", f"it {wrong} by {_far(response)} from first to last (trend, {p_words(1 - there)})"
    if (response.trend.equivalent(margin) or 0.0) < ALPHA:
        return "no", f"it stands still (within {margin:g})"
    shift = response.shifts[-1].value
    return "inconclusive", f"{shift:+.3f} from first to last is not told apart from none ({p_words(there)})"


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
    response: Response, expected: Direction, raised: Sequence[int], p_values: Sequence[float], margin: float
) -> tuple[Verdict, str]:
    shifts, levels = response.shifts, response.levels[1:]
    if raised:
        worst = max(raised, key=lambda place: abs(shifts[place].value))
        return (
            "no",
            f"moves by {shifts[worst].value:+.3f} at level {levels[worst]:g} ({p_words(p_values[worst])})",
        )
    both = expected is Direction.UNCHANGED
    if all(shift.outside(margin, rising=not both) < ALPHA for shift in shifts):
        return (
            "yes",
            f"stands still (within {margin:g})" if both else f"does not rise (by {margin:g} or more)",
        )
    ends = [shift.estimate(1 - 2 * ALPHA) for shift in shifts]
    reach = max(max(end.high or 0.0, -(end.low or 0.0) if both else 0.0) for end in ends)
    return "inconclusive", f"may have {'moved' if both else 'risen'} by up to {reach:.3f}"

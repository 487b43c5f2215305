"""Whether the response of a score to damage is as it should be, and in words why."""

from __future__ import annotations

from conqret.perturb import Direction
from conqret.stats.sensitivity import Response, Step


def judge_response(response: Response, expected: Direction | None) -> tuple[bool | None, str]:
    """Whether ``response`` is as expected, and in words why.

    A fall is strict, from level to level, takes more items down than up, and is significant from the first
    level to the last (where there are topics enough to test it). What should stand still raises no alarm.
    """
    if expected is None:
        return None, "nothing is expected"
    if expected in (Direction.FALL, Direction.RISE):
        fall = expected is Direction.FALL
        steady = response.falls if fall else response.rises
        right, wrong = (response.fell, response.rose) if fall else (response.rose, response.fell)
        last = response.from_first[-1]
        faults = []
        if not steady:
            faults.append(_first_fault(response, fall))
        if right <= wrong:
            faults.append(f"{right:.0%} of the items {expected}, and {wrong:.0%} go the other way")
        if last.p is not None and not last.significant:
            faults.append(f"first and last level cannot be told apart (p = {last.p:.2g})")
        way = "falls" if fall else "rises"
        return not faults, "; ".join(faults) or f"{way} strictly, for {right:.0%} of the items"
    raised = alarms(response, expected)
    if not raised:
        return True, "stands still" if expected is Direction.UNCHANGED else "does not rise"
    worst = max(raised, key=lambda step: abs(step.difference))
    return False, f"moves by {worst.difference:+.3f} at level {worst.to:g} (p = {worst.p:.2g})"


def alarms(response: Response, expected: Direction | None) -> tuple[Step, ...]:
    """The levels at which a score moved that should have stood still, or rose that should not have."""
    if expected not in (Direction.UNCHANGED, Direction.NO_RISE):
        return ()
    return response.alarms(upwards_only=expected is Direction.NO_RISE)


def _first_fault(response: Response, fall: bool) -> str:
    pairs = zip(response.levels, response.levels[1:], response.means, response.means[1:], strict=False)
    for level, following, mean, later in pairs:
        if (later >= mean) if fall else (later <= mean):
            moved = "stays at" if later == mean else "rises to" if later > mean else "falls to"
            return f"from level {level:g} to {following:g} the mean {moved} {later:.3f} (from {mean:.3f})"
    return ""

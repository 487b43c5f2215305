"""Which of two arguments is better, clearly or by a little: the answer, and its measure."""

from __future__ import annotations

from collections.abc import Mapping

from conqret.data import Measure
from conqret.judging.judge_parts import Case, JudgeReply
from conqret.judging.responses import LABELS, SLIGHTLY, GradedSide, Typed
from conqret.judging.scales import preferred


class Preference(Typed):
    """Which argument is better, clearly or slightly."""

    preference: GradedSide


def score_preference(reply: JudgeReply[Preference], case: Case) -> Mapping[str, Measure]:
    """The preference; one by a little lies halfway between a clear one and a tie."""
    side = reply.value.preference
    verdict = preferred(LABELS[side.removesuffix(SLIGHTLY)], slightly=side.endswith(SLIGHTLY))
    return {"preference": verdict}

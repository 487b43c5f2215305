"""nugget-assignments: the measures of nuggets that are assigned already, by people or by AutoNuggetizer; no model is
asked."""

from __future__ import annotations

from collections.abc import Mapping

from conqret.data import Item, Measure, Reason
from conqret.judges.nuggets import SCORE, SOURCE
from conqret.judging.judge_parts import ComputedMetrics, Judge
from conqret.judging.nugget_measures import ALSO, METRICS, SUPPORT, assigned_part, nugget_measures

NOT_ASSIGNED = Measure.missing(Reason.NOTHING_TO_JUDGE)


def measures(item: Item) -> Mapping[str, Measure]:
    """Compute the nugget measures of an item from the assignments that its nuggets already have."""
    return nugget_measures(
        [
            (nugget, assigned_part(nugget, nugget.assignment) if nugget.assignment else NOT_ASSIGNED)
            for nugget in item.nuggets
        ]
    )


JUDGE = Judge(
    name="nugget-assignments",
    summary="the measures of nuggets that are assigned already (as by AutoNuggetizer), computed without a model",
    scale=", ".join(SUPPORT),
    score=SCORE,
    source=SOURCE,
    computed=(
        ComputedMetrics(
            metrics=METRICS, needs=frozenset({"nuggets", "nuggets.assignment"}), score=measures, also=ALSO
        ),
    ),
)

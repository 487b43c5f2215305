"""nugget-assignments: the measures of nuggets that are assigned already, by people or by AutoNuggetizer; no model is
asked.

They are those of TREC's RAG tracks (Pradeep et al., arXiv:2411.09607 and 2504.15068): an assignment counts 1 (support),
.5 (partial support) or 0 (no support); in a strict measure partial support counts 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import Literal

from conqret.data import Item, Measure, Nugget, Part, Reason, Status
from conqret.data.digest import gathered
from conqret.judging.computed_metrics import ComputedMetrics
from conqret.judging.judge_options import BY_SUB_NARRATIVE
from conqret.judging.judge_parts import Judge

SCORE = (
    "support 1, partial support .5 (0 where strict), no support 0; means over all nuggets, over vital ones, and "
    "weighted (okay .5)"
)
SOURCE = "TREC RAG, AutoNuggetizer (Pradeep et al. 2024, 2025)"
Assignment = Literal["support", "partial_support", "not_support"]
SUPPORT: Mapping[str, float] = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
"""What an assignment counts where a measure is not strict."""
OKAY_WEIGHT = 0.5
"""What an okay nugget weighs in the weighted measures, where a vital one weighs 1."""

ALL, STRICT_ALL = "all_score", "strict_all_score"
BY_IMPORTANCE = ("vital_score", "strict_vital_score", "weighted_score", "strict_weighted_score")
METRICS = (ALL, STRICT_ALL, *BY_IMPORTANCE, BY_SUB_NARRATIVE)
ALSO = {**dict.fromkeys(BY_IMPORTANCE, "nuggets.importance"), BY_SUB_NARRATIVE: "nuggets.sub_narrative"}
"""What nuggets must have, besides, for a measure."""

Assigned = tuple[Nugget, "Part | Measure"]
"""A nugget with its assignment as a part, or the measure that says why it has none."""


def assigned_part(nugget: Nugget, assignment: str, explanation: str = "") -> Part:
    """Return the part of a measure for one nugget: its assignment as the label, and the support as the
    value.
    """
    return Part(id=nugget.text, value=SUPPORT[assignment], label=assignment, explanation=explanation)


def nugget_measures(assigned: Sequence[Assigned]) -> dict[str, Measure]:
    """Compute the measures of an answer from its nugget assignments, by the names in :data:`METRICS`.

    - ``all_score``: the mean support over all nuggets
    - ``vital_score``: the mean support over the vital nuggets
    - ``weighted_score``: the weighted mean support; vital nuggets weigh 1, okay ones 1/2
    - ``strict_…``: the same, with partial support counted as 0
    - ``sub_narrative_coverage``: the mean over sub-narratives of the all score of their nuggets

    A measure is missing where it has no nugget, or where one of its nuggets has no assignment.
    """
    vital = [(nugget, part) for nugget, part in assigned if nugget.importance == "vital"]
    weights = [1.0 if nugget.importance == "vital" else OKAY_WEIGHT for nugget, _ in assigned]
    unweighted = [1.0] * len(assigned)
    parts = tuple(part for _, part in assigned if isinstance(part, Part))
    whole = {"all": (assigned, unweighted, "there are no nuggets")}
    if any(nugget.importance for nugget, _ in assigned):
        whole["vital"] = (vital, [1.0] * len(vital), "none of its nuggets is vital")
        whole["weighted"] = (assigned, weights, "there are no nuggets")
    else:
        nothing: tuple[list[Assigned], list[float], str] = ([], [], "its nuggets have no importance")
        whole |= {"vital": nothing, "weighted": nothing}
    measures = {
        f"{'strict_' * strict}{name}_score": _mean(chosen, chosen_weights, why, strict=strict)
        for name, (chosen, chosen_weights, why) in whole.items()
        for strict in (False, True)
    }
    measures[ALL] = measures[ALL].model_copy(update={"parts": parts})
    measures[BY_SUB_NARRATIVE] = _by_sub_narrative(assigned)
    return {metric: measures[metric] for metric in METRICS}


def _mean(assigned: Sequence[Assigned], weights: Sequence[float], nothing: str, *, strict: bool) -> Measure:
    if not assigned:
        return Measure.missing(Reason.NOTHING_TO_JUDGE, nothing)
    if (lost := _lost(assigned)) is not None:
        return lost
    parts = [part for _, part in assigned if isinstance(part, Part)]
    values = [float(part.value == 1) if strict else part.value or 0.0 for part in parts]
    value = fsum(weight * each for weight, each in zip(weights, values, strict=True)) / fsum(weights)
    counts = [sum(part.label == label for part in parts) for label in SUPPORT]
    why = f"of {len(parts)} nuggets {counts[0]} supported, {counts[1]} in part, {counts[2]} not"
    return Measure(status=Status.SCORED, value=min(1.0, value), explanation=why)


def _lost(assigned: Sequence[Assigned]) -> Measure | None:
    """Return the missing measure of nuggets of which some have no assignment; None if all have one."""
    lost = [part for _, part in assigned if isinstance(part, Measure)]
    if not lost:
        return None
    some = unassigned(len(lost), len(assigned))
    detail = f"{some}: {lost[0].detail}" if lost[0].detail else some
    return lost[0].model_copy(update={"detail": detail, "parts": (), "confidence": {}})


def unassigned(lost: int, total: int) -> str:
    """Return the sentence that ``lost`` of ``total`` nuggets have no assignment."""
    return f"{lost} of {total} nuggets have no assignment"


def _by_sub_narrative(assigned: Sequence[Assigned]) -> Measure:
    groups = gathered((nugget.sub_narrative, (nugget, part)) for nugget, part in assigned)
    groups.pop(None, None)
    if not groups:
        return Measure.missing(Reason.NOTHING_TO_JUDGE, "its nuggets name no sub-narrative")
    means = {
        name: _mean(chosen, [1.0] * len(chosen), "", strict=False)
        for name, chosen in groups.items()
        if name is not None
    }
    lost = _lost([entry for chosen in groups.values() for entry in chosen])
    parts = tuple(
        Part(id=name, value=mean.value, explanation=mean.explanation)
        for name, mean in means.items()
        if mean.value is not None
    )
    if lost is not None:
        return lost.model_copy(update={"parts": parts})
    return Measure(
        status=Status.SCORED,
        value=min(1.0, fsum(part.value or 0.0 for part in parts) / len(parts)),
        explanation=f"the mean over {len(parts)} sub-narratives",
        parts=parts,
    )


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

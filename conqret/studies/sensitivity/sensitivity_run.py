"""Measure judges against known damage: judge every version of every item, and draw the curves.

A run's folder holds ``run.json`` (what was asked), ``judgments.jsonl`` (appended as they arrive), ``scores.parquet``,
``recordings.sqlite`` and, at the end, ``results.json``. The same call again goes on where it stopped; requests that
are alike (level 0, and fields that a change does not touch) are sent once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from conqret.data import Judgment
from conqret.runs.session import SessionCounts
from conqret.studies.sensitivity.curve_estimates import Drawing
from conqret.studies.sensitivity.curves import Curve, CurveCell, EmptyCurve, StanceCurve
from conqret.studies.sensitivity.labels_of_versions import RELEVANT_GRADE, Labels, true_precision
from conqret.studies.sensitivity.result import (
    PrecisionRow,
    SensitivityFolder,
    SensitivityRecord,
    SensitivityResults,
)
from conqret.studies.sensitivity.sensitivity_plan import GRID_METRICS, SensitivityPlan
from conqret.studies.sensitivity.verdict import STILL, corrected
from conqret.studies.study_judging import JudgedPlan, StudyPart, StudyRunConfig, digest_of


def run_sensitivity(
    plan: SensitivityPlan,
    out: SensitivityFolder | None = None,
    conduct: StudyRunConfig | None = None,
    *,
    labels: Labels | None = None,
    relevant_grade: float = RELEVANT_GRADE,
) -> SensitivityResults:
    """Judge what is not judged yet, and write the results.

    Args:
        plan: what to judge.
        out: the run's folder, made if need be; None keeps everything in memory.
        conduct: how: the models' answers, the budget, who is told.
        labels: grades of documents, for Table 7; a document is relevant from ``relevant_grade`` upwards.

    Raises:
        DeclarationError: the folder holds another run, or another process is writing it.
    """
    return (conduct or StudyRunConfig()).execute(
        lambda sessions, conduct: SensitivityRun(sessions, conduct, out, plan, labels, relevant_grade)
    )


@dataclass(frozen=True)
class SensitivityRun(JudgedPlan[SensitivityResults]):
    """Every judge judges every version."""

    plan: SensitivityPlan
    labels: Labels | None
    relevant_grade: float

    @cached_property
    def parts(self) -> list[StudyPart]:
        """What is put to which instrument."""
        every = tuple(self.plan.every_item())
        return [
            StudyPart(setup.client, setup.fingerprint, every, setup.instrument) for setup in self.plan.setups
        ]

    def record(self) -> SensitivityRecord:
        """What ``run.json`` says."""
        return record_of(self.plan)

    def conclude(self, judgments: Mapping[str, Judgment], session: SessionCounts) -> SensitivityResults:
        """What follows from all rows."""
        plan = self.plan
        drawings = [Drawing.of(plan, setup, judgments.values()) for setup in plan.setups]
        curves = _curves(drawings, plan.margin)
        cells = [
            drawing.cell(stack, metric)
            for drawing in drawings
            for metric in GRID_METRICS
            for stack in plan.grid
        ]
        return SensitivityResults(
            record=self.record(),
            curves=tuple(curve for curve in curves if isinstance(curve, Curve)),
            unscored=tuple(curve for curve in curves if isinstance(curve, EmptyCurve)),
            stances=tuple(curve for curve in curves if isinstance(curve, StanceCurve)),
            grid=tuple(cell for cell in cells if isinstance(cell, CurveCell)),
            precision=_precision(plan, drawings, self.labels, self.relevant_grade) if self.labels else (),
            relevant_grade=self.relevant_grade if self.labels else None,
            left_out={name: tuple(out.reason for out in outs) for name, outs in plan.left_out.items()},
            unreached=plan.unreached,
            warnings=() if plan.checked is None or not plan.checked.left_out else (plan.checked.warning,),
            judgments=len(judgments),
            session=session,
        )


def record_of(plan: SensitivityPlan) -> SensitivityRecord:
    """The record of ``plan``."""
    return SensitivityRecord(
        judges=tuple(setup.recorded for setup in plan.setups),
        perturbations={damage.perturbation.name: damage.levels for damage in plan.damages},
        grid=tuple(dict.fromkeys(name for stack in plan.grid for name, _ in stack)),
        seed=plan.seed,
        items=len(plan.items),
        digest=digest_of(plan.every_item()),
    )


def _curves(drawings: list[Drawing], margin: float) -> list[Curve | EmptyCurve | StanceCurve]:
    """Every curve of which something is expected, and those of criteria of one's own; those that should stand still are
    tested together."""
    asked = [
        (drawing, damage, metric, *drawing.respond(damage, metric))
        for drawing in drawings
        for damage in drawing.plan.damages
        for metric in drawing.setup.metrics
        if damage.perturbation.expected(metric) is not None or drawing.setup.judge.declared
    ]
    still = [
        (place, response, expected)
        for place, (_, damage, metric, response, _) in enumerate(asked)
        if response is not None and (expected := damage.perturbation.expected(metric)) in STILL
    ]
    places, responses, directions = zip(*still, strict=True) if still else ((), (), ())
    p_values = dict(zip(places, corrected(responses, directions, margin), strict=True))
    return [
        curve
        for place, (drawing, damage, metric, response, lost) in enumerate(asked)
        for curve in drawing.curves(damage, metric, response, lost, p_values.get(place, ()))
    ]


def _precision(
    plan: SensitivityPlan, drawings: list[Drawing], labels: Labels, relevant_grade: float
) -> tuple[PrecisionRow, ...]:
    rows = []
    damage = next((damage for damage in plan.damages if damage.perturbation.name == "irrelevant"), None)
    for level in damage.levels if damage is not None else ():
        items = plan.versions[(("irrelevant", level),) if level else ()].values()
        known = [(item.id, true_precision(item, labels, relevant_grade=relevant_grade)) for item in items]
        truth = {name: value for name, value in known if value is not None}
        if truth:
            rows.append(
                PrecisionRow(
                    level=level,
                    n=len(truth),
                    true=sum(truth.values()) / len(truth),
                    predicted=_means(drawings, "predicted_precision", truth),
                    direct=_means(drawings, "context_relevance", truth),
                )
            )
    return tuple(rows)


def _means(drawings: list[Drawing], metric: str, items: Mapping[str, float]) -> dict[str, float]:
    """By the judge's name the mean of a metric over ``items``; a judge without a value is left out."""
    means = {}
    for drawing in drawings:
        values = [value for name in items if (value := drawing.value(name, metric)) is not None]
        if values:
            means[f"{drawing.setup.judge.name} ({drawing.setup.client.model})"] = sum(values) / len(values)
    return means

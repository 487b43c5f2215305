"""Measure judges against known perturbations: judge every version of every item, and draw the curves.

A run's folder holds ``run.json`` (the settings), ``judgments.jsonl`` (appended as they arrive), ``scores.parquet``,
``recordings.sqlite`` and, at the end, ``results.json``. The same call resumes a stopped run; equal requests (level 0,
and fields that a perturbation leaves alone) are sent once.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from conqret.data import Item, Judgment
from conqret.errors import LabelsError
from conqret.io.checks import each, identifier, number
from conqret.io.files import file_rows
from conqret.io.limits import head_of
from conqret.io.rows import columns_of
from conqret.io.schema import Field, TableReader, table_schema
from conqret.io.trec import read_qrels
from conqret.perturb import records
from conqret.studies.sensitivity.curves import JudgeCurves, corrected
from conqret.studies.sensitivity.result import (
    INVARIANT,
    Curve,
    CurveCell,
    EmptyCurve,
    PrecisionRow,
    SensitivityFolder,
    SensitivityRecord,
    SensitivityResults,
    StanceCurve,
)
from conqret.studies.sensitivity.sensitivity_plan import GRID_METRICS, SensitivityPlan
from conqret.studies.study_judging import JudgedRun, StudyPart, digest_of, study_folder

RELEVANT_GRADE = 1
"""A document counts as relevant from this grade upwards, as in TREC's measures."""

_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet", ".gz")

Labels = Mapping[str, Mapping[str, float]]
"""By item id (or topic) the grades of its documents, by id."""


class RelevanceGrade(NamedTuple):
    """The relevance grade of one document."""

    document: str
    grade: float


PAIR = table_schema(
    item=Field(("item",), identifier, needed="Name the item that the document is graded for"),
    document=Field(("document",), identifier, needed="Name the document that is graded"),
    grade=Field(("relevant",), number, needed="Write true or false, or a grade"),
)
GRADE = table_schema(
    document=Field(("id",), identifier, needed="Name the document that is graded"),
    grade=Field(("relevance",), number, needed="Add its grade"),
)
GRADES = table_schema(
    item=Field(("id",), identifier, needed="Name the item that the documents are graded for"),
    grades=Field(
        ("documents",), each(RelevanceGrade, GRADE), needed="List its documents, each with id and relevance"
    ),
)


def load_labels(path: Path) -> Labels:
    """Read relevance grades of documents from a file, by item (or topic) and document.

    The file has one of three layouts. JSON Lines have objects with ``id`` and ``documents`` (each with ``id``
    and ``relevance``). A table has the columns ``item``, ``document`` and ``relevant`` (true, false or a
    grade). TREC qrels have the id of the item or its topic in the first column.

    Raises:
        DeclarationError: the file is missing or has another layout; all faults of a table are listed.
    """
    labels: dict[str, dict[str, float]] = {}
    if path.is_file() and path.suffix not in _TABLES and not head_of(path).lstrip().startswith(b"{"):
        for line in read_qrels(path):
            labels.setdefault(line.query_id, {})[line.doc_id] = float(line.relevance)
        return labels
    rows = file_rows(path)
    objects = "documents" in columns_of(rows)
    reader = TableReader(rows, GRADES if objects else PAIR)
    for values in reader:
        grades = values["grades"] if objects else [RelevanceGrade(values["document"], values["grade"])]
        labels.setdefault(values["item"], {}).update(grades)
    reader.finish(LabelsError)
    return labels


def true_precision(item: Item, labels: Labels, *, relevant_grade: float = RELEVANT_GRADE) -> float | None:
    """Return the share of the item's documents that are relevant, in [0, 1]; None without labels.

    Documents inserted by a perturbation and documents without a grade count as not relevant.
    """
    done = records(item)
    original = done[0].original if done else item.id
    names = (original, str(item.metadata.get("topic_id", "")), item.topic)
    grades = next((labels[name] for name in names if labels.get(name)), None)
    if grades is None or not item.documents:
        return None
    foreign = {change.after for record in done for change in record.changes if change.kind == "replaced"}
    ids = [document.id for document in item.documents]
    return sum(name not in foreign and grades.get(name, 0.0) >= relevant_grade for name in ids) / len(ids)


def run_sensitivity(
    plan: SensitivityPlan,
    output: str | Path | None = None,
    *,
    labels: Labels | None = None,
    relevant_grade: float = RELEVANT_GRADE,
    shared: Mapping[str, Any] = {},
    **settings: Any,
) -> SensitivityResults:
    """Judge what is not judged yet, and write the results.

    Args:
        plan: what to judge.
        output: the run's folder, created if needed; None writes nothing.
        labels: relevance grades of documents, for Table 7 of ConQRet.
        relevant_grade: the grade from which a document is relevant.
        shared: open ``sessions`` (default: the run's own), and further parameters of
            :class:`conqret.studies.study_judging.JudgedRun`.
        settings: client options and progress callbacks.

    Raises:
        DeclarationError: the folder holds another run, or another process writes to it.
    """
    every = tuple(plan.every_item())
    record = SensitivityRecord(
        judges=tuple(setup.recorded for setup in plan.setups),
        perturbations={entry.perturbation.name: entry.levels for entry in plan.perturbations},
        grid=tuple(dict.fromkeys(name for stack in plan.cells for name, _ in stack)),
        seed=plan.seed,
        items=len(plan.items),
        digest=digest_of(every),
    )

    def made(judgments: Mapping[str, Judgment]) -> SensitivityResults:
        judges = [JudgeCurves(plan, setup, judgments) for setup in plan.setups]
        curves = _curves(judges, plan.margin)
        asked = [(metric, stack) for metric in GRID_METRICS for stack in plan.cells]
        cells = [judge.cell(stack, metric) for judge in judges for metric, stack in asked]
        return SensitivityResults(
            record=record,
            curves=tuple(curve for curve in curves if isinstance(curve, Curve)),
            unscored=tuple(curve for curve in curves if isinstance(curve, EmptyCurve)),
            stances=tuple(curve for curve in curves if isinstance(curve, StanceCurve)),
            grid=tuple(cell for cell in cells if isinstance(cell, CurveCell)),
            precision=_precision(plan, judges, labels, relevant_grade) if labels else (),
            relevant_grade=relevant_grade if labels else None,
            left_out={name: tuple(out.reason for out in outs) for name, outs in plan.left_out.items()},
            unreached=plan.unreached,
            warnings=() if plan.checked is None or not plan.checked.left_out else (plan.checked.warning,),
            judgments=len(judgments),
        )

    clients, budget = [setup.client for setup in plan.setups], settings.get("budget_usd")
    with (
        study_folder(SensitivityFolder, output, settings) as folder,
        JudgedRun(folder, clients, settings, record, total=plan.judgments, budget=budget, **shared) as run,
    ):
        run.judge(StudyPart(setup, setup.fingerprint, every) for setup in plan.setups)
        return run.conclude(made)


def _curves(judges: list[JudgeCurves], margin: float) -> list[Curve | EmptyCurve | StanceCurve]:
    """Return the curves of all judges with an expected change, and those of user-defined criteria. Tests of curves that
    should not change are corrected together, over all judges."""
    asked = [
        (judge, entry, metric, *judge.respond(entry, metric))
        for judge in judges
        for entry in judge.plan.perturbations
        for metric in judge.setup.metrics
        if entry.perturbation.expected(metric) is not None or judge.setup.judge.declared
    ]
    still = {
        place: (response, expected)
        for place, (_, entry, metric, response, _) in enumerate(asked)
        if response is not None and (expected := entry.perturbation.expected(metric)) in INVARIANT
    }
    shifts = corrected([one for one, _ in still.values()], [one for _, one in still.values()], margin)
    p_values = dict(zip(still, shifts, strict=True))
    return [
        curve
        for place, (judge, entry, metric, response, lost) in enumerate(asked)
        for curve in judge.curves(entry, metric, response, lost, p_values.get(place, ()))
    ]


def _precision(
    plan: SensitivityPlan, judges: list[JudgeCurves], labels: Labels, relevant_grade: float
) -> tuple[PrecisionRow, ...]:
    rows = []
    irrelevant = [entry for entry in plan.perturbations if entry.perturbation.name == "irrelevant"]
    for level in (level for entry in irrelevant for level in entry.levels):
        items = plan.versions[(("irrelevant", level),) if level else ()].values()
        known = [(item.id, true_precision(item, labels, relevant_grade=relevant_grade)) for item in items]
        truth = {name: value for name, value in known if value is not None}
        if truth:
            rows.append(
                PrecisionRow(
                    level=level,
                    n=len(truth),
                    true=sum(truth.values()) / len(truth),
                    predicted=_means(judges, "predicted_precision", truth),
                    direct=_means(judges, "context_relevance", truth),
                )
            )
    return tuple(rows)


def _means(judges: list[JudgeCurves], metric: str, items: Mapping[str, float]) -> dict[str, float]:
    """The mean of a metric over ``items`` by judge; judges without a value are left out."""
    means = {}
    for judge in judges:
        values = [value for name in items if (value := judge.value(name, metric)) is not None]
        if values:
            means[f"{judge.setup.judge.name} ({judge.setup.client.model})"] = sum(values) / len(values)
    return means

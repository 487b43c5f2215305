"""``conqret validate``: a run's judgments compared with human labels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from annotated_types import Interval

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.exit_codes import end_by
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import note, result, spaced, tell
from conqret.studies.agreement.command import ComparisonOptions


@dataclass(frozen=True, kw_only=True)
class EvidenceFiles(OptionGroup):
    """What the judge card shows apart from the agreement.

    Args:
        calibration: A file written by `conqret judges calibrate`; raw and calibrated scores are compared with the
            labels.
        bias: The folder of a run of `conqret bias`: its result becomes part of the judge card (a page on how far the
            judge can be trusted).
        sensitivity: The folder of a run of `conqret sensitivity`: its result becomes part of the judge card (a page on
            how far the judge can be trusted).
    """

    calibration: Path | None = None
    baseline: label_options.Baseline = None
    bias: Path | None = None
    sensitivity: Path | None = None


def validate(
    run: Path,
    *,
    labels: label_options.Labels,
    output: Path | None = None,
    require: list[str] | None = None,
    reading: label_options.LabelReading,
    comparison: ComparisonOptions,
    drawn_by: options.DrawnBy = None,
    epsilon: Annotated[float, Interval(ge=0, le=0.99)] = 0.2,
    evidence: EvidenceFiles,
    confidence: label_options.Confidence = 0.95,
    json_output: options.Printed = None,
) -> None:
    """Estimate judge-human agreement, compare it with inter-annotator agreement, and write the judge card.

    The lowest and highest possible label must be known to compare labels with scores, and are never guessed: give
    `--scale` or `--map`, unless conqret knows the file's layout, or all labels are 0 and 1, or pass and fail. Items
    that have only a label or only a score are counted and listed.

    Args:
        run: The folder of a finished run of `conqret judge`.
        output (--output, -o): The folder to write the validation and the judge card into. Default: the run's folder.
        require: A condition on the result: `alpha[overall_quality] >= 0.4` (Krippendorff's alpha on one dimension),
            `alpha.low >= 0.3` (low end of the interval of the mean alpha) or `coverage >= 0.98` (share of labeled items
            that have a score). Of labels with two values also `tnr[supported] >= 0.8`, `tpr` (or `recall`),
            `kappa.low[supported] >= 0.4`; of a judge's probabilities `brier[supported] < 0.2`, `rps[clarity] < 0.1` (of
            more values), `calibration_error[clarity] < 0.1`. Exit code 0 if all are met, 1 if one is not, 3 if one
            is undecided because its interval contains the bound. May be repeated.
        epsilon: For the test whether the judge can replace an annotator (alternative annotator test): on what share of
            items the judge, being cheaper, may do worse than an annotator. Usual values: 0.2 for expert annotators, 0.1
            for crowd workers.

    Examples:

    conqret validate runs/first --labels labels.csv --scale 1:3 -o card/

    conqret validate runs/first --labels labels.csv --scale 1:3 --require "alpha[overall_quality] >= 0.4" --require
    "coverage >= 0.98"
    """
    from conqret.studies.validate import page
    from conqret.studies.validate import validate as validation

    validated = validation.validate(
        run,
        labels=reading.load(labels),
        require=require or (),
        **comparison.settings(epsilon=epsilon, confidence=confidence),
        calibration=evidence.calibration,
        baseline=evidence.baseline,
        bias=evidence.bias,
        sensitivity=evidence.sensitivity,
        drawn_by=drawn_by,
        output=output or run,
    )
    found = validated.validation
    note(*found.basis.notes)
    for names, what in (
        (found.join.unlabelled, "judged items without a label"),
        (found.join.unjudged, "labeled items that were not judged"),
        (found.join.unknown_parts, "labeled parts that are not in the judgments"),
    ):
        if names:
            note(f"{what}: {len(names)}")
    if found.join.unknown_dimensions:
        note(
            f"the judge has no metric for these labeled dimensions: {', '.join(found.join.unknown_dimensions)}"
        )
    every = json_output is False
    tables = page.validation_page(found).tables if every else spaced(page.validation_tables(found))
    result(
        found,
        tables,
        as_json=json_output,
        outcomes=validated.requirements,
        answer=page.validation_answer(found),
    )
    for path in validated.files:
        tell(f"{path.name:<16} {path}")
    end_by(validated.requirements)

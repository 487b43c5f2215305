"""``validate``: a run's judgments compared with human labels, with the judge card that follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conqret.console.conditions import Requirement, RequirementOutcome
from conqret.errors import DeclarationError, check_known, strict_options
from conqret.io.label_set import LabelSet
from conqret.io.labels import read_labels
from conqret.io.limits import read_written
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.judgments import Judgments
from conqret.judging.tally import summarise
from conqret.show.page import write_files
from conqret.stats.estimate import Estimate, undefined
from conqret.studies.agreement.agreement_settings import DEFAULT_SETTINGS, AgreementSettings
from conqret.studies.agreement.judge_agreement import Average, DimensionValidation
from conqret.studies.agreement.judge_baselines import offline_judgments
from conqret.studies.agreement.statistics import CALIBRATED, NOT_CALIBRATED, STATISTICS
from conqret.studies.bias.bias_run import BiasFolder
from conqret.studies.calibrate.result import Calibration
from conqret.studies.card.page import write_card
from conqret.studies.card.result import Card, make_card
from conqret.studies.check.api import decide
from conqret.studies.check.checked_table import DrawnBy
from conqret.studies.sensitivity.result import SensitivityFolder
from conqret.studies.validate.page import validation_page
from conqret.studies.validate.result import Validation
from conqret.studies.validate.result import validate as compare

JSON_NAME, PAGE_NAME, MARKDOWN_NAME = "validation.json", "validation.html", "validation.md"
AVERAGED = {
    "alpha": "alpha",
    "calibrated": "calibrated",
    "people": "inter_annotator_alpha",
    "person": "one_annotator_alpha",
    "as_person": "judge_as_annotator_alpha",
}
RATES = {"tnr": "tnr", "tpr": "tpr", "recall": "tpr", "corrected": "corrected", "judge_mean": "judge_mean"}
"""What can be required of labels with two values; recall is the other name of TPR."""
PROBABILITIES = {
    "brier": "it is of probabilities of a pass, for labels of two values",
    "rps": "it is of probabilities of levels, for ordered labels of more than two values",
    "calibration_error": "the judge gives no probabilities",
}
"""What can be required of a judge's probabilities, with the reason where there is none."""
OTHERS = ("coverage", "winning_rate", "advantage")
"""What can be required; without a dimension it is the average without overall quality, and the coverage over all."""
NOT_TWO = "it is for labels of two values, and these have more"
EXAMPLE = "alpha[overall_quality] >= 0.4"


@dataclass(frozen=True, slots=True)
class ValidationResult:
    """The result of :func:`validate`: the validation, the outcomes of requirements, the judge card, and the
    files written.
    """

    validation: Validation
    requirements: tuple[RequirementOutcome, ...]
    card: Card
    files: list[Path] = field(default_factory=list)

    @property
    def met(self) -> bool:
        """True if all requirements are met."""
        return all(requirement.met for requirement in self.requirements)


def read_validation(folder: Path) -> Validation:
    """Read the validation in ``folder``.

    Raises:
        DeclarationError: there is none.
    """
    return read_written(folder / JSON_NAME, Validation, "conqret validate")


@strict_options
def validate(
    run: str | Path | Judgments,
    *,
    labels: str | Path | Sequence[str | Path] | LabelSet,
    metrics: Mapping[str, str] | None = None,
    require: Sequence[str] = (),
    settings: AgreementSettings = DEFAULT_SETTINGS,
    calibration: str | Path | Calibration | None = None,
    baseline: str | Path | None = None,
    bias: str | Path | None = None,
    sensitivity: str | Path | None = None,
    drawn_by: DrawnBy | None = None,
    output: str | Path | None = None,
) -> ValidationResult:
    """Estimate judge-human agreement and inter-annotator agreement, check requirements, and make the judge
    card.

    Args:
        run: the folder of a run, or what :func:`conqret.judge` returned.
        labels: human labels of the items: a file, a folder or several files, or labels read with
            :func:`conqret.io.labels.read_labels` (which takes their scale).
        metrics: the metric of each dimension, where the names differ.
        require: conditions such as ``alpha[overall_quality] >= 0.4``, ``alpha.low >= 0.3`` or ``coverage >=
            0.98``.
        settings: aggregation of labels, intervals, seed, the tolerance of the alternative annotator test.
        calibration: a file of ``conqret judges calibrate`` for this judge; agreement of calibrated scores is
            then computed, too. Items of topics used for fitting get the map fitted without them.
        baseline: the folder of a run of the offline baseline on the same items.
        bias: a folder of :func:`conqret.bias`, for the card.
        sensitivity: a folder of :func:`conqret.sensitivity`, for the card.
        drawn_by: how the labeled items were chosen: at ``random``, or a fixed number of each ``verdict`` or ``label``.
        output: the folder for ``validation.json``, ``validation.html``, ``validation.md`` and the card; None
            writes nothing.

    Raises:
        DeclarationError: there is no such run, labels have no scale, a requirement cannot be parsed, or a
            calibration, bias or sensitivity run is of another judge configuration.
    """
    if isinstance(calibration, (str, Path)):
        calibration = Calibration.read(Path(calibration))
    requirements = [parse_requirement(text) for text in require]
    label_set = labels if isinstance(labels, LabelSet) else read_labels(labels)
    if isinstance(run, Judgments):
        record, summary, judgments, items = run.record, run.summary, run.__iter__, run.source.__iter__
    else:
        folder = JudgeFolder(Path(run))
        record, judgments, items = folder.record(), folder.judgments, folder.items
        summary = summarise(judgments())
    result = compare(
        judgments(),
        label_set,
        items=items(),
        metrics=metrics,
        settings=settings,
        baseline=record.baseline,
        calibration=calibration,
        offline=None if baseline is None else offline_judgments(JudgeFolder(Path(baseline))),
        drawn_by=drawn_by,
    )
    outcomes = [check_requirement(requirement, result) for requirement in requirements]
    card = make_card(
        record,
        summary,
        result,
        items(),
        judgments=judgments(),
        bias=None if bias is None else BiasFolder(Path(bias)).table(),
        sensitivity=None if sensitivity is None else SensitivityFolder(Path(sensitivity)).results(),
    )
    files: list[Path] = []
    if output is not None:
        sheet = validation_page(result, outcomes)
        pages = {
            JSON_NAME: result.model_dump_json(indent=1) + "\n",
            PAGE_NAME: sheet.html(),
            MARKDOWN_NAME: sheet.markdown(),
        }
        files = [*write_files(Path(output), pages), *write_card(card, Path(output))]
    return ValidationResult(result, tuple(outcomes), card, files)


def parse_requirement(text: str) -> Requirement:
    """Parse a condition such as ``alpha[overall_quality] >= 0.4``.

    Raises:
        DeclarationError: the text has another form.
        UnknownNameError: there is no such quantity.
    """
    ended = (*AVERAGED, *STATISTICS, *RATES, *PROBABILITIES)
    condition = Requirement.parse(text, (*ended, *OTHERS), "quantity to require", EXAMPLE, ended)
    if condition.dimension is None and condition.name not in (*AVERAGED, "coverage"):
        raise DeclarationError(
            f"the requirement {text!r} names no dimension: write, for example, {condition.name}[overall_quality]"
        )
    return condition


def check_requirement(requirement: Requirement, validation: Validation) -> RequirementOutcome:
    """Check one requirement against a validation, and return the outcome; without a dimension it is on the average.

    Raises:
        UnknownNameError: its dimension was not validated.
    """
    name, dimension = requirement.name, requirement.dimension
    if dimension is None:
        row: Average | DimensionValidation = validation.average
        judge = validation.average.judge
        known = {"alpha": judge["mean"], "calibrated": judge.get(CALIBRATED, undefined(NOT_CALIBRATED))}
        known["coverage"] = Estimate(validation.coverage)
    else:
        check_known("validated dimension", validation.dimensions, dimension)
        row = validation.dimensions[dimension]
        test = row.alternative
        known = {**row.statistics, "coverage": Estimate(row.coverage)}
        known["winning_rate"] = Estimate(test.winning_rate, reason=test.reason)
        known["advantage"] = Estimate(test.advantage, reason=test.reason)
        rates = row.pass_fail.figures if row.pass_fail else {}
        known |= {rate: rates.get(figure, undefined(NOT_TWO)) for rate, figure in RATES.items()}
        given = row.probabilities or rates
        known |= {name: given.get(name, undefined(reason)) for name, reason in PROBABILITIES.items()}
    estimate: Estimate = known[name] if name in known else getattr(row, AVERAGED[name])
    labeled = row.compared if isinstance(row, DimensionValidation) else 0
    return decide(requirement, estimate, labeled, validation.basis.settings.confidence)

"""``conqret runs diff``: two runs beside each other, and conditions on them.

``difference[.low|.high][METRIC] OPERATOR NUMBER``: the second run's mean less the first's, on what both scored;
``.low`` and ``.high`` are the ends of its interval. A difference, or an end, that has no value fails its condition.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.conditions import Requirement, RequirementOutcome
from conqret.console.option_groups import grouped
from conqret.console.printing import at, end, note, result, tell, tell_outcomes
from conqret.errors import check_known

if TYPE_CHECKING:
    from conqret.studies.diff.result import RunDifference


DIFFERENCE = "difference"
EXAMPLE = "difference[groundedness] >= -0.02"


def parse_difference_requirement(text: str) -> Requirement:
    """Read one condition.

    Raises:
        DeclarationError: it has another form.
        UnknownNameError: there is no such quantity.
    """
    named = ((DIFFERENCE,), "metric", EXAMPLE)
    return Requirement.of(text, (DIFFERENCE,), "quantity to require", EXAMPLE, named=named)


def check_difference_requirement(requirement: Requirement, difference: RunDifference) -> RequirementOutcome:
    """Hold one condition against two runs.

    Raises:
        UnknownNameError: not both of them have its metric.
    """
    metric = str(requirement.dimension)
    check_known("metric of both runs", difference.metrics, metric)
    row = difference.metrics[metric]
    estimate, moved = row.difference, row.up or row.down
    value = (
        requirement.end_of(estimate) if moved else estimate.value
    )  # the same scores have no interval: both ends are 0
    return requirement.outcome(value, estimate.reason or "it has no value")


@grouped
def diff(
    first: Path,
    second: Path,
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The HTML page to write, with both runs side by side.", dir_okay=False
        ),
    ] = None,
    labels: list[Path] | None = None,
    reading: label_options.LabelReading,
    metric: list[str] | None = None,
    margin: float | None = None,
    require: list[str] | None = None,
    junit: Annotated[
        Path | None,
        typer.Option(
            help="Write JUnit XML for a CI server into this file: a test case for each condition that `--require` "
            "sets on the result.",
            dir_okay=False,
        ),
    ] = None,
    confidence: label_options.Confidence = 0.95,
    json_output: options.Printed = None,
) -> None:
    """Compare two runs: what changed, or which of two systems the judge finds better, paired over topics.

    No labels are needed. But a judge may favor one of two systems: with `--labels` for some of the pairs, the
    human difference is estimated from all judgments and corrected for that.

    Args:
        first: The folder of a finished run of `conqret judge`.
        second: The folder of the second run: over the same items, or of another system on the same topics.
        labels: Human labels of both systems' arguments, for a random sample of the pairs of items that are compared: a
            file, a folder of files or a quoted pattern. If both runs have the same item ids, give the option twice:
            first the labels of the first run's items, then those of the second's. If items were drawn with unequal
            probabilities, the column `inclusion_probability` must state them.
        metric: Compare only this metric; p-values are corrected for the number of metrics that you name. May be
            repeated.
        margin: The largest difference between the two runs' means that still counts as equivalent, as a share of the
            scale (0.05 is 5%).
        require: A condition on the second run's mean minus the first's: `difference[groundedness] >= -0.02`, or
            `difference.high[groundedness] >= 0`, which fails if the whole interval is below 0. Exit code 0 if all are
            met, 1 if one is not. May be repeated.

    Examples:

    conqret runs diff runs/before runs/after -o diff.html

    conqret runs diff runs/last runs/now --metric groundedness --require "difference[groundedness] >= -0.02"

    conqret runs diff runs/system-a runs/system-b --labels labels.csv --scale 1:3
    """
    from conqret.errors import DeclarationError
    from conqret.io.safe_files import write_whole
    from conqret.judging.judge_folder import JudgeFolder
    from conqret.judging.judge_parts import TOURNAMENT
    from conqret.judging.requirements import junit_suite, required_cases
    from conqret.studies.agreement.agreement_settings import AgreementSettings
    from conqret.studies.diff.page import (
        difference_answer,
        difference_tables,
        met,
        undecided,
        unlike,
        write_difference,
    )
    from conqret.studies.diff.result import diff as difference

    if len(labels or ()) > 2:
        raise DeclarationError("--labels is given once for both runs, or twice, once for each")
    wanted = [parse_difference_requirement(text) for text in require or ()]
    runs = JudgeFolder(first), JudgeFolder(second)
    run_difference = difference(
        *runs,
        labels=[reading.load([file]) for file in labels or ()],
        settings=AgreementSettings(confidence=confidence),
        metrics=[name.replace("-", "_") for name in metric or ()],
        margin=margin,
    )
    outcomes = [check_difference_requirement(condition, run_difference) for condition in wanted]
    tell(f"first      {run_difference.first}\nsecond     {run_difference.second}")
    tell(met(run_difference))
    if not run_difference.same_judge and not run_difference.same_items:
        note("judge and items both differ, so the difference cannot be attributed to either")
    if all(run.record().format == TOURNAMENT.name for run in runs):
        note(
            "strengths are relative to the mean of their topic in each tournament, so the means do not show which run "
            "has the better arguments; to compare systems, run one tournament with the arguments of all"
        )
    if run_difference.left_out:
        note(f"left out, because only one of the two runs has them: {', '.join(run_difference.left_out)}")
    if run_difference.unlike:
        note(unlike(run_difference))
    if not run_difference.changed:
        note("no score differs")
    result(
        run_difference,
        difference_tables(run_difference),
        as_json=json_output,
        outcomes=outcomes,
        answer=[difference_answer(run_difference), undecided(run_difference)],
    )
    if output is not None:
        tell(at(write_difference(run_difference, *runs, output), "page"))
    if junit is not None:
        write_whole(junit, junit_suite("runs diff", list(required_cases(outcomes))))
    end(not tell_outcomes(outcomes))

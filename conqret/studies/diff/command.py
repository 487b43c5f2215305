"""``conqret runs diff``: two runs compared, and conditions on them.

``difference[.low|.high][METRIC] OPERATOR NUMBER``: the second run's mean less the first's, on what both scored;
``.low`` and ``.high`` are the ends of its interval. A difference, or an end, that has no value fails its condition.
"""

from __future__ import annotations

from pathlib import Path

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.conditions import check_difference, junit_suite, parse_difference, required_cases
from conqret.console.exit_codes import end
from conqret.console.printing import at, note, result, tell, tell_outcomes
from conqret.errors import DeclarationError, metric_name


def diff(
    first: Path,
    second: Path,
    *,
    output: Path | None = None,
    labels: list[Path] | None = None,
    reading: label_options.LabelReading,
    metric: list[str] | None = None,
    margin: float | None = None,
    require: list[str] | None = None,
    junit: Path | None = None,
    confidence: label_options.Confidence = 0.95,
    json_output: options.Printed = None,
) -> None:
    """Compare two runs: what changed, or which of two systems the judge finds better, paired over topics.

    No labels are needed. But a judge may favor one of two systems: with `--labels` for some of the pairs, the
    human difference is estimated from all judgments and corrected for that.

    Args:
        first: The folder of a finished run of `conqret judge`.
        second: The folder of the second run: over the same items, or of another system on the same topics.
        output (--output, -o): The HTML page to write, with both runs side by side.
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
        junit: Write JUnit XML for a CI server into this file: a test case for each condition that `--require` sets on
            the result.

    Examples:

    conqret runs diff runs/before runs/after -o diff.html

    conqret runs diff runs/last runs/now --metric groundedness --require "difference[groundedness] >= -0.02"

    conqret runs diff runs/system-a runs/system-b --labels labels.csv --scale 1:3
    """
    from conqret.io.safe_files import write_whole
    from conqret.judging import judge_folder, judge_parts
    from conqret.show.page import write_file
    from conqret.studies.agreement.agreement_settings import AgreementSettings
    from conqret.studies.diff import difference
    from conqret.studies.diff import result as pages

    if len(labels or ()) > 2:
        raise DeclarationError("--labels is given once for both runs, or twice, once for each")
    wanted = [parse_difference(text) for text in require or ()]
    runs = judge_folder.JudgeFolder(first), judge_folder.JudgeFolder(second)
    found = difference.diff(
        *runs,
        labels=[reading.load([file]) for file in labels or ()],
        settings=AgreementSettings(confidence=confidence),
        metrics=[metric_name(name) for name in metric or ()],
        margin=margin,
    )
    differences = {name: row.difference for name, row in found.metrics.items()}
    outcomes = [
        pages.with_items(condition, check_difference(condition, differences), found) for condition in wanted
    ]
    tell(f"first      {found.first}\nsecond     {found.second}\n{pages.met(found)}")
    note(*pages.remarks(found))
    if all(run.record().format == judge_parts.TOURNAMENT.name for run in runs):
        note(
            "strengths are relative to the mean of their topic in each tournament, so the means do not show which run "
            "has the better arguments; to compare systems, run one tournament with the arguments of all"
        )
    if found.left_out:
        note(f"left out, because only one of the two runs has them: {', '.join(found.left_out)}")
    tables, answer = pages.difference_tables(found), pages.difference_answer(found)
    result(found, tables, as_json=json_output, outcomes=outcomes, answer=answer)
    if output is not None:
        tell(at(write_file(output, pages.difference_page(found, *runs)), "page"))
    if junit is not None:
        cases = list(required_cases(outcomes))
        write_whole(junit, junit_suite("runs diff", cases))
    end(not tell_outcomes(outcomes))

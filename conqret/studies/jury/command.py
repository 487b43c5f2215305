"""``conqret judges jury``: several judges as one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.printing import at, note, result, tell
from conqret.studies.agreement.command import ComparisonOptions


def jury(
    runs: list[Path],
    *,
    labels: Annotated[
        list[Path] | None,
        label_options.label_files(
            "Human labels of the items. They are needed to measure what the jury gains over its judges."
        ),
    ] = None,
    by: Literal["mean", "median"] = "mean",
    output: Path = Path("runs/jury"),
    reading: label_options.LabelReading,
    comparison: ComparisonOptions,
    confidence: label_options.Confidence = 0.95,
    overwrite: options.Overwrite = False,
    json_output: options.Printed = None,
) -> None:
    """Combine several judges: what the mean of their scores gains over the best of them, and where they differ.

    No model is called: finished runs are put together into a new run, which `conqret runs report` and `conqret
    validate` read. The jury is compared with the member that is best on other topics.

    Args:
        runs: Finished runs of judges over the same items, at least two.
        by: How scores are combined: `mean` or `median`.
        output (--output, -o): The folder for the run of the jury.

    Examples:

    conqret judges jury runs/a runs/b runs/c --labels labels.csv --scale 1:3 -o runs/jury

    conqret validate runs/jury --labels labels.csv --scale 1:3
    """
    from conqret.judging import judge_folder, page
    from conqret.show.page import write_file
    from conqret.studies.jury import jury_run
    from conqret.studies.jury import result as pages

    read = None if labels is None else reading.load(labels)
    jury_result = jury_run.jury(
        runs, output, read, rule=by, **comparison.settings(confidence=confidence), overwrite=overwrite
    )
    note(*(() if read is None else read.notes))
    if jury_result.scored < jury_result.items:
        note(
            f"{jury_result.items - jury_result.scored} of {jury_result.items} items lack the score of a "
            "member, so the jury has no score for them"
        )
    sheet = pages.jury_page(jury_result)
    written = write_file(output / jury_run.PAGE, sheet.html())
    page.write_report(judge_folder.JudgeFolder(output))
    result(jury_result, sheet.tables, as_json=json_output, answer=sheet.answer)
    tell(at(output, "run"))
    tell(at(written))

"""``conqret judges calibrate``: from a judge's scores to people's scale."""

from __future__ import annotations

from pathlib import Path

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.printing import at, note, note_each, result, tell
from conqret.studies.agreement.command import ComparisonOptions


def calibrate(
    run: Path,
    *,
    labels: label_options.Labels,
    output: Path = Path("calibration.json"),
    reading: label_options.LabelReading,
    comparison: ComparisonOptions,
    confidence: label_options.Confidence = 0.95,
    page: Path | None = None,
    json_output: options.Printed = None,
) -> None:
    """Fit a calibration map from judge scores to human scores for each metric, and test it on other topics.

    The map is an isotonic regression; the judge stays as it is where that is not better by more than one standard
    error. All figures printed are cross-fitted: for each topic, the map is chosen and fitted on the labels of other
    topics only. Labels on at least six topics are needed, and their scale (`--scale`, `--map`, or a published layout).

    Args:
        run: The folder of a finished run of `conqret judge`.
        output (--output, -o): The file to write: the maps, and what they change.
        page: The file for the result; its ending chooses an HTML page (.html), Markdown (.md), or the reliability
            diagram (.svg).

    Examples:

    conqret judges calibrate runs/first --labels labels.csv --scale 1:3 -o calibration.json

    conqret validate runs/first --labels labels.csv --scale 1:3 --calibration calibration.json

    conqret judge more.jsonl --model gpt-4o-mini --calibration calibration.json
    """
    from conqret.io.safe_files import write_whole
    from conqret.show.report_page import check_ending, write_sheet
    from conqret.studies.agreement.trivial_judges import over_baselines
    from conqret.studies.calibrate.fit_calibration import calibrate as fitted
    from conqret.studies.calibrate.result import calibration_sheet

    if page is not None:
        check_ending(page)
    read = reading.load(labels)
    calibration = fitted(
        run,
        read,
        **comparison.settings(confidence=confidence),
    )
    write_whole(output, calibration.model_dump_json(indent=1).encode() + b"\n")
    note(*read.notes)
    note_each(f"{dimension} is not calibrated: {why}" for dimension, why in calibration.left_out.items())
    sheet = calibration_sheet(calibration)
    result(calibration, sheet.tables, as_json=json_output, answer=sheet.answer)
    note_each(over_baselines({name: check.over for name, check in calibration.checked.items()}))
    tell(at(output, "maps"))
    if page is not None:
        tell(at(write_sheet(sheet, page), "page"))

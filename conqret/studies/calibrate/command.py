"""``conqret judges calibrate``: from a judge's scores to the labels' scale."""

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
    from conqret.studies.calibrate.fit_calibration import calibrate as fit
    from conqret.studies.calibrate.result import calibration_page

    page_file = options.PageFile(page)
    read = reading.load(labels)
    calibration = fit(run, read, **comparison.settings(confidence=confidence))
    calibration.write(output)
    note(*read.notes)
    note_each(f"{dimension} is not calibrated: {why}" for dimension, why in calibration.left_out.items())
    sheet = calibration_page(calibration)
    result(calibration, sheet.tables, as_json=json_output, answer=sheet.answer)
    note(*calibration.baseline_sentences)
    tell(at(output, "maps"))
    page_file.write(calibration_page, calibration, "page")

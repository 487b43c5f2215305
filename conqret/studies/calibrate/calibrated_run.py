"""Calibrated scores beside those of a finished run."""

from __future__ import annotations

from statistics import fmean

from conqret.data.digest import gathered
from conqret.io.safe_files import write_whole
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.summary import Summary
from conqret.judging.tables import ScoreTable
from conqret.studies.calibrate.calibration import Calibration


def calibrate_run(run: JudgeFolder, calibration: Calibration) -> Summary:
    """Add the calibrated scores to the run's ``scores.parquet`` (a column beside ``value``, where there is such a
    table) and their means to its summary, which is returned.

    Raises:
        DeclarationError: the calibration is another judge's, or this is no run.
    """
    record = run.record()
    calibration.check(record.format, record.model, record.fingerprint)
    found = {
        (judgment.item, *place): score
        for judgment in run.judgments()
        for place, score in calibration.calibrated(judgment).items()
    }
    if run.scores_file.exists():
        with ScoreTable(run.scores_file, calibrated=found) as table:
            for judgment in run.judgments():
                table.add(judgment)
    whole = gathered((metric, score) for (_, metric, part), score in found.items() if part is None)
    summary = run.so_far().with_calibrated({metric: fmean(scores) for metric, scores in whole.items()})
    if run.summary_file.exists():
        write_whole(run.summary_file, summary.model_dump_json(indent=1).encode())
    return summary

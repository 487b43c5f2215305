"""The page of a run, chosen by its kind: what ``conqret runs report`` writes and ``conqret serve view`` shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conqret.errors import DeclarationError, strict_options
from conqret.experiments.job import ExperimentFolder
from conqret.experiments.page import experiment_page, write_experiment
from conqret.judging.judge_folder import JudgeFolder, JudgeRecord
from conqret.judging.page import counted, report_page
from conqret.judging.recorded_requests import write_asked_report
from conqret.judging.summary import Summary
from conqret.judging.tally import MAX_ITEMS
from conqret.runs.run_folder import REPORT
from conqret.show.page import Ways, write_file
from conqret.studies.bias.bias_run import BiasFolder
from conqret.studies.bias.result import bias_sheet
from conqret.studies.calibrate.result import Calibration, calibrate_run
from conqret.studies.sensitivity.page import sensitivity_sheet
from conqret.studies.sensitivity.result import SensitivityFolder


def run_page(
    run: Path, *, asked_at: Callable[[int, int], str] | None = None, around: Ways = ()
) -> Iterator[str] | None:
    """The page of the run in a folder, piece by piece; None where its kind has none that is made of the folder alone.

    ``asked_at`` says for a judge's run where what was asked stands (:func:`conqret.judging.page.report_page`), and
    ``around`` what else there is beside the page.

    Raises:
        DeclarationError: the run is not finished (a judge's need not be), or its files are damaged.
    """
    if (judged := JudgeFolder(run)).is_there():
        return report_page(judged, counted(judged), asked_at=asked_at, around=around)
    return study_page(run, around)


def study_page(run: Path, around: Ways = ()) -> Iterator[str] | None:
    """The same for a finished experiment, sensitivity run or run of bias probes; None where it is none of these."""
    if (experiment := ExperimentFolder(run)).is_there():
        return experiment_page(experiment, around)
    if (sensitivity := SensitivityFolder(run)).is_there():
        return sensitivity_sheet(sensitivity.results()).html(around=around)
    if (bias := BiasFolder(run)).is_there():
        return bias_sheet(bias.table()).html(around=around)
    return None


@dataclass(frozen=True, slots=True)
class RunReport:
    """The ``files`` that were written. Of a judge's run there are its ``summary`` and ``record``; of an
    experiment there is ``experiment``, its summary."""

    files: tuple[Path, ...]
    summary: Summary | None = None
    record: JudgeRecord | None = None
    experiment: Mapping[str, Any] | None = None


@strict_options
def report_run(
    run: str | Path,
    to: str | Path | None = None,
    *,
    recordings: str | Path | None = None,
    prompts: str | Path | None = None,
    calibration: str | Path | None = None,
    max_items: int = MAX_ITEMS,
) -> RunReport:
    """Write the HTML report of a run, a study or an experiment.

    The prompts and raw answers of the items shown are written beside a judge's report, and linked.

    Args:
        run: the folder of a run, finished or not.
        to: where to write the page, by default ``report.html`` in the run's folder.
        recordings: where the raw answers are, if not in the run's folder: a store, an export, a run.
        prompts: the folder of prompts that the run was made with, if any.
        calibration: a file of ``conqret judges calibrate`` for this judge: calibrated scores are shown beside the raw
            ones, and written into ``scores.parquet``.
        max_items: how many items are shown in full.

    Raises:
        DeclarationError: there is no run, or options are given that are for a judge's run alone.
    """
    folder = Path(run)
    alone = to or recordings or prompts or calibration
    if (experiment := ExperimentFolder(folder)).is_there():
        _check_alone(folder, "an experiment", alone)
        return RunReport(tuple(write_experiment(experiment)), experiment=experiment.summary())
    if (study := study_page(folder)) is not None:
        _check_alone(folder, "a study of a judge", alone)
        return RunReport((write_file(folder / REPORT, study),))
    judged = JudgeFolder(folder)
    summary = judged.so_far()
    if calibration is not None:
        summary = calibrate_run(judged, Calibration.read(Path(calibration)))
    written = write_asked_report(
        judged,
        None if to is None else Path(to),
        max_items=max_items,
        recordings=None if recordings is None else Path(recordings),
        prompts=None if prompts is None else Path(prompts),
    )
    return RunReport((written,), summary, judged.record())


def _check_alone(run: Path, what: str, given: object) -> None:
    """Refuse the options of a judge's run for what is none."""
    if given is not None:
        raise DeclarationError(
            f"{run} contains {what}, whose page is already in its folder: leave out --to, --recordings, "
            "--prompts and --calibration, or give the folder of a run of conqret judge"
        )

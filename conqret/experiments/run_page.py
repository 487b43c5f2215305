"""The page of a run, chosen by its kind: what ``conqret runs report`` writes and ``conqret serve view`` shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from conqret.experiments.experiment_folder import ExperimentFolder
from conqret.experiments.page import experiment_page
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.page import counted, report_page
from conqret.show.page import Ways
from conqret.studies.bias.bias_run import BiasFolder
from conqret.studies.bias.page import bias_sheet
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

"""``conqret judges compare``: several judges and the same human labels."""

from __future__ import annotations

from pathlib import Path

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.printing import note, note_each
from conqret.studies.agreement.command import ComparisonOptions


def compare(
    runs: list[Path],
    *,
    labels: label_options.Labels,
    reading: label_options.LabelReading,
    comparison: ComparisonOptions,
    page: options.PageFile,
    confidence: label_options.Confidence = 0.95,
    json_output: options.Printed = None,
) -> None:
    """Compare judges with human labels: alphas, their differences on what all scored, and whether one wins
    significantly.

    Differences are paired by topic and corrected over all pairs. A judge wins if it is shown to agree better than
    every other judge, and is also the best when any one of five parts of the topics is left out. Among copies of one
    prompt, a winner is named by chance in at most one of twenty cases.

    Args:
        runs: Finished runs of judges over the same items, at least two.

    Examples:

    conqret judges compare runs/a runs/b --labels labels.csv --scale 1:3

    conqret judges compare runs/prompt-* --labels labels.csv --scale 1:3 -o compare.html
    """
    from conqret.judging.judge_folder import JudgeFolder
    from conqret.studies.compare.compare_judges import compare as compare_runs
    from conqret.studies.compare.result import comparison_page

    compared = compare_runs(runs, reading.load(labels), **comparison.settings(confidence=confidence))
    note(*compared.basis.notes)
    if compared.left_out:
        note(f"left out, because not all judges have them: {', '.join(compared.left_out)}")
    note_each(
        f"{name} has no score for {lost} of the labels, which are left out for all"
        for name, lost in compared.lost.items()
    )
    baselines = [JudgeFolder(run).record().baseline for run in runs]
    page.show(compared, comparison_page(compared, baselines), as_json=json_output)

"""``conqret debate agreement``: do people agree with the judge of controllability?"""

from __future__ import annotations

from pathlib import Path

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import result
from conqret.debate.debatune.sample_command import plan_of


@grouped
def agree(
    sheet: Path,
    *,
    plan: Path | None = None,
    words: str = "good=1,tie=0.5,bad=0",
    shown: options.OutputOptions,
) -> None:
    """How far do people agree with the judge, corrected for how the statements were drawn?

    Each label is weighted by the number of statements that it stands for, so that the figures are for the whole run.
    Ties are left out of the agreement, and counted. Intervals are over topics.

    Args:
        sheet: The sheet of `conqret debate sample`, filled in.
        plan: The plan that says what was drawn. Default: SHEET.plan.json beside the sheet.
        words (--map): What the words in the sheet mean: 1 is good, 0.5 a tie, 0 bad.

    Examples:

    conqret debate agreement sheet.csv

    conqret debate agreement sheet-of-anna.csv --plan sheet.csv.plan.json --map gut=1,unklar=0.5,schlecht=0
    """
    from conqret._optional import require
    from conqret.debate.debatune.controllability_scores import METRIC
    from conqret.debate.debatune.manual_inspection import agreement, read_inspection
    from conqret.debate.debatune.page import agreement_table
    from conqret.io.labels import read_labels

    require("numpy", extra="stats")
    inspection = read_inspection(plan or plan_of(sheet))
    labels = read_labels(sheet, words=[words], dimensions=[METRIC])
    found = agreement(inspection, labels)
    shown.note(*labels.notes)
    data = {"model": inspection.model, "good_from": inspection.good_from,
            "systems": [one.model_dump(mode="json") for one in found]}  # fmt: skip
    result(data, [agreement_table(found, inspection)], as_json=shown.json_output)

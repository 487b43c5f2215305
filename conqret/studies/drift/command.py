"""``conqret judges drift``: is the judge still as it was?"""

from __future__ import annotations

from pathlib import Path

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.conditions import check_difference, parse_difference
from conqret.console.exit_codes import end
from conqret.console.printing import note_all, result, tell_outcomes
from conqret.errors import metric_name


def drift(
    runs: list[Path],
    *,
    reference: str | None = None,
    metric: list[str] | None = None,
    require: list[str] | None = None,
    page: options.PageFile,
    confidence: label_options.Confidence = 0.95,
    json_output: options.Printed = None,
) -> None:
    """Monitor a judge for drift: compare dated runs over the same items (waves) with a reference wave.

    Judge the same items again from time to time with `conqret judge`, each time into a folder of its own. Each wave is
    compared with the reference as `conqret runs diff` does, paired by item, and p-values are corrected over all waves
    and metrics. It also says what else changed: the name under which the model answers, its system, prompts, price and
    speed. The exit code is 1 if a wave differs significantly, or a condition of `--require` is not met.

    Args:
        runs: The folders of finished runs over the same items, one for each wave, or one folder that contains them.
        reference: The name of the wave that the others are compared with. Default: the earliest.
        metric: Compare only this metric. May be repeated.
        require: A condition on the newest wave: `difference[groundedness] >= -0.02` (its mean minus the reference's;
            also `.low` and `.high`, the ends of the interval) or `coverage >= 0.98` (the share of items with a
            score). Exit code 0 if all are met, 1 if one is not. May be repeated.

    Examples:

    conqret judge anchors.jsonl --model gpt-4o-mini -o drift/2026-01-05

    conqret judges drift drift -o drift.html

    conqret judges drift drift --reference 2026-02-01 --require "difference[groundedness] >= -0.02"
    """
    from conqret.studies.drift import result as waves

    wanted = [parse_difference(text, "coverage") for text in require or ()]
    found = waves.drift(
        *runs,
        reference=reference,
        metrics=[metric_name(name) for name in metric or ()],
        confidence=confidence,
    )
    if found.left_out:
        note_all("not finished, and left out", found.left_out)
    newest, differences = (
        found.newest,
        {row.metric: row.difference for row in found.differences if row.wave == found.newest.name},
    )
    outcomes = [
        condition.outcome(newest.anchors / (newest.anchors + newest.missing))
        if condition.name == "coverage"
        else check_difference(condition, differences, "the newest wave")
        for condition in wanted
    ]
    answer = waves.drift_answer(found)
    result(found, waves.drift_screen(found), as_json=json_output, outcomes=outcomes, answer=answer)
    page.write(waves.drift_page, found)
    end(not tell_outcomes(outcomes) or found.alarms)

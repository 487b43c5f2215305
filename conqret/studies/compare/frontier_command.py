"""``conqret judges pareto``: price and time of judges against their agreement with people."""

from __future__ import annotations

from pathlib import Path

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import note, result, tell


@grouped
def frontier(
    runs: list[Path],
    *,
    labels: label_options.Labels,
    reading: label_options.LabelReading,
    metric: label_options.Metrics = None,
    aggregate: label_options.Aggregate = "auto",
    page: options.PageFile,
    confidence: label_options.Confidence = 0.95,
    json_output: options.Json = False,
) -> None:
    """Find the cost-effective judges: price and time against human agreement, and which differences are significant.

    A more expensive judge is cost-effective only if it is shown to agree better than every cheaper one: by the paired
    difference of the alphas over topics, corrected over all pairs. Otherwise the question is reported as open.

    Args:
        runs: Finished runs of judges over the same items; two at least.

    Example: conqret judges pareto runs/small runs/large runs/offline --labels labels.csv --scale 1:3 -o buy.html
    """
    from conqret.studies.agreement.agreement_settings import AgreementSettings
    from conqret.studies.compare.frontier import pareto
    from conqret.studies.compare.frontier_page import frontier_sheet, frontier_tables

    frontier_result = pareto(
        runs,
        reading.load(labels),
        metrics=label_options.metric_map(metric),
        settings=AgreementSettings(aggregate=aggregate, confidence=confidence),
    )
    note(*frontier_result.basis.notes)
    if frontier_result.left_out:
        note(f"left out, because not all judges have them: {', '.join(frontier_result.left_out)}")
    result(frontier_result, frontier_tables(frontier_result), as_json=json_output)
    tell(frontier_result.verdict)
    page.write(frontier_sheet, frontier_result)

"""``conqret judges abstain``: from which confidence on a judge's scores are kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, end, note, note_each, result, tell
from conqret.studies.agreement.command import ComparisonOptions


@dataclass(frozen=True, kw_only=True)
class RiskOptions(OptionGroup):
    """The risk guarantee.

    Args:
        error: The guarantee: the largest share of errors among the scores that are kept.
        tolerance: A score is wrong if it is further from the human label than this share of the scale. With nominal
            labels, or only two, it is wrong if it is another label.
        by: Where the judge's confidence comes from: `logprobs` (token probabilities), `samples` (agreement of repeated
            samples), `stated` (the judge states it) or `orders` (agreement of both orders of two arguments). Default:
            the first of these that the run has.
        together: Choose one confidence threshold for all metrics together, from the labels of all of them, instead of
            one for each metric.
    """

    error: float = 0.2
    tolerance: float = 0.25
    by: str | None = None
    together: bool = False


def abstain(
    run: Path,
    *,
    labels: label_options.Labels,
    risk: RiskOptions,
    output: Path = Path("abstention.json"),
    page: Path | None = None,
    reading: label_options.LabelReading,
    comparison: ComparisonOptions,
    json_output: options.Printed = None,
) -> None:
    """Choose the confidence below which a judge abstains, with a risk guarantee for the scores that are kept.

    Of the scores that `conqret judge --abstain` then keeps, at most the share `--error` is wrong, but for
    5% of the draws of topics. It holds only where the labeled items are a random
    sample of those scored (`conqret labels sample --plan` draws one). The other scores are left out with the reason
    `unsure`, for annotators to judge. Labels on at least six topics are needed. Exit code 1: no metric has a
    threshold.

    Args:
        run: The folder of a finished run whose scores have a confidence (see `--by`).
        output (--output, -o): The file to write: the thresholds, and what they are based on.
        page: The file for the result; its ending chooses an HTML page (.html), Markdown (.md), or the chart of the
            share of wrong scores by the share of scores kept (.svg).

    Examples:

    conqret judges abstain runs/first --labels labels.csv --scale 1:3 --error 0.2 -o abstention.json

    conqret judge more.jsonl --model gpt-4o-mini --samples 5 --abstain abstention.json

    conqret labels sample more.jsonl --run runs/more --uncertain-first -o unsure.csv
    """
    from conqret.studies.abstain.fit_abstention import abstain as fit
    from conqret.studies.abstain.result import abstention_page, abstention_remarks, abstention_tables

    page_file = options.PageFile(page)
    read = reading.load(labels)
    abstention = fit(
        run,
        read,
        error=risk.error,
        tolerance=risk.tolerance,
        source=risk.by,
        together=risk.together,
        **comparison.settings(),
    )
    sheet = abstention_page(abstention)
    abstention.write(output)
    note(*read.notes)
    note_each(
        f"{dimension} has no rule, and is never abstained from: {why}"
        for dimension, why in abstention.left_out.items()
    )
    result(abstention, abstention_tables(abstention), as_json=json_output, answer=sheet.answer)
    note(*abstention_remarks(abstention))
    tell(at(output, "abstention"))
    page_file.write(abstention_page, abstention, "page")
    end(all(threshold is None for threshold in abstention.rules.values()))

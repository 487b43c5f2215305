"""``conqret judges abstain``: from which confidence on a judge's scores are kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.exit_codes import end
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, note, note_each, result, tell
from conqret.errors import DeclarationError
from conqret.studies.agreement.command import ComparisonOptions


@dataclass(frozen=True, kw_only=True)
class RiskOptions(OptionGroup):
    """The risk guarantee.

    Args:
        error: The guarantee: the largest share of errors among the scores that are kept. Default: 0.2.
        against: The folder of a finished run of an LLM judge with the same format on the labeled items: fit a cascade,
            in which RUN's judge keeps the items that it is sure of and the LLM judges the others (`conqret judge
            --escalate`).
        margin: With `--against`, the guarantee: how many more errors the cascade makes at most than the LLM judge
            alone, as a share of all scores. Default: 0.03.
        tolerance: A score is wrong if it is further from the human label than this share of the scale. With nominal
            labels, or only two, it is wrong if it is another label.
        by: Where the judge's confidence comes from: `logprobs` (token probabilities), `probabilities` (of a decision
            model), `samples` (agreement of repeated samples), `stated` (the judge states it) or `orders` (agreement of
            both orders of two arguments). Default: the first of these that the run has.
        together: Choose one confidence threshold for all metrics together, from the labels of all of them, instead of
            one for each metric. With `--against`, an item is kept by its lowest confidence, and the guarantee is for
            each metric; with `--together`, by its mean confidence, for all metrics together.
    """

    error: float | None = None
    against: Path | None = None
    margin: float | None = None
    tolerance: float = 0.25
    by: str | None = None
    together: bool = False

    def guarantee(self) -> dict[str, float]:
        """Return the guarantee as a setting of the public function: ``error``, or ``margin`` with ``--against``.

        Raises:
            DeclarationError: the other one is given.
        """
        name, other = ("error", "margin") if self.against is None else ("margin", "error")
        if getattr(self, other) is not None:
            raise DeclarationError(
                f"--{other} is a guarantee {'of' if other == 'margin' else 'without'} a cascade (--against): give "
                f"--{name} instead"
            )
        value = getattr(self, name)
        return {} if value is None else {name: value}


def abstain(
    run: Path,
    *,
    labels: label_options.Labels,
    risk: RiskOptions,
    output: Path | None = None,
    page: Path | None = None,
    reading: label_options.LabelReading,
    comparison: ComparisonOptions,
    json_output: options.Printed = None,
) -> None:
    """Choose the confidence below which a judge abstains, with a risk guarantee for the scores that are kept.

    Of the scores that `conqret judge --abstain` then keeps, at most the share `--error` is wrong, but for
    5% of the draws of topics. It holds only where the labeled items are a random
    sample of those scored (`conqret labels sample --plan` draws one). The other scores are left out with the reason
    `unsure`, for annotators to judge. With `--against LLM_RUN`, an LLM judges them (`conqret judge --escalate`), and
    the guarantee is on how many more errors both make than the LLM alone. Labels on at least six topics are needed.
    Exit code 1: no metric has a threshold.

    Args:
        run: The folder of a finished run whose scores have a confidence (see `--by`).
        output (--output, -o): The file to write: the thresholds, and what they are based on. Default:
            `abstention.json`, or `cascade.json` with `--against`.
        page: The file for the result; its ending chooses an HTML page (.html), Markdown (.md), or the chart of the
            share of wrong scores by the share of scores kept (.svg).

    Examples:

    conqret judges abstain runs/first --labels labels.csv --scale 1:3 --error 0.2 -o abstention.json

    conqret judge more.jsonl --model gpt-4o-mini --samples 5 --abstain abstention.json

    conqret labels sample more.jsonl --run runs/more --uncertain-first -o unsure.csv

    conqret judges abstain runs/cheap --against runs/llm --labels labels.csv --margin 0.03 -o cascade.json

    conqret judge more.jsonl --model CHEAP --escalate LLM --cascade cascade.json
    """
    from conqret.studies.abstain import fit_abstention
    from conqret.studies.abstain import page as pages

    page_file = options.PageFile(page)
    read = reading.load(labels)
    settings = {
        **risk.guarantee(),
        "tolerance": risk.tolerance,
        "source": risk.by,
        "together": risk.together,
        **comparison.settings(),
    }
    fitted: Any
    shown: Any
    if risk.against is None:
        fitted, shown = fit_abstention.abstain(run, read, **settings), pages.ABSTENTION
    else:
        fitted, shown = fit_abstention.fit_cascade(run, read, against=risk.against, **settings), pages.CASCADE
    answer, tables, remarks, page_of = shown
    output = output or Path(f"{fitted.WHAT}.json")
    fitted.write(output)
    note(*read.notes)
    note_each(f"{fitted.UNCOVERED.format(name)}: {why}" for name, why in fitted.left_out.items())
    result(fitted, tables(fitted), as_json=json_output, answer=[answer(fitted)])
    note(*remarks(fitted))
    tell(at(output, fitted.WHAT))
    page_file.write(page_of, fitted, "page")
    end(not fitted.kept)

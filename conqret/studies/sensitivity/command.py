"""``conqret sensitivity``: does the judge detect perturbations?"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conqret.console import shared_options as options
from conqret.console.exit_codes import end
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, note, note_each, result, tell_missing
from conqret.console.shared_options import StudyOptions
from conqret.console.source_options import DocumentPool
from conqret.judging.command import OwnJudge

if TYPE_CHECKING:
    from conqret.studies.sensitivity.sensitivity_plan import SensitivityPlan


COMMON = (
    "formats criterion rubric models judge perturb metric labels output replay budget_usd dry_run json_output"
).split()
"""The options that ``--help`` shows."""


@dataclass(frozen=True, kw_only=True)
class PerturbationOptions(OptionGroup):
    """What is perturbed, and how far.

    Perturbations:
        perturb (--perturb, -p): Perturbations, comma-separated, each with its levels after a colon, as counts or
            shares: `irrelevant:10,50,hallucinate:25%,50%`. Results call the latter `hallucinate-share`.
        grid: Also judge items with both perturbations, as in ConQRet's Figure 4: `irrelevant` combined with
            `hallucinate` (or `reverse`, if `--perturb` names it), at the levels that `--perturb` gives them (default:
            0, 10, 50 or 75 percent of documents replaced, and 0, 16 or 63 percent of cited sentences changed).
    """

    perturb: str = "irrelevant,hallucinate:25%,50%,100%"
    grid: bool = False
    pool: DocumentPool = None


@dataclass(frozen=True, kw_only=True)
class ComparedJudges(OptionGroup):
    """The judges, and who rewrites.

    Judging:
        formats (--format, -f): Formats, comma-separated. Default: `rag-fine-grained`.
    Model:
        models (--model, -m): The models to test as judges, comma-separated: names that litellm knows, or `offline`, a
            baseline from word statistics.
        perturb_model: What rewrites sentences: any model name that litellm knows, or `offline` for fixed rules without
            a model.
    """

    own: OwnJudge = field(default_factory=OwnJudge)
    formats: str | None = None
    models: str = "offline"
    perturb_model: str = "offline"
    metric: options.Metric = None

    def settings(self, calls: options.Calls) -> dict[str, Any]:
        """Return these options as settings of the public function: judges, each model with the settings of ``calls``,
        the rewriting model, and metrics."""
        named = {} if self.formats is None else {"formats": self.formats}
        return {
            **named,
            "models": [calls.for_model(model) for model in options.listed(self.models)],
            **self.own.given(),
            "rewriter": calls.for_model(self.perturb_model),
            "metrics": self.metric or (),
        }


def sensitivity(
    items: options.Items,
    *,
    columns: options.Columns = None,
    skip_invalid: options.SkipInvalid = False,
    language: options.Language = None,
    chosen: ComparedJudges,
    perturbed: PerturbationOptions,
    labels: Path | None = None,
    output: Path = Path("runs/sensitivity"),
    run_options: StudyOptions,
) -> None:
    """Perturb items by known amounts, judge every version, and test which scores change as they should.

    For each judge, metric and perturbation: mean scores at each level with intervals over topics, whether they fall at
        every step, their correlation with the level, which levels differ significantly, and whether scores change that
        should not.

    Files:
        labels: Relevance grades of the documents, for true precision (ConQRet, Table 7): qrels, CSV or JSON Lines.
        output (--output, -o): The run's folder; the same command continues a stopped run.

    Examples:

    conqret sensitivity items.jsonl --format direct,rag-fine-grained --perturb irrelevant,hallucinate:25%,50%
    --model offline -o runs/sens

    conqret sensitivity items.jsonl --perturb irrelevant:0,10,50 --labels qrels.txt --model gpt-4o-mini --dry-run

    conqret sensitivity items.jsonl --grid --model gpt-4o
    """
    from conqret.studies.sensitivity.page import (
        all_tables,
        answer,
        screen,
        unscored_remarks,
        write_sensitivity,
    )
    from conqret.studies.sensitivity.result import SensitivityFolder
    from conqret.studies.sensitivity.sensitivity_study import sensitivity as measure

    shown = run_options.shown

    def announce(plan: SensitivityPlan) -> None:
        shown.left_out(plan.checked)
        shown.note(*plan.remarks)

    results = run_options.study(
        measure,
        items,
        **chosen.settings(run_options.calls),
        columns=options.column_map(columns, options.ITEM_COLUMNS),
        skip_invalid=skip_invalid,
        language=language,
        **vars(perturbed),
        labels=labels,
        output=output,
        budget_usd=run_options.calls.budget,
        on_plan=announce,
        rows="judgments",
    )
    files = [SensitivityFolder(output).results_file, *write_sensitivity(results, output)[:2]]
    tables = all_tables(results) if shown.json_output is False else screen(results)
    result(results, [*tables, *map(at, files)], as_json=shown.json_output, answer=answer(results.curves))
    note(*results.warnings)
    note_each(unscored_remarks(results))
    missing = results.lost
    end(tell_missing(missing), results.session, there=results.curves or results.grid, reasons=missing)

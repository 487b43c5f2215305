"""``conqret sensitivity``: does the judge notice damage that was done on purpose?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import at, end, floor, note, note_each, progress, result
from conqret.errors import number
from conqret.judging.command_options import JudgeRunOptions, OwnJudge
from conqret.judging.cost_table import tell_cost
from conqret.perturb.command import SEED, Pool
from conqret.stats.curve_tests import MARGIN

if TYPE_CHECKING:
    from conqret.studies.sensitivity.sensitivity_plan import SensitivityPlan


COMMON = (
    "formats",
    "criterion",
    "rubric",
    "models",
    "judge",
    "perturb",
    "metric",
    "labels",
    "output",
    "replay",
    "budget_usd",
    "dry_run",
    "json_output",
)
"""The options that ``--help`` shows."""


@dataclass(frozen=True, kw_only=True)
class PerturbationOptions(OptionGroup):
    """What is perturbed, and how far.

    Damage:
        perturb (--perturb, -p): Perturbations, comma-separated, each with its levels after a colon, as counts or
            shares: `irrelevant:10,50,hallucinate:25%,50%`.
        grid: Also judge items with both perturbations, as in ConQRet's Figure 4: `irrelevant` combined with
            `hallucinate`, at the levels that `--perturb` gives them (default: 0, 10, 50 or 75 percent of documents
            replaced, and 0, 50 or 100 percent of cited sentences changed).
        perturb_model: What rewrites sentences: any model name that litellm knows, or `offline` for fixed rules without
            a model.
        seed: The seed by which changes are drawn.
        margin: How far a score that should not change may shift and still count as unchanged, as a share of the scale.
    """

    perturb: str = "irrelevant,hallucinate:25%,50%,100%"
    grid: bool = False
    pool: Pool = None
    perturb_model: str = "offline"
    seed: int = SEED
    margin: float = MARGIN


@dataclass(frozen=True, kw_only=True)
class ComparedJudges(OptionGroup):
    """The judges.

    Judging:
        formats (--format, -f): Formats, comma-separated. Default: `rag-fine-grained`.
    Model:
        models (--model, -m): The models to test as judges, comma-separated: names that litellm knows, or `offline`, a
            baseline from word statistics.
    """

    own: OwnJudge
    formats: str | None = None
    models: str = "offline"


@dataclass(frozen=True, kw_only=True)
class GradedDocuments(OptionGroup):
    """Relevance grades, for true precision.

    Files:
        labels: Relevance grades of the documents, for true precision (ConQRet, Table 7): qrels, CSV or JSON Lines.
        relevant_grade: The lowest grade with which a document counts as relevant.
    """

    labels: Path | None = None
    relevant_grade: float = 1.0


@grouped
def sensitivity(
    items: options.Items,
    *,
    columns: options.Columns = None,
    skip_invalid: options.SkipInvalid = False,
    language: options.Language = None,
    chosen: ComparedJudges,
    perturbed: PerturbationOptions,
    output: Path = Path("runs/sensitivity"),
    metric: options.Metric = None,
    graded: GradedDocuments,
    ran: JudgeRunOptions,
    dry_run: options.DryRun = False,
    shown: options.OutputOptions,
) -> None:
    """Perturb items by known amounts, judge every version, and test which scores change as they should.

    For each judge, metric and perturbation: mean scores at each level with intervals over topics, whether they fall at
        every step, their correlation with the level, which levels differ significantly, and whether scores change that
        should not.

    Files:
        output (--output, -o): The run's folder; the same command continues a stopped run.

    Examples:

    conqret sensitivity items.jsonl --format direct,rag-fine-grained --perturb irrelevant,hallucinate:25%,50%
    --model offline -o runs/sens

    conqret sensitivity items.jsonl --perturb irrelevant:0,10,50 --labels qrels.txt --model gpt-4o-mini --dry-run

    conqret sensitivity items.jsonl --grid --model gpt-4o
    """
    from conqret.data.digest import gathered
    from conqret.judging.summary_tables import metric_names
    from conqret.perturb.versions import counted_reasons
    from conqret.show.table import spaced
    from conqret.show.words import counts
    from conqret.studies.sensitivity.page import answer, lacking, write_sensitivity
    from conqret.studies.sensitivity.result import SensitivityFolder
    from conqret.studies.sensitivity.sensitivity_study import sensitivity as measure
    from conqret.studies.sensitivity.sensitivity_study import sensitivity_plan
    from conqret.studies.sensitivity.sensitivity_tables import verdicts

    asked: dict[str, Any] = {
        **({} if chosen.formats is None else {"formats": chosen.formats}),
        "models": [ran.calls.of(model) for model in options.listed(chosen.models)],
        **chosen.own.given(),
        "columns": options.column_map(columns, options.ITEM_COLUMNS),
        "skip_invalid": skip_invalid,
        "language": language,
        "perturb": perturbed.perturb,
        "metrics": metric or (),
        "grid": perturbed.grid,
        "pool": perturbed.pool,
        "seed": perturbed.seed,
        "margin": perturbed.margin,
        "prompts": ran.prompts,
        "rewriter": ran.calls.of(perturbed.perturb_model),
    }

    def announce(plan: SensitivityPlan) -> None:
        shown.left_out(plan.checked)
        for level in plan.unreached:
            shown.note(str(level))
        for name, outs in plan.left_out.items():
            reasons = counted_reasons([out.reason for out in outs])
            shown.note(f"{name} leaves out {len(outs)} of {number(len(plan.items), 'item')}: {reasons}")

    if dry_run:
        from conqret.studies.sensitivity.sensitivity_plan import estimate

        plan = sensitivity_plan(items, **asked)
        if not shown.json_output:
            announce(plan)
        estimates = estimate(plan, ran.calls.of(perturbed.perturb_model), prompts=ran.prompts)
        estimates = ran.engines.prices(estimates, ran.calls)
        models = [each.model for each in estimates if each.calls and not chosen.own.elsewhere]
        asked_models = ran.kept.asked(ran.calls, models)
        facts = {
            "items": len(plan.items),
            "versions": len(plan.versions),
            "judgments": plan.judgments,
            "requests": sum(each.calls for each in estimates if each.task == "judge"),
            "left_out": {name: len(outs) for name, outs in plan.left_out.items()},
            "unreached": [level.model_dump() for level in plan.unreached],
        }
        lines = (
            f"{facts['items']:,} items in {facts['versions']} versions: {facts['judgments']:,} judgments",
            f"{facts['requests']:,} requests (what is alike is sent once)\n",
        )
        tell_cost(
            estimates,
            budget=ran.calls.budget,
            as_json=shown.json_output,
            facts=facts,
            lines=lines,
            asked=asked_models,
        )
        return
    with progress("judging", quiet=shown.quiet) as bar:

        def begin(plan: SensitivityPlan) -> None:
            bar.reach(0, total=plan.judgments)
            announce(plan)

        results = measure(
            items,
            **asked,
            output=output,
            **ran.kept.given(),
            **ran.engines.given(),
            labels=graded.labels,
            relevant_grade=graded.relevant_grade,
            budget_usd=ran.calls.budget,
            on_plan=begin,
            on_start=bar.reach,
            on_judgment=bar.advance,
        )
    files = [SensitivityFolder(output).results_file, *write_sensitivity(results, output)[:2]]
    shown.session(results.session, f"{number(results.judgments, 'judgment')}")
    if any(judge["baseline"] for judge in results.record.judges):
        shown.tell(f"offline is {floor('a judge')}")
    result(
        results,
        [*spaced([verdicts(results)]), *lacking(results), *map(at, files)],
        as_json=shown.json_output,
        answer=answer(results.curves),
    )
    note(*results.warnings)
    without = gathered(
        ((lost.format, lost.model, lost.perturbation, counts(lost.missing)), lost.metric)
        for lost in results.unscored
    )
    note_each(
        f"no curve: {format_name} with {model}, {metric_names(metrics)} under {name}: {lacking}"
        for (format_name, model, name, lacking), metrics in without.items()
    )
    missing = results.missing
    end(results.unscored or missing, results.session, there=results.curves or results.grid, reasons=missing)

"""``conqret sensitivity``: does the judge notice damage that was done on purpose?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.cli import options
from conqret.cli.console import end, floor, note, out, progress, say, say_json, tell, written
from conqret.cli.groups import grouped
from conqret.cli.perturb import SEED, Pool

if TYPE_CHECKING:
    from conqret.reliability.sensitivity.plan import Damage
    from conqret.reliability.sensitivity.results import SensitivityResults

EPILOG = (
    "Examples:\n\n"
    "conqret sensitivity items.jsonl --format direct,rag-fine-grained --perturb irrelevant,hallucinate "
    "--model offline -o runs/sens\n\n"
    "conqret sensitivity items.jsonl --perturb irrelevant:0,10,50 --labels qrels.txt --model gpt-4o-mini --dry-run\n\n"
    "conqret sensitivity items.jsonl --grid --model gpt-4o"
)
DAMAGE = "Damage"


@grouped
def sensitivity(
    items: options.Items,
    *,
    formats: Annotated[
        str,
        typer.Option("--format", "-f", help="Formats, comma-separated.", rich_help_panel=options.JUDGING),
    ] = "rag-fine-grained",
    models: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            help="Models, comma-separated; offline is the lexical baseline.",
            rich_help_panel=options.MODEL,
        ),
    ] = "offline",
    perturb: Annotated[
        str,
        typer.Option(
            "--perturb",
            "-p",
            help="Perturbations, comma-separated; levels after a colon: irrelevant:0,10,50.",
            rich_help_panel=DAMAGE,
        ),
    ] = "irrelevant,hallucinate",
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The run's folder; the same command again goes on where it stopped.",
            rich_help_panel=options.FILES,
        ),
    ] = Path("runs/sensitivity"),
    metric: options.Metric = None,
    grid: Annotated[
        bool,
        typer.Option(
            "--grid",
            help="Also cross irrelevant (0, 10, 50, 75) with hallucinate (0, 5, 20), as Figure 4 does.",
            rich_help_panel=DAMAGE,
        ),
    ] = False,
    pool: Pool = None,
    perturb_model: Annotated[
        str,
        typer.Option(
            help="Who rewrites sentences: any litellm model, or offline, by rule.", rich_help_panel=DAMAGE
        ),
    ] = "offline",
    labels: Annotated[
        Path | None,
        typer.Option(
            help="Grades of the documents, for true precision (Table 7): qrels, CSV or JSON Lines.",
            rich_help_panel=options.FILES,
        ),
    ] = None,
    relevant_grade: Annotated[
        float, typer.Option(help="A document is relevant from this grade.", rich_help_panel=options.FILES)
    ] = 1.0,
    seed: Annotated[
        int, typer.Option(help="Draws what is changed, and the bootstrap.", rich_help_panel=DAMAGE)
    ] = SEED,
    prompts: options.Prompts = None,
    calls: options.Calls,
    kept: options.Kept,
    dry_run: options.DryRun = False,
    shown: options.Shown,
) -> None:
    """Damage the items by known amounts, judge every version, and see which scores follow.

    For each judge, metric and perturbation: the curve over levels with intervals over topics, whether it falls
    strictly, its correlation with the level, which levels can be told apart, and false alarms where nothing
    should move.
    """
    from conqret._optional import require
    from conqret.errors import DeclarationError
    from conqret.io import open_items
    from conqret.reliability.sensitivity.labels import load_labels
    from conqret.reliability.sensitivity.plan import GRID_LEVELS, Damage, make_plan
    from conqret.reliability.sensitivity.results import SensitivityDirectory
    from conqret.reliability.sensitivity.run import run_sensitivity
    from conqret.reliability.sensitivity.setup import damage_materials, sensitivity_setups
    from conqret.report.sensitivity import write_sensitivity
    from conqret.report.words import counts

    require("scipy", extra="stats")
    damages = parse_damages(perturb)
    crossed = [Damage.of(name, levels) for name, levels in GRID_LEVELS.items()] if grid else []
    clients = [calls.client(one) for one in options.listed(models)]
    rewriter = calls.client(perturb_model)
    rewriter.backend.check_can_ask("the question for a rewrite")
    known = load_labels(labels) if labels is not None else None
    source = open_items(items)
    every = [*damages, *crossed]
    setups = sensitivity_setups(
        source, options.listed(formats), clients, every, metrics=metric or (), prompts=prompts
    )
    if not setups:
        raise DeclarationError("no format, or no model: give both, as in --format direct --model offline")
    found = list(source)
    materials, unable = damage_materials(
        found, every, pool=pool, rewriter=None if dry_run else rewriter,
        recordings=kept.recordings or output / "recordings.sqlite", replay=kept.replay, seed=seed, prompts=prompts,
    )  # fmt: skip
    plan = make_plan(found, setups, damages, seed=seed, materials=materials, unable=unable, grid=crossed)
    if not shown.quiet and not (dry_run and shown.json_output):
        for name, outs in plan.left_out.items():
            note(f"{name} leaves out {len(outs)} of {len(plan.items)} items: {outs[0].reason}")
    if dry_run:
        from conqret.cli.sensitivity_plan import tell_plan
        from conqret.reliability.sensitivity.estimate import estimate

        tell_plan(plan, estimate(plan, every, rewriter, prompts=prompts), calls.budget_usd, shown.json_output)
        return
    directory = SensitivityDirectory(output)
    with progress("judging", plan.judgments, quiet=shown.quiet) as bar:
        results = run_sensitivity(
            plan, directory, recordings=kept.recordings, replay=kept.replay, overwrite=kept.overwrite, labels=known,
            relevant_from=relevant_grade, budget_usd=calls.budget_usd, on_score=bar.advance,
        )  # fmt: skip
    written = write_sensitivity(results, output)
    if shown.json_output:
        say_json(results)
    else:
        _show(results, [directory.results_file, *written[:2]])
    for lost in results.unscored:
        what = f"{lost.format} with {lost.model}, {lost.metric} under {lost.perturbation}"
        note(f"no curve: {what}: {counts(lost.missing)}")
    end(results.unscored or any(curve.missing for curve in results.curves))


def parse_damages(text: str) -> list[Damage]:
    """The perturbations of ``irrelevant:0,10,50,hallucinate``: a number belongs to the name before it.

    Raises:
        DeclarationError: a name that does not exist, or a level without one.
    """
    from conqret.errors import DeclarationError
    from conqret.reliability.sensitivity.plan import Damage

    found: dict[str, list[float]] = {}
    last = ""
    for part in options.listed(text.replace(":", ",")):
        try:
            level = float(part)
        except ValueError:
            last = part
            found.setdefault(last, [])
            continue
        if not last:
            raise DeclarationError(
                f"--perturb begins with a level ({part}); name its perturbation: irrelevant:{part}"
            )
        found[last].append(level)
    return [Damage.of(name, levels) for name, levels in found.items()]


def _show(results: SensitivityResults, files: list[Path]) -> None:
    """One block for each judge and perturbation: a line a metric, and why it is not as it should be."""
    from itertools import groupby

    from conqret.report import words
    from conqret.report.table import Alarm, Column, Table

    columns = (
        Column("metric", "text"), Column("should", "name"), Column("means", "text"), "Pearson", "n",
        Column("as it should", "text"),
    )  # fmt: skip
    for (format_name, model, name), curves in groupby(
        results.curves, key=lambda curve: (curve.format, curve.model, curve.perturbation)
    ):
        listed = list(curves)
        levels = ", ".join(f"{point.level:g}" for point in listed[0].points)
        rows = [
            (
                words.label(curve.metric),
                str(curve.expected or ""),
                " ".join(f"{mean:.2f}" for mean in curve.means),
                "" if curve.pearson is None else f"{curve.pearson:+.2f}",
                f"{curve.n} of {curve.total}",
                "yes" if curve.verdict else Alarm(f"no: {curve.words}"),
            )
            for curve in listed
        ]
        title = f"{format_name} with {model}: {name} at {levels} ({listed[0].unit})"
        out().print(Table(title, columns, rows), "")
    passed = sum(curve.verdict is True for curve in results.curves)
    asked = sum(curve.verdict is not None for curve in results.curves)
    say(f"{passed} of {asked} curves are as they should be")
    if any(judge["baseline"] for judge in results.record.judges):
        tell(f"offline is {floor('a judge')}")
    for file in files:
        written(file)

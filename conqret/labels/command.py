"""``conqret labels sample``: which items to have labeled next, and the form for it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from rich.console import RenderableType

from conqret.console import shared_options as options
from conqret.console.label_options import label_files
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, result
from conqret.errors import DeclarationError, metric_name, number
from conqret.io.safe_files import write_new

if TYPE_CHECKING:
    from conqret.labels.sampling import LabelPlan
    from conqret.labels.task import AnnotationForm
    from conqret.studies.check.checked_table import CheckedTable


Target = Literal["csv", "label-studio", "argilla"]
"""The form in which items are labeled."""


@dataclass(frozen=True, kw_only=True)
class FormOptions(OptionGroup):
    """The questions of the form.

    Args:
        task: The annotation task: `rating` (rate each item on a scale), `verdict` (pass or fail; for a table of a
            judge's verdicts on their own scale), `partial-answer` (accept or reject partial answers of debatable
            questions), or a plug-in's task. Default: `verdict` for a table of verdicts, else `rating`.
        metric: The dimension that annotators label, such as overall_quality. May be repeated. Default: overall_quality
            where the judge of `--run` scores it, else the metrics of this run, or the one of the annotation task.
        scale: Lowest and highest label, whole numbers, for example `1:5`. Default: that of the judge of `--run`, if it
            rates, else 0:1 for its metrics, or the task's.
    """

    task: str | None = None
    metric: list[str] | None = None
    scale: str | None = None


@dataclass(frozen=True, kw_only=True)
class SamplingOptions(OptionGroup):
    """Which items are sampled.

    Args:
        run: A judge's finished run over these items: the sample is stratified by its scores, so that low and high
            scores are both drawn.
        uncertain_first: Instead of a random sample, take the items of which the judge of `--run` is least sure (first
            those on which it abstained), to analyze errors. Their labels are marked, and commands that estimate
            agreement refuse them.
        oversample_uncertain: Draw a random sample in which the items that the judge of `--run` is least sure of are up
            to four times as likely as the others. Each item states its `inclusion_probability`, by which `conqret
            validate` weights means and shares and `conqret runs diff` differences. Alpha is not weighted.
        seed: The seed of the sample.
    """

    run: Path | None = None
    labeled: Annotated[
        list[Path] | None,
        label_files(
            "Label files that you already have: their items are not sampled again, except items that were chosen "
            "with `--uncertain-first`.",
            "--labeled",
        ),
    ] = None
    uncertain_first: bool = False
    oversample_uncertain: bool = False
    seed: int = 13


def label(
    items: options.Items,
    *,
    plan: int = 100,
    output: Path = Path("sheet.csv"),
    to: Target = "csv",
    form: FormOptions,
    sampling: SamplingOptions,
    columns: options.Columns = None,
    skip_invalid: options.SkipInvalid = False,
    language: options.Language = None,
    overwrite: options.Replace = False,
    shown: options.OutputOptions,
) -> None:
    """Sample items to label, at random over topics and the judge's scores, and write the annotation form.

    Annotators do not see the judge's scores. `conqret validate` and `conqret labels agreement` read the completed form.

    Args:
        plan: How many items to label.
        output (--output, -o): The file to write; NAME.plan.json next to it says how it was drawn.
        to: A CSV form, Label Studio tasks, or Argilla records.

    Examples:

    conqret labels sample items.jsonl --plan 100 -o sheet.csv

    conqret labels sample results.csv --plan 60 -o sheet.csv

    conqret labels sample items.jsonl --plan 100 --run runs/first --scale 1:5 --to label-studio -o tasks.json

    conqret labels sample items.jsonl --plan 20 --run runs/first --uncertain-first -o doubtful.csv
    """

    from conqret.labels.row_sampling import table_of_verdicts
    from conqret.labels.sampling import sample_items
    from conqret.labels.study_screens import METRICS, SCALE
    from conqret.labels.task import AnnotationForm, form_task, scale_ends
    from conqret.labels.task_choice import run_form

    if (table := table_of_verdicts(items, form.task, columns)) is not None:
        _sample_rows(table, plan, sampling, output, to, overwrite=overwrite, shown=shown)
        return
    task = form.task or "rating"
    asked = form_task(task) if form.task or sampling.run is None else run_form(sampling.run)
    low, high = asked.scale if form.scale is None else scale_ends(form.scale)
    names = [metric_name(name.strip()) for name in form.metric or asked.dimensions]
    label_plan = sample_items(
        items,
        plan,
        task=task,
        on_check=shown.left_out,
        columns=options.column_map(columns, options.ITEM_COLUMNS),
        skip_invalid=skip_invalid,
        language=language,
        **sampling.given(),
    )
    chosen, probability = label_plan.chosen, label_plan.probability
    sheet = AnnotationForm(
        asked.form or asked.summary,
        [entry.item for entry in chosen],
        names,
        low,
        high,
        not sampling.uncertain_first,
        {entry.item.id: entry.probability or 0.0 for entry in chosen} if label_plan.unequal else probability,
    )
    reasons = label_plan.model_dump(mode="json")
    reasons |= {METRICS: names, SCALE: [low, high]}
    reasons["chosen"] = [{**entry, "item": entry["item"]["id"]} for entry in reasons["chosen"]]
    paths = _written(sheet, to, reasons, output, overwrite=overwrite)
    if shown.json_output or not shown.quiet:
        result(reasons, _lines(label_plan, paths), as_json=shown.json_output)
    if len(chosen) < plan:
        shown.note(
            f"only {number(len(chosen), 'item')} could be sampled, fewer than --plan {plan}: add items, or lower --plan"
        )
    if label_plan.abstained and not sampling.uncertain_first:
        shown.note(
            f"the judge abstained on {number(label_plan.abstained, 'item')}: --uncertain-first puts them first, as "
            "annotators decide in its place"
        )


def _written(
    annotation_form: AnnotationForm, to: Target, reasons: object, output: Path, *, overwrite: bool
) -> list[Path]:
    """Write the files of a form, and next to them NAME.plan.json with ``reasons``; return their paths.

    Raises:
        DeclarationError: one of the files exists, without ``overwrite``.
    """
    from conqret.labels.task import FORMS

    plan_text = json.dumps(reasons, indent=1, ensure_ascii=False) + "\n"
    texts = {
        output.with_name(f"{output.name}{suffix}"): text
        for suffix, text in {**FORMS[to](annotation_form), ".plan.json": plan_text}.items()
    }
    return write_new(texts, overwrite=overwrite)


def _sample_rows(
    table: CheckedTable,
    wanted: int,
    sampling: SamplingOptions,
    output: Path,
    to: Target,
    *,
    overwrite: bool,
    shown: options.OutputOptions,
) -> None:
    """Write the form for rows of a table of verdicts, drawn as ``labels collect`` draws them, and print what was drawn.

    Raises:
        DeclarationError: an option of runs or of uncertainty is given, no row is left to label, or a file exists.
    """
    from conqret.labels.row_sampling import draw_rows, strata_line, table_form
    from conqret.studies.check.text_table import command_line

    if sampling.run or sampling.labeled or sampling.uncertain_first or sampling.oversample_uncertain:
        raise DeclarationError(
            f"{table.source} is drawn by its own verdicts: leave out --run, --labeled and --uncertain-first"
        )
    rows = draw_rows(table, wanted, sampling.seed)
    annotation_form = table_form(table, rows)
    chosen = [
        {"item": table.texts["id"][row.place], "stratum": row.stratum.name, "rows": row.stratum.rows}
        for row in rows
    ]
    reasons = {"chosen": chosen, "probability": None, "total": len(table.labels), "seed": sampling.seed}
    paths = _written(annotation_form, to, reasons, output, overwrite=overwrite)
    if shown.json_output or not shown.quiet:
        ready = command_line("check", table.source, [*table.options, ("--labels", str(output))])
        lines = [strata_line(row.stratum for row in rows), *map(at, paths), f"when it is filled in: {ready}"]
        result(reasons, lines, as_json=shown.json_output)


def _lines(plan: LabelPlan, files: list[Path]) -> Iterator[RenderableType]:

    topics = len({entry.topic for entry in plan.chosen})
    yield f"{len(plan.chosen)} of {number(plan.total, 'item')}, on {number(topics, 'topic')} ({plan.judged} judged)"
    if plan.unequal:
        known = [entry.probability or 0.0 for entry in plan.chosen]
        yield (
            f"drawn with probabilities of {min(known):.1%} to {max(known):.1%}, by which validate and runs diff weight "
            "their estimates"
        )
    elif plan.probability is None:
        yield "the least certain first: to be read, and refused where something is estimated"
    else:
        yield f"each had the same chance ({plan.probability:.1%}), so estimates need no weights"
    for band, count in sorted(Counter(entry.band for entry in plan.chosen).items()):
        yield f"{count:>6}  {band}"
    yield from map(at, files)

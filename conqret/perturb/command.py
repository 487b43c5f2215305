"""``conqret generate perturbations``: items damaged on purpose, by a known amount."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import at, end, entry, note_all, note_left_out, result

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from conqret.perturb import Perturbation
    from conqret.perturb.perturbing import Perturbed

SEED = 13
Pool = Annotated[
    Path | None,
    typer.Option(
        help="Where documents of other topics come from: a corpus directory or a file of items. "
        "Default: the other items."
    ),
]


@dataclass(frozen=True, kw_only=True)
class RewritingOptions(OptionGroup):
    """What rewrites sentences.

    Args:
        model (--model, -m): What rewrites sentences: any model name that litellm knows, or `offline` for fixed rules
            without a model.
    """

    answers: options.RecordingOptions
    calls: options.Calls
    model: str = "offline"
    prompts: options.Prompts = None


@dataclass(frozen=True)
class ChangeOptions(OptionGroup):
    """How much of each item is changed.

    Args:
        levels (--levels, --sentences): Rising levels in the perturbation's own unit, `0,10,20`, or as shares,
            `25%,50%`. Default: the perturbation's own.
        seed: The random seed that draws what is changed.
    """

    levels: str | None = None
    pool: Pool = None
    seed: int = SEED


@grouped
def perturb(
    name: str | None = None,
    items: Path | None = None,
    *,
    change: ChangeOptions,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The file to write. Default: ITEMS-NAME.jsonl, here.", dir_okay=False
        ),
    ] = None,
    overwrite: options.Replace = False,
    rewriting: RewritingOptions,
    columns: options.Columns = None,
    skip_invalid: options.SkipInvalid = False,
    language: options.Language = None,
    list_all: bool = False,
    json_output: options.Printed = None,
) -> None:
    """Perturb items by known amounts: every level of every item, with a record of what was changed where.

    Each level contains the changes of the levels below it, and the same seed gives the same items.

    Args:
        name: The perturbation; `--list` shows all.
        items: The items, in any layout that `conqret judge` reads.
        list_all (--list): List the perturbations, and what each should do to which metric.

    Examples:

    conqret generate perturbations irrelevant items.jsonl --levels 0,10,20,50,70,100 --pool corpus/ -o
    perturbed.jsonl

    conqret generate perturbations hallucinate items.jsonl --levels 0,25%,50%,100% --model gpt-4o

    conqret generate perturbations hallucinate items.jsonl --sentences 0,2,5

    conqret generate perturbations --list
    """
    if list_all:
        _list(json_output)
        return
    from conqret.errors import DeclarationError
    from conqret.perturb.perturbing import write_perturbations

    if name is None or items is None:
        raise DeclarationError(
            "name a perturbation and items, such as conqret generate perturbations irrelevant "
            "items.jsonl (or use --list)"
        )
    item_list = write_perturbations(
        name, items, levels=options.listed(change.levels), pool=change.pool, output=output, overwrite=overwrite,
        seed=change.seed, on_check=note_left_out,
        columns=options.column_map(columns, options.ITEM_COLUMNS), skip_invalid=skip_invalid, language=language,
        model=rewriting.calls.of(rewriting.model), prompts=rewriting.prompts, **rewriting.answers.given(),
    )  # fmt: skip
    _tell(item_list, json_output)
    end(item_list.failed, item_list.session)


def _list(json_output: bool | None) -> None:
    from conqret.perturb import PERTURBATIONS

    perturbations = list(PERTURBATIONS.values())
    rows = [
        {
            "name": perturbation.name,
            "summary": perturbation.summary,
            "unit": perturbation.unit,
            "levels": list(perturbation.levels),
            "expects": {metric: str(direction) for metric, direction in perturbation.expects.items()},
            "needs": sorted(perturbation.needs),
            "model": perturbation.rewriting is not None,
            "languages": None if perturbation.languages is None else sorted(perturbation.languages),
            "source": perturbation.source,
        }
        for perturbation in perturbations
    ]
    result(rows, _entries(perturbations), as_json=json_output)


def _entries(perturbations: Sequence[Perturbation]) -> Iterator[RenderableType]:
    from conqret.judging.summary_tables import metric_names
    from conqret.text.language import NAMES

    for perturbation in perturbations:
        shares = f"; shares, such as 25%, are those of {perturbation.share}" if perturbation.share else ""
        model = "; by a model with --model" if perturbation.rewriting else ""
        lines = [perturbation.summary, f"unit: {perturbation.unit}{shares}{model}"]
        if perturbation.languages is not None:
            names = ", ".join(sorted(NAMES[code] for code in perturbation.languages))
            lines.append(f"languages{', without a model' if perturbation.rewriting else ''}: {names}")
        for direction in dict.fromkeys(perturbation.expects.values()):
            metrics = [metric for metric, expected in perturbation.expects.items() if expected == direction]
            lines.append(f"{direction}: {metric_names(metrics)}")
        levels = ", ".join(f"{level:g}" for level in perturbation.levels)
        yield from entry(perturbation.name, f"levels {levels}", [*lines, f"source: {perturbation.source}"])


def _tell(perturbed: Perturbed, json_output: bool | None) -> None:
    from conqret.perturb import records
    from conqret.perturb.versions import reason_lines

    perturbation, left_out, target = (
        perturbed.perturbation,
        [*perturbed.failed, *perturbed.left_out],
        perturbed.file,
    )
    rows = []
    for level, versions in perturbed.changed.items():
        done = [records(item)[-1] for item in versions if level]
        reached = sum(record.reached for record in done) / len(done) if done else 0.0
        rows.append({"level": level, "items": len(versions), "reached": round(reached, 4)})
    facts = {
        "perturbation": perturbation.name,
        "unit": perturbation.unit,
        "file": str(target),
        "levels": rows,
        "left_out": [
            {"item": item.item, "level": item.level, "reason": item.reason}
            | ({"language": item.language} if item.language else {})
            for item in left_out
        ],
    }
    if left_out and not json_output:
        note_all("left out", reason_lines([item.reason for item in left_out]))
    lines = [
        f"{perturbation.name}, in {perturbation.unit}",
        *(
            f"level {row['level']:>5g}  {row['items']} items, {row['reached']:g} reached on average"
            if row["items"]
            else f"level {row['level']:>5g}  out of reach of every item"
            for row in rows
        ),
        at(target),
    ]
    result(facts, lines, as_json=json_output)

"""``conqret generate perturbations`` and ``translations``: perturbed items, or in further languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType

from conqret.console import shared_options as options
from conqret.console.exit_codes import end
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, entry, note_all, note_left_out, result
from conqret.console.source_options import DocumentPool
from conqret.errors import DeclarationError, number
from conqret.judging.summary_tables import metric_names
from conqret.perturb import PERTURBATIONS, SEED, Perturbation, records
from conqret.perturb.perturbing import Perturbed, write_perturbations
from conqret.perturb.versions import reason_lines
from conqret.show import words
from conqret.text.language import NAMES

if TYPE_CHECKING:
    from conqret.perturb.translating import TranslatedItems


@dataclass(frozen=True, kw_only=True)
class RewritingOptions(OptionGroup):
    """What rewrites or translates.

    Args:
        model (--model, -m): The model that rewrites or translates: any name that litellm knows. `offline` rewrites by
            fixed rules without a model, and cannot translate.
    """

    answers: options.RecordingOptions = field(default_factory=options.RecordingOptions)
    calls: options.Calls = field(default_factory=options.Calls)
    model: str = "offline"
    prompts: options.Prompts = None


@dataclass(frozen=True)
class ChangeOptions(OptionGroup):
    """How much of each item is changed.

    Args:
        levels: Rising levels in the perturbation's own unit, `0,10,20`, or as shares,
            `25%,50%`. Default: the perturbation's own.
        seed: The random seed that draws what is changed.
    """

    levels: str | None = None
    pool: DocumentPool = None
    seed: int = SEED


def perturb(
    name: str | None = None,
    items: Path | None = None,
    *,
    change: ChangeOptions,
    output: Path | None = None,
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
        output (--output, -o): The file to write. Default: ITEMS-NAME.jsonl, here.

    Examples:

    conqret generate perturbations irrelevant items.jsonl --levels 0,10,20,50,70,100 --pool corpus/ -o
    perturbed.jsonl

    conqret generate perturbations hallucinate items.jsonl --levels 0,25%,50%,100% --model gpt-4o

    conqret generate perturbations hallucinate items.jsonl --levels 0,2,5

    conqret generate perturbations --list
    """
    if list_all:
        _list(json_output)
        return
    if name is None or items is None:
        raise DeclarationError(
            "name a perturbation and items, such as conqret generate perturbations irrelevant "
            "items.jsonl (or use --list)"
        )
    item_list = write_perturbations(
        name,
        items,
        levels=options.listed(change.levels),
        pool=change.pool,
        output=output,
        overwrite=overwrite,
        seed=change.seed,
        on_check=note_left_out,
        columns=options.column_map(columns, options.ITEM_COLUMNS),
        skip_invalid=skip_invalid,
        language=language,
        model=rewriting.calls.for_model(rewriting.model),
        prompts=rewriting.prompts,
        **rewriting.answers.given(),
    )
    _tell(item_list, json_output)
    end(item_list.failed, item_list.session)


def _list(json_output: bool | None) -> None:
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
    perturbation, left_out = perturbed.perturbation, [*perturbed.failed, *perturbed.left_out]
    rows = []
    for level, versions in perturbed.changed.items():
        done = [records(item)[-1] for item in versions if level]
        reached = sum(record.reached for record in done) / len(done) if done else 0.0
        rows.append({"level": level, "items": len(versions), "reached": round(reached, 4)})
    facts = {
        "perturbation": perturbation.name,
        "unit": perturbation.unit,
        "file": str(perturbed.file),
        "levels": rows,
        "left_out": [asdict(item) for item in left_out],
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
        at(perturbed.file),
    ]
    result(facts, lines, as_json=json_output)


def translate(
    items: options.Items,
    *,
    into: str = "",
    output: Path | None = None,
    overwrite: options.Replace = False,
    rewriting: RewritingOptions,
    columns: options.Columns = None,
    skip_invalid: options.SkipInvalid = False,
    language: options.Language = None,
    dry_run: options.DryRun = False,
    json_output: options.Printed = None,
) -> None:
    """Translate items with a model, and keep a translation only if translating it back restores the original well
    enough.

    The model translates question, arguments and documents, and then its translation back, without seeing the original.
    The back-translation must have all numbers of the original and half of its words. The file has originals and
    translations, linked by the field `translation_of`, for `conqret bias --probe language`.

    Args:
        into: The languages to translate into, comma-separated, as codes or English names: `de,zh`.
        output (--output, -o): The file to write. Default: ITEMS-translated.jsonl, here.

    Examples:

    conqret generate translations items.jsonl --into de,zh --model gpt-4o -o translated.jsonl

    conqret bias translated.jsonl --probe language --format rag-fine-grained --model gpt-4o-mini
    """
    from conqret.console.costs import tell_cost
    from conqret.perturb.translating import translate_items, translating_cost

    settings: dict[str, Any] = {
        "into": options.listed(into),
        "columns": options.column_map(columns, options.ITEM_COLUMNS),
        "skip_invalid": skip_invalid,
        "language": language,
        "model": rewriting.calls.for_model(rewriting.model),
        "prompts": rewriting.prompts,
    }
    if dry_run:
        cost = translating_cost(items, **settings)
        called = rewriting.answers.called_models(rewriting.calls, [rewriting.model])
        tell_cost([cost], budget=rewriting.calls.budget, as_json=json_output, called=called)
        return
    made = translate_items(
        items,
        **settings,
        output=output,
        overwrite=overwrite,
        on_check=note_left_out,
        **rewriting.answers.given(),
    )
    _tell_translations(made, json_output)
    end(made.failed, made.session)


def _tell_translations(made: TranslatedItems, json_output: bool | None) -> None:

    counts = Counter(item.language for item in made.translations)
    facts = {
        "translations": [
            {"item": item.id, "language": item.language, "overlap": round(made.overlap[item.id], 4)}
            for item in made.translations
        ],
        "left_out": [{"item": item.item, "reason": item.reason} for item in made.failed],
        "file": None if made.file is None else str(made.file),
    }
    if made.failed and not json_output:
        note_all("left out", reason_lines([item.reason for item in made.failed]))
    mean = sum(made.overlap.values()) / len(made.overlap) if made.overlap else 0.0
    lines = [
        f"{words.NAMES.get(code, '')}: {number(count, 'item')}" for code, count in sorted(counts.items())
    ]
    if made.overlap:
        lines.append(f"{mean:.0%} of the words come back on average")
    file = "no translation was kept, so no file was written" if made.file is None else at(made.file)
    result(facts, [*lines, file], as_json=json_output)

"""``conqret generate translations``: items in further languages, each checked by translating it back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import at, end, note_all, note_left_out, result
from conqret.options import Within

if TYPE_CHECKING:
    from conqret.perturb.translating import TranslatedItems


@dataclass(frozen=True, kw_only=True)
class TranslatorOptions(OptionGroup):
    """What translates.

    Args:
        model (--model, -m): The model that translates from the original and back: any name that litellm knows.
            Required, as the default `offline` cannot translate.
    """

    answers: options.RecordingOptions
    calls: options.Calls
    model: str = "offline"
    prompts: options.Prompts = None


@grouped
def translate(
    items: options.Items,
    *,
    into: str = "",
    least_overlap: Annotated[float, Within(0, 1)] = 0.5,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The file to write. Default: ITEMS-translated.jsonl, here.", dir_okay=False
        ),
    ] = None,
    overwrite: options.Replace = False,
    translator: TranslatorOptions,
    columns: options.Columns = None,
    skip_invalid: options.SkipInvalid = False,
    language: options.Language = None,
    dry_run: options.DryRun = False,
    json_output: options.Printed = None,
) -> None:
    """Translate items with a model, and keep a translation only if translating it back restores the original well
    enough.

    The model translates question, arguments and documents, and then its translation back, without seeing the original.
    The back-translation must have all numbers of the original and enough of its words. The file has originals and
    translations, linked by the field `translation_of`, for `conqret bias --probe language`.

    Args:
        items: The items, in any layout that `conqret judge` reads.
        into: The languages to translate into, comma-separated, as codes or English names: `de,zh`.
        least_overlap: The least word overlap (F1, 0 to 1) of original and back-translation with which a translation is
            kept.

    Examples:

    conqret generate translations items.jsonl --into de,zh --model gpt-4o -o translated.jsonl

    conqret bias translated.jsonl --probe language --format rag-fine-grained --model gpt-4o-mini
    """
    from conqret.judging.cost_table import tell_cost
    from conqret.perturb.translating import translate_items, translating_cost

    settings: dict[str, Any] = {
        "into": options.listed(into),
        "columns": options.column_map(columns, options.ITEM_COLUMNS),
        "skip_invalid": skip_invalid,
        "language": language,
        "model": translator.calls.of(translator.model),
        "prompts": translator.prompts,
    }
    if dry_run:
        cost = translating_cost(items, **settings)
        asked = translator.answers.asked(translator.calls, [translator.model])
        tell_cost([cost], budget=translator.calls.budget, as_json=json_output, asked=asked)
        return
    made = translate_items(
        items,
        **settings,
        output=output,
        overwrite=overwrite,
        least_overlap=least_overlap,
        on_check=note_left_out,
        **translator.answers.given(),
    )
    _tell(made, json_output)
    end(made.failed, made.session)


def _tell(made: TranslatedItems, json_output: bool | None) -> None:
    from collections import Counter

    from conqret.errors import number
    from conqret.perturb.versions import reason_lines
    from conqret.show import words

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
    lines = [f"{words.language(code)}: {number(count, 'item')}" for code, count in sorted(counts.items())]
    if made.overlap:
        lines.append(f"{mean:.0%} of the words come back on average")
    file = "no translation was kept, so no file was written" if made.file is None else at(made.file)
    result(facts, [*lines, file], as_json=json_output)

"""``conqret labels collect``: pages on which people label, and what comes of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import at, note, note_left_out, result, say
from conqret.errors import number
from conqret.labels.adjudicate_command import ADJUDICATE_EPILOG, adjudicate
from conqret.labels.debate_command import EPILOG as DEBATE_EPILOG
from conqret.labels.debate_command import WRITE_EPILOG, debate, write
from conqret.labels.export_command import export
from conqret.labels.label_server import Consent, Folder, Practice, ServerOptions, opened_study, text_of
from conqret.labels.people_command import drop, forget, pause, reassign

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rich.console import RenderableType


EPILOG = (
    "Examples:\n\n"
    "conqret labels collect items.jsonl --annotators anna,ben,carl -o labels\n\n"
    "conqret labels collect items.jsonl --task rag-fine-grained --metric groundedness --open 20 --overlap 3 -o "
    "labels\n\n"
    "conqret labels collect items.jsonl --task preference --annotators anna,ben --overlap 2 -o labels\n\n"
    "conqret labels collect items.jsonl --annotators anna,ben --practice practice.jsonl --pass 0.8 -o labels\n\n"
    "conqret labels collect items.jsonl --page-language de --annotators anna,ben -o labels\n\n"
    "conqret labels status labels\n\n"
    "conqret labels export labels -o labels.csv"
)
TASKS = (
    "The annotation task: `rating` (overall quality), `dimensions` (15 dimensions of argument quality), "
    "`preference` (the better of two arguments), `citation-support`, `perspective` (does a document support it?), "
    "`partial-answer`, `answer-preference`, `counter-argument`, the ratings of a judge format (`rag-fine-grained`, "
    "`listwise`, …), or a TOML file with your own questions."
)

app = typer.Typer(
    help="Collect labels from annotators on web pages that you serve, and export them.",
    no_args_is_help=True,
    epilog=EPILOG,
)


@dataclass(frozen=True, kw_only=True)
class AnnotatorOptions(OptionGroup):
    """Who labels, and how many label an item."""

    annotators: Annotated[
        str, typer.Option(help="Who labels: names, comma-separated; each annotator gets a link of their own.")
    ] = ""
    open_to: Annotated[
        int,
        typer.Option(
            "--open", help="Number of annotators who may join by one open link, choosing a name.", min=0
        ),
    ] = 0
    overlap: Annotated[
        int | None,
        typer.Option(help="How many annotators label each item. Default: 3, or all if there are fewer."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class TaskOptions(OptionGroup):
    """What annotators are asked."""

    task: Annotated[str, typer.Option(help=TASKS)] = "rating"
    metric: Annotated[
        list[str] | None,
        typer.Option(help="Show annotators only this question (dimension) of the task. May be repeated."),
    ] = None
    scale: Annotated[
        str | None, typer.Option(help="Lowest and highest rating, for example `1:5`. Default: the task's.")
    ] = None
    plan: Annotated[
        Path | None,
        typer.Option(
            help="Only the items of this plan, in its order: a .plan.json that `conqret labels sample` wrote."
        ),
    ] = None


@app.command("collect", epilog=EPILOG)
@grouped
def run(
    items: options.Items,
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder in which the study and its labels are stored.")
    ],
    asked: TaskOptions,
    panel: AnnotatorOptions,
    consent: Consent = None,
    seed: Annotated[
        int,
        typer.Option(
            help="The random seed of the order of items, and of which argument is shown on which side."
        ),
    ] = 13,
    practice: Practice,
    served: ServerOptions,
    columns: options.Columns = None,
    skip_invalid: options.SkipInvalid = False,
    language: options.Language = None,
) -> None:
    """Serve pages on which annotators label, until Ctrl-C; the same command goes on with the same links.

    An answer is saved before the page confirms it, and judges' scores are never shown. Each annotator gets the items in
    an order of their own, and each item is labeled by `--overlap` annotators.
    """
    from conqret.labels.answer_ledger import Ledger
    from conqret.labels.command import ends
    from conqret.labels.label_study import OVERLAP, study_of
    from conqret.labels.practice import practice_screens
    from conqret.labels.study_screens import items_of, planned_screens

    metrics, points = asked.metric or (), ends(asked.scale) if asked.scale else None
    source = items_of(
        items,
        asked.task,
        options.column_map(columns, options.ITEM_COLUMNS),
        metrics=metrics,
        skip_invalid=skip_invalid,
        language=language,
        on_check=note_left_out,
    )
    planned = planned_screens(source, asked.task, metrics=metrics, scale=points, seed=seed, plan=asked.plan)
    screens = planned.screens
    if practice.practice is not None:
        screens = screens + practice_screens(
            practice.practice,
            asked.task,
            screens,
            metrics=metrics,
            scale=points,
            seed=seed,
            skip_invalid=skip_invalid,
            language=language,
            on_check=note_left_out,
        )
    names = options.listed(panel.annotators)
    study = study_of(
        asked.task,
        screens,
        names,
        overlap=panel.overlap
        if panel.overlap is not None
        else min(OVERLAP, max(len(names) + panel.open_to, 1)),
        open_to=panel.open_to,
        seed=seed,
        estimates=planned.estimates,
        probability=planned.probability,
        consent=text_of(consent),
        passing=practice.passing,
    )
    note(*planned.notes)
    served.serve(output, lambda: Ledger.open(output, study, screens, names))


@app.command("status", epilog="Example: conqret labels status labels")
def status(folder: Folder, json_output: options.Json = False) -> None:
    """Show the progress of a study, by annotator, and the agreement so far."""
    from conqret.labels.collected_labels import agreement_so_far, label_set
    from conqret.labels.page import people_rows, people_so_far, why_no_agreement
    from conqret.studies.agreement_tables import people_table

    with opened_study(folder) as ledger:
        records = list(ledger.given())
        done, wanted = ledger.wanted()
        labels = label_set(records)
        alpha, people = agreement_so_far(labels), people_rows(ledger, records, labels)
        facts = {
            "task": ledger.study.task,
            "screens": ledger.study.screens,
            "overlap": ledger.study.overlap,
            "labels": done,
            "wanted": wanted,
            "people": [row.model_dump(mode="json") for row in people],
            "agreement": alpha.model_dump(mode="json") if alpha else None,
        }

        each = "one annotator" if ledger.study.overlap == 1 else f"{ledger.study.overlap} annotators"

        def lines() -> Iterator[RenderableType]:
            yield f"{ledger.study.task}: {done:,} of {number(wanted, 'label')}, {each} a screen"
            yield people_so_far(people)
            yield people_table(alpha) if alpha else why_no_agreement(ledger)

        result(facts, lines(), as_json=json_output)


@app.command("backup", epilog="Example: conqret labels backup labels -o labels-monday.sqlite")
def backup(
    folder: Folder,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write; it must not be there.")],
) -> None:
    """Copy the labels as they are now, also during a study."""
    with opened_study(folder) as ledger:
        ledger.backup(output)
    say(at(output))


COMMANDS: Mapping[str, tuple[Callable[..., None], str]] = {
    "debate": (debate, DEBATE_EPILOG),
    "write": (write, WRITE_EPILOG),
    "adjudicate": (adjudicate, ADJUDICATE_EPILOG),
    "export": (export, "Example: conqret labels export labels -o labels.csv"),
    "drop": (drop, "Example: conqret labels drop labels ben --why 'answered without reading'"),
    "pause": (pause, "Example: conqret labels pause labels ben --resume"),
    "reassign": (reassign, "Example: conqret labels reassign labels ben"),
    "forget": (forget, "Example: conqret labels forget labels ben --yes"),
}
"""Commands of other modules, each with the examples of its help."""
for name, (command, examples) in COMMANDS.items():
    app.command(name, epilog=examples)(command)

"""``conqret info prompt``: the prompt files, as they are and as they are sent."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import at, entry, note, note_left_out, out, result, say

if TYPE_CHECKING:
    from conqret.data import Item
    from conqret.judging.judge_parts import Ask
    from conqret.prompts import Library

app = typer.Typer(
    help="Show the prompts, copy them to change them, and write evaluation steps for g-eval.",
    no_args_is_help=True,
    epilog="Example: conqret info prompt show rag-fine-grained --items items.jsonl --item 3",
)

DEMO_ITEMS = Path("fixtures/demo/items.jsonl")
"""Shown where no items are given, in a checkout."""

Prompts = Annotated[
    Path | None, typer.Option(help="A folder with prompts of your own, laid out like prompts/.")
]
Name = Annotated[
    str,
    typer.Argument(
        help="A judge format, for all its prompts (`conqret info formats` lists them), or one prompt (`conqret info "
        "prompt list`)."
    ),
]


@app.command("list", epilog="Example: conqret info prompt list")
def list_prompts(
    prompts: Prompts = None,
    json_output: options.Json = False,
) -> None:
    """List all prompts: id, version, what each is for, and where it is from."""
    from conqret.prompts import Library

    library = Library(prompts)
    library_prompts = [library[identifier] for identifier in library.ids()]
    names = ("id", "version", "asks", "source")
    rows = [{name: getattr(prompt, name) for name in names} for prompt in library_prompts]
    entries = (
        entry(prompt.id, f"version {prompt.version}", (prompt.asks, f"source: {prompt.source}"))
        for prompt in library_prompts
    )
    result(rows, chain.from_iterable(entries), as_json=json_output)


@app.command("show", epilog="Example: conqret info prompt show rag-fine-grained --items items.jsonl --item 3")
def show(
    name: Name,
    item: Annotated[
        str | None,
        typer.Option(
            help="Fill the prompt with this item, given by its id or its number in the file (from 1)."
        ),
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(
            help="The file of items. Default: fixtures/demo/items.jsonl if it is there, else a made-up item."
        ),
    ] = None,
    skip_invalid: options.SkipInvalid = False,
    language: options.Language = None,
    metric: options.Metric = None,
    prompts: Prompts = None,
) -> None:
    """Show a prompt file, or with `--item` the very text that is sent for that item.

    Prompts that judge no item (to write arguments, say) are filled with values of an item as an example.
    """
    from rich.text import Text

    from conqret.cli.prompt_texts import shown
    from conqret.errors import DeclarationError
    from conqret.prompts import Library

    library = Library(prompts)
    asks = _asks_of(name, library, metric or ())
    if item is None:
        out().out("\n".join(library[identifier].text for identifier in asks), highlight=False)
        return
    question_item = _find_item(items, item, skip_invalid=skip_invalid, language=language)
    faults = []
    for identifier, ask in asks.items():
        try:
            rendered, remarks = shown(library, identifier, ask, question_item)
        except DeclarationError as error:
            faults.append(str(error))
            continue
        for role, text in (("system", rendered.system), ("user", rendered.user)):
            out().rule(Text(f"{identifier} · {role}"), align="left")
            out().out(text, highlight=False)
        note(*remarks)
    if len(faults) == len(asks):
        raise DeclarationError("\n".join(faults))
    note(*faults)


@app.command("copy", epilog="Example: conqret info prompt copy rag-fine-grained -o my-prompts")
def copy(
    name: Name,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The folder to copy the prompts into, which `conqret judge --prompts` takes.",
        ),
    ],
    overwrite: options.Replace = False,
) -> None:
    """Copy the prompts of a judge format, or one prompt, into a folder of your own, to change them there.

    Each file explains its variables. Parts that prompts share need no copy: conqret's are taken if the folder has
    none of that name.
    """
    from conqret.io.overwriting import write_new
    from conqret.judging.instrument import given
    from conqret.judging.judge_parts import Case
    from conqret.judging.setup import PROBE
    from conqret.prompts import Library
    from conqret.prompts.library import SUFFIX
    from conqret.prompts.variables import explained

    library = Library()
    asks = _asks_of(name, library)
    files = {identifier: output / f"{identifier}{SUFFIX}" for identifier in asks}
    texts = {}
    for identifier, file in files.items():
        ask, blocks = asks[identifier], library.used(identifier)
        if ask is not None:
            system, user = given(ask, Case(PROBE))
            data = ["data"] if library[identifier].data else []
            blocks = {"system": (*data, *system), "user": (*data, *system, *user)}
        texts[file] = explained(library[identifier], blocks)
    for written in write_new(texts, overwrite=overwrite):
        say(at(written))
    note(f"edit the copies, and use them with --prompts {output}")


def _asks_of(name: str, library: Library, metrics: Sequence[str] = ()) -> dict[str, Ask[Any] | None]:
    """The prompts of a format, or a prompt alone, each with a question that asks it (None: no judge does)."""
    from conqret.errors import DeclarationError
    from conqret.judging.judge_parts import JUDGES

    name = name if name in JUDGES or name in library.ids() else name.replace("_", "-")
    if name in JUDGES:
        wanted = tuple(metric.replace("-", "_") for metric in metrics)
        by_prompt: dict[str, Ask[Any] | None] = {}
        for ask in JUDGES[name].select(wanted):
            by_prompt.setdefault(ask.prompt, ask)
        if not by_prompt:
            raise DeclarationError(f"the format {name} sends no requests to a model, so it has no prompt")
        return by_prompt
    if metrics:
        raise DeclarationError(f"--metric goes with a format (conqret info formats), and {name!r} is none")
    asks = {ask.prompt: ask for judge in JUDGES.values() for ask in judge.asks}
    return {library[name].id: asks.get(name)}


@app.command(
    "steps", epilog="Example: conqret info prompt steps context-relevance --model gpt-4o --prompts my-prompts"
)
@grouped
def steps(
    metric: Annotated[
        str,
        typer.Argument(
            help="The metric whose evaluation steps are generated: context-relevance, groundedness or preference."
        ),
    ],
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            help="The model that writes the steps: any name that litellm knows, or `offline` for fixed steps "
            "without a model.",
        ),
    ] = "offline",
    *,
    calls: options.Calls,
    prompts: Annotated[
        Path | None,
        typer.Option(
            help="Write the prompt with its new evaluation steps into this folder, which `conqret judge --prompts` "
            "takes. Default: only print the steps."
        ),
    ] = None,
) -> None:
    """Have a model write new evaluation steps for a prompt of the judge format g-eval, from its criteria (G-Eval;
    ConQRet, D.3)."""
    from conqret.judging.steps import generate_steps, with_steps
    from conqret.prompts import Library
    from conqret.prompts.library import SUFFIX
    from conqret.show.page import write_file

    library = Library(prompts if prompts is not None and prompts.exists() else None)
    prompt = library[f"g-eval/{metric.replace('_', '-')}"]
    evaluation_steps = generate_steps(prompt, calls.of(model), library)
    for number, step in enumerate(evaluation_steps, start=1):
        say(f"{number}. {step}")
    if prompts is not None:
        file = write_file(prompts / f"{prompt.id}{SUFFIX}", with_steps(prompt, evaluation_steps))
        say(f"written to {file}; use it with: conqret judge … --format g-eval --prompts {prompts}")


def _find_item(file: Path | None, wanted: str, *, skip_invalid: bool, language: str | None) -> Item:
    from conqret.errors import DeclarationError, UnknownNameError
    from conqret.errors import number as counted
    from conqret.io import open_items
    from conqret.judging.setup import PROBE

    path, ids = file or DEMO_ITEMS, []
    if file is None and not path.exists():
        note(
            "no items were given, so the prompt shows an invented example: give --items FILE to use your own"
        )
        return PROBE
    source = open_items(path, skip_invalid=skip_invalid, language=language)
    note_left_out(source.check())
    for number, item in enumerate(source, start=1):
        if item.id == wanted or str(number) == wanted:
            return item
        ids.append(item.id)
    if wanted.isdigit():
        raise DeclarationError(f"{path} has {counted(len(ids), 'item')}; there is no item number {wanted}")
    raise UnknownNameError("item", wanted, ids[:50])

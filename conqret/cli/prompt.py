"""``conqret prompt``: the prompt files, as they are and as they are sent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.cli.console import note, out

if TYPE_CHECKING:
    from conqret.data import Item

app = typer.Typer(
    help="Show the prompts, and write evaluation steps for g-eval.",
    no_args_is_help=True,
    epilog="Example: conqret prompt show rag-fine-grained --items items.jsonl --item 3",
)

DEMO_ITEMS = Path("fixtures/demo/items.jsonl")
"""Shown where no items are given, in a checkout."""

Prompts = Annotated[
    Path | None, typer.Option(help="A folder with prompts of your own, laid out like prompts/.")
]


@app.command("list", epilog="Example: conqret prompt list")
def list_prompts(
    prompts: Prompts = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List all prompts: id, version, what each asks for, and where it is from."""
    from rich.padding import Padding
    from rich.text import Text

    from conqret.prompts import Library

    library = Library(prompts)
    found = [library[identifier] for identifier in library.ids()]
    if json_output:
        import json

        rows = [
            {name: getattr(prompt, name) for name in ("id", "version", "asks", "source")} for prompt in found
        ]
        out().out(json.dumps(rows, indent=1, ensure_ascii=False))
        return
    for prompt in found:
        out().print(Text.assemble((prompt.id, "bold"), f"  version {prompt.version}"))
        for line, style in ((prompt.asks, ""), (f"source: {prompt.source}", "dim")):
            out().print(Padding(Text(line, style=style), (0, 0, 0, 2), expand=False))


@app.command("show", epilog="Example: conqret prompt show rag-fine-grained --items items.jsonl --item 3")
def show(
    name: Annotated[str, typer.Argument(help="A prompt (conqret prompt list) or a format.")],
    item: Annotated[
        str | None, typer.Option(help="Fill it with this item: its id, or its number counted from 1.")
    ] = None,
    items: Annotated[
        Path | None, typer.Option(help="The file of items. Default: fixtures/demo/items.jsonl.")
    ] = None,
    prompts: Prompts = None,
) -> None:
    """Show a prompt file, or with --item the very text that is sent for that item."""
    from rich.text import Text

    from conqret.errors import DeclarationError
    from conqret.judging.base import Case
    from conqret.judging.instrument import filled
    from conqret.judging.registry import JUDGES
    from conqret.prompts import Library

    library = Library(prompts)
    name = name.replace("_", "-")
    asks = [ask for format_name in JUDGES for ask in JUDGES[format_name].asks]
    wanted = list(JUDGES[name].asks) if name in JUDGES else [a for a in asks if a.prompt == name]
    identifiers = dict.fromkeys(ask.prompt for ask in wanted) or {name: None}
    if item is None:
        out().out("\n".join(library[identifier].text for identifier in identifiers), highlight=False)
        return
    if not wanted:
        library[name]
        raise DeclarationError(f"prompt {name!r} is not filled with items; leave out --item")
    found = _find_item(items or DEMO_ITEMS, item)
    faults = []
    for ask in {ask.prompt: ask for ask in wanted}.values():
        if lacking := [need for need in sorted(ask.needs) if not getattr(found, need)]:
            faults.append(f"{ask.prompt}: item {found.id} has no {' and no '.join(lacking)}")
            continue
        rendered = filled(library[ask.prompt], ask, Case(found))
        for role, text in (("system", rendered.system), ("user", rendered.user)):
            out().rule(Text(f"{ask.prompt} · {role}"), align="left")
            out().out(text, highlight=False)
    if len(faults) == len({ask.prompt for ask in wanted}):
        raise DeclarationError("\n".join(faults))
    for fault in faults:
        note(fault)


@app.command(
    "steps", epilog="Example: conqret prompt steps context-relevance --model gpt-4o --prompts my-prompts"
)
def steps(
    metric: Annotated[str, typer.Argument(help="context-relevance, groundedness or preference.")],
    model: Annotated[str, typer.Option("--model", "-m", help="Any litellm model, or offline.")] = "offline",
    api_base: Annotated[str | None, typer.Option(help="The address of an OpenAI-compatible server.")] = None,
    prompts: Annotated[
        Path | None,
        typer.Option(
            help="Write the prompt with its new steps into this folder, for --prompts of `conqret judge`. "
            "Without it the steps are only printed."
        ),
    ] = None,
) -> None:
    """Generate the evaluation steps of a g-eval prompt again, from its criteria (G-Eval; ConQRet, D.3)."""
    from conqret.io.atomic import replacing
    from conqret.judging.steps import generate_steps, with_steps
    from conqret.llm.options import ClientOptions
    from conqret.prompts import Library

    library = Library(prompts if prompts is not None and prompts.exists() else None)
    prompt = library[f"g-eval/{metric.replace('_', '-')}"]
    written = generate_steps(prompt, ClientOptions(model, api_base=api_base), library)
    changed = with_steps(prompt, written)
    for number, step in enumerate(written, start=1):
        out().print(f"{number}. {step}", markup=False, soft_wrap=True)
    if prompts is not None:
        prompts.mkdir(parents=True, exist_ok=True)
        file = Library(prompts).path(prompt.id)
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as handle:
            handle.write(changed.encode())
        out().print(
            f"written to {file}; use it with: conqret judge … --format g-eval --prompts {prompts}",
            markup=False,
            soft_wrap=True,
        )


def _find_item(path: Path, wanted: str) -> Item:
    from conqret.errors import DeclarationError, UnknownNameError
    from conqret.io import open_items

    if not path.exists():
        raise DeclarationError(f"{path} is not there; say with --items which file to take the item from")
    ids = []
    for number, item in enumerate(open_items(path), start=1):
        if item.id == wanted or str(number) == wanted:
            return item
        ids.append(item.id)
    if wanted.isdigit():
        raise DeclarationError(f"{path} has {len(ids)} items; there is no item number {wanted}")
    raise UnknownNameError("item", wanted, ids[:50])

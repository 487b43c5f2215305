"""``conqret runs recordings``: move recorded answers between machines, see what a store holds, and mend one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.console import shared_options as options
from conqret.console.printing import end, result, say
from conqret.errors import number as counted
from conqret.io.bounded import whole_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conqret.llm.salvage import StoreCheck

app = typer.Typer(
    help="Export, import and look at recorded answers.",
    no_args_is_help=True,
    epilog="Example: conqret runs recordings export runs/first recordings.jsonl",
)

Store = Annotated[Path, typer.Argument(help="A run's folder, or a store of recordings.")]


@app.command("export", epilog="Example: conqret runs recordings export runs/first recordings.jsonl")
def export(store: Store, to: Annotated[Path, typer.Argument(help="The JSONL file to write.")]) -> None:
    """Write all recorded answers to JSONL, for others to replay. The file holds no API key. Damaged answers are left
    out."""
    from conqret.llm.recording_files import export_recordings

    done = export_recordings(store, to)
    left_out = f"; {done.damaged} damaged left out" if done.damaged else ""
    say(f"{counted(done.answers, 'answer')} written to {to}{left_out}")
    end(done.damaged)


@app.command(
    "redact",
    epilog="Examples:\n\nconqret runs recordings redact runs/first shared.jsonl --names 'Ann Miller,Bob' "
    "--patterns email"
    "\n\nconqret runs recordings redact runs/first shared.jsonl --names names.txt --patterns email,phone",
)
def redact(
    store: Store,
    to: Annotated[Path, typer.Argument(help="The JSONL file to write.")],
    names: Annotated[
        list[str] | None,
        typer.Option(help="Names, separated by commas, or a text file with one a line; may be repeated."),
    ] = None,
    patterns: Annotated[
        list[str] | None,
        typer.Option(help="email, url, phone, ip, handle, or a regular expression; may be repeated."),
    ] = None,
    json_output: options.Json = False,
) -> None:
    """Export recorded answers without personal data, for others to replay with the same items.

    The store stays as it is. Only answers and ids of items are in an export; the items' texts are not.
    """
    from conqret.errors import DeclarationError
    from conqret.llm.recording_files import export_recordings

    wanted = list(_names(names or [])), list(_patterns(patterns or []))
    if not any(wanted):
        raise DeclarationError("say what to take out: names, patterns, or both")
    done = export_recordings(store, to, names=wanted[0], patterns=wanted[1])
    told = ", ".join(f"{number} x [{label}]" for label, number in done.removed.items()) or "nothing"
    lines = [f"{counted(done.answers, 'answer')} written to {to}", f"taken out: {told}"]
    facts = {"answers": done.answers, "removed": done.removed, "damaged": done.damaged}
    result(facts, lines, as_json=json_output)
    end(done.damaged)


def _names(given: list[str]) -> Iterator[str]:
    for one in given:
        file = Path(one)
        yield from whole_text(file).splitlines() if file.is_file() else options.listed(one)


def _patterns(given: list[str]) -> Iterator[str]:
    from conqret.llm.personal_data import PATTERNS

    for one in given:
        listed = options.listed(one)
        yield from listed if set(listed) <= PATTERNS.keys() else [one]


@app.command("import", epilog="Example: conqret runs recordings import recordings.jsonl runs/first")
def import_(
    source: Annotated[Path, typer.Argument(help="A JSONL file that was exported.")],
    store: Annotated[Path, typer.Argument(help="A run's folder, or a store (made if it is not there).")],
) -> None:
    """Add exported answers to a store; those that it has already stay as they are."""
    from conqret.llm.recording_files import import_recordings, store_file

    count = import_recordings(source, store)
    say(f"{counted(count, 'answer')} added to {store_file(store)}")


@app.command("stats", epilog="Example: conqret runs recordings stats runs/first")
def stats(store: Store, json_output: options.Json = False) -> None:
    """Say what a store holds: answers by model and question, tokens, cost."""
    from dataclasses import asdict

    from conqret.llm.recording_files import count_recordings

    found = count_recordings(store)
    cost = "unknown" if found.cost_usd is None else f"${found.cost_usd:.4f}"
    lines = [
        f"answers  {found.answers}",
        *(f"  model {name}: {count}" for name, count in found.by_model.items()),
        *(f"  question {name}: {count}" for name, count in found.by_ask.items()),
        f"tokens   {found.prompt_tokens} in, {found.completion_tokens} out",
        f"cost     {cost}",
        *([f"damaged  {found.damaged} (not counted above)"] if found.damaged else []),
    ]
    result(asdict(found), lines, as_json=json_output)


@app.command(
    "check",
    epilog="Examples:\n\nconqret runs recordings check runs/first\n\nconqret runs recordings check runs/first --repair",
)
def check(
    store: Store,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Set damaged answers aside, and rebuild a damaged file from what can be read; the old file is kept.",
        ),
    ] = False,
    json_output: options.Json = False,
) -> None:
    """See whether every answer is as it was recorded. The exit code is 1 where one is not, and 0 after a repair."""
    from dataclasses import asdict

    from conqret.llm.salvage import check_store

    found = check_store(store, repair=repair)
    result(asdict(found), _checked(found), as_json=json_output)
    end(not found.whole)


def _checked(found: StoreCheck) -> Iterator[str]:
    if found.fault:
        yield found.fault.partition(";")[0]
        made = (
            f"the damaged file is kept as {found.kept}"
            if found.kept
            else "--repair makes the file anew of them"
        )
        yield f"{found.answers} answers can be read of it; {made}"
    elif found.damaged:
        yield f"{found.answers} answers are as they were recorded; damaged:"
        yield from (f"  {name}" for name in found.damaged)
        yield "set aside" if found.repaired else "--repair sets them aside"
    else:
        yield f"{counted(found.answers, 'answer')}, each as it was recorded"
    if found.repaired and (found.kept or found.damaged):
        yield "the next run asks again for what is missing"

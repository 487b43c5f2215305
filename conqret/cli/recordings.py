"""``conqret recordings``: move recorded answers between machines, and see what a store holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.cli import options
from conqret.cli.console import result, say

if TYPE_CHECKING:
    from conqret.llm.recordings import Recordings

app = typer.Typer(
    help="Export, import and look at recorded answers.",
    no_args_is_help=True,
    epilog="Example: conqret recordings export runs/first recordings.jsonl",
)

Store = Annotated[Path, typer.Argument(help="A run's folder, or a store of recordings.")]


@app.command("export", epilog="Example: conqret recordings export runs/first recordings.jsonl")
def export(store: Store, to: Annotated[Path, typer.Argument(help="The JSONL file to write.")]) -> None:
    """Write all recorded answers to JSONL, for others to replay. It holds no key."""
    with _open(store) as recordings:
        count = recordings.export_jsonl(to)
    say(f"{count} answers written to {to}")


@app.command("import", epilog="Example: conqret recordings import recordings.jsonl runs/first")
def import_(
    source: Annotated[Path, typer.Argument(help="A JSONL file that was exported.")],
    store: Annotated[Path, typer.Argument(help="A run's folder, or a store (made if it is not there).")],
) -> None:
    """Add exported answers to a store; those that it has already stay as they are."""
    from conqret.errors import DeclarationError
    from conqret.judging.folder import JudgeFolder
    from conqret.llm.recordings import Recordings

    target = JudgeFolder(store).recordings_file if store.is_dir() else store
    fresh = not target.exists()
    try:
        with Recordings(target) as recordings:
            count = recordings.import_jsonl(source)
    except DeclarationError:
        if fresh:  # leave no empty store behind
            target.unlink(missing_ok=True)
        raise
    say(f"{count} answers added to {target}")


@app.command("stats", epilog="Example: conqret recordings stats runs/first")
def stats(store: Store, json_output: options.Json = False) -> None:
    """Say what a store holds: answers by model and question, tokens, cost."""
    from dataclasses import asdict

    with _open(store) as recordings:
        found = recordings.stats()
    cost = "unknown" if found.cost_usd is None else f"${found.cost_usd:.4f}"
    lines = [
        f"answers  {found.answers}",
        *(f"  model {name}: {count}" for name, count in found.by_model.items()),
        *(f"  question {name}: {count}" for name, count in found.by_ask.items()),
        f"tokens   {found.prompt_tokens} in, {found.completion_tokens} out",
        f"cost     {cost}",
    ]
    result(asdict(found), lines, as_json=json_output)


def _open(store: Path) -> Recordings:
    from conqret.llm.recordings import Recordings

    return Recordings.open_for_replay(store)

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
    help="Export, import, check and count recorded model responses.",
    no_args_is_help=True,
    epilog="Example: conqret runs recordings export runs/first recordings.jsonl",
)

Store = Annotated[Path, typer.Argument(help="The folder of a run, or a recordings file.")]


@app.command("export", epilog="Example: conqret runs recordings export runs/first recordings.jsonl")
def export(store: Store, to: Annotated[Path, typer.Argument(help="The JSONL file to write.")]) -> None:
    """Write all recorded model responses to a JSONL file, with which others can repeat the run (`--replay`). API keys
    that your environment holds are replaced by `[key]` and counted. Corrupt responses are left out."""
    from conqret.llm.recording_files import export_recordings

    done = export_recordings(store, to)
    left_out = f"; {counted(done.damaged, 'corrupt recording')} left out" if done.damaged else ""
    keys = done.removed.get("key", 0)
    replaced = f"; an API key was replaced by [key] {counted(keys, 'time')}" if keys else ""
    say(f"{counted(done.answers, 'answer')} written to {to}{replaced}{left_out}")
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
        typer.Option(
            help="Names to remove from the export: comma-separated, or a text file with one per line. May be repeated."
        ),
    ] = None,
    patterns: Annotated[
        list[str] | None,
        typer.Option(
            help="A kind of text to remove from the export: `email`, `url`, `phone`, `ip`, `handle` (@name), or a "
            "regular expression. May be repeated."
        ),
    ] = None,
    json_output: options.Json = False,
) -> None:
    """Export recorded model responses without the names and patterns that you list, so that others with the same items
    can repeat the run.

    The recordings file is not changed. An export has model responses and item ids, and no texts of items.
    """
    from conqret.errors import DeclarationError
    from conqret.llm.recording_files import export_recordings

    wanted = list(_names(names or [])), list(_patterns(patterns or []))
    if not any(wanted):
        raise DeclarationError("there is nothing to redact: name the texts to replace, a pattern, or both")
    done = export_recordings(store, to, names=wanted[0], patterns=wanted[1])
    removed_text = ", ".join(f"{number} x [{label}]" for label, number in done.removed.items()) or "nothing"
    lines = [f"{counted(done.answers, 'answer')} written to {to}", f"taken out: {removed_text}"]
    facts = {"answers": done.answers, "removed": done.removed, "damaged": done.damaged}
    result(facts, lines, as_json=json_output)
    end(done.damaged)


def _names(values: list[str]) -> Iterator[str]:
    for value in values:
        file = Path(value)
        yield from whole_text(file).splitlines() if file.is_file() else options.listed(value)


def _patterns(values: list[str]) -> Iterator[str]:
    from conqret.llm.personal_data import PATTERNS

    for value in values:
        listed = options.listed(value)
        yield from listed if set(listed) <= PATTERNS.keys() else [value]


@app.command("import", epilog="Example: conqret runs recordings import recordings.jsonl runs/first")
def import_(
    source: Annotated[Path, typer.Argument(help="A JSONL file that `conqret runs recordings export` wrote.")],
    store: Annotated[
        Path,
        typer.Argument(
            help="The folder of a run, or a recordings file, which is created if it does not exist."
        ),
    ],
) -> None:
    """Add exported model responses to a recordings file; responses that it already has are not replaced."""
    from conqret.llm.recording_files import import_recordings, store_file

    count = import_recordings(source, store)
    say(f"{counted(count, 'answer')} added to {store_file(store)}")


@app.command("stats", epilog="Example: conqret runs recordings stats runs/first")
def stats(store: Store, json_output: options.Json = False) -> None:
    """Count the responses in a recordings file by model and kind of request, with tokens and cost."""
    from dataclasses import asdict

    from conqret.llm.recording_files import count_recordings

    statistics = count_recordings(store)
    cost = "unknown" if statistics.cost_usd is None else f"${statistics.cost_usd:.4f}"
    lines = [
        f"answers  {statistics.answers}",
        *(f"  model {name}: {count}" for name, count in statistics.by_model.items()),
        *(f"  question {name}: {count}" for name, count in statistics.by_ask.items()),
        f"tokens   {statistics.prompt_tokens} in, {statistics.completion_tokens} out",
        f"cost     {cost}",
        *([f"damaged  {statistics.damaged} (not counted above)"] if statistics.damaged else []),
    ]
    result(asdict(statistics), lines, as_json=json_output)


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
            help="Move corrupt responses out of the recordings file, and rebuild a corrupt file from its readable "
            "part; a copy of the old file is kept.",
        ),
    ] = False,
    json_output: options.Json = False,
) -> None:
    """Check by checksums whether recorded model responses are unchanged. The exit code is 1 if one is corrupt, and 0 if
    all are sound or `--repair` has repaired the file."""
    from dataclasses import asdict

    from conqret.llm.salvage import check_store

    check_result = check_store(store, repair=repair)
    result(asdict(check_result), _checked(check_result), as_json=json_output)
    end(not check_result.whole)


def _checked(check_result: StoreCheck) -> Iterator[str]:
    if check_result.fault:
        yield check_result.fault.partition(";")[0]
        made = (
            f"the corrupt file is kept as {check_result.kept}"
            if check_result.kept
            else "run it with --repair to rebuild the file from them"
        )
        yield f"{check_result.answers} answers can be read of it; {made}"
    elif check_result.damaged:
        yield f"{check_result.answers} recordings are intact; these are corrupt:"
        yield from (f"  {name}" for name in check_result.damaged)
        yield "they were set aside" if check_result.repaired else "run it with --repair to set them aside"
    else:
        yield f"{counted(check_result.answers, 'answer')}, each as it was recorded"
    if check_result.repaired and (check_result.kept or check_result.damaged):
        yield "the next run requests the missing responses again"

"""``conqret runs recordings``: move recorded answers between machines, and share them."""

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


app = typer.Typer(
    help="Export and import recorded model responses.",
    no_args_is_help=True,
    epilog="Example: conqret runs recordings export runs/first recordings.jsonl",
)


@app.command(
    "export",
    epilog="Examples:\n\nconqret runs recordings export runs/first recordings.jsonl\n\n"
    "conqret runs recordings export runs/first shared.jsonl --names 'Ann Miller,Bob' --patterns email,phone",
)
def export(
    store: Annotated[Path, typer.Argument(help="The folder of a run, or a recordings file.")],
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
    json_output: options.Printed = None,
) -> None:
    """Write all recorded model responses to a JSONL file, with which others can repeat the run (`--replay`). API keys
    that your environment holds are replaced by `[key]` and counted. The file has no texts of items.

    Each response is checked by its checksum: corrupt ones are left out, and the exit code is 1. Of a corrupt file the
    responses that can be read are saved.
    """
    from conqret.llm.recordings import export_recordings

    done = export_recordings(
        store, to, names=list(_names(names or [])), patterns=list(_patterns(patterns or []))
    )
    left_out = f"; {counted(done.damaged, 'corrupt recording')} left out" if done.damaged else ""
    lines = [f"{counted(done.answers, 'answer')} written to {to}{left_out}"]
    removed = ", ".join(f"{number} x [{label}]" for label, number in done.removed.items())
    lines += [f"taken out: {removed or 'nothing'}"] if removed or names or patterns else []
    facts = {"answers": done.answers, "removed": done.removed, "damaged": done.damaged}
    result(facts, lines, as_json=json_output)
    end(done.damaged)


def _names(values: list[str]) -> Iterator[str]:
    for value in values:
        file = Path(value)
        yield from whole_text(file).splitlines() if file.is_file() else options.listed(value)


def _patterns(values: list[str]) -> Iterator[str]:
    from conqret.llm.redaction import PATTERNS

    for value in values:
        listed = options.listed(value)
        yield from listed if set(listed) <= PATTERNS.keys() else [value]


@app.command(
    "import",
    epilog="Examples:\n\nconqret runs recordings import recordings.jsonl runs/first\n\n"
    "conqret runs recordings import runs/first runs/second answers.sqlite",
)
def import_(
    sources: Annotated[
        list[Path],
        typer.Argument(
            help="What to copy responses from: exports (JSONL), folders of runs, folders that hold runs, or "
            "recordings files."
        ),
    ],
    store: Annotated[
        Path,
        typer.Argument(
            help="The folder of a run, or a recordings file, which is created if it does not exist."
        ),
    ],
) -> None:
    """Copy recorded model responses into one recordings file; responses that it already has are not replaced."""
    from conqret.llm.recordings import store_file
    from conqret.runs.management import import_recordings

    say(f"{counted(import_recordings(sources, store), 'answer')} added to {store_file(store)}")

"""``conqret debate topics``: from collected topics to a set that can be debated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conqret.cli import options
from conqret.cli.debate.judged import Folder, apart, judged, sifted
from conqret.cli.groups import grouped

EPILOG = (
    "Examples:\n\n"
    "conqret debate topics raw.jsonl --model gpt-4o-mini -o topics.jsonl\n\n"
    "conqret debate topics raw.csv --model gpt-4o-mini --dry-run"
)


@grouped
def topics(
    raw: Annotated[
        Path, typer.Argument(help="Collected topics: column topic, perhaps id; JSONL, CSV, TSV, Parquet.")
    ],
    *,
    model: options.Model = None,
    output: Annotated[
        Path,
        options.option(
            options.FILES, "The topics that are kept; beside it, NAME.dropped.jsonl.", "--output", "-o"
        ),
    ] = Path("topics.jsonl"),
    run: Folder = None,
    prompts: options.Prompts = None,
    calls: options.Calls,
    kept: options.Kept,
    dry_run: options.DryRun = False,
    shown: options.Shown,
) -> None:
    """Make collected topics two-sided, and keep each once.

    The model says whether thoughtful people argue for either side, and words the claim that one side affirms and the
    other denies. Of topics with nearly the same words the first is kept. What is dropped is counted and kept apart,
    with the reason.
    """
    from conqret.debate.topics import FORMAT, two_sided
    from conqret.io import open_items

    apart(output, raw)
    source = open_items(raw)
    source.check()
    items = tuple(source)
    judgments = judged(
        items, [raw], FORMAT, model=model, output=run, prompts=prompts, calls=calls, kept=kept, dry_run=dry_run,
        shown=shown,
    )  # fmt: skip
    if judgments is not None:
        sifted(judgments, two_sided(items, judgments), output, "Debate topics", "topics", shown=shown)

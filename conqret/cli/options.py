"""Options that several subcommands share, each said once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

MODEL, JUDGING, LIMITS, FILES = "Model", "Judging", "Limits", "Files"
"""The panels under which ``--help`` groups the options."""


class OrderChoice(StrEnum):
    """The orders of the fifteen dimensions."""

    given = "given"
    reversed = "reversed"
    shuffled = "shuffled"


ITEM_COLUMNS = "topic=question,documents=ctx"
"""What --columns looks like for items."""


def _option(panel: str, help_text: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=help_text, rich_help_panel=panel, **more)


Items = Annotated[
    Path,
    typer.Argument(
        help="JSONL (also .gz), Parquet or CSV; the columns of ragas, DeepEval, TruLens, RAGChecker, "
        "nuggetizer and pyterrier-rag are recognised."
    ),
]
Columns = Annotated[str | None, _option(FILES, "Which column holds what: topic=question,documents=ctx,…")]
Format = Annotated[
    str | None,
    _option(
        JUDGING, "The format; `conqret formats` lists them. Default: rag-fine-grained.", "--format", "-f"
    ),
]
Model = Annotated[
    str | None,
    _option(
        MODEL,
        "Any litellm model; local/FOLDER, a transformers model that is read (format likelihood); or offline, the "
        "lexical baseline, without key or network. Default: offline.",
        "--model",
        "-m",
    ),
]
ApiBase = Annotated[
    str | None,
    _option(MODEL, "The address of an OpenAI-compatible server. Keys come from the environment only."),
]
MaxTokens = Annotated[
    int | None,
    _option(MODEL, "Room for the answer in tokens; a truncated answer is asked again with twice as much."),
]
ContextWindow = Annotated[int | None, _option(MODEL, "The model's window in tokens, where it is not known.")]
InputPrice = Annotated[
    float | None, _option(MODEL, "US dollars for a million prompt tokens, where the price is not known.")
]
OutputPrice = Annotated[float | None, _option(MODEL, "US dollars for a million completion tokens.")]
Metric = Annotated[
    list[str] | None, _option(JUDGING, "Only this metric of the format; may be repeated.", "--metric")
]
Samples = Annotated[
    int | None,
    _option(JUDGING, "Repetitions of each question, combined by mean and majority. Default: 1."),
]
Order = Annotated[
    OrderChoice | None,
    _option(
        JUDGING, "The order of the fifteen dimensions; further samples are always shuffled. Default: given."
    ),
]
Seed = Annotated[int | None, _option(JUDGING, "Draws the shuffled orders. Default: 13.")]
RelevantFrom = Annotated[
    int | None,
    _option(
        JUDGING, "The rating (0 to 5) from which a document counts towards predicted precision. Default: 3."
    ),
]
Temperature = Annotated[
    float | None, _option(JUDGING, "The model's temperature. Default: 0, or 0.7 with several samples.")
]
MaxConcurrency = Annotated[
    int | None,
    _option(
        LIMITS,
        "Requests under way at a time at most; sinks by itself when the provider says 429. Default: 16.",
    ),
]
RequestsPerMinute = Annotated[int | None, _option(LIMITS, "Requests a minute at most.")]
TokensPerMinute = Annotated[int | None, _option(LIMITS, "Tokens a minute at most.")]
BudgetUsd = Annotated[
    float | None,
    _option(LIMITS, "Money to spend at most; what is left over fails with the reason budget."),
]
Timeout = Annotated[
    float | None, _option(LIMITS, "Seconds for one request with all its retries. Default: 300.")
]
Prompts = Annotated[Path | None, _option(FILES, "A folder with prompts of your own, laid out like prompts/.")]
RecordingsStore = Annotated[
    Path | None,
    _option(
        FILES,
        "A store of answers to read and add to, shared between runs. Default: in the run's folder.",
        "--recordings",
    ),
]
Replay = Annotated[
    Path | None,
    _option(FILES, "Answer from these recordings (a store, an export, a run) and never call out."),
]
JudgeCard = Annotated[
    Path | None,
    _option(
        FILES,
        "A judge card (card.json): says whether it is of this judge, and what has changed since.",
        "--card",
    ),
]
Overwrite = Annotated[
    bool,
    _option(
        FILES,
        "Begin afresh where the folder holds another run; its recordings are kept.",
        "--overwrite",
    ),
]
RunFolder = Annotated[
    Path | None,
    _option(
        FILES,
        "The run's folder; the same command again goes on where it stopped. "
        "Default: runs/ITEMS-FORMAT-MODEL.",
        "--output",
        "-o",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes.")]


def given(**settings: Any) -> dict[str, Any]:
    """The settings that the user gave; the others keep the defaults of the layer below."""
    return {name: value for name, value in settings.items() if value is not None}


def column_map(columns: str | None, example: str) -> dict[str, str]:
    """``--columns`` as a mapping from field to column; ``example`` stands in the error.

    Raises:
        DeclarationError: it is no list of ``field=column``.
    """
    from conqret.errors import DeclarationError

    pairs = [pair.split("=", 1) for pair in (columns or "").split(",") if pair.strip()]
    if any(len(pair) != 2 or not all(part.strip() for part in pair) for pair in pairs):
        raise DeclarationError(f"--columns is a list such as {example}, not {columns!r}")
    return {field.strip(): column.strip() for field, column in pairs}

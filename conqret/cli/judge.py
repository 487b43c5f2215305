"""``conqret judge``: items in, judgments, summary and report out."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conqret.cli.console import err, note, out

if TYPE_CHECKING:
    from conqret.data import Judgment
    from conqret.evaluation.execute import Execution, Outcome
    from conqret.llm.client import Client

EPILOG = (
    "Examples:\n\n"
    "conqret judge items.jsonl --format rag-fine-grained --model gpt-4o-mini -o runs/first\n\n"
    "conqret judge items.jsonl --format g-eval --metric context-relevance --samples 3 --model offline\n\n"
    "conqret judge items.jsonl --model hosted_vllm/my-model --api-base http://localhost:8000/v1\n\n"
    "conqret judge items.jsonl --replay recordings.jsonl"
)
_MODEL, _SAMPLING, _LIMITS, _FILES = "Model", "Judging", "Limits", "Files"


class OrderChoice(StrEnum):
    """The orders of the fifteen dimensions."""

    given = "given"
    reversed = "reversed"
    shuffled = "shuffled"


def judge(
    items: Annotated[Path, typer.Argument(help="JSONL (also .gz), Parquet or CSV; the columns of ragas, DeepEval, TruLens, RAGChecker, nuggetizer and pyterrier-rag are recognised.")],
    format: Annotated[str | None, typer.Option("--format", "-f", help="The format of the judge; `conqret formats` lists them. [default: rag-fine-grained]", rich_help_panel=_SAMPLING)] = None,
    model: Annotated[str | None, typer.Option("--model", "-m", help="Any litellm model, or offline: the lexical baseline, without key or network. [default: offline]", rich_help_panel=_MODEL)] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The run's folder; the same command again goes on where it stopped. [default: runs/ITEMS-FORMAT-MODEL]", rich_help_panel=_FILES)] = None,
    metric: Annotated[list[str] | None, typer.Option("--metric", help="Only this metric of the format; may be repeated.", rich_help_panel=_SAMPLING)] = None,
    samples: Annotated[int | None, typer.Option(help="Repetitions of each question, combined by mean and majority. [default: 1]", rich_help_panel=_SAMPLING)] = None,
    order: Annotated[OrderChoice, typer.Option(help="The order of the fifteen dimensions; further samples are always shuffled.", rich_help_panel=_SAMPLING)] = OrderChoice.given,
    seed: Annotated[int, typer.Option(help="Draws the shuffled orders.", rich_help_panel=_SAMPLING)] = 13,
    relevant_from: Annotated[int, typer.Option(help="The rating (0 to 5) from which a document counts towards predicted precision.", rich_help_panel=_SAMPLING)] = 3,
    columns: Annotated[str | None, typer.Option(help="Which column holds what: topic=question,documents=ctx,…", rich_help_panel=_FILES)] = None,
    prompts: Annotated[Path | None, typer.Option(help="A folder with prompts of your own, laid out like prompts/.", rich_help_panel=_FILES)] = None,
    api_base: Annotated[str | None, typer.Option(help="The address of an OpenAI-compatible server. Keys come from the environment only.", rich_help_panel=_MODEL)] = None,
    temperature: Annotated[float | None, typer.Option(help="[default: 0, or 0.7 with several samples]", rich_help_panel=_SAMPLING)] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Room for the answer in tokens; a truncated answer is asked again with twice as much.", rich_help_panel=_MODEL)] = None,
    context_window: Annotated[int | None, typer.Option(help="The model's window in tokens, where it is not known.", rich_help_panel=_MODEL)] = None,
    input_price: Annotated[float | None, typer.Option(help="US dollars for a million prompt tokens, where the price is not known.", rich_help_panel=_MODEL)] = None,
    output_price: Annotated[float | None, typer.Option(help="US dollars for a million completion tokens.", rich_help_panel=_MODEL)] = None,
    max_concurrency: Annotated[int | None, typer.Option(help="Requests under way at a time at most; sinks by itself when the provider says 429. [default: 16]", rich_help_panel=_LIMITS)] = None,
    rpm: Annotated[int | None, typer.Option(help="Requests a minute at most.", rich_help_panel=_LIMITS)] = None,
    tpm: Annotated[int | None, typer.Option(help="Tokens a minute at most.", rich_help_panel=_LIMITS)] = None,
    budget_usd: Annotated[float | None, typer.Option(help="Money to spend at most; what is left over fails with the reason budget.", rich_help_panel=_LIMITS)] = None,
    timeout: Annotated[float | None, typer.Option(help="Seconds for one request with all its retries. [default: 300]", rich_help_panel=_LIMITS)] = None,
    recordings: Annotated[Path | None, typer.Option(help="A store of answers to read and add to, to be shared between runs. [default: in the run's folder]", rich_help_panel=_FILES)] = None,
    replay: Annotated[Path | None, typer.Option(help="Answer from these recordings (a store, an export, a run) and never call out.", rich_help_panel=_FILES)] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Begin afresh where the folder holds another run; its recordings are kept.", rich_help_panel=_FILES)] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print the summary as JSON on standard output.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes.")] = False,
) -> None:  # fmt: skip
    """Judge items: relevance of the evidence, groundedness, quality of the argument, preference.

    Every item is checked before the first call. Judgments are written as they arrive; a run that was stopped
    goes on when the same command is given again, and no answer is paid for twice.
    """
    from conqret.evaluation.execute import Execution, execute
    from conqret.evaluation.run import RunDirectory
    from conqret.evaluation.setup import DEFAULT_FORMAT, check_items, set_up
    from conqret.io import open_items
    from conqret.judges.base import JudgeOptions
    from conqret.llm.options import OFFLINE_MODEL, ClientOptions
    from conqret.report.html import write_report

    client: dict[str, Any] = {
        name: value
        for name, value in (
            ("api_base", api_base), ("max_tokens", max_tokens),
            ("context_window", context_window), ("input_price", input_price), ("output_price", output_price),
            ("max_concurrency", max_concurrency), ("rpm", rpm), ("tpm", tpm), ("budget_usd", budget_usd),
            ("timeout", timeout),
        )
        if value is not None
    }  # fmt: skip
    if replay is not None and (format is None or model is None or samples is None):
        from conqret.evaluation.replay import recorded_call

        recorded = recorded_call(replay)
        format, model = format or recorded.format, model or recorded.model
        samples = samples if samples is not None else recorded.samples
        client = {**recorded.model_options, **client}
    options = JudgeOptions(tuple(metric or ()), samples or 1, order.value, seed, relevant_from, temperature)
    setup = set_up(format or DEFAULT_FORMAT, ClientOptions(model or OFFLINE_MODEL, **client), options, prompts)
    source = open_items(items, columns=_mapping(columns))
    checked, setup = check_items(source, setup)
    run = RunDirectory(output or _default_output(items, setup.judge.name, setup.client.model))
    execution = Execution(source, checked, setup, run, recordings, replay, overwrite)
    if not quiet:
        _announce(execution, items)
    with _Progress(checked.count, enabled=not quiet) as progress:
        outcome = execute(execution, on_start=progress.start, on_judgment=progress.advance)
    write_report(run)
    if json_output:
        out().out(outcome.summary.model_dump_json(indent=1))
    else:
        _show(execution, outcome)
    if outcome.summary.failed:
        raise typer.Exit(1)


def _mapping(columns: str | None) -> dict[str, str]:
    from conqret.errors import DeclarationError

    pairs = [pair.split("=", 1) for pair in (columns or "").split(",") if pair.strip()]
    if any(len(pair) != 2 or not all(part.strip() for part in pair) for pair in pairs):
        raise DeclarationError(f"--columns is a list such as topic=question,documents=ctx, not {columns!r}")
    return {field.strip(): column.strip() for field, column in pairs}


def _default_output(items: Path, format: str, model: str) -> Path:
    import re

    stem = items.name.split(".")[0]
    return Path("runs") / "-".join(re.sub(r"[^A-Za-z0-9.]+", "-", part).strip("-.") for part in (stem, format, model))


def _announce(execution: Execution, items: Path) -> None:
    from rich.text import Text

    checked, setup = execution.checked, execution.setup
    baseline = ": the lexical baseline, a floor and not a judge" if setup.client.offline else ""
    err().print(Text(f"{checked.count} items, {checked.documents} documents from {items} (read as {checked.layout})"), soft_wrap=True)
    err().print(Text(f"judged by {setup.judge.name} with {setup.client.model}{baseline}"), soft_wrap=True)
    for text in setup.notes:
        note(text)


def _show(execution: Execution, outcome: Outcome) -> None:
    from rich.text import Text

    from conqret.report.tables import terminal

    out().print(terminal(outcome.summary, execution.out.record()))
    if outcome.kept:
        note(f"{outcome.kept} of {outcome.summary.total} judgments were kept from before")
    if outcome.missing:
        shown = "\n".join(f"  {text}" for text in outcome.missing[:10])
        more = f"\n  and {len(outcome.missing) - 10} more" if len(outcome.missing) > 10 else ""
        note(f"{len(outcome.missing)} answers are not among the recordings:\n{shown}{more}")
    run = execution.out
    for label, file in (("judgments", run.judgments_file), ("scores", run.scores_file), ("report", run.report_file)):
        out().print(Text(f"{label:<10} {file}"), soft_wrap=True)


class _Progress:
    """A bar with live counts on a terminal, nothing elsewhere."""

    def __init__(self, total: int, *, enabled: bool) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            TextColumn("judging"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[counts]}"),
            console=err(),
            transient=True,
            disable=not enabled or not err().is_terminal,
        )
        self._task = self._bar.add_task("judging", total=total, counts="")
        self._client: Client | None = None

    def __enter__(self) -> _Progress:
        self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._bar.stop()

    def start(self, client: Client, kept: int) -> None:
        self._client = client
        self._bar.advance(self._task, kept)

    def advance(self, judgment: Judgment) -> None:
        if self._bar.disable:
            return
        counts = ""
        if self._client is not None:
            live = self._client.progress
            cost = "cost unknown" if live.cost_usd is None else f"${live.cost_usd:.4f}"
            counts = f"{live.calls} calls, {live.recorded} recorded, {live.retries} retries, {cost}"
        self._bar.update(self._task, advance=1, counts=counts)

"""``conqret judge``: items in, judgments, summary and report out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from conqret.cli import options
from conqret.cli.console import end, floor, note, out, progress, say_json, tell, written
from conqret.cli.groups import grouped
from conqret.cli.places import default_folder, stem

if TYPE_CHECKING:
    from collections.abc import Container

    from conqret.data import Judgment
    from conqret.judging.execute import Execution, Outcome
    from conqret.judging.setup import Setup

EPILOG = (
    "Examples:\n\n"
    "conqret judge items.jsonl --format rag-fine-grained --model gpt-4o-mini -o runs/first\n\n"
    "conqret judge items.jsonl --format g-eval --metric context-relevance --samples 3 --model offline\n\n"
    "conqret judge items.jsonl --model hosted_vllm/my-model --api-base http://localhost:8000/v1\n\n"
    "conqret judge items.jsonl --replay recordings.jsonl"
)


@grouped
def judge(
    items: options.Items,
    *,
    format: options.Format = None,  # noqa: A002 - the option's name
    model: options.Model = None,
    output: Annotated[
        Path | None,
        options.option(
            options.FILES,
            "The run's folder; the same command again goes on where it stopped. "
            "Default: runs/ITEMS-FORMAT-MODEL.",
            "--output",
            "-o",
        ),
    ] = None,
    judging: options.Judging,
    columns: options.Columns = None,
    prompts: options.Prompts = None,
    calls: options.Calls,
    kept: options.Kept,
    card: Annotated[
        Path | None,
        options.option(
            options.FILES,
            "A judge card (card.json): says whether it is of this judge, and what has changed since.",
            "--card",
        ),
    ] = None,
    shown: options.Shown,
) -> None:
    """Judge items: relevance of the evidence, groundedness, quality of the argument, preference.

    Every item is checked before the first call. Judgments are written as they arrive: a run that was stopped goes
    on when the same command is given again, and no answer is paid for twice.
    """
    from conqret.io import open_items
    from conqret.judging.base import JudgeOptions
    from conqret.judging.execute import Execution, execute
    from conqret.judging.folder import JudgeFolder
    from conqret.judging.registry import DEFAULT_FORMAT
    from conqret.judging.setup import check_items, set_up
    from conqret.llm.options import OFFLINE_MODEL, ClientOptions
    from conqret.report.html import write_report
    from conqret.report.tally import Tally

    client, settings = calls.given(), judging.given()
    if kept.replay is not None and (format is None or model is None or judging.samples is None):
        from conqret.judging.replay import recorded_call

        recorded = recorded_call(kept.replay)
        model = recorded.model if model is None else model
        if format in (None, recorded.format):
            format = recorded.format  # noqa: A001
            settings = {**recorded.judging, **settings}
            if not (shown.quiet or judging.metric) and recorded.judging.get("metrics"):
                note(f"recorded are {', '.join(recorded.judging['metrics'])}")
        client = {**recorded.model_options, **client}
    setup = set_up(
        DEFAULT_FORMAT if format is None else format,
        ClientOptions(OFFLINE_MODEL if model is None else model, **client),
        JudgeOptions(**settings),
        prompts,
    )
    source = open_items(items, columns=options.column_map(columns, options.ITEM_COLUMNS))
    checked, setup = check_items(source, setup)
    if card is not None:
        _hold_against(card, setup)
    run = JudgeFolder(output or default_folder(stem(items), setup.judge.name, setup.client.model))
    execution = Execution(source, checked, setup, run, kept.recordings, kept.replay, kept.overwrite)
    if not shown.quiet:
        _announce(execution, items)
    tally, examples = Tally(), _Examples()
    with progress("judging", checked.count, quiet=shown.quiet) as bar:
        outcome = execute(
            execution, on_start=bar.start, on_judgment=bar.advance, readers=(tally.add, examples.add)
        )
    write_report(run, tally=tally)
    _remark(outcome, quiet=shown.quiet)
    examples.tell(outcome.summary.reasons)
    if shown.json_output:
        say_json(outcome.summary)
    else:
        _show(execution, outcome)
    end(outcome.summary.failed)


def _hold_against(card: Path, setup: Setup) -> None:
    """Say whether the judge card is of this instrument, and if not, what has changed."""
    from conqret.reliability.cards.card import read_card
    from conqret.reliability.cards.fit import changes

    found = changes(read_card(card), setup)
    if found:
        listed = "\n".join(f"  {change}" for change in found)
        note(f"the judge card is stale: it says nothing of this judge ({card})\n{listed}")
    else:
        note(f"the judge card fits: fingerprint {setup.fingerprint}")


def _announce(execution: Execution, items: Path) -> None:
    checked, setup = execution.checked, execution.setup
    baseline = f": {floor('a judge')}" if setup.client.backend.baseline else ""
    tell(f"{checked.count} items, {checked.documents} documents from {items} (read as {checked.layout})")
    tell(f"judged by {setup.judge.name} with {setup.client.model}{baseline}")
    for text in setup.notes:
        note(text)


def _remark(outcome: Outcome, *, quiet: bool) -> None:
    if outcome.kept and not quiet:
        note(f"{outcome.kept} of {outcome.summary.total} judgments were kept from before")
    if outcome.missing:
        shown = "\n".join(f"  {text}" for text in outcome.missing[:10])
        more = f"\n  and {len(outcome.missing) - 10} more" if len(outcome.missing) > 10 else ""
        note(f"{len(outcome.missing)} answers are not among the recordings:\n{shown}{more}")


class _Examples:
    """For each reason why values are missing what was said of the first item: it often says what to do."""

    def __init__(self) -> None:
        self._said: dict[str, str] = {}

    def add(self, judgment: Judgment) -> None:
        for measure in judgment.measures.values():
            if measure.reason is not None and measure.detail:
                self._said.setdefault(measure.reason, f"{judgment.item}, for example: {measure.detail}")

    def tell(self, reasons: Container[str]) -> None:
        for reason, said in self._said.items():
            if reason in reasons:
                note(said)


def _show(execution: Execution, outcome: Outcome) -> None:
    from conqret.report.tables import terminal

    run = execution.out
    out().print(terminal(outcome.summary, run.record()))
    written(run.judgments_file, "judgments")
    written(run.scores_file, "scores")
    written(run.report_file, "report")

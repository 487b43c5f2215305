"""Options that several subcommands share: those that belong together as groups, the others one by one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, cast

from conqret.console.exit_codes import end
from conqret.console.option_groups import OptionGroup, option
from conqret.console.printing import (
    at,
    named,
    note,
    note_all,
    note_each,
    note_left_out,
    progress,
    result,
    tell,
)
from conqret.console.result_options import DrawnBy as DrawnBy
from conqret.console.result_options import Printed as Printed
from conqret.errors import DeclarationError, number
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions
from conqret.options import FILES as FILES
from conqret.options import JUDGING as JUDGING
from conqret.options import LIMITS as LIMITS
from conqret.options import MODEL as MODEL
from conqret.text.numbers import number_in

if TYPE_CHECKING:
    from rich.console import RenderableType

    from conqret.console.printing import ProgressBar
    from conqret.io import CheckedItems
    from conqret.llm.expected_cost import ExpectedCost
    from conqret.runs.request_run import Run
    from conqret.runs.session import RequestSettings, SessionCounts
    from conqret.show.report_page import ReportPage
    from conqret.show.table import Table

T = TypeVar("T")

DOCUMENTS = "documents"
"""The field whose text may come from several columns."""
ITEM_COLUMNS = "topic=question,documents=ctx"
"""An example of --columns for items."""


def run_folder(default: str, what: str = "The run's folder", where: str = "where it stopped") -> Any:
    """Return the ``--output`` option of a command that continues an interrupted run.

    ``default`` is the default folder below runs/; ``what`` and ``where`` are parts of the help text.
    """
    return option(
        FILES,
        f"{what}; run the same command again to continue {where}. Default: runs/{default}.",
        "--output",
        "-o",
    )


ITEMS = option(
    None,
    "Items: a JSONL, CSV or Parquet file, a folder of such files, or an address (s3://…). conqret recognizes the "
    "columns of ragas, DeepEval, TruLens, RAGChecker, nuggetizer and pyterrier-rag, and TREC RAG reports.",
)
Items = Annotated[Path, ITEMS]
Columns = Annotated[
    str | None, option(FILES, "Map fields to your columns: `topic=question,documents=ctx,argument=answer`.")
]
SkipInvalid = Annotated[
    bool, option(FILES, "Leave out invalid items, and say how many and why.", "--skip-invalid")
]
Language = Annotated[
    str | None,
    option(
        FILES,
        "The language of all items, as a code or an English name (`de`, `German`). Default: the item's field "
        "`language`, or else the language that conqret detects.",
        "--language",
    ),
]


Format = Annotated[
    str | None,
    option(
        JUDGING,
        "The judge format: what to measure and how. `conqret info formats` lists all. Default: `rag` where no item has "
        "a stance or a citation, else `rag-fine-grained`.",
        "--format",
        "-f",
    ),
]
Model = Annotated[
    str | None,
    option(
        MODEL,
        "The model to call: any model name that litellm knows (such as `gpt-4o-mini`); `decision/NAME` for a model "
        "that answers typed questions with probabilities (such as `decision/jev-1.13.0`); `local/FOLDER` for a "
        "transformers model on this machine (only for plain texts, as of `conqret debate write`, and the judge format "
        "`likelihood`); or `offline`, a baseline from word statistics that needs no key and no network. "
        "Default: `offline`.",
        "--model",
        "-m",
    ),
]
Detector = Annotated[
    str | None,
    option(
        MODEL,
        "What detects perspectives. By `--model`: `graded`, a grade from 0 to 4; `zero-shot` or `one-shot`, Yes or No "
        "to BeRDS's prompt (Table 14). Or the folder of a local model, instead of `--model`: one that `conqret "
        "perspectives tune` wrote, an NLI model (T5 too), or a causal model or LoRA adapter that answers Yes or No to "
        "the same prompt, such as BeRDS's evaluator. Default: `graded`.",
    ),
]
Metric = Annotated[
    list[str] | None,
    option(
        JUDGING,
        "Score only this metric of the judge format; metrics not named are not requested. May be repeated.",
        "--metric",
    ),
]
Prompts = Annotated[
    Path | None,
    option(FILES, "A folder with prompts of your own, laid out as `conqret info prompt --copy` writes them."),
]
RecordedResponses = Annotated[
    Path | None,
    option(
        None,
        "Where the raw model responses are, if not in the run's folder: a recordings file, an export of one, or "
        "another run's folder.",
    ),
]
DryRun = Annotated[
    bool,
    option(
        None,
        "Print how many model calls and tokens the command would need and what they would cost, and stop "
        "without a call.",
        "--dry-run",
    ),
]


@dataclass(frozen=True)
class Calls(OptionGroup, settings_class=ClientOptions):
    """How a model is called, whichever it is: the options of every command that calls one."""

    @property
    def budget(self) -> float | None:
        """The most US dollars to spend; None if there is no limit."""
        return self.for_model(None).budget_usd

    def for_model(self, model: str | None) -> ClientOptions:
        """Return the client settings for ``model``; None means the offline baseline.

        Raises:
            DeclarationError: a value is out of its range.
        """
        return ClientOptions(OFFLINE_MODEL if model is None else model, **self.given())


Overwrite = Annotated[
    bool,
    option(
        FILES,
        "Start a new run if the folder has a different one, instead of refusing; recorded model responses are kept.",
        "--overwrite",
    ),
]


Replace = Annotated[
    bool,
    option(FILES, "Replace the output file if it exists with other content. Default: refuse.", "--overwrite"),
]


@dataclass(frozen=True)
class RecordingOptions(OptionGroup):
    """Where answers are recorded, or come from without a call.

    Files:
        recordings: A file of recorded model responses (SQLite): a request that is in it is answered from it without a
            call, and new responses are added. Several runs may share it. Default: a file in the run's folder.
        replay: Take all model responses from these recordings and call no model: a recordings file, an export of one
            (JSONL), or a run's folder.
    """

    recordings: Path | None = None
    replay: Path | None = None

    def called_models(self, calls: Calls, models: Iterable[str | None]) -> list[ClientOptions]:
        """Return the settings of the models that a run calls, without duplicates.

        The list is empty with ``--recordings`` or ``--replay``, since all responses may be recorded.
        """
        if self.recordings is not None or self.replay is not None:
            return []
        return [calls.for_model(model) for model in dict.fromkeys(models)]


@dataclass(frozen=True)
class OutputOptions(OptionGroup):
    """What a command says, and in which form.

    Args:
        quiet (--quiet, -q): Print no progress and no notes, only results (in `conqret judge` the number of items, the
            files written, and whether `--require` is met).
    """

    json_output: Printed = None
    quiet: bool = False

    def tell(self, *lines: str) -> None:
        """Print progress messages, unless ``--quiet`` is set."""
        if not self.quiet:
            tell("\n".join(lines))

    def note(self, *messages: str) -> None:
        """Print notes, unless ``--quiet`` is set."""
        if not self.quiet:
            note(*messages)

    def left_out(self, checked: CheckedItems | None) -> None:
        """Print a note on items left out because of faults, unless ``--quiet`` is set."""
        if checked is not None and not self.quiet:
            note_left_out(checked)

    def session(self, session: SessionCounts, rows: str = "") -> None:
        """Print a summary of the session, unless ``--quiet`` is set: requests sent, cost, and responses from
        recordings.

        ``rows`` ("12 judgments") is the total, of which some are kept from an earlier run.
        """
        if self.quiet:
            return
        from conqret.show.words import reason

        cost = "cost unknown" if session.cost_usd is None else f"${session.cost_usd:.4f} spent"
        if session.estimated:
            cost += f", estimated for {number(session.estimated, 'answer')} without usage"
        kept = f"; {session.kept:,} of {rows} kept from an earlier run" if rows and session.kept else ""
        recorded = f", {session.recorded:,} answered from recordings" if session.recorded else ""
        tell(f"{number(session.sent, 'request')} sent now ({cost}){recorded}{kept}")
        if session.retried:
            note(f"{number(session.retried, 'invalid response')} of an earlier run requested again")
        if session.others:
            note_each(
                f"{answers:,} responses name another model as their source: {name}"
                for name, answers in session.others.items()
            )
        if session.failures:
            note_each(f"{reason(name)}, as for {example}" for name, example in session.failures.items())


@dataclass(frozen=True)
class PageFile(OptionGroup):
    """The file of a page, where one is wanted.

    Args:
        output (--output, -o): The output file. Its ending chooses the form: an HTML page (.html), Markdown (.md), or
            only the chart at the top of the page (.svg).

    Raises:
        DeclarationError: no page can be written into a file of this ending.
    """

    output: Path | None = None

    def __post_init__(self) -> None:
        if self.output is not None:
            from conqret.show.report_page import check_ending

            check_ending(self.output)

    def show(
        self, value: object, page: ReportPage, tables: Iterable[Table] | None = None, *, as_json: bool | None
    ) -> None:
        """Print the answer and the tables of a page, and write the page if ``--output`` is set.

        ``tables`` replaces the page's own tables, and ``value`` is printed instead as JSON if ``as_json``
        is true.
        """
        result(value, page.tables if tables is None else tables, as_json=as_json, answer=page.answer)
        self.write(lambda _: page, value)

    def write(self, page: Callable[[T], ReportPage], value: T, what: str = "written") -> None:
        """Write the page that ``page(value)`` returns to the ``--output`` file, if set, and print its
        path after ``what``."""
        if self.output is not None:
            from conqret.show.report_page import write_page

            tell(at(write_page(page(value), self.output), what))


@dataclass(frozen=True)
class Engines(OptionGroup):
    """Where models are called.

    Limits:
        engine: `process`: work in this process. `ray`: distribute the work over the workers of a Ray cluster (the one
            at RAY_ADDRESS, else one on this machine), under the same limits. Default: `process`.
        workers: With `--engine ray`: number of processes. Default: one per processor, at least 2.
    """

    engine: Literal["process", "ray"] | None = None
    workers: int | None = None


O = TypeVar("O")  # noqa: E741 - an outcome
"""An outcome: its ``session`` and the questions whose answers a replay lacked (``missing``) are told."""


def study_watch(bar: ProgressBar, shown: OutputOptions, role: str) -> SimpleNamespace:
    """Return an observer that prints the models and the work of a run at its start, and advances the progress
    bar; its ``total`` is that of the run.
    """

    def start(run: Run[Any], kept: int) -> None:
        clients = {client.model_id: client for client in run.clients}
        names = (named(client.model_id, client.baseline, role) for client in clients.values())
        watch.total = run.total
        shown.tell(f"{run.about} {run.by or ' and '.join(names)}")
        bar.start(run.clients[0], kept, run.total)

    watch = SimpleNamespace(start=start, advance=bar.advance, reach=bar.reach, total=0)
    return watch


@dataclass(frozen=True, kw_only=True)
class PlanOptions(OptionGroup):
    """The options that every such command ends with, and the steps that they decide.

    Model:
        batch: Submit all requests as a batch to OpenAI or Anthropic, at half the price, and end; run the same command
            again later to collect the responses.
    """

    calls: Calls = field(default_factory=Calls)
    engines: Engines = field(default_factory=Engines)
    batch: bool = False
    kept: RecordingOptions = field(default_factory=RecordingOptions)
    overwrite: Overwrite = False
    dry_run: DryRun = False
    shown: OutputOptions = field(default_factory=OutputOptions)

    @property
    def settings(self) -> RequestSettings:
        """The folder and engine options that the user set, as keyword settings."""
        folder = {**self.kept.given(), "overwrite": self.overwrite}
        return cast("RequestSettings", {**folder, **self.engines.given(), "batch": self.batch})

    def tell_cost(self, estimates: Sequence[ExpectedCost], **shown: Any) -> None:
        """Print the expected cost of a run, as the end of a dry run (:func:`conqret.console.costs.tell_cost`), at the
        batch price with ``--batch`` (rewriting is never batched).

        ``shown`` are further arguments of that function.

        Raises:
            DeclarationError: a model cannot be called in batches.
        """
        from conqret.console.costs import tell_cost
        from conqret.llm.expected_cost import batch_price

        if self.batch:
            estimates = [
                each if each.task == "rewrite" else batch_price(each, self.calls.for_model(each.model))
                for each in estimates
            ]
        called = self.kept.called_models(self.calls, (each.model for each in estimates if each.calls))
        tell_cost(estimates, budget=self.calls.budget, as_json=self.shown.json_output, called=called, **shown)

    def study(
        self,
        function: Callable[..., O],
        *arguments: Any,
        rows: str,
        doing: str = "judging",
        role: str = "a judge",
        **settings: Any,
    ) -> O:
        """Run a study's ``function`` with the user's settings and return its outcome; a dry run prints its
        cost and exits.

        Args:
            function: the study.
            arguments: its positional arguments.
            rows: what it produces, for the printed count ("judgments").
            doing: the label of the progress bar.
            role: what the offline baseline is said not to be ("a judge").
            settings: its keyword arguments.

        Raises:
            SystemExit: it was a dry run.
        """
        from conqret.runs.dry_run import Counted

        if self.dry_run:
            try:
                function(*arguments, **settings, **self.settings, dry_run=True)
            except Counted as counted:
                self.tell_cost(counted.costs, **counted.shown)
            sys.exit()
        with progress(doing, quiet=self.shown.quiet) as bar:
            watch = study_watch(bar, self.shown, role)
            outcome: Any = function(*arguments, **settings, **self.settings, watch=watch)
        if watch.total:
            self.shown.session(outcome.session, number(watch.total, rows.removesuffix("s")))
        if outcome.missing:
            note_all(f"the recordings lack {number(len(outcome.missing), 'answer')}", outcome.missing)
        return outcome  # type: ignore[no-any-return]

    def conclude(
        self,
        data: object,
        lines: Iterable[RenderableType],
        outcome: Any,
        lost: Mapping[str, int],
        *,
        there: object,
    ) -> None:
        """Print the result (``data`` as JSON, or ``lines`` as text), and end the command.

        It exits with code 1 where responses are ``lost`` (counts by reason), where ``there`` is false or
        empty, or where the session stopped early.
        """
        result(data, lines, as_json=self.shown.json_output)
        end(lost, outcome.session, there=there, reasons=lost)


@dataclass(frozen=True, kw_only=True)
class StudyOptions(PlanOptions):
    """The same with a folder of prompts."""

    prompts: Prompts = None

    @property
    def settings(self) -> RequestSettings:
        """The options that the user set, including the folder of prompts, as keyword settings."""
        return {"prompts": self.prompts, **super().settings}


def listed(text: str | None) -> list[str]:
    """Split a comma-separated list into its non-empty parts; an empty list for None."""
    return [part.strip() for part in (text or "").split(",") if part.strip()]


def numbers(text: str | None, wanted: str) -> list[float]:
    """Parse a comma-separated list of numbers; ``wanted`` describes the expected text in the error.

    Raises:
        DeclarationError: a part is not a number.
    """

    try:
        return [number_in(part) for part in listed(text)]
    except ValueError:
        raise DeclarationError(f"{wanted}, not {text!r}") from None


def counts(name: str, text: str) -> list[int]:
    """Parse a comma-separated list of positive integers, without duplicates; ``name`` is the option's
    name.

    Raises:
        DeclarationError: a number is below 1, or is not an integer.
    """

    wanted = f"{name} is a list of whole numbers from 1 on, such as 8,12,20"
    values = numbers(text, wanted)
    if not values or any(value < 1 or not value.is_integer() for value in values):
        raise DeclarationError(f"{wanted}, not {text!r}")
    return list(dict.fromkeys(map(int, values)))


def column_map(columns: str | None, example: str) -> dict[str, str]:
    """Parse ``--columns`` to a mapping from field to column; ``example`` is shown in the error.

    Several columns for documents are joined with + (``doc 1+doc 2``).

    Raises:
        DeclarationError: it is no list of ``field=column``, or a field but documents has two columns.
    """

    if not columns:
        return {}
    pairs = [pair.split("=", 1) for pair in listed(columns)]
    if any(len(pair) != 2 or not all(part.strip() for part in pair) for pair in pairs):
        raise DeclarationError(f"--columns takes a list such as {example}, not {columns!r}")
    mapping: dict[str, str] = {}
    for name, column in ((name.strip(), column.strip()) for name, column in pairs):
        if name in mapping and name != DOCUMENTS:
            raise DeclarationError(
                f"--columns names two columns for {name}, {mapping[name]!r} and {column!r}: keep one of them"
            )
        mapping[name] = f"{mapping[name]}+{column}" if name in mapping else column
    return mapping

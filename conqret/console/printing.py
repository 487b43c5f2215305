"""Print results to standard output, and notes, errors and progress to standard error.

Texts from outside are shown as they are, never as markup. What a terminal would act on (an escape sequence in a
model's name, say) is written out, whatever prints it: each console does so with all that it renders.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.segment import Segment
from rich.text import Text

from conqret.errors import number
from conqret.show.visible_text import visible

if TYPE_CHECKING:
    from conqret.console.conditions import RequirementOutcome
    from conqret.io import CheckedItems
    from conqret.llm.client import Client
    from conqret.llm.sender import Progress as ClientProgress
    from conqret.show.table import Table


NONE: Mapping[str, Any] = {}
"""An empty mapping, as a default."""
MAX_NOTES = 2
"""The most notes of one kind that a run prints."""
SECONDS = 10.0
"""Seconds between two lines of progress where there is no terminal."""


class SafeConsole(Console):
    """A console that escapes control characters in printed text, except those of its own colors and progress bars.
    After a broken pipe it prints nothing more."""

    def render(self, renderable: RenderableType, options: Any = None) -> Iterator[Segment]:
        """Yield the segments to print, with control characters in their text escaped."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        """Discard further output after a broken pipe (``| head``), so that the command can finish writing
        files."""
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - a device
            os.dup2(nowhere.fileno(), self.file.fileno())


@functools.cache
def out() -> Console:
    """Return the console for results (standard output)."""
    return SafeConsole(highlight=False)


@functools.cache
def err() -> Console:
    """Return the console for progress, notes and errors (standard error)."""
    return SafeConsole(stderr=True, highlight=False)


def say(text: str, style: str = "") -> None:
    """Print one line of the result to standard output, in a style of Rich (empty: none)."""
    out().print(_text(text, style), soft_wrap=True)


def say_json(value: object) -> None:
    """Print a result, which is plain data or a pydantic model, as indented JSON; invisible characters are escaped."""
    to_json = getattr(value, "model_dump_json", None)
    text = json.dumps(value, indent=1, ensure_ascii=False) if to_json is None else to_json(indent=1)
    out().out(
        "".join(
            character if character.isprintable() or character == "\n" else json.dumps(character)[1:-1]
            for character in text
        )
    )


def result(
    value: Any,
    lines: Iterable[RenderableType],
    *,
    as_json: bool | None,
    outcomes: Sequence[RequirementOutcome] | None = None,
    answer: Iterable[str] = (),
) -> None:
    """Print the result of a command: as JSON, as LaTeX, or for a reader.

    If ``as_json`` is true, ``value`` is printed as JSON, with ``outcomes`` under ``requirements``. If it
    is False, the tables in ``lines`` are printed as LaTeX. If it is None, the sentences in ``answer`` are
    printed, then ``lines``.
    """
    if as_json and outcomes is not None:
        plain = [asdict(outcome) for outcome in outcomes]
        for requirement in plain:
            for name in ("items", "more", "undecided", "labels"):
                if not requirement[name]:
                    del requirement[name]
        value = json.loads(value.model_dump_json()) | {"requirements": plain}
    if as_json:
        say_json(value)
        return
    if as_json is False:
        say_latex(lines)
        return
    sentences = list(answer)
    for line in (*sentences, *[""] * bool(sentences), *lines):
        out().print(_text(line) if isinstance(line, str) else line, soft_wrap=isinstance(line, str))


def spaced(tables: Iterable[Table]) -> Iterator[Table | str]:
    """Yield each table followed by an empty line."""
    for table in tables:
        yield from (table, "")


def say_latex(lines: Iterable[object]) -> None:
    """Print the tables among ``lines`` as LaTeX, or a note if there are none."""
    from conqret.show.markup import PREAMBLE, tables_latex
    from conqret.show.table import Table

    tables = [line for line in lines if isinstance(line, Table)]
    if tables:
        out().out(f"{PREAMBLE}\n\n{tables_latex(tables)}")
    else:
        note("this command prints no table, so there is nothing to write as LaTeX")


def at(file: Path, what: str = "written") -> str:
    """Return a line that names an output file, such as "written    labels.csv"."""
    return f"{what:<10} {file}"


def entry(name: str, remark: str, lines: Iterable[str]) -> Iterator[RenderableType]:
    """Yield the lines of one entry of a list: its name with a remark in bold, then indented details."""
    yield _text(name, "bold").append_text(_text(f"  {remark}", "not bold"))
    for place, line in enumerate(lines):
        yield Padding(_text(line, "dim" if place else ""), (0, 0, 0, 2), expand=False)
    yield ""


def heading(text: str) -> Text:
    """Return ``text`` in bold."""
    return _text(text, "bold")


def tell(text: str) -> None:
    """Print a progress message to standard error."""
    err().print(_text(text), soft_wrap=True)


def complain(message: str) -> None:
    """Print an error message to standard error."""
    err().print(_text("error: ", "bold red").append_text(_text(message)), soft_wrap=True)


def note(*messages: str) -> None:
    """Print notes to standard error."""
    for message in messages:
        err().print(_text("note: ", "bold").append_text(_text(message)), soft_wrap=True)


def note_each(messages: Iterable[str]) -> None:
    """Print the first :data:`MAX_NOTES` notes of one kind, and the number of further ones; one more is printed, too."""
    every = list(messages)
    shown = every if len(every) == MAX_NOTES + 1 else every[:MAX_NOTES]
    note(*shown)
    if more := len(every) - len(shown):
        note(f"{more} further notes like “{shown[-1]}” are left out here")


def note_all(title: str, lines: Sequence[str], most: int = 10) -> None:
    """Print a note with a title and at most ``most`` lines below it."""
    more = [f"and {len(lines) - most} more"] if len(lines) > most else []
    note("\n  ".join([f"{title}:", *lines[:most], *more]))


def note_left_out(checked: CheckedItems) -> None:
    """Print a note on the items that are left out because of faults, if there are any."""
    if checked.warning:
        note_all(checked.warning, checked.reasons)


def named(model: str, baseline: bool, role: str = "a judge") -> str:
    """Return a model's name; for the offline baseline, add that it is the lexical baseline and not
    ``role``."""
    return f"{model}: the lexical baseline and not {role}" if baseline else model


def tell_missing(reasons: Mapping[str, int]) -> bool:
    """Print as an error which values of a study are missing and could be there, and return True if any are.

    An answer that declines, and a language that the baseline does not read, is no fault of the run.
    """
    from conqret.data import Reason, Status
    from conqret.show.words import reason

    expected = {name for name in Reason if name.status is Status.INAPPLICABLE}
    expected |= {Reason.LANGUAGE, Reason.NO_BASELINE}
    lost = [name for name in reasons if name not in expected]
    if lost:
        complain(
            f"the result is incomplete (exit code 1): values are missing because {'; '.join(map(reason, lost))}"
        )
    return bool(lost)


def tell_outcomes(outcomes: Sequence[RequirementOutcome]) -> bool:
    """Print which requirements are met, with the worst items of the others, and return True if all are met
    (an undecided one is not).
    """
    for outcome in outcomes:
        (tell if outcome.met or outcome.undecided else complain)(str(outcome))
        for line in outcome.lines():
            tell(f"  {line}")
    return all(outcome.met for outcome in outcomes)


def counts(progress: ClientProgress) -> str:
    """Describe the progress of a client: cost, failed requests, and calls sent, recorded and retried."""
    cost = "cost unknown" if progress.cost_usd is None else f"${progress.cost_usd:.4f}"
    if progress.estimated:
        cost += " (estimated)"
    failed = progress.failure_limit.failed.total()
    asked = f"{number(progress.calls, 'call')}, {progress.recorded} recorded, {progress.retries} retried"
    return f"{cost}, {failed} failed, {asked}"


@dataclass
class ProgressBar:
    """A progress bar, or a line every :data:`SECONDS` seconds without a terminal; it shows the counts of
    ``client``."""

    progress: Progress
    task: TaskID
    client: Client | None = None
    lines: bool = False
    last_line: float = field(default_factory=time.monotonic)

    def start(self, client: Client, kept: int, total: int) -> None:
        """Show the counts of ``client`` from now on; ``kept`` of ``total`` rows are from an earlier run."""
        self.client = client
        self.reach(kept, total=total)

    def advance(self, row: object = None, counted: str = "") -> None:
        """Advance the bar by one row; without a client, ``counted`` is shown next to it."""
        if not self.progress.disable or self.lines:
            text = counted if self.client is None else counts(self.client.progress)
            self.reach(None, text, advance=1)

    def reach(self, done: int | None, counted: str = "", **task: Any) -> None:
        """Set the number of finished rows (None: unchanged), with the text ``counted`` next to it;
        ``task`` may set ``total`` or ``advance``.
        """
        self.progress.update(self.task, completed=done, counts=counted, **task)
        if self.lines and time.monotonic() - self.last_line >= SECONDS:
            self.last_line = time.monotonic()
            state = self.progress.tasks[self.task]
            total = "" if state.total is None else f" of {state.total:,.0f}"
            tell(f"{state.description}: {state.completed:,.0f}{total}{counted and f' ({counted})'}")


@contextlib.contextmanager
def progress(doing: str, total: int | None = None, *, quiet: bool = False) -> Iterator[ProgressBar]:
    """Show a progress bar on a terminal, or a line every ten seconds elsewhere, as a context manager;
    nothing if ``quiet``.

    ``doing`` is the text before the bar, ``total`` the number of rows (None: unknown).
    """

    bar = Progress(
        TextColumn(doing),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[counts]}"),
        console=err(),
        transient=True,
        redirect_stdout=False,
        disable=quiet or not err().is_terminal,
    )
    with bar:
        task = bar.add_task(doing, total=total, counts="")
        yield ProgressBar(bar, task, lines=bar.disable and not quiet)


def _text(message: str, style: str = "") -> Text:
    return Text(visible(message), style)

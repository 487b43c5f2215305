"""What commands of studies share that send requests: options, dry run, progress, and the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, cast

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import end, named, note_all, progress, result
from conqret.errors import number
from conqret.judging.command_options import BatchedEngines

if TYPE_CHECKING:
    from rich.console import RenderableType

    from conqret.console.printing import ProgressBar
    from conqret.judging.judge_settings import RequestSettings
    from conqret.judging.request_run import Run
    from conqret.llm.expected_cost import ExpectedCost

O = TypeVar("O")  # noqa: E741 - an outcome
"""An outcome: its ``session`` and the questions whose answers a replay lacked (``missing``) are told."""


class StudyWatch:
    """An observer that prints the models and the work of a run at its start, and advances the progress
    bar.
    """

    def __init__(self, bar: ProgressBar, shown: options.OutputOptions, role: str) -> None:
        self.bar, self.shown, self.role, self.total = bar, shown, role, 0
        self.advance, self.reach = bar.advance, bar.reach

    def start(self, run: Run[Any], kept: int) -> None:
        """Print the run's work and models, and start the progress bar."""
        clients = {client.model_id: client for client in run.clients}
        names = (named(client.model_id, client.baseline, self.role) for client in clients.values())
        self.total = run.total
        self.shown.tell(f"{run.about} {run.by or ' and '.join(names)}")
        self.bar.start(run.clients[0], kept, run.total)


@dataclass(frozen=True, kw_only=True)
class PlanOptions(OptionGroup):
    """The options that every such command ends with, and the steps that they decide."""

    calls: options.Calls = field(default_factory=options.Calls)
    engines: BatchedEngines = field(default_factory=BatchedEngines)
    kept: options.RunFolderOptions = field(default_factory=options.RunFolderOptions)
    dry_run: options.DryRun = False
    shown: options.OutputOptions = field(default_factory=options.OutputOptions)

    @property
    def settings(self) -> RequestSettings:
        """The folder and engine options that the user set, as keyword settings."""
        return cast("RequestSettings", {**self.kept.given(), **self.engines.given()})

    def tell_cost(self, estimates: Sequence[ExpectedCost], **shown: Any) -> None:
        """Print the expected cost of a run, as the end of a dry run (:func:`conqret.judging.cost.tell_cost`).

        ``shown`` are further arguments of that function.
        """
        from conqret.judging.cost import tell_cost

        estimates = self.engines.prices(estimates, self.calls)
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
        from conqret.judging.cost import Counted

        if self.dry_run:
            try:
                function(*arguments, **settings, **self.settings, dry_run=True)
            except Counted as counted:
                self.tell_cost(counted.costs, **counted.shown)
            sys.exit()
        with progress(doing, quiet=self.shown.quiet) as bar:
            watch = StudyWatch(bar, self.shown, role)
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

    prompts: options.Prompts = None

    @property
    def settings(self) -> RequestSettings:
        """The options that the user set, including the folder of prompts, as keyword settings."""
        return {"prompts": self.prompts, **super().settings}

"""What the commands share that ask a model about rows and keep the answers in a run's folder: the session with the
model, a line that says what is asked of whom, a bar with live counts, and what came of the asking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from conqret.cli.console import floor, note_all, progress, tell, tell_session
from conqret.errors import number

if TYPE_CHECKING:
    from conqret.cli.options import Answers, Calls, Shown
    from conqret.llm.client import Client
    from conqret.runs.session import Session, SessionCounts


class Outcome(Protocol):
    """What a run leaves: its counts, and which answers a replay lacked."""

    @property
    def session(self) -> SessionCounts:
        """What this session did."""

    @property
    def missing(self) -> Sequence[str]:
        """The questions whose answers are not among the recordings."""


O = TypeVar("O", bound=Outcome)  # noqa: E741 - an outcome


def session_of(model: str | None, calls: Calls, kept: Answers, prompts: Path | None = None) -> Session:
    """The session with the model that the options name.

    Raises:
        DeclarationError: a value is out of its range, or there is no such prompt.
    """
    from conqret.runs.session import Session

    return Session(calls.of(model), recordings=kept.recordings, replay=kept.replay, prompts=prompts)


def ask(
    run: Callable[..., O],
    total: int,
    rows: str,
    *,
    about: str,
    shown: Shown,
    doing: str = "judging",
    by: str = "",
) -> O:
    """Do ``run``, which asks about ``total`` ``rows`` ("judgments") and takes ``on_start`` (its last arguments are the
    client and the number of rows kept from before) and ``on_row``; tell who is asked ``about`` what, and what came.

    ``by`` says who answers, where that is not the model, or not as a judge.
    """
    with progress(doing, quiet=shown.quiet) as bar:

        def started(*given: Any) -> None:
            client: Client = given[-2]
            if not shown.quiet:
                judge = f"{client.model_id}: {floor('a judge')}" if client.baseline else client.model_id
                tell(f"{about} {by or judge}")
            bar.start(client, given[-1], total)

        outcome = run(on_start=started, on_row=bar.advance)
    if not shown.quiet:
        tell_session(outcome.session, number(total, rows.removesuffix("s")))
    if outcome.missing:
        note_all(f"{len(outcome.missing)} answers are not among the recordings", outcome.missing)
    return outcome

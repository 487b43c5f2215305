"""The exit codes of outcomes: 0 done or met, 1 failed or not met, 2 refused or not recorded, 3 undecided.

The codes of errors and signals (1, 2, 130 and others) are made in :mod:`conqret.cli.main`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from conqret.console.printing import NONE, complain, tell_outcomes

if TYPE_CHECKING:
    from conqret.console.conditions import RequirementOutcome
    from conqret.runs.session import SessionCounts

_REMEDIES = {
    "authentication": "check the key",
    "bad_request": "check the name of the model and its settings",
    "connection": "check the address (--api-base) and that the server is running",
    "not_found": "check the name of the model and the address",
    "quota": "check the account's quota with the provider",
}


def end(
    failed: object,
    session: SessionCounts | None = None,
    *,
    there: object = True,
    reasons: Mapping[str, int] = NONE,
    undecided: object = False,
) -> None:
    """Exit with the exit code of the outcome, after printing the reason; return normally on success.

    Exit code 2: the user has to correct something, since every request was refused or no response is
    recorded. Exit code 1: something ``failed``, the session stopped early, or ``there`` is false since
    nothing has a result. The message then names the most frequent of ``reasons``, rather than that no more requests
    were sent. Exit code 3: nothing else is
    wrong, but a requirement is ``undecided``.
    """
    from conqret.show.words import reason

    causes = {name: times for name, times in reasons.items() if name != "provider_down"} or reasons
    commonest = max(causes, key=lambda name: causes[name], default=None)
    if session is not None and session.refused:
        name = session.refused
        complain(f"every request failed: {reason(name)}, as for {session.failures[name]}; {_REMEDIES[name]}")
        sys.exit(2)
    if session is not None and session.stopped:
        complain(session.stopped)
    elif not there:
        example = session.failures.get(str(commonest)) if session is not None else None
        complain(f"nothing has a result: {reason(commonest)}{f', as for {example}' if example else ''}")
    if not there and commonest == "not_recorded":
        sys.exit(2)
    if failed or not there or (session is not None and session.stopped):
        sys.exit(1)
    if undecided:
        sys.exit(3)


def end_by(outcomes: Sequence[RequirementOutcome]) -> None:
    """Print the outcomes of requirements, and exit with 1 if one is not met, else with 3 if one is undecided;
    return normally if all are met."""
    tell_outcomes(outcomes)
    undecided = [outcome for outcome in outcomes if outcome.undecided]
    end(len(undecided) < sum(not outcome.met for outcome in outcomes), undecided=undecided)

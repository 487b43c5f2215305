"""What the commands share that ask for a typed judgment of each of many rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.cli.asking import ask, session_of
from conqret.cli.console import end
from conqret.errors import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conqret.cli.options import Calls, Kept, Shown
    from conqret.curation.verdicts import Subject, Verdict, VerdictRow
    from conqret.runs.asked import Asked


@dataclass(frozen=True)
class Done:
    """The judgments, and the folder that holds them."""

    asked: Asked[VerdictRow]
    folder: Path

    def end(self) -> None:
        """Leave with exit code 1 where judgments are missing."""
        lost = Counter(str(one.reason) for one in self.asked.rows if not one.answered)
        end(lost, self.asked.session, there=len(self.asked.rows) - lost.total(), reasons=lost)


def verdicts(
    verdict: Verdict,
    subjects: Sequence[Subject],
    source: Path,
    name: str,
    *,
    model: str | None,
    output: Path | None,
    prompts: Path | None,
    calls: Calls,
    kept: Kept,
    dry_run: bool,
    shown: Shown,
) -> Done | None:
    """Ask about each of ``subjects``, which come from ``source``; None where only the price was asked for."""
    from conqret.cli.expected_cost import tell_cost
    from conqret.curation.verdicts import VerdictFolder, ask_verdicts, estimate
    from conqret.runs.places import default_folder, stem

    session = session_of(model, calls, kept, prompts)
    if dry_run:
        tell_cost([estimate(verdict, subjects, session)], budget=calls.budget_usd, as_json=shown.json_output)
        return None
    folder = output or default_folder(stem(source), name, session.options.model)
    asked = ask(
        partial(ask_verdicts, verdict, subjects, session, VerdictFolder(folder), overwrite=kept.overwrite),
        len(subjects), "judgments", about=f"{number(len(subjects), 'judgment')} from {source}, asked of", shown=shown,
    )  # fmt: skip
    return Done(asked, folder)

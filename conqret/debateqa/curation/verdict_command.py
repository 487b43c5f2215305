"""What the commands share that ask for a typed judgment of each of many rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.console.printing import end
from conqret.errors import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conqret.debateqa.curation.check_verdicts import CheckVerdict, Subject, VerdictFolder, VerdictRow
    from conqret.judging.study_command import StudyOptions
    from conqret.runs.study_run import StudyOutcome


@dataclass(frozen=True)
class VerdictOutcome:
    """The judgments, and the folder that holds them."""

    asked: StudyOutcome[VerdictRow, None]
    folder: VerdictFolder

    def end(self) -> None:
        """Leave with exit code 1 where judgments are missing."""
        lost = self.asked.lost
        end(lost, self.asked.session, there=len(self.asked.rows) - sum(lost.values()), reasons=lost)


def verdicts(
    verdict: CheckVerdict,
    subjects: Sequence[Subject],
    source: Path,
    name: str,
    *,
    model: str | None,
    output: Path | None,
    asking: StudyOptions,
) -> VerdictOutcome | None:
    """Ask about each of ``subjects``, which come from ``source``; None where only the price was asked for."""
    from conqret.debateqa.curation.check_verdicts import VerdictFolder, VerdictPlan, estimate
    from conqret.runs.run_folder import default_folder, stem

    session = asking.session(model)
    if asking.dry_run:
        asking.tell_cost([estimate(verdict, subjects, session)])
        return None
    folder = VerdictFolder(output or default_folder(stem(source), name, session.options.model))
    asked = asking.execute(
        VerdictPlan(session, folder, verdict, subjects), len(subjects), "judgments",
        about=f"{number(len(subjects), 'judgment')} from {source}, asked of",
    )  # fmt: skip
    return VerdictOutcome(asked, folder)

"""Small debate studies for the tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from conqret.debate.two_turn.judge_answers import debate_study
from conqret.debate.two_turn.slider_answers import Design
from conqret.debate.two_turn.two_turn_files import Side, SideArgument, TwoTurnQuestion, read_two_turn
from conqret.labels.answer_ledger import Ledger
from conqret.labels.written_arguments import writing_study

DEBATES = Path(__file__).resolve().parents[2] / "fixtures" / "two_turn_debates.jsonl"
BOTH = ("simple", "encourage-abstain")


class Clock:
    """A time that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def made(count: int, passages: int = 1) -> list[TwoTurnQuestion]:
    """Questions on so many passages."""
    side = Side("yes", SideArgument("It says so (#1).", ("the ship",)), SideArgument("It does not."))
    return [
        TwoTurnQuestion(
            f"q{n}", f"Is it {n}?", (side, side), 1 + n % 2, f"p{n % passages}", "Here is the ship."
        )
        for n in range(count)
    ]


def begun_debate(
    folder: Path,
    judges: Sequence[str] = ("ann", "bob"),
    design: Design = "main",
    instructions: Sequence[str] = ("simple",),
    *,
    questions: Sequence[TwoTurnQuestion] | None = None,
    clock: Clock | None = None,
    practice: Sequence[TwoTurnQuestion] = (),
    passing: float = 0.0,
) -> Ledger:
    """A debate study in ``folder``, of the four questions of the fixtures where no others are given."""
    chosen = questions or read_two_turn(DEBATES)
    study, screens, texts = debate_study(
        chosen, judges, design, instructions, practice=practice, passing=passing
    )
    return Ledger.open(folder, study, screens, judges, clock or Clock(), texts)


def begun_writing(
    folder: Path, writers: Sequence[str] = ("ann", "bob"), practice: Sequence[TwoTurnQuestion] = ()
) -> Ledger:
    """A study in ``folder`` in which counter-arguments to the arguments of the fixtures are written."""
    study, screens, texts = writing_study(read_two_turn(DEBATES), writers, practice=practice)
    return Ledger.open(folder, study, screens, writers, texts=texts)

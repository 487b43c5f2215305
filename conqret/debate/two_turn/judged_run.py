"""Judging debates as a run: recorded, resumable, its answers in a table for ``conqret debate two-turn outcomes`` and
``anova``.

Beside ``run.json`` and ``recordings.sqlite`` the folder holds ``rows.jsonl`` (the answers as they came, with their
explanations), ``answers.jsonl`` (a row for each judgment on the slider), ``floors.jsonl`` (the same of the judges that
understand nothing) and ``summary.json`` (what came of both).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Unpack

from conqret.debate.two_turn.debate_judge import (
    PROMPT,
    DebateJudgment,
    DebateRequest,
    Slid,
    askings,
    check_allowance,
    shortened,
    trials,
)
from conqret.debate.two_turn.outcomes import Outcomes, Standing, debate_outcomes, standings
from conqret.debate.two_turn.slider_answers import END, INSTRUCTIONS, Design, SliderAnswer
from conqret.debate.two_turn.two_turn_files import Side, read_two_turn
from conqret.errors import strict_options
from conqret.io.jsonl import json_lines
from conqret.io.safe_files import Content, InFolder
from conqret.judging.judge_settings import AskedSettings, as_path, run_asked
from conqret.runs.run_folder import default_folder, stem
from conqret.runs.session import Session
from conqret.runs.study_run import AskedFolder, AskedRecord, StudyOutcome, StudyPlan
from conqret.runs.trials import Trial

if TYPE_CHECKING:
    from conqret.debate.two_turn.debate_judge import DebateRequest


class JudgedRecord(AskedRecord):
    """What ``run.json`` says of judged debates; ``shortened`` holds by passage its tokens before and after."""

    SAME: ClassVar[Mapping[str, str]] = {
        **AskedRecord.SAME, "asked": "questions, design or instructions", "allowance": "allowance"
    }  # fmt: skip

    kind: str = "debate-judge"
    allowance: int | None
    shortened: dict[str, tuple[int, int]]


@dataclass(frozen=True)
class DebateJudgingFolder(AskedFolder[JudgedRecord, DebateJudgment]):
    """The files of judged debates under one folder."""

    COMMAND: ClassVar[str] = "conqret debate two-turn judge"

    answers_file = InFolder("answers.jsonl")
    """The judgments on the slider."""
    floors_file = InFolder("floors.jsonl")
    """Those of the judges that understand nothing."""


@dataclass(frozen=True, slots=True)
class JudgedSummary:
    """What came of a run: its outcomes, and the model beside the floors."""

    came: Outcomes
    beside: tuple[Standing, ...]

    def record(self) -> dict[str, Any]:
        """The same as plain data."""
        return {**asdict(self.came), "beside": [asdict(standing) for standing in self.beside]}


@dataclass(frozen=True)
class DebateJudgingRun(StudyPlan[DebateJudgment, JudgedSummary]):
    """Every request is a judgment on the slider. ``shortened`` says for the record what passages lost
    (:func:`conqret.debate.two_turn.debate_judge.shortened`)."""

    ABOUT = "which option of a debate is right"

    models: Session
    folder: DebateJudgingFolder
    asked: Sequence[DebateRequest]
    shortened: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def record(self) -> JudgedRecord:
        """What ``run.json`` says."""
        shown = ((request.key, request.question.record()) for request in self.asked)
        allowance = self.asked[0].allowance if self.asked else None
        return JudgedRecord.of(
            self.models, {PROMPT: Slid}, shown, allowance=allowance, shortened=dict(self.shortened)
        )

    def trials(self) -> list[Trial[DebateJudgment]]:
        """A trial for each."""
        return trials(self.asked, self.models)

    def conclude(self, rows: tuple[DebateJudgment, ...]) -> tuple[JudgedSummary, Mapping[Path, Content]]:
        """The run in numbers, and its files."""
        model = self.models.options.model
        answers = tuple(request.answer(model, row) for request, row in zip(self.asked, rows, strict=True))
        others = tuple(
            request.answer(name, DebateJudgment(id=request.key, slider=slide(request)))
            for name, slide in FLOORS.items()
            for request in self.asked
        )
        came = debate_outcomes(answers)
        summary = JudgedSummary(came, standings((*answers, *others)))
        return summary, {
            self.folder.answers_file: json_lines(map(_record, answers)),
            self.folder.floors_file: json_lines(map(_record, others)),
            self.folder.summary_file: json.dumps(summary.record(), indent=1, ensure_ascii=False),
        }


def debate_judging_plan(
    questions: str | Path,
    models: Session,
    *,
    design: Design | None = None,
    instruction: Literal["simple", "encourage-abstain"] | None = None,
    consultancy: bool = False,
    allowance: int | None = None,
    passage_tokens: int | None = None,
    output: str | Path | None = None,
) -> DebateJudgingRun:
    """Debates that are ready to be judged, or to be estimated; takes what :func:`judge_debates` takes."""
    check_allowance(allowance, models.options.max_tokens)
    found, lost = read_two_turn(questions), dict[str, tuple[int, int]]()
    if passage_tokens is not None:
        found, lost = shortened(found, passage_tokens, models.options.model)
    instructions = tuple(INSTRUCTIONS) if instruction is None else (instruction,)
    asked = askings(found, design, instructions, consultancy=consultancy, allowance=allowance)
    folder = as_path(output) or default_folder(stem(Path(questions)), "debate-judge", models.options.model)
    return DebateJudgingRun(models, DebateJudgingFolder(folder), asked, lost)


@strict_options
def judge_debates(
    questions: str | Path,
    *,
    design: Design | None = None,
    instruction: Literal["simple", "encourage-abstain"] | None = None,
    consultancy: bool = False,
    allowance: int | None = None,
    passage_tokens: int | None = None,
    output: str | Path | None = None,
    **settings: Unpack[AskedSettings],
) -> StudyOutcome[DebateJudgment, JudgedSummary]:
    """Let a model say which option is right, on a slider of seven points, with and without the arguments of a debate.

    Args:
        questions: a file of questions with two options and the arguments for them.
        design: only conditions of this one; by default those of the main design if every question has its passage,
            else those of the pilot.
        instruction: only this one of the paper's two; by default both.
        consultancy: also show each side's argument alone, as a control for the debate.
        allowance: tokens for each judgment, thoughts and answer together.
        passage_tokens: the most tokens shown of each passage.
        output: the run's folder, by default ``runs/QUESTIONS-debate-judge-MODEL``; the same call goes on there.
        settings: who judges, and how: :class:`conqret.judging.judge_settings.AskedSettings`.

    Raises:
        DeclarationError: anything wrong with the call, the questions or the folder. No model is asked then.
    """
    return run_asked(
        settings,
        lambda session: debate_judging_plan(
            questions,
            session,
            output=output,
            design=design,
            instruction=instruction,
            consultancy=consultancy,
            allowance=allowance,
            passage_tokens=passage_tokens,
        ),
    )


def _record(answer: SliderAnswer) -> dict[str, Any]:
    """An answer without what is empty."""
    return {name: value for name, value in asdict(answer).items() if value != ""}


SEED = 13
"""Tosses the coin, together with what is asked."""


def _longer(request: DebateRequest) -> int:
    first, second = (_length(side) for side in request.sides)
    return 0 if first == second else END if second > first else -END


FLOORS: Mapping[str, Callable[[DebateRequest], int]] = {
    "always the first option": lambda request: -END,
    "a coin": lambda request: random.Random(f"{SEED} {request.key}").choice((-END, END)),
    "always the longer side": _longer,
}
"""What judges that read nothing answer; all of them are completely confident."""


def _length(side: Side) -> int:
    """Characters of all that is said for a side."""
    return len(side.argument.text) + sum(map(len, side.argument.snippets))

"""Judging debates as a run: recorded, resumable, its answers in a table for ``conqret debate two-turn outcomes`` and
``anova``.

Beside ``run.json`` and ``recordings.sqlite`` the folder holds ``rows.jsonl`` (the answers as they came, with their
explanations), ``answers.jsonl`` (a row for each judgment on the slider), ``floors.jsonl`` (the same of the judges that
understand nothing) and ``summary.json`` (what came of both).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from conqret._optional import require
from conqret.debate.two_turn.baseline_judges import floors
from conqret.debate.two_turn.debate_judge import PROMPT, DebateRequest, Judged, Slid, trials
from conqret.debate.two_turn.outcomes import Outcomes, Standing, debate_outcomes, standings
from conqret.debate.two_turn.slider_answers import SliderAnswer
from conqret.io.jsonl import json_lines
from conqret.io.safe_files import Content, InFolder
from conqret.runs.session import Session
from conqret.runs.study_run import AskedFolder, AskedRecord, StudyPlan
from conqret.runs.trials import Trial


class JudgedRecord(AskedRecord):
    """What ``run.json`` says of judged debates; ``shortened`` holds by passage its tokens before and after."""

    SAME: ClassVar[Mapping[str, str]] = {
        **AskedRecord.SAME, "asked": "questions, design or instructions", "allowance": "allowance"
    }  # fmt: skip

    kind: str = "debate-judge"
    allowance: int | None
    shortened: dict[str, tuple[int, int]]


@dataclass(frozen=True)
class DebateJudgingFolder(AskedFolder[JudgedRecord, Judged]):
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


@dataclass(frozen=True)
class DebateJudgingRun(StudyPlan[Judged, JudgedSummary]):
    """Every request is a judgment on the slider. ``shortened`` says for the record what passages lost
    (:func:`conqret.debate.two_turn.debate_judge.shortened`). It needs numpy."""

    ABOUT = "which option of a debate is right"

    models: Session
    folder: DebateJudgingFolder
    asked: Sequence[DebateRequest]
    shortened: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def check(self) -> None:
        """Raise DeclarationError where this cannot be asked."""
        require("numpy", extra="stats")
        super().check()

    def record(self) -> JudgedRecord:
        """What ``run.json`` says."""
        shown = ((one.key, one.question.record()) for one in self.asked)
        allowance = self.asked[0].allowance if self.asked else None
        return JudgedRecord.of(
            self.models, {PROMPT: Slid}, shown, allowance=allowance, shortened=dict(self.shortened)
        )

    def trials(self) -> list[Trial[Judged]]:
        """A trial for each."""
        return trials(self.asked, self.models)

    def conclude(self, rows: tuple[Judged, ...]) -> tuple[JudgedSummary, Mapping[Path, Content]]:
        """The run in numbers, and its files."""
        model = self.models.options.model
        answers = tuple(one.answer(model, row) for one, row in zip(self.asked, rows, strict=True))
        others = tuple(
            one.answer(name, Judged(id=one.key, slider=slider)) for name, one, slider in floors(self.asked)
        )
        came = debate_outcomes(answers)
        beside = standings((*answers, *others))
        summary = {**asdict(came), "beside": [asdict(one) for one in beside]}
        return JudgedSummary(came, beside), {
            self.folder.answers_file: json_lines(map(_record, answers)),
            self.folder.floors_file: json_lines(map(_record, others)),
            self.folder.summary_file: json.dumps(summary, indent=1, ensure_ascii=False),
        }


def _record(answer: SliderAnswer) -> dict[str, Any]:
    """An answer without what is empty."""
    return {name: value for name, value in asdict(answer).items() if value != ""}

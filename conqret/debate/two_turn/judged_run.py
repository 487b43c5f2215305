"""Judging debates as a run: recorded, resumable, its answers in a table for ``conqret debate two-turn outcomes`` and
``anova``.

Beside ``run.json`` and ``recordings.sqlite`` the folder holds ``rows.jsonl`` (the answers as they came, with their
explanations), ``answers.jsonl`` (a row for each judgment on the slider), ``floors.jsonl`` (the same of the judges that
understand nothing) and ``summary.json`` (what came of both).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from conqret._optional import require
from conqret.debate.two_turn.baseline_judges import floors
from conqret.debate.two_turn.debate_judge import PROMPT, DebateRequest, Judged, Slid, trials
from conqret.debate.two_turn.outcomes import Outcomes, Standing, outcomes, standings
from conqret.debate.two_turn.slider_answers import SliderAnswer
from conqret.io.corpus_folder import write_lines
from conqret.io.safe_files import InFolder, write_whole
from conqret.llm.client import Client
from conqret.runs.session import Session
from conqret.runs.study_run import AskedFolder, AskedRecord, StudyOutcome, ask_all

NOTHING_LOST: Mapping[str, tuple[int, int]] = {}


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


def judge_debates(
    asked: Sequence[DebateRequest],
    session: Session,
    folder: DebateJudgingFolder,
    *,
    shortened: Mapping[str, tuple[int, int]] = NOTHING_LOST,
    overwrite: bool = False,
    on_start: Callable[[Client, int], None] = lambda client, kept: None,
    on_row: Callable[[Judged], None] = lambda found: None,
) -> StudyOutcome[Judged, JudgedSummary]:
    """Ask for every judgment that the folder does not hold, and write the tables of answers.

    ``shortened`` says for the record what passages lost (:func:`conqret.debate.two_turn.allowance.shortened`).

    Raises what :func:`conqret.runs.study_run.ask_all` raises, and MissingDependencyError where numpy is not installed.
    """
    require("numpy", extra="stats")

    model = session.options.model

    def finish(rows: Sequence[Judged]) -> JudgedSummary:
        answers = tuple(one.answer(model, row) for one, row in zip(asked, rows, strict=True))
        others = tuple(
            one.answer(name, Judged(id=one.key, slider=slider)) for name, one, slider in floors(asked)
        )
        came = outcomes(answers)
        beside = standings((*answers, *others))
        summary = {**asdict(came), "beside": [asdict(one) for one in beside]}
        write_lines(folder.answers_file, map(_record, answers))
        write_lines(folder.floors_file, map(_record, others))
        write_whole(folder.summary_file, json.dumps(summary, indent=1, ensure_ascii=False).encode())
        return JudgedSummary(came, beside)

    session.options.backend.check_can_ask("which option of a debate is right")
    shown = ((one.key, one.question.record()) for one in asked)
    allowance = asked[0].allowance if asked else None
    record = JudgedRecord.of(session, {PROMPT: Slid}, shown, allowance=allowance, shortened=dict(shortened))
    return session.run(
        lambda client: ask_all(
            trials(asked, session), session, folder, record, finish,
            overwrite=overwrite, on_start=on_start, on_row=on_row,
        )
    )  # fmt: skip


def _record(answer: SliderAnswer) -> dict[str, Any]:
    """An answer without what is empty."""
    return {name: value for name, value in asdict(answer).items() if value != ""}

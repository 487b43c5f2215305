"""A model judges two-turn debates as a run, recorded and resumable.

Besides ``run.json`` and ``recordings.sqlite`` the folder holds ``rows.jsonl`` (the answers as they came, with their
explanations), ``answers.jsonl`` (a row for each judgment on the slider, for ``conqret debate two-turn outcomes``),
``floors.jsonl`` (the same of judges that read nothing) and ``summary.json`` (what came of both).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar, Literal, Unpack

from conqret.debate.two_turn import debate_judge
from conqret.debate.two_turn.debate_judge import (
    DebateJudgment,
    DebateRequest,
    Shortened,
    check_allowance,
    debate_requests,
    judged,
    shortened,
)
from conqret.debate.two_turn.outcomes import Outcomes, Standing, debate_outcomes, standings
from conqret.debate.two_turn.slider_answers import END, INSTRUCTIONS, Design, SliderAnswer
from conqret.debate.two_turn.two_turn_files import read_two_turn
from conqret.errors import number, strict_options
from conqret.io.jsonl import json_lines
from conqret.io.safe_files import Content, InFolder
from conqret.llm.client_options import client_options
from conqret.runs.request_run import RequestRunSettings, Run
from conqret.runs.run_folder import as_path, default_folder, stem
from conqret.runs.study_run import RequestFolder, RequestRecord, StudyOutcome


@dataclass(frozen=True)
class DebateJudgingFolder(
    RequestFolder[RequestRecord, DebateJudgment],
    kind="debate-judge",
    same={
        "asked": "questions, design or instructions",
        "allowance": "allowance",
        "shortened": "passage tokens",
    },
):
    """The files of a run of judged debates in one folder.

    In its record, ``shortened`` maps passages to their tokens before and after shortening.
    """

    COMMAND: ClassVar[str] = "conqret debate two-turn judge"

    answers_file = InFolder("answers.jsonl")
    """The judgments on the slider."""
    uninformed_file = InFolder("floors.jsonl")
    """Those of the judges that understand nothing."""


@dataclass(frozen=True, slots=True)
class JudgingSummary:
    """The results of a run: its outcomes, the model's scores next to those of the baselines, and the
    shortened passages."""

    came: Outcomes
    beside: tuple[Standing, ...]
    shortened: Shortened

    def record(self) -> dict[str, Any]:
        """Return outcomes and standings as a dictionary."""
        return {**asdict(self.came), "beside": [asdict(standing) for standing in self.beside]}


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
    **settings: Unpack[RequestRunSettings],
) -> StudyOutcome[DebateJudgment, JudgingSummary]:
    """Let a model judge which option is right, on a slider of seven points, with and without the arguments of
    a debate.

    Args:
        questions: a file of questions with two options and the arguments for them.
        design: the design whose conditions are used; by default ``main`` if every question has its
            passage, else ``pilot``.
        instruction: only this one of the paper's two; by default both.
        consultancy: also show each side's argument alone, as a control for the debate.
        allowance: the most tokens of each judgment, reasoning and answer together.
        passage_tokens: the most tokens shown of each passage.
        output: the run's folder, by default ``runs/QUESTIONS-debate-judge-MODEL``; the same call
            continues a stopped run.
        settings: the model and how it is called:
            :class:`conqret.runs.request_run.RequestRunSettings`.

    Returns:
        The judgments, and the outcomes.

    Raises:
        DeclarationError: the call, the questions or the folder are wrong. No request is sent then.
    """
    options = client_options(settings.get("model"), settings)
    check_allowance(allowance, options.max_tokens)
    found, cut = read_two_turn(questions), Shortened()
    if passage_tokens is not None:
        found, cut = shortened(found, passage_tokens, options.model)
    instructions = tuple(INSTRUCTIONS) if instruction is None else (instruction,)
    asked = debate_requests(found, design, instructions, consultancy=consultancy, allowance=allowance)
    folder = DebateJudgingFolder(
        as_path(output) or default_folder(stem(Path(questions)), "debate-judge", options.model)
    )

    def concluded(rows: tuple[DebateJudgment, ...]) -> tuple[JudgingSummary, Mapping[Path, Content]]:
        answers = tuple(request.answer(options.model, row) for request, row in zip(asked, rows, strict=True))
        floors = tuple(
            request.answer(name, DebateJudgment(id=request.key, slider=slide(request)))
            for name, slide in UNINFORMED_JUDGES.items()
            for request in asked
        )
        summary = JudgingSummary(debate_outcomes(answers), standings((*answers, *floors)), cut)
        return summary, {
            folder.answers_file: json_lines(map(_record, answers)),
            folder.uninformed_file: json_lines(map(_record, floors)),
            folder.summary_file: json.dumps(summary.record(), indent=1, ensure_ascii=False),
        }

    with Run(
        folder,
        [options],
        debate_judge.PROMPTS,
        settings,
        contents=[(request.key, request.question.record()) for request in asked],
        total=len(asked),
        purpose="which option of a debate is right",
        about=f"{number(len(asked), 'judgment')} on {number(len(found), 'question')}, by",
        record={"allowance": allowance, "shortened": cut},
    ) as run:
        alike = groupby(asked, lambda request: replace(request, turn=0))
        run.request_all(judged(tuple(turns), run) for _, turns in alike)
        return run.finish(concluded)


def _record(answer: SliderAnswer) -> dict[str, Any]:
    """An answer without what is empty."""
    return {name: value for name, value in asdict(answer).items() if value != ""}


SEED = 13
"""Seed of the coin, with the key of the request."""


def _longer(request: DebateRequest) -> int:
    first, second = (
        len(side.argument.text) + sum(map(len, side.argument.snippets)) for side in request.sides
    )
    return 0 if first == second else END if second > first else -END


UNINFORMED_JUDGES: Mapping[str, Callable[[DebateRequest], int]] = {
    "always the first option": lambda request: -END,
    "a coin": lambda request: random.Random(f"{SEED} {request.key}").choice((-END, END)),
    "always the longer side": _longer,
}
"""What judges that read nothing answer; all of them are completely confident."""

"""Two-turn debates as runs, recorded and resumable: models write them, and a model judges them.

Beside ``run.json`` and ``recordings.sqlite`` the folder of written ones holds ``rows.jsonl`` (the texts as they came,
with the reason where there is none), ``debates.jsonl`` (the debates of which nothing is missing, in the layout of
``conqret debate two-turn judge``) and ``summary.json``; that of judged ones ``rows.jsonl`` (the answers as they came,
with their explanations), ``answers.jsonl`` (a row for each judgment on the slider, for ``conqret debate two-turn
outcomes``), ``floors.jsonl`` (the same of the judges that understand nothing) and ``summary.json`` (what came of both).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar, Literal, Unpack

from conqret.data.item import Frozen
from conqret.debate.two_turn import counter_writing, debate_judge
from conqret.debate.two_turn.counter_writing import WrittenTextRow, debates, write_debate
from conqret.debate.two_turn.debate_judge import (
    DebateJudgment,
    DebateRequest,
    Shortened,
    askings,
    check_allowance,
    judged,
    shortened,
)
from conqret.debate.two_turn.outcomes import Outcomes, Standing, debate_outcomes, standings
from conqret.debate.two_turn.slider_answers import END, INSTRUCTIONS, Design, SliderAnswer
from conqret.debate.two_turn.two_turn_files import read_questions, read_two_turn
from conqret.errors import DeclarationError, number, strict_options
from conqret.io.jsonl import json_lines
from conqret.io.safe_files import Content, InFolder
from conqret.judging.asked_run import AskedSettings, Run
from conqret.judging.judge_settings import as_path, client_options
from conqret.llm.client_options import ClientOptions
from conqret.runs.run_folder import default_folder, stem
from conqret.runs.study_run import RequestFolder, RequestRecord, StudyOutcome, lost


@dataclass(frozen=True)
class WrittenFolder(
    RequestFolder[RequestRecord, WrittenTextRow],
    kind="debate-argue",
    same={"asked": "questions or writers", "against": "settings of the second writer"},
):
    """The files of written debates under one folder."""

    COMMAND: ClassVar[str] = "conqret debate two-turn write"

    debates_file = InFolder("debates.jsonl")
    """The debates, ready to be judged."""


class WrittenSummary(Frozen):
    """A run in numbers: debates in all and whole ones, texts in all and those that there are not (by reason), snippets
    quoted, and the debates of which something is missing."""

    writers: tuple[str, ...]
    debates: int
    whole: int
    texts: int
    unwritten: dict[str, int]
    snippets: int
    incomplete: tuple[str, ...]


@strict_options
def write_debates(
    questions: str | Path,
    *,
    against: str | ClientOptions | None = None,
    output: str | Path | None = None,
    **settings: Unpack[AskedSettings],
) -> StudyOutcome[WrittenTextRow, WrittenSummary]:
    """Write two-turn debates: an argument for either option of each question, and an answer to each argument.

    Args:
        questions: a file of questions with ``id``, ``question``, ``options``, ``right``, ``passage_id`` and
            ``passage``; arguments in it are ignored.
        against: a second model: each question is debated twice, with the sides exchanged. By default ``model`` argues
            for both options.
        output: the run's folder, by default ``runs/QUESTIONS-debate-argue-MODEL``; the same call goes on there.
        settings: who writes, and how: :class:`conqret.judging.judge_settings.AskedSettings`.

    Raises:
        DeclarationError: anything wrong with the call, the questions or the folder. No model is asked then.
    """
    writers = [client_options(settings.get("model"), settings)]
    writers += [] if against is None else [client_options(against, settings)]
    names = [writer.model for writer in writers]
    if len(names) > len({*names}):
        raise DeclarationError(
            f"--model and --against are both {names[0]}: leave --against out, and this model argues both sides"
        )
    folder = WrittenFolder(as_path(output) or default_folder(stem(Path(questions)), "debate-argue", *names))
    found = read_questions(Path(questions))
    debated = debates(found, names)

    def concluded(rows: tuple[WrittenTextRow, ...]) -> tuple[WrittenSummary, Mapping[Path, Content]]:
        by_key = {row.id: row for row in rows}
        whole = {debate.id: debate.whole(by_key) for debate in debated}
        summary = WrittenSummary(
            writers=tuple(names),
            debates=len(whole),
            whole=sum(debate is not None for debate in whole.values()),
            texts=len(rows),
            unwritten=lost(rows),
            snippets=sum(len(row.snippets) for row in rows),
            incomplete=tuple(name for name, debate in whole.items() if debate is None),
        )
        lines = json_lines(debate.record() for debate in whole.values() if debate is not None)
        return summary, {folder.debates_file: lines}

    total = sum(len(debate.tasks) for debate in debated)
    with Run(
        folder,
        writers,
        counter_writing.PROMPTS,
        settings,
        asked=[(debate.id, debate.writers, debate.question.record()) for debate in debated],
        total=total,
        asks="for arguments",
        about=f"{number(total, 'text')} on {number(len(found), 'question')}, by",
        record={"against": {writer.model: dict(writer.identity) for writer in writers[1:]}},
    ) as run:
        by_name = dict(zip(names, writers, strict=True))
        run.ask_all(write_debate(debate, run, by_name) for debate in debated)
        return run.finish(concluded)


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
    """The files of judged debates under one folder. In its record ``shortened`` holds by passage its tokens before and
    after."""

    COMMAND: ClassVar[str] = "conqret debate two-turn judge"

    answers_file = InFolder("answers.jsonl")
    """The judgments on the slider."""
    floors_file = InFolder("floors.jsonl")
    """Those of the judges that understand nothing."""


@dataclass(frozen=True, slots=True)
class JudgedSummary:
    """What came of a run: its outcomes, the model beside the floors, and what passages lost."""

    came: Outcomes
    beside: tuple[Standing, ...]
    shortened: Shortened

    def record(self) -> dict[str, Any]:
        """The same as plain data."""
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
    options = client_options(settings.get("model"), settings)
    check_allowance(allowance, options.max_tokens)
    found, cut = read_two_turn(questions), Shortened()
    if passage_tokens is not None:
        found, cut = shortened(found, passage_tokens, options.model)
    instructions = tuple(INSTRUCTIONS) if instruction is None else (instruction,)
    asked = askings(found, design, instructions, consultancy=consultancy, allowance=allowance)
    folder = DebateJudgingFolder(
        as_path(output) or default_folder(stem(Path(questions)), "debate-judge", options.model)
    )

    def concluded(rows: tuple[DebateJudgment, ...]) -> tuple[JudgedSummary, Mapping[Path, Content]]:
        answers = tuple(request.answer(options.model, row) for request, row in zip(asked, rows, strict=True))
        floors = tuple(
            request.answer(name, DebateJudgment(id=request.key, slider=slide(request)))
            for name, slide in FLOORS.items()
            for request in asked
        )
        summary = JudgedSummary(debate_outcomes(answers), standings((*answers, *floors)), cut)
        return summary, {
            folder.answers_file: json_lines(map(_record, answers)),
            folder.floors_file: json_lines(map(_record, floors)),
            folder.summary_file: json.dumps(summary.record(), indent=1, ensure_ascii=False),
        }

    with Run(
        folder,
        [options],
        debate_judge.PROMPTS,
        settings,
        asked=[(request.key, request.question.record()) for request in asked],
        total=len(asked),
        asks="which option of a debate is right",
        about=f"{number(len(asked), 'judgment')} on {number(len(found), 'question')}, by",
        record={"allowance": allowance, "shortened": cut},
    ) as run:
        alike = groupby(asked, lambda request: replace(request, turn=0))
        run.ask_all(judged(tuple(turns), run) for _, turns in alike)
        return run.finish(concluded)


def _record(answer: SliderAnswer) -> dict[str, Any]:
    """An answer without what is empty."""
    return {name: value for name, value in asdict(answer).items() if value != ""}


SEED = 13
"""Tosses the coin, together with what is asked."""


def _longer(request: DebateRequest) -> int:
    first, second = (
        len(side.argument.text) + sum(map(len, side.argument.snippets)) for side in request.sides
    )
    return 0 if first == second else END if second > first else -END


FLOORS: Mapping[str, Callable[[DebateRequest], int]] = {
    "always the first option": lambda request: -END,
    "a coin": lambda request: random.Random(f"{SEED} {request.key}").choice((-END, END)),
    "always the longer side": _longer,
}
"""What judges that read nothing answer; all of them are completely confident."""

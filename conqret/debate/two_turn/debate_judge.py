"""A model judges two-turn debates: what each prompt shows, and the responses.

Parrish et al. 2022, section 2.2. Main design: the passage is there from the start, two judgments. Pilot: snippets alone
or with arguments, two judgments, and a third with the passage. Each question is judged in both orders of its options,
because a preference for a place would otherwise be taken for persuasion.

Besides ``run.json`` and ``recordings.sqlite`` the folder of a run holds ``rows.jsonl`` (the answers as they came, with
their explanations), ``answers.jsonl`` (a row for each judgment on the slider), ``floors.jsonl`` (the same of judges
that read nothing) and ``summary.json`` (what came of both).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar, Literal, Unpack

from pydantic import Field

from conqret.debate.two_turn.outcomes import Outcomes, Standing, debate_outcomes, standings
from conqret.debate.two_turn.slider_answers import (
    CONDITIONS,
    CONSULTANCY,
    END,
    INSTRUCTIONS,
    SIMPLE,
    STRENGTHS,
    TURNS,
    Design,
    PayoffInstruction,
    SliderAnswer,
)
from conqret.debate.two_turn.two_turn_files import (
    NOTHING,
    Side,
    SideArgument,
    TwoTurnQuestion,
    read_two_turn,
)
from conqret.errors import DeclarationError, number, strict_options
from conqret.io.jsonl import json_lines
from conqret.io.safe_files import Content, InFolder
from conqret.judging.responses import Typed
from conqret.llm.client_options import backend_of, client_options
from conqret.llm.request import Request, messages
from conqret.llm.text_trimming import trim_proportionally
from conqret.prompts import Library, RenderedPrompt
from conqret.runs.dry_run import RunPrompt
from conqret.runs.request_run import RequestRunSettings, Run
from conqret.runs.run_folder import as_path, default_folder, stem
from conqret.runs.study_run import RequestFolder, RequestRecord, ResponseRow, StudyOutcome
from conqret.text.text_passages import support

PROMPT = "debate-judge"

CUT = "[…]"
"""Stands where the rest of a paragraph of the passage is left out."""

ANSWER_TOKENS = 80
"""An answer in tokens: two sentences and a number."""

SURE_FROM = Fraction(2, 5)
"""By how much (of 1) one side's words must be better borne out for the baseline to be certain; chosen by hand."""


class Slid(Typed):
    """A short explanation, then the point of the slider."""

    explanation: str
    slider: int = Field(ge=-END, le=END, strict=True)


PROMPTS = {PROMPT: RunPrompt(Slid, "judge debates", ANSWER_TOKENS)}


class DebateJudgment(ResponseRow):
    """The judge's response to one request; ``slider`` is None, with a ``reason``, where there was no valid
    one."""

    slider: int | None = None
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class DebateRequest:
    """One judgment to request: a question in a condition, at a turn, under an instruction, in one order of
    options.

    ``consulted`` is the option (1 or 2) of which only the arguments are shown, or 0 where both sides are
    shown. ``allowance`` is the most tokens of the response, None for no limit.
    """

    question: TwoTurnQuestion
    condition: str
    turn: int
    instruction: str
    swapped: bool
    consulted: int = 0
    allowance: int | None = None

    @property
    def key(self) -> str:
        """Return the key of the request in the run; requests of the same question at different turns differ
        only in the turn."""
        order = "swapped" if self.swapped else "given"
        heard = self.consulted or ""
        return f"{self.question.id} {self.condition}{heard} {self.turn} {self.instruction} {order}"

    @property
    def sides(self) -> tuple[Side, Side]:
        """Return both sides in the order shown, with what the condition shows of them at this turn."""
        first, second = (1, 0) if self.swapped else (0, 1)
        return self._visible(first), self._visible(second)

    @property
    def passage(self) -> str:
        """Return the passage if it is shown: always in the main design, at the third judgment of the pilot;
        else empty."""
        return self.question.passage if self.condition.startswith("P") or self.turn == END else ""

    @property
    def argued(self) -> bool:
        """Return True if arguments are shown; False if only snippets are."""
        return not self.condition.endswith("S")

    def answer(self, judge: str, judged: DebateJudgment) -> SliderAnswer:
        """Return the judgment as a row for :mod:`conqret.debate.two_turn.outcomes`. ``right`` is the place at which the
        right option was shown, which may be swapped."""
        asked, right = self.question, self.question.right
        for_right, for_wrong = (
            (asked.writers[right - 1], asked.writers[2 - right]) if asked.writers else ("", "")
        )
        return SliderAnswer(
            asked.id,
            asked.passage_id,
            judge,
            self.condition,
            self.turn,
            self.instruction,
            3 - right if self.swapped else right,
            judged.slider,
            "" if judged.reason is None else str(judged.reason),
            consultant="" if not self.consulted else "right" if self.consulted == right else "wrong",
            for_right=for_right,
            for_wrong=for_wrong,
        )

    def _visible(self, place: int) -> Side:
        """Return the side at ``place`` (0 or 1) with only what this request shows of it. A counter-argument
        is shown together with the argument of the side that gives it."""
        side = self.question.sides[place]
        argument = side.argument if self.consulted in (0, place + 1) else NOTHING
        counter = side.counter if self.turn > 1 and self.consulted in (0, 2 - place) else None
        shown = (argument, counter or NOTHING)
        return Side(
            side.option, *(part if self.argued else SideArgument("", part.snippets) for part in shown)
        )


def debate_requests(
    questions: Sequence[TwoTurnQuestion],
    design: Design | None = None,
    instructions: Sequence[str] = (SIMPLE.name,),
    *,
    consultancy: bool = False,
    allowance: int | None = None,
) -> tuple[DebateRequest, ...]:
    """Return all requests on these questions: every condition and turn that their texts allow, in both orders
    of options.

    There is one turn if a question has no counter-arguments, and at most two if one has no passage. The turns
    of one judgment follow each other, as :func:`judged` needs them.

    Args:
        questions: the questions with their arguments.
        design: by default ``main`` if every question has its passage, else ``pilot``.
        instructions: the names of the instructions.
        consultancy: whether each side is also shown alone.
        allowance: the most tokens of a response.

    Raises:
        DeclarationError: the main design is requested, and a question has no passage.
    """
    bare = next((question.id for question in questions if not question.passage), None)
    chosen: Design = design or ("main" if bare is None else "pilot")
    if chosen == "main" and bare is not None:
        raise DeclarationError(
            f"the main design shows the passage from the start, but question {bare!r} has none: add it, or use "
            "--design pilot"
        )
    countered = all(question.sides[0].counter is not None for question in questions)
    turns = 1 if not countered else TURNS[chosen] if bare is None else 2
    heard = [(condition, 0) for condition in CONDITIONS[chosen]]
    if consultancy:
        heard += [(CONSULTANCY[chosen], option) for option in (1, 2)]
    return tuple(
        DebateRequest(question, condition, turn, name, swapped, consulted, allowance)
        for question in questions
        for condition, consulted in heard
        for name in instructions
        for swapped in (False, True)
        for turn in range(1, turns + 1)
    )


async def judged(turns: Sequence[DebateRequest], run: Run[DebateJudgment]) -> None:
    """Request the judgments after consecutive turns, one after the other, and store each as a row of ``run``;
    each prompt shows the judgment before it, if that was valid."""
    before: int | None = None
    for request in turns:
        row = await run.request(
            Request(
                ask=PROMPT,
                item=request.key,
                messages=messages(prompt(request, run.library, before)),
                response=Slid,
                temperature=0.0,
                max_tokens=request.allowance,
                widened=request.allowance is None,
                baseline=partial(_offline, request),
            )
        )
        before = row.slider


def prompt(request: DebateRequest, library: Library, before: int | None = None) -> RenderedPrompt:
    """Return the filled-in prompt of a judgment; ``before`` is the judge's answer at the turn before."""
    payoff = INSTRUCTIONS[request.instruction]
    shown = [
        {
            "number": number,
            "option": side.option,
            "argument": side.argument.text,
            "snippets": side.argument.snippets,
            "counter": (side.counter or NOTHING).text,
            "counter_snippets": (side.counter or NOTHING).snippets,
        }
        for number, side in enumerate(request.sides, start=1)
    ]
    return library[PROMPT].render(
        {
            "posed": request.question.question,
            "passage_text": request.passage,
            "shown": shown,
            "countered": request.turn > 1,
            "before": before if request.turn > 1 else None,
        },
        {
            "passage_shown": bool(request.passage),
            "arguments_shown": request.argued,
            "one_side": bool(request.consulted),
            "points": tuple(_points()),
            "bonuses": tuple(_bonuses(payoff)),
            "answer_from": payoff.first_winner(1),
            "sure_from": payoff.first_winner(END),
            "careful": payoff is not SIMPLE,
            "allowance": request.allowance,
            "cut": CUT if CUT in request.passage else "",
        },
    )


def _points() -> Iterator[str]:
    for point in range(-END, END + 1):
        which = "the first option" if point < 0 else "the second option"
        yield f"{point}: {STRENGTHS[abs(point)]}{f' of {which}' if point else ''}"


def _bonuses(payoff: PayoffInstruction) -> Iterator[str]:
    for strength, name in enumerate(STRENGTHS):
        right, wrong = (f"{float(payoff.bonus(sign * strength)):+.2f} dollars" for sign in (1, -1))
        yield f"{name}: {right}{f' if it is right, {wrong} if it is wrong' if strength else ''}"


MIN_PARAGRAPH_TOKENS = 20
"""Tokens that a paragraph keeps as long as all can keep them: a sentence, by which one sees what it is about."""

Shortened = dict[str, tuple[int, int]]
"""By passage its tokens before and after, of those that are shortened."""


def check_allowance(allowance: int | None, max_tokens: int | None) -> None:
    """Check the token limit of a judgment.

    Raises:
        DeclarationError: no response fits into ``allowance``, or ``max_tokens`` is set, too.
    """
    if allowance is not None and allowance < ANSWER_TOKENS:
        raise DeclarationError(
            f"--allowance must be at least {ANSWER_TOKENS} tokens, which an answer without "
            f"reasoning takes, not {allowance}"
        )
    if allowance is not None and max_tokens is not None:
        raise DeclarationError("--allowance sets the token limit of the answer: leave --max-tokens out")


def shortened(
    questions: Sequence[TwoTurnQuestion], tokens: int, model: str
) -> tuple[tuple[TwoTurnQuestion, ...], Shortened]:
    """Shorten each passage to at most ``tokens`` tokens, as ``model`` counts them.

    Returns:
        The questions with shortened passages, and a mapping from the ids of those passages that were
        shortened to tokens before and after.

    Raises:
        DeclarationError: ``tokens`` is not above 0, or leaves nothing of a passage.
    """
    if tokens < 1:
        raise DeclarationError(f"--passage-tokens must be at least 1, not {tokens}")
    encode = backend_of(model).encoder(model)
    known: dict[str, str] = {}
    lost: Shortened = {}
    for question in questions:
        if question.passage in known:
            continue
        parts = [part for part in question.passage.splitlines() if part.strip()]
        cuts = trim_proportionally(parts, tokens, min_tokens=MIN_PARAGRAPH_TOKENS, encode=encode)
        known[question.passage] = question.passage
        if any(cut.after < cut.before for cut in cuts):
            kept = [cut for cut in cuts if cut.text.strip()]
            known[question.passage] = "\n".join(
                f"{cut.text} {CUT}" if cut.after < cut.before else cut.text for cut in kept
            )
            if not known[question.passage]:
                raise DeclarationError(
                    f"--passage-tokens {tokens} leaves nothing of the passage {question.passage_id!r}: raise it"
                )
            lost[question.passage_id] = sum(cut.before for cut in cuts), sum(cut.after for cut in cuts)
    return tuple(replace(item, passage=known[item.passage]) for item in questions), lost


def _offline(request: DebateRequest) -> dict[str, object]:
    slider, explanation = lexical(request.sides, request.passage, INSTRUCTIONS[request.instruction])
    return {"explanation": explanation, "slider": slider}


def lexical(sides: Sequence[Side], passage: str, payoff: PayoffInstruction) -> tuple[int, str]:
    """Return the offline judge's slider position (below 0 for the first option, above 0 for the second) and
    an explanation, by how far passage or snippets support each option.

    A side's support is the share of the stems of its option and argument (by weight: a half for common words,
    else 1) that the passage contains. Without a passage, its snippets and its counter-snippets are used. The
    difference d becomes a confidence of ``1/2 + d / (2 SURE_FROM)``, at most 1. The strength is the one that
    earns most at this confidence.
    """
    first, second = (
        support(
            f"{side.option}. {side.argument.text}",
            passage or "\n".join((*side.argument.snippets, *(other.counter or NOTHING).snippets)),
        )
        for side, other in (sides, sides[::-1])
    )
    apart = min(abs(Fraction(second - first).limit_denominator(1000)) / SURE_FROM, Fraction(1))
    strength = payoff.best((1 + apart) / 2)
    explanation = (
        f"{first:.0%} of the words for the first option are borne out, {second:.0%} of those for the second"
    )
    return (strength if second > first else -strength), explanation


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
        PROMPTS,
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

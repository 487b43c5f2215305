"""A debate as it is held: one topic, an argument for each side, the turns of both, and what each concludes.

DEBATunE, section 3.1: the two sides need not agree in the end, and no one judges them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from pydantic import Field, ValidationInfo, model_validator

from conqret.data import Document, Reason, Trim
from conqret.data.item import Frozen
from conqret.debate.debatune.debate_files import SIDES, Side
from conqret.debate.debatune.statement_run import offline_answer, offline_question, offline_statement
from conqret.judging.responses import Typed, Written
from conqret.llm.client import Client
from conqret.llm.prompt_fitting import FittedPrompt, fit
from conqret.llm.request import Request, messages
from conqret.prompts import Library, RenderedPrompt
from conqret.runs.study_run import ResponseRow

NOT_REACHED = Reason.NOTHING_TO_JUDGE
"""The reason of a turn that was not requested because one before it is missing."""

MAX_ID = 200
"""Characters of an id; of a longer one the end stays, which tells sides and debates apart."""


class DebateTurn(ResponseRow):
    """One side's turn in a debate.

    ``answers`` are those to the other side's last questions, in order, and ``questions`` are its own; a
    conclusion has neither. ``trims`` names the earlier turns that were shortened in the prompt. A failed turn
    has a ``reason`` and no ``statement``.
    """

    statement: str = ""
    answers: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    trims: tuple[Trim, ...] = ()


class TranscriptRow(DebateTurn):
    """A row of a run of debates: a turn, or the ``arguments`` that were requested for a side."""

    arguments: tuple[str, ...] = ()


class Round(Frozen):
    """Both sides' turns in one round; a turn is None where the debate ended before it."""

    number: int
    turns: dict[Side, DebateTurn | None]


class MissingPart(Frozen):
    """A missing part of a debate, and the reason why it is missing."""

    what: str
    reason: Reason
    detail: str = ""


class ModelDebate(Frozen):
    """One debate, finished or not.

    ``arguments`` has the argument of each side, or only of the side that opens, where the other speaks against it.
    ``opens`` is the side that spoke first in each round, and ``models`` has the model of each side. ``lacks``
    lists the parts that failed, without those that were not requested because of them; it is empty where the
    debate is finished.
    """

    id: str
    topic: str
    arguments: dict[Side, str]
    models: dict[Side, str]
    opens: Side
    rounds: tuple[Round, ...]
    conclusions: dict[Side, DebateTurn | None]
    lacks: tuple[MissingPart, ...] = ()

    @property
    def finished(self) -> bool:
        """Return True if the debate has all turns and both conclusions."""
        return not self.lacks

    @property
    def trimmed(self) -> bool:
        """Return True if the prompt of any turn or conclusion had shortened earlier turns."""
        spoken = (self.conclusions, *(debate_round.turns for debate_round in self.rounds))
        return any(turn is not None and turn.trims for turns in spoken for turn in turns.values())

    def statements(self) -> Iterator[dict[str, str]]:
        """Yield the concluding statements as rows that :func:`read_statements` reads; missing ones are left out."""
        for side, turn in self.conclusions.items():
            if turn is not None:
                yield {
                    "id": f"{self.id}-{side}"[-MAX_ID:],
                    "topic": self.topic,
                    "side": side,
                    "statement": turn.statement,
                    "system": self.models[side],
                    "argument": self.arguments[side],
                }


class DebatesSummary(Frozen):
    """The numbers of a run of debates.

    ``missing`` counts missing turns and arguments by reason. ``trimmed`` counts the debates in which earlier
    turns were shortened to fit the window. ``unfinished`` lists the debates that are not finished.
    """

    models: dict[Side, str]
    rounds: int
    topics: int
    debates: int
    finished: int
    statements: int
    missing: dict[str, int]
    trimmed: int
    unfinished: tuple[ModelDebate, ...] = Field((), exclude=True)


@dataclass(frozen=True, slots=True)
class Motion:
    """A debate to hold: a topic with an argument for each side, the side that opens, and the number of
    rounds.

    In a ``single`` debate only the opening side has an argument: the other side speaks against it, and does
    not conclude. ``requested`` maps each side without an argument to the key of the request for its
    arguments; the debate uses the argument at index ``place``.
    """

    id: str
    topic: str
    arguments: Mapping[Side, str]
    opens: Side
    rounds: int
    place: int = 0
    requested: Mapping[Side, str] = field(default_factory=dict)
    single: bool = False

    def places(self) -> Iterator[tuple[int, Side]]:
        """Yield all turns in order as (round from 1, side); the conclusions have round 0."""
        sides = sorted(SIDES, key=lambda side: side != self.opens)
        for number in range(1, self.rounds + 1):
            for side in sides:
                yield number, side
        for side in self.concluding:
            yield 0, side

    @property
    def concluding(self) -> list[Side]:
        """Return the sides that conclude, the one that opens first."""
        return sorted(SIDES, key=lambda side: side != self.opens)[: 1 if self.single else None]

    def key(self, number: int, side: Side) -> str:
        """Return the key of a turn in the run."""
        return f"{self.id} {number or 'conclusion'} {side}"

    def argued(self, rows: Mapping[str, TranscriptRow]) -> Motion:
        """Return a copy with the requested arguments filled in; empty where a request failed."""
        chosen = dict(self.arguments)
        for side, key in self.requested.items():
            chosen[side] = rows[key].arguments[self.place] if rows[key].arguments else ""
        return replace(self, arguments=chosen)

    def debate(self, rows: Mapping[str, TranscriptRow], models: Mapping[Side, str]) -> ModelDebate:
        """Assemble the debate from the rows of its turns (by key; all must be there). A turn without an answer is None,
        and its reason is among what the debate lacks, unless it was only not reached."""
        turns = {place: rows[self.key(*place)] for place in self.places()}
        statements = {place: turn if turn.answered else None for place, turn in turns.items()}
        parts = {f"arguments, {side}": rows[key] for side, key in self.requested.items()}
        parts |= {named(*place): turn for place, turn in turns.items()}
        return ModelDebate(
            id=self.id,
            topic=self.topic,
            arguments=dict(self.argued(rows).arguments),
            models=dict(models),
            opens=self.opens,
            rounds=tuple(
                Round(number=number, turns={side: statements[number, side] for side in SIDES})
                for number in range(1, self.rounds + 1)
            ),
            conclusions={side: statements[0, side] for side in SIDES if side in self.concluding},
            lacks=tuple(
                MissingPart(what=what, reason=row.reason, detail=row.detail)
                for what, row in parts.items()
                if row.reason not in (None, NOT_REACHED)
            ),
        )


def named(number: int, side: Side) -> str:
    """Return a turn's name, such as "round 1, affirmative" or (for round 0) "conclusion, affirmative"."""
    return f"round {number}, {side}" if number else f"conclusion, {side}"


OPENING, REPLY, CONCLUSION = "debate/opening", "debate/reply", "debate/conclusion"
REBUTTAL = "debate/rebuttal"
"""The turns of the side that speaks against the argument of a ``single`` debate."""

MAX_QUESTIONS = 3
"""Questions that a turn may put: more could not be answered well in one turn."""


class Statement(Typed):
    """The statement."""

    statement: Written


class Challenge(Typed):
    """The statement, then questions to the other side."""

    statement: Written
    questions: list[str]

    @model_validator(mode="after")
    def _asks(self) -> Self:
        _check_questions(self.statement, self.questions)
        return self


class Reply(Typed):
    """Answers to the other side's questions, the statement anew, then questions back."""

    answers: list[Written]
    statement: Written
    questions: list[str]

    @model_validator(mode="after")
    def _answers_and_asks(self, info: ValidationInfo) -> Self:
        _check_questions(self.statement, self.questions)
        asked = (info.context or {}).get("asked", len(self.answers))
        answer_count = sum(map(bool, map(str.strip, self.answers)))
        if self.statement.strip() and (answer_count != asked or len(self.answers) != asked):
            raise ValueError(f"{asked} questions are to be answered, each once; answered are {answer_count}")
        return self


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """The request for one turn: the debate, the round (0: the conclusion), the side, and the turns before
    it."""

    motion: Motion
    number: int
    side: Side
    record: Sequence[tuple[int, Side, DebateTurn]] = ()

    @property
    def prompt_id(self) -> str:
        """Return the name of the turn's prompt in the library: that of the opening, the reply, the rebuttal or the
        conclusion."""
        if not self.number:
            return CONCLUSION
        if self.side not in self.motion.concluding:
            return REBUTTAL
        return REPLY if self.record else OPENING

    @property
    def response(self) -> type[Typed]:
        """Return the response type: a statement, with questions and answers where the turn needs them."""
        if self.prompt_id in (OPENING, CONCLUSION):
            return Statement
        return Reply if self.open_questions else Challenge

    @property
    def open_questions(self) -> tuple[str, ...]:
        """Return the questions of the turn before, which this turn must answer; none in a conclusion."""
        return self.record[-1][2].questions if self.number and self.record else ()

    def documents(self) -> tuple[Document, ...]:
        """Return the turns so far as documents, whose texts may be shortened to fit the window."""
        documents = []
        for number, side, turn in self.record:
            answers = [f"Answer to question {n}: {answer}" for n, answer in enumerate(turn.answers, start=1)]
            documents.append(Document(id=named(number, side), text="\n".join((turn.statement, *answers))))
        return tuple(documents)

    def rendered(self, library: Library, documents: Sequence[Document]) -> RenderedPrompt:
        """Return the filled-in prompt, with ``documents`` as the texts of the turns so far, in their order (they may be
        trimmed)."""
        record = [
            {
                "round": number,
                "speaker": "you" if side == self.side else "the other side",
                "text": shown.text,
                "questions": turn.questions,
            }
            for (number, side, turn), shown in zip(self.record, documents, strict=True)
        ]
        argued = self.motion.opens if self.prompt_id == REBUTTAL else self.side
        shared = {"topic": self.motion.topic, "argument": self.motion.arguments[argued]}
        settings: dict[str, Any] = {"side": self.side}
        if self.prompt_id == CONCLUSION:
            settings["debated"] = bool(record)
            return library[CONCLUSION].render({**shared, "record": record}, settings)
        if self.prompt_id == OPENING:
            return library[OPENING].render(shared, settings)
        began = any(side == self.side for _, side, _ in self.record)
        settings |= {"began": began, "most": MAX_QUESTIONS, "answers": bool(self.open_questions)}
        return library[self.prompt_id].render(
            {**shared, "record": record, "asked": self.open_questions}, settings
        )

    def fitted(self, library: Library, window: Client) -> FittedPrompt | None:
        """Return the prompt shortened to the model's window; None where it does not fit, however short."""
        return fit(self.documents(), lambda documents: self.rendered(library, documents), window)

    def offline(self) -> dict[str, object]:
        """Return the offline debater's response."""
        topic, argument = self.motion.topic, self.motion.arguments.get(self.side, "")
        other = [turn.statement for _, side, turn in self.record if side != self.side]
        response: dict[str, object] = {}
        if self.open_questions:
            response["answers"] = [
                offline_answer(number, topic, argument) for number in range(1, len(self.open_questions) + 1)
            ]
        response["statement"] = offline_statement(topic, self.side, argument, other)
        if self.response is not Statement:
            response["questions"] = [offline_question(other[-1], topic, argument)]
        return response


async def speak(request: TurnRequest, client: Client, library: Library, temperature: float) -> TranscriptRow:
    """Send the request for a turn, and return it as a row; a failure is a row with a reason."""
    key = request.motion.key(request.number, request.side)
    fitted = request.fitted(library, client)
    if fitted is None:
        detail = "it does not fit without the record either"
        return TranscriptRow(id=key, reason=Reason.CONTEXT_OVERFLOW, detail=detail)
    answer = await client.request(
        Request(
            ask=request.prompt_id,
            item=key,
            messages=messages(fitted.rendered),
            response=request.response,
            context={"asked": len(request.open_questions)},
            temperature=temperature,
            baseline=request.offline,
        )
    )
    turn = TranscriptRow.from_answer(key, answer)
    if turn.answered and not turn.statement.strip():
        return TranscriptRow(id=key, reason=Reason.REFUSAL, detail="the statement was left empty")
    return turn.model_copy(update={"statement": turn.statement.strip(), "trims": fitted.trims})


def _check_questions(statement: str, questions: Sequence[str]) -> None:
    """Questions may be missing only where the statement is, too: then the side was refused."""
    asked = [question for question in questions if question.strip()]
    if statement.strip() and not (len(asked) == len(questions) and 1 <= len(asked) <= MAX_QUESTIONS):
        raise ValueError(
            f"one to {MAX_QUESTIONS} questions are to be put, none of them blank, not {len(asked)}"
        )

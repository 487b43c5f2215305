"""What a debater is asked at its turn, and what becomes of it: DEBATunE, section 3.1, Equations 1 to 3.

Who opens makes a statement (Equation 1). Each later turn answers the other side's last questions, makes the own
statement anew, and puts questions back (Equation 2; the first of them has no questions to answer). In the end each side
concludes from the whole record (Equation 3). A record that is too long is shown with every turn shortened by the same
share; the questions that are to be answered are never cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from pydantic import ValidationInfo, model_validator

from conqret.data import Document, Reason
from conqret.debate.debatune import debater
from conqret.debate.debatune.debate_topics import Side
from conqret.debate.debatune.transcript import Motion, TranscriptRow, Turn, named
from conqret.judging.prompt_fitting import FittedPrompt, Window, fit
from conqret.judging.responses import Typed, Written
from conqret.llm.request import Request, messages
from conqret.prompts import Library, RenderedPrompt
from conqret.runs.session import Session

OPENING, REPLY, CONCLUSION = "debate/opening", "debate/reply", "debate/conclusion"

MOST_QUESTIONS = 3
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
class Speaking:
    """One turn: the side whose it is, in a round (0: the conclusion), after the turns so far in their order."""

    motion: Motion
    number: int
    side: Side
    record: Sequence[tuple[int, Side, Turn]] = ()

    @property
    def ask(self) -> str:
        """The id of the prompt."""
        if not self.number:
            return CONCLUSION
        return REPLY if self.record else OPENING

    @property
    def response(self) -> type[Typed]:
        """What is to be answered."""
        if self.ask != REPLY:
            return Statement
        return Reply if self.asked else Challenge

    @property
    def asked(self) -> tuple[str, ...]:
        """The questions that are to be answered: those of the turn before."""
        return self.record[-1][2].questions if self.number and self.record else ()

    def documents(self) -> tuple[Document, ...]:
        """What was said so far, a turn each; what of it is cut where not all fits."""
        return tuple(
            Document(id=named(number, side), text="\n".join((turn.statement, *_numbered(turn.answers))))
            for number, side, turn in self.record
        )

    def rendered(self, library: Library, documents: Sequence[Document]) -> RenderedPrompt:
        """The prompt, with these texts in place of those of :meth:`documents`."""
        record = [
            {
                "round": number,
                "speaker": "you" if side == self.side else "the other side",
                "text": shown.text,
                "questions": turn.questions,
            }
            for (number, side, turn), shown in zip(self.record, documents, strict=True)
        ]
        shared = {"topic": self.motion.topic, "argument": self.motion.arguments[self.side]}
        settings: dict[str, Any] = {"side": self.side}
        if self.ask == CONCLUSION:
            return library[CONCLUSION].render(
                {**shared, "record": record}, {**settings, "debated": bool(record)}
            )
        if self.ask == OPENING:
            return library[OPENING].render(shared, settings)
        began = any(side == self.side for _, side, _ in self.record)
        settings |= {"began": began, "most": MOST_QUESTIONS, "answers": bool(self.asked)}
        return library[REPLY].render({**shared, "record": record, "asked": self.asked}, settings)

    def fitted(self, library: Library, window: Window) -> FittedPrompt | None:
        """The prompt as it is sent; None where it does not fit, whatever is cut."""
        return fit(self.documents(), lambda documents: self.rendered(library, documents), window)

    def offline(self) -> dict[str, object]:
        """What the offline debater says."""
        topic, argument = self.motion.topic, self.motion.arguments[self.side]
        other = [turn.statement for _, side, turn in self.record if side != self.side]
        response: dict[str, object] = {}
        if self.asked:
            response["answers"] = [
                debater.answer(number, topic, argument) for number in range(1, len(self.asked) + 1)
            ]
        response["statement"] = debater.statement(topic, self.side, argument, other)
        if self.ask == REPLY:
            response["questions"] = [debater.question(other[-1], topic, argument)]
        return response


async def speak(request: Speaking, session: Session) -> TranscriptRow:
    """Let the model take its turn; what cannot be had becomes a turn with a reason."""
    key = request.motion.key(request.number, request.side)
    fitted = request.fitted(session.library, session.client)
    if fitted is None:
        return TranscriptRow(
            id=key, reason=Reason.CONTEXT_OVERFLOW, detail="it does not fit without the record either"
        )
    answer = await session.client.ask(
        Request(
            ask=request.ask,
            item=key,
            messages=messages(fitted.rendered),
            response=request.response,
            context={"asked": len(request.asked)},
            baseline=request.offline,
        )
    )
    turn = TranscriptRow.of(key, answer)
    if turn.answered and not turn.statement.strip():
        return TranscriptRow(id=key, reason=Reason.REFUSAL, detail="the statement was left empty")
    return turn.model_copy(update={"statement": turn.statement.strip(), "trims": fitted.trims})


def _check_questions(statement: str, questions: Sequence[str]) -> None:
    """Questions may be missing only where the statement is, too: then the side was refused."""
    asked = [question for question in questions if question.strip()]
    if statement.strip() and not (len(asked) == len(questions) and 1 <= len(asked) <= MOST_QUESTIONS):
        raise ValueError(
            f"one to {MOST_QUESTIONS} questions are to be put, none of them blank, not {len(asked)}"
        )


def _numbered(answers: Sequence[str]) -> list[str]:
    return [f"Answer to question {number}: {answer}" for number, answer in enumerate(answers, start=1)]

"""The arguments that are debated: those that are given, and those that a model is asked for where none are
(DEBATunE, section 2: five a side, each a sentence)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from pydantic import ValidationInfo, model_validator

from conqret.data import Reason
from conqret.debate.debatune import debater
from conqret.debate.debatune.debate_topics import SIDES, DebateTopic, Side
from conqret.debate.debatune.transcript import Motion, TranscriptRow
from conqret.judging.responses import Typed, Written
from conqret.llm.request import Request, messages
from conqret.prompts import Library, RenderedPrompt
from conqret.runs.session import Session
from conqret.text.word_lists import caseless

PROMPT = "debate/arguments"

ARGUMENTS = 5
"""Arguments a side, where none are given (section 2)."""


class Arguments(Typed):
    """The arguments, one sentence each."""

    arguments: list[Written]

    @model_validator(mode="after")
    def _so_many(self, info: ValidationInfo) -> Self:
        wanted = (info.context or {}).get("count", len(self.arguments))
        distinct = set(map(caseless, self.arguments)) - {""}
        if self.arguments and (len(distinct) != wanted or len(self.arguments) != wanted):
            raise ValueError(f"{wanted} different arguments are asked for, and there are {len(distinct)}")
        return self


@dataclass(frozen=True, slots=True)
class Arguing:
    """Arguments that are asked for: of one side of a topic, so many."""

    topic: DebateTopic
    side: Side
    count: int

    @property
    def key(self) -> str:
        """Its name in the run."""
        return f"{self.topic.id} arguments {self.side}"

    def rendered(self, library: Library) -> RenderedPrompt:
        """The prompt; it shows the other side's arguments where they are given."""
        other = SIDES[1 - SIDES.index(self.side)]
        opposing = self.topic.arguments[other][: self.count]
        return library[PROMPT].render(
            {"topic": self.topic.topic, "given": opposing}, {"side": self.side, "count": self.count}
        )


def lacking(topics: Sequence[DebateTopic], count: int) -> Iterator[Arguing]:
    """What is to be asked for: ``count`` arguments of each side that has none, or as many as the other side has."""
    for topic in topics:
        for side in SIDES:
            if not topic.arguments[side]:
                yield Arguing(topic, side, debates_of(topic, count))


def debates_of(topic: DebateTopic, count: int) -> int:
    """How many debates a topic has: ``count``, or as many arguments as are given where these are fewer."""
    return min([count, *(len(arguments) for arguments in topic.arguments.values() if arguments)])


def motions(topics: Sequence[DebateTopic], count: int, rounds: int) -> Iterator[Motion]:
    """The debates: argument by argument of either side, and each side opens every other one."""
    for topic in topics:
        asked = {request.side: request.key for request in lacking([topic], count)}
        for place in range(debates_of(topic, count)):
            side_arguments = {
                side: arguments[place] for side, arguments in topic.arguments.items() if arguments
            }
            yield Motion(
                f"{topic.id}-{place + 1}", topic.topic, side_arguments, SIDES[place % 2], rounds, place, asked
            )


async def argue(request: Arguing, session: Session, earlier: object = None) -> TranscriptRow:
    """Ask for the arguments; what cannot be had becomes a row with a reason."""
    rendered = request.rendered(session.library)
    answer = await session.client.ask(
        Request(
            ask=PROMPT,
            item=request.key,
            messages=messages(rendered),
            response=Arguments,
            context={"count": request.count},
            baseline=lambda: {
                "arguments": debater.arguments(request.topic.topic, request.side, request.count)
            },
        )
    )
    if answer.value is not None and not answer.value.arguments:
        return TranscriptRow(id=request.key, reason=Reason.REFUSAL, detail="no argument was given")
    return TranscriptRow.of(request.key, answer)

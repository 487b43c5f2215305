"""What debates will take: calls, tokens and dollars of each speaker, before anything is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conqret.data.digest import gathered
from conqret.debate.debatune.debate_topics import SIDES, Side
from conqret.debate.debatune.holding import HoldingPlan
from conqret.debate.debatune.speaking import CONCLUSION, OPENING, REPLY, Speaking
from conqret.debate.debatune.transcript import Motion, Turn
from conqret.judging.cost import Expected, capped, counter, expected
from conqret.judging.fitting import prompt_tokens
from conqret.llm.client_options import ClientOptions
from conqret.prompts import Library

ANSWER_TOKENS = {OPENING: 400, REPLY: 700, CONCLUSION: 550}
"""Tokens of an answer: the words that its prompt asks for, at four tokens for three, with questions and answers."""
ARGUMENT_TOKENS = 35
"""Tokens of an argument: a sentence."""
COUNTED = 100
"""Debates whose prompts are counted; of more, so many stand for all."""

_UNWRITTEN = "an argument that is still to be written, in a sentence of about as many words as this one has"


def estimate(plan: HoldingPlan, library: Library) -> list[Expected]:
    """What is expected of each speaker, with the arguments before the debates; recordings are not taken off."""
    sides = gathered(zip(plan.speakers, SIDES, strict=True))
    found = [
        work(plan, options, own, library) for work in (_arguing, _debating) for options, own in sides.items()
    ]
    return [one for one in found if one.calls]


def _arguing(plan: HoldingPlan, options: ClientOptions, sides: Sequence[Side], library: Library) -> Expected:
    asked = [one for one in plan.asked if one.side in sides]
    client = counter(options)
    tokens = sum(capped(prompt_tokens(one.rendered(library), client), client) for one in asked)
    answers = ARGUMENT_TOKENS * sum(one.count for one in asked)
    return expected("find arguments", options, len(asked), tokens, answers)


def _debating(plan: HoldingPlan, options: ClientOptions, sides: Sequence[Side], library: Library) -> Expected:
    client, motions = counter(options), plan.motions
    counted = motions[:: max(1, len(motions) // COUNTED)]
    turns = [one for motion in counted for one in _turns(motion) if one.side in sides]
    scale = len(motions) / len(counted)
    tokens = sum(
        capped(
            prompt_tokens(one.rendered(library, one.documents()), client)
            + sum(ANSWER_TOKENS[REPLY if place else OPENING] for place in range(len(one.record))),
            client,
        )
        for one in turns
    )
    answers = sum(ANSWER_TOKENS[one.ask] for one in turns)
    calls, prompt, written = (round(scale * count) for count in (len(turns), tokens, answers))
    return expected("debate", options, calls, prompt, written, sampled=1 / scale)


def _turns(motion: Motion) -> Iterator[Speaking]:
    """All turns, with a record of which only the length is known."""
    unwritten = {one: motion.arguments.get(one, _UNWRITTEN) for one in SIDES}
    motion = Motion(motion.id, motion.topic, unwritten, motion.opens, motion.rounds)
    record: list[tuple[int, Side, Turn]] = []
    for number, speaker in motion.places():
        yield Speaking(motion, number, speaker, tuple(record))
        if number:
            questions = ("?",) if record else ()
            record.append(
                (number, speaker, Turn(id=motion.key(number, speaker), statement=".", questions=questions))
            )

"""From collected topics to a set that can be debated: two-sided, and each there once (DEBATunE, section 2).

Whether a topic has two sides, and which claim they affirm and deny, is judged by the format ``two-sided``. Of topics
that say nearly the same the first is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self, Unpack

from pydantic import ValidationInfo, model_validator

from conqret.data import Item, Judgment, Reason
from conqret.debate.debatune.debate_files import SIDES, DebateTopic, Side
from conqret.debate.debatune.output_filter import (
    DUPLICATE,
    DroppedRow,
    SiftedRun,
    SiftResult,
    judged_by,
    unanswered,
)
from conqret.debate.debatune.statement_run import offline_arguments
from conqret.debate.debatune.transcript import Motion, TranscriptRow
from conqret.errors import strict_options
from conqret.io import open_items
from conqret.judges.two_sided import CLAIM, VERDICT
from conqret.judging.asked_run import RunPrompt
from conqret.judging.judge_settings import JudgeSettings
from conqret.judging.responses import Typed, Written
from conqret.llm.client import Client
from conqret.llm.request import Request, messages
from conqret.prompts import Library, RenderedPrompt
from conqret.text.analysis import Text, weight
from conqret.text.words import caseless

PROMPT = "debate/arguments"

ARGUMENTS = 5
"""Arguments a side, where none are given (section 2)."""


ARGUMENT_TOKENS = 35
"""Tokens of an argument: a sentence."""


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


PROMPTS = {
    PROMPT: RunPrompt(
        Arguments,
        "find arguments",
        lambda request: ARGUMENT_TOKENS * request.context["count"],
        shown_later=True,
    )
}


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


async def argue(request: Arguing, client: Client, library: Library) -> TranscriptRow:
    """Ask for the arguments; what cannot be had becomes a row with a reason."""
    answer = await client.ask(
        Request(
            ask=PROMPT,
            item=request.key,
            messages=messages(request.rendered(library)),
            response=Arguments,
            context={"count": request.count},
            baseline=lambda: {
                "arguments": offline_arguments(request.topic.topic, request.side, request.count)
            },
        )
    )
    if answer.value is not None and not answer.value.arguments:
        return TranscriptRow(id=request.key, reason=Reason.REFUSAL, detail="no argument was given")
    return TranscriptRow.of(request.key, answer)


FORMAT = "two-sided"
METRIC = "two_sided"
COLLECTED = "collected"
"""Under this key of a topic stands how it was collected, where its claim is worded otherwise."""

SAME = 0.77
"""The share of words in common from which two topics are one; chosen by hand on DEBATunE's 710 topics, which people had
cleared of doubles: all six pairs above it are doubles that were overlooked, and of the four at .75 three are none."""


def two_sided(items: Iterable[Item], judgments: Iterable[Judgment]) -> SiftResult:
    """The topics that can be argued from both sides, each once, as rows with ``id`` and ``topic`` (the claim).

    Args:
        items: the collected topics.
        judgments: theirs by the format ``two-sided``, in the same order.
    """
    kept: list[dict[str, str]] = []
    dropped: list[DroppedRow] = []
    known: list[frozenset[str]] = []
    for item, judgment in zip(items, judgments, strict=True):
        measure = judgment.measures[METRIC]
        labels = {part.id: part.label or "" for part in measure.parts}
        if measure.value is None:
            dropped.append(unanswered(item.id, item.topic, measure))
        elif CLAIM not in labels:
            dropped.append(DroppedRow(item.id, item.topic, labels[VERDICT], measure.explanation))
        elif (place := _alike(labels[CLAIM], known)) is not None:
            same = kept[place]
            dropped.append(DroppedRow(item.id, item.topic, DUPLICATE, f"as {same['id']}: {same['topic']}"))
        else:
            known.append(Text(labels[CLAIM]).terms)
            row = {"id": item.id, "topic": labels[CLAIM]}
            kept.append(row if labels[CLAIM] == item.topic else {**row, COLLECTED: item.topic})
    return SiftResult(kept, dropped)


@strict_options
def two_sided_topics(collected: str | Path, **settings: Unpack[JudgeSettings]) -> SiftedRun:
    """Turn collected topics into claims with two sides, and keep each once.

    Args:
        collected: a file with a column ``topic``, optionally ``id``.
        settings: those of :func:`conqret.judge`, without ``format``.

    Raises:
        DeclarationError: anything wrong with the call or the topics.
    """
    source = open_items(
        Path(collected), skip_invalid=settings.get("skip_invalid", False), language=settings.get("language")
    )
    source.check()
    items = tuple(source)
    judgments = judged_by(items, FORMAT, settings)
    return SiftedRun(judgments, two_sided(items, judgments))


def _alike(topic: str, known: Sequence[frozenset[str]]) -> int | None:
    """The place of the topic that this one repeats, the most alike first; None where it repeats none."""
    terms = Text(topic).terms
    near = [place for place, others in enumerate(known) if terms & others]
    best = max(near, key=lambda place: shared(terms, known[place]), default=None)
    return None if best is None or shared(terms, known[best]) < SAME else best


def shared(first: frozenset[str], other: frozenset[str]) -> float:
    """The share of stems that two topics have in common, in [0, 1]: ``w(A and B) / w(A or B)``, a common word at half a
    weight; 0 where neither has any."""
    union = sum(weight(term) for term in sorted(first | other))
    return sum(weight(term) for term in sorted(first & other)) / union if union else 0.0

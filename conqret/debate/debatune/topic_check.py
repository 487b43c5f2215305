"""From collected topics to a set that can be debated: two-sided, and each there once (DEBATunE, section 2).

Whether a topic has two sides, and which claim they affirm and deny, is judged by the format ``two-sided``. Of topics
that say nearly the same the first is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self, Unpack

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
from conqret.errors import DeclarationError, number, strict_options
from conqret.io import open_items
from conqret.io.safe_files import InFolder
from conqret.judges.two_sided import CLAIM, VERDICT
from conqret.judging.asked_run import Run, RunPrompt
from conqret.judging.judge_settings import JudgeSettings, client_options
from conqret.judging.judgments import Judgments
from conqret.judging.responses import Typed, Written
from conqret.llm.client import Client
from conqret.llm.recordings import STORE_NAME
from conqret.llm.request import Request, messages
from conqret.prompts import Library, RenderedPrompt
from conqret.runs.study_run import AskedFolder, AskedRecord, StudyOutcome
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


@dataclass(frozen=True)
class ArgumentsFolder(AskedFolder[AskedRecord, TranscriptRow], kind="debate-arguments"):
    """The files of arguments under one folder."""

    COMMAND: ClassVar[str] = "conqret debate topics"

    recordings_file = InFolder(f"../{STORE_NAME}", kept=True)
    """With those of the judgments."""


@strict_options
def two_sided_topics(
    collected: str | Path, *, arguments: int = 0, **settings: Unpack[JudgeSettings]
) -> SiftedRun:
    """Turn collected topics into claims with two sides, and keep each once.

    Args:
        collected: a file with a column ``topic``, optionally ``id``.
        arguments: also ask for this many arguments for each side, which needs ``output``.
        settings: those of :func:`conqret.judge`, without ``format``.

    Raises:
        DeclarationError: anything wrong with the call or the topics.
    """
    check_arguments(arguments)
    if arguments and not settings.get("output"):
        raise DeclarationError("arguments are kept in the run's folder: name it as output")
    source = open_items(
        Path(collected), skip_invalid=settings.get("skip_invalid", False), language=settings.get("language")
    )
    source.check()
    items = tuple(source)
    judgments = judged_by(items, FORMAT, settings)
    found = two_sided(items, judgments)
    if not arguments:
        return SiftedRun(judgments, found)
    done = add_arguments(found, judgments, arguments, **settings)
    return SiftedRun(judgments, done.summary, done.lost)


def check_arguments(count: int) -> None:
    """Raise DeclarationError where so many arguments a side cannot be asked for."""
    if count < 0:
        raise DeclarationError(f"--arguments must be at least 0 a side (0: none), not {count}")


def add_arguments(
    found: SiftResult, judgments: Judgments, count: int, **settings: Any
) -> StudyOutcome[TranscriptRow, SiftResult]:
    """Ask for ``count`` arguments of each side of each kept row, as ``conqret debate hold`` does, in a folder beside
    the judgments. They are put under ``affirmative`` and ``negative``; a side that got none is lacking there."""
    beside = judgments.folder
    assert beside is not None  # noqa: S101 - with arguments there is one
    unargued = [DebateTopic(row["id"], row["topic"], dict.fromkeys(SIDES, ())) for row in found.kept]
    asked = tuple(lacking(unargued, count))

    def concluded(rows: tuple[TranscriptRow, ...]) -> tuple[SiftResult, Mapping[Path, str]]:
        said: dict[str, dict[str, list[str]]] = {}
        for arguing, row in zip(asked, rows, strict=True):
            if row.answered:
                said.setdefault(arguing.topic.id, {})[arguing.side] = list(row.arguments)
        return SiftResult([{**row, **said.get(row["id"], {})} for row in found.kept], found.dropped), {}

    with Run(
        ArgumentsFolder(beside.path / f"arguments-{count}"),
        [client_options(settings.get("model") or judgments.record.model, settings)],
        PROMPTS,
        settings,
        asked=[count],  # more topics may be kept when the same run goes on
        total=len(asked),
        asks="for arguments",
        about=f"arguments for {number(len(asked), 'side')} by",
    ) as run:
        run.ask_all(
            run.row(request.key, partial(argue, request, run.client(), run.library)) for request in asked
        )
        return run.finish(concluded)


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

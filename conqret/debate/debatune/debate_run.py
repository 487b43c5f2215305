"""``hold``: debates as a run, recorded and resumable in the middle of each, with what both sides conclude.

Besides ``run.json`` and ``recordings.sqlite`` the folder holds ``rows.jsonl`` (arguments that were requested, and
turns, as they came), ``debates.jsonl`` (a :class:`~conqret.debate.debatune.transcript.ModelDebate` a line),
``statements.jsonl`` (what was concluded, ready for ``conqret debate score`` and ``export``) and ``summary.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar, Literal, Self, Unpack, get_args

from pydantic import ValidationInfo, model_validator

from conqret.data import Reason
from conqret.data.digest import gathered
from conqret.debate.debatune.debate_files import SIDES, DebateTopic, Side, read_debate_topics
from conqret.debate.debatune.statement_run import offline_arguments
from conqret.debate.debatune.transcript import (
    CONCLUSION,
    NOT_REACHED,
    OPENING,
    REBUTTAL,
    REPLY,
    DebatesSummary,
    Motion,
    Reply,
    Statement,
    TranscriptRow,
    TurnRequest,
    speak,
)
from conqret.errors import DeclarationError, check_known, number, strict_options
from conqret.io.jsonl import json_lines
from conqret.io.safe_files import Content, InFolder
from conqret.judging.responses import Typed, Written
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions, client_options
from conqret.llm.request import GREEDY, Request, Sampling, messages
from conqret.prompts import Library, RenderedPrompt
from conqret.runs.dry_run import RunPrompt
from conqret.runs.request_run import RequestRunSettings, Run, gather_all
from conqret.runs.run_folder import as_path, default_folder, stem
from conqret.runs.study_run import RequestFolder, RequestRecord, StudyOutcome, lost
from conqret.show.page import page
from conqret.text.words import caseless

ROUNDS = 2
"""Rounds of a debate (Appendix B)."""

ARGUMENTS = 5
"""Arguments a side, where none are given (section 2)."""
ARGUMENT_TOKENS = 35
"""Tokens of an argument: a sentence."""
SHOWN = 200
"""Debates on the page; more would make it slow to open, and all are in ``debates.jsonl``."""
Design = Literal["paired", "single"]
ARGUMENTS_PROMPT = "debate/arguments"


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
    ARGUMENTS_PROMPT: RunPrompt(
        Arguments,
        "find arguments",
        lambda request: ARGUMENT_TOKENS * request.context["count"],
        shown_later=True,
    ),
    OPENING: RunPrompt(Statement, "debate", 400, shown_later=True),
    REPLY: RunPrompt(Reply, "debate", 700, shown_later=True),
    CONCLUSION: RunPrompt(Statement, "debate", 550),
}
"""Tokens of an answer are the words that its prompt requests, at four tokens for three, with questions and answers."""
REBUTTALS = {REBUTTAL: PROMPTS[REPLY]}
"""What debates about a single argument request, too."""


@dataclass(frozen=True)
class DebatesFolder(
    RequestFolder[RequestRecord, TranscriptRow],
    kind="debate-hold",
    same={"model": "models", "asked": "topics, arguments or rounds"},
):
    """The files of a run of debates in one folder.

    The ``identity`` in its record is that of both sides' models with their context windows, which decide what
    is shortened, and the temperature where it is not 0.
    """

    COMMAND: ClassVar[str] = "conqret debate hold"

    debates_file = InFolder("debates.jsonl")
    """The debates, one a line."""
    statements_file = InFolder("statements.jsonl")
    """What was concluded."""


@strict_options
def hold_debates(
    topics: str | Path,
    *,
    against: str | ClientOptions | None = None,
    rounds: int = ROUNDS,
    arguments: int = ARGUMENTS,
    design: Design = "paired",
    sampling: Sampling = GREEDY,
    output: str | Path | None = None,
    **settings: Unpack[RequestRunSettings],
) -> StudyOutcome[TranscriptRow, DebatesSummary]:
    """Let two models debate each topic, and let each side write its best statement at the end.

    Args:
        topics: a file with a column ``topic``, optionally ``affirmative``, ``negative`` and ``id``.
        against: the model of the negative side, by default ``model``, which speaks for both sides. Each of
            two models has half of the budget.
        rounds: the number of turns of each side; with 0, statements are written directly, without a
            debate.
        arguments: the number of arguments a side; a side without arguments gets as many from the model.
        design: whether an argument of one side meets one of the other, and both sides conclude (``paired``), or each
            argument of either side has a debate that its side opens, in which the other side rebuts it, and that
            only its side concludes (``single``, DEBATunE).
        sampling: how both models sample their texts.
        output: the run's folder, by default ``runs/TOPICS-debate-hold-MODEL``; the same call continues a
            stopped run.
        settings: the model and how it is called:
            :class:`conqret.runs.request_run.RequestRunSettings`.

    Returns:
        All turns, and a summary of the debates.

    Raises:
        DeclarationError: the call, the topics or the folder are wrong. No request is sent then.
    """
    if rounds < 0:
        raise DeclarationError(f"--rounds must be at least 0 (0: a statement without a debate), not {rounds}")
    check_known("design", get_args(Design), design)
    if arguments < 1:
        raise DeclarationError(f"--arguments must be at least 1 a side, not {arguments}")
    found = read_debate_topics(Path(topics))
    first = client_options(settings.get("model"), settings)
    second = first if against is None else client_options(against, settings)
    if second.model != first.model and first.budget_usd is not None:  # they share it
        first, second = (replace(each, budget_usd=first.budget_usd / 2) for each in (first, second))
    speakers = {SIDES[0]: first, SIDES[1]: first if second.model == first.model else second}
    models = {side: speaker.model for side, speaker in speakers.items()}
    names = tuple(dict.fromkeys(models.values()))
    folder = DebatesFolder(as_path(output) or default_folder(stem(Path(topics)), "debate-hold", *names))
    asked = {request.key: request for request in arguments_requests(found, arguments)}
    debated = tuple(motions(found, arguments, rounds, design))
    sampled = {"temperature": sampling.temperature} if sampling.sampling_temperature else {}

    def concluded(rows: tuple[TranscriptRow, ...]) -> tuple[DebatesSummary, Mapping[Path, Content]]:
        rows_by_id = {row.id: row for row in rows}
        debates = [motion.debate(rows_by_id, models) for motion in debated]
        statements = [row for debate in debates for row in debate.statements()]
        unfinished = tuple(debate for debate in debates if not debate.finished)
        summary = DebatesSummary(
            models=models,
            rounds=rounds,
            topics=len(found),
            debates=len(debates),
            finished=len(debates) - len(unfinished),
            statements=len(statements),
            missing=lost(row for row in rows if row.reason is not NOT_REACHED),
            trimmed=sum(debate.trimmed for debate in debates),
            unfinished=unfinished,
        )
        return summary, {
            folder.debates_file: json_lines(debate.model_dump(mode="json") for debate in debates),
            folder.statements_file: json_lines(statements),
            folder.report_file: page(
                "held_debates.html.j2",
                topics=list(gathered((debate.topic, debate) for debate in debates[:SHOWN]).items()),
                omitted=max(0, len(debates) - SHOWN),
                summary=summary,
                sides=SIDES,
            ),
        }

    with Run(
        folder,
        tuple(speakers.values()),
        PROMPTS | (REBUTTALS if design == "single" else {}),
        settings,
        contents=[
            rounds,
            arguments,
            *({design} - {"paired"}),
            *((topic.id, topic.topic, dict(topic.arguments)) for topic in found),
        ],
        total=len(asked) + sum(len(list(motion.places())) for motion in debated),
        purpose="to debate",
        about=f"{len(debated)} debates on {number(len(found), 'topic')}, by",
        record={
            "model": " against ".join(names),
            "baseline": all(speaker.backend.baseline for speaker in speakers.values()),
            "identity": {
                side: {**speaker.identity, "window": speaker.context_window, **sampled}
                for side, speaker in speakers.items()
            },
        },
    ) as run:

        async def argued(key: str) -> TranscriptRow:
            client = run.client(speakers[asked[key].side])
            return await run.row(
                key, partial(argue, asked[key], client, run.library, sampling.sampling_temperature)
            )

        async def debate(motion: Motion) -> None:
            keys = tuple(motion.requested.values())
            earlier = dict(zip(keys, await gather_all(*map(argued, keys)), strict=True))
            await _debate(run, motion, earlier, speakers, sampling.sampling_temperature)

        run.request_all(map(argued, asked), map(debate, debated))
        return run.finish(concluded)


async def _debate(
    run: Run[TranscriptRow],
    motion: Motion,
    earlier: dict[str, TranscriptRow],
    speakers: Mapping[Side, ClientOptions],
    temperature: float,
) -> None:
    """Request one debate turn by turn, and the conclusions all at once. Turns are added to ``earlier`` by their key. A
    turn after a missing one is not requested: its row has the reason NOT_REACHED."""
    argued, record = motion.argued(earlier), list[tuple[int, Side, TranscriptRow]]()

    async def turn(place: tuple[int, Side]) -> TranscriptRow:
        key = motion.key(*place)

        async def made() -> TranscriptRow:
            if not all(row.answered for row in earlier.values()):
                return TranscriptRow(id=key, reason=NOT_REACHED, detail="something before it is missing")
            speaking = TurnRequest(argued, *place, tuple(record))
            return await speak(speaking, run.client(speakers[speaking.side]), run.library, temperature)

        return await run.row(key, made)

    places = list(motion.places())
    for place in places[: -len(motion.concluding)]:
        row = earlier[motion.key(*place)] = await turn(place)
        record.append((*place, row))
    await gather_all(*map(turn, places[-len(motion.concluding) :]))


@dataclass(frozen=True, slots=True)
class ArgumentsRequest:
    """A request for ``count`` arguments for one side of a topic."""

    topic: DebateTopic
    side: Side
    count: int

    @property
    def key(self) -> str:
        """Return the key of the request in the run, such as ``TOPIC arguments affirmative``."""
        return f"{self.topic.id} arguments {self.side}"

    def rendered(self, library: Library) -> RenderedPrompt:
        """Return the filled-in prompt, which contains the other side's arguments if they are known."""
        other = SIDES[1 - SIDES.index(self.side)]
        opposing = self.topic.arguments[other][: self.count]
        return library[ARGUMENTS_PROMPT].render(
            {"topic": self.topic.topic, "given": opposing}, {"side": self.side, "count": self.count}
        )


def arguments_requests(topics: Sequence[DebateTopic], count: int) -> Iterator[ArgumentsRequest]:
    """Yield a request for each side without arguments: ``count`` of them, or as many as the other side
    has."""
    for topic in topics:
        for side in SIDES:
            if not topic.arguments[side]:
                yield ArgumentsRequest(topic, side, debates_of(topic, count))


def debates_of(topic: DebateTopic, count: int) -> int:
    """Return the number of debates on a topic: ``count``, or the number of its arguments where there are
    fewer."""
    return min([count, *(len(arguments) for arguments in topic.arguments.values() if arguments)])


def motions(
    topics: Sequence[DebateTopic],
    count: int,
    rounds: int,
    design: Design = "paired",
) -> Iterator[Motion]:
    """Yield the debates of each topic: one for each pair of arguments, which both sides open in turn, or (``single``)
    for each argument of either side, with one side only. Debates are numbered from 1 in their ids. A side without
    arguments yet has none in the debate."""
    for topic in topics:
        asked = {request.side: request.key for request in arguments_requests([topic], count)}
        single, places = design == "single", range(debates_of(topic, count))
        pairs = [(place, SIDES[place % 2]) for place in places]
        alone = [(place, side) for side in SIDES for place in places]
        for debate, (place, opening) in enumerate(alone if single else pairs, start=1):
            sides = [opening] if single else SIDES
            yield Motion(
                f"{topic.id}-{debate}",
                topic.topic,
                {side: topic.arguments[side][place] for side in sides if topic.arguments[side]},
                opening,
                rounds,
                place,
                {side: key for side, key in asked.items() if side in sides},
                single,
            )


async def argue(
    request: ArgumentsRequest, client: Client, library: Library, temperature: float
) -> TranscriptRow:
    """Send a request for arguments, and return them as a row; a failure is a row with a reason."""
    answer = await client.request(
        Request(
            ask=ARGUMENTS_PROMPT,
            item=request.key,
            messages=messages(request.rendered(library)),
            response=Arguments,
            context={"count": request.count},
            temperature=temperature,
            baseline=lambda: {
                "arguments": offline_arguments(request.topic.topic, request.side, request.count)
            },
        )
    )
    if answer.value is not None and not answer.value.arguments:
        return TranscriptRow(id=request.key, reason=Reason.REFUSAL, detail="no argument was given")
    return TranscriptRow.from_answer(request.key, answer)

"""``hold``: debates as a run, recorded and resumable in the middle of each, with what both sides conclude.

Beside ``run.json`` and ``recordings.sqlite`` the folder holds ``rows.jsonl`` (arguments that were asked for, and turns,
as they came), ``debates.jsonl`` (a :class:`~conqret.debate.debatune.transcript.ModelDebate` a line),
``statements.jsonl`` (what was concluded, ready for ``conqret debate score`` and ``export``) and ``summary.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import ClassVar, Unpack

from conqret.data.digest import gathered
from conqret.debate.debatune.debate_files import SIDES, DebateTopic, Side, read_debate_topics
from conqret.debate.debatune.topic_check import ARGUMENTS, Arguing, Arguments, argue, lacking, motions
from conqret.debate.debatune.topic_check import PROMPT as ASKING
from conqret.debate.debatune.transcript import (
    CONCLUSION,
    NOT_REACHED,
    OPENING,
    REPLY,
    HeldSummary,
    ModelDebate,
    Motion,
    Reply,
    Speaking,
    Statement,
    TranscriptRow,
    Turn,
    speak,
)
from conqret.errors import DeclarationError, strict_options
from conqret.io.jsonl import json_lines
from conqret.io.safe_files import Content, InFolder
from conqret.judging.cost import ExpectedCost, capped, counter, expected
from conqret.judging.judge_settings import AskedSettings, as_path, client_options, session_settings
from conqret.llm.client_options import ClientOptions
from conqret.llm.prompt_fitting import prompt_tokens
from conqret.prompts import Library
from conqret.runs.engine import run
from conqret.runs.run_folder import default_folder, stem
from conqret.runs.session import Session, Sessions
from conqret.runs.study_run import AskedFolder, AskedRecord, StudyOutcome, StudyPlan, lost
from conqret.runs.trials import Trial
from conqret.show.page import page

ROUNDS = 2
"""Rounds of a debate (Appendix B)."""


@dataclass(frozen=True)
class HoldingPlan:
    """What is to be debated, and by whom: ``speakers`` are the models of the affirmative and of the negative side.

    Raises:
        DeclarationError: rounds are negative, or no argument a side is wanted.
    """

    topics: Sequence[DebateTopic]
    speakers: tuple[ClientOptions, ClientOptions]
    rounds: int = ROUNDS
    arguments: int = ARGUMENTS

    def __post_init__(self) -> None:
        if self.rounds < 0:
            raise DeclarationError(
                f"--rounds must be at least 0 (0: a statement without a debate), not {self.rounds}"
            )
        if self.arguments < 1:
            raise DeclarationError(f"--arguments must be at least 1 a side, not {self.arguments}")

    @property
    def models(self) -> dict[Side, str]:
        """Who speaks for which side."""
        return dict(zip(SIDES, (options.model for options in self.speakers), strict=True))

    @cached_property
    def asked(self) -> tuple[Arguing, ...]:
        """The arguments that have to be asked for first."""
        return tuple(lacking(self.topics, self.arguments))

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """The debates."""
        return tuple(motions(self.topics, self.arguments, self.rounds))

    @property
    def turns(self) -> int:
        """How often a speaker is asked: for arguments, for turns, and for conclusions."""
        return len(self.asked) + sum(1 for motion in self.motions for _ in motion.places())

    def debates(self, rows: Sequence[TranscriptRow]) -> tuple[ModelDebate, ...]:
        """The debates that all rows make."""
        rows_by_id = {row.id: row for row in rows}
        return tuple(motion.debate(rows_by_id, self.models) for motion in self.motions)

    def trials(self, speakers: Mapping[Side, Session]) -> Iterator[Trial[TranscriptRow]]:
        """All that is asked; a turn comes after its arguments and all turns before it, both conclusions in the end."""
        for request in self.asked:
            yield Trial(request.key, partial(argue, request, speakers[request.side]))
        for motion in self.motions:
            spoken: list[tuple[int, Side]] = []
            for number, side in motion.places():
                after = (*motion.asked.values(), *(motion.key(*place) for place in spoken))
                work = partial(_speak, motion, number, side, tuple(spoken), speakers[side])
                yield Trial(motion.key(number, side), work, after)
                if number:
                    spoken.append((number, side))


class HeldRecord(AskedRecord):
    """What ``run.json`` says of debates; ``identity`` is that of either side, with its window, which decides what is
    shortened."""

    SAME: ClassVar[Mapping[str, str]] = {
        **AskedRecord.SAME,
        "model": "models",
        "asked": "topics, arguments or rounds",
    }

    kind: str = "debate-hold"


@dataclass(frozen=True)
class HeldFolder(AskedFolder[HeldRecord, TranscriptRow]):
    """The files of debates under one folder."""

    COMMAND: ClassVar[str] = "conqret debate hold"

    debates_file = InFolder("debates.jsonl")
    """The debates, one a line."""
    statements_file = InFolder("statements.jsonl")
    """What was concluded."""


@dataclass(frozen=True)
class DebateRun(StudyPlan[TranscriptRow, HeldSummary]):
    """Every turn of every debate is asked for once, wherever a run was stopped."""

    models: Sessions
    folder: HeldFolder
    plan: HoldingPlan

    @cached_property
    def speakers(self) -> dict[Side, Session]:
        """Who speaks for which side."""
        return dict(zip(SIDES, map(self.models.of, self.plan.speakers), strict=True))

    def check(self) -> None:
        """Raise DeclarationError where this cannot be asked."""
        for speaker in self.plan.speakers:
            speaker.backend.check_can_ask("to debate")

    def record(self) -> HeldRecord:
        """What ``run.json`` says."""
        plan = self.plan
        return HeldRecord.of(
            self.speakers[SIDES[0]],
            {ASKING: Arguments, OPENING: Statement, REPLY: Reply, CONCLUSION: Statement},
            [
                plan.rounds,
                plan.arguments,
                *((topic.id, topic.topic, dict(topic.arguments)) for topic in plan.topics),
            ],
            model=" against ".join(dict.fromkeys(plan.models.values())),
            baseline=all(speaker.backend.baseline for speaker in plan.speakers),
            identity={
                side: {**speaker.options.identity, "window": speaker.options.context_window}
                for side, speaker in self.speakers.items()
            },
        )

    def trials(self) -> Iterator[Trial[TranscriptRow]]:
        """A trial for each."""
        return self.plan.trials(self.speakers)

    def conclude(self, rows: tuple[TranscriptRow, ...]) -> tuple[HeldSummary, Mapping[Path, Content]]:
        """The run in numbers, and its files."""
        plan, debates = self.plan, self.plan.debates(rows)
        statements = [row for debate in debates for row in debate.statements()]
        summary = HeldSummary(
            models=plan.models,
            rounds=plan.rounds,
            topics=len(plan.topics),
            debates=len(debates),
            finished=sum(debate.finished for debate in debates),
            statements=len(statements),
            missing=lost(row for row in rows if row.reason is not NOT_REACHED),
            trimmed=sum(debate.trimmed for debate in debates),
        )
        return summary, {
            self.folder.debates_file: json_lines(debate.model_dump(mode="json") for debate in debates),
            self.folder.statements_file: json_lines(statements),
            self.folder.report_file: held_page(debates, summary),
        }


def speakers_of(options: ClientOptions, other: ClientOptions | None) -> tuple[ClientOptions, ClientOptions]:
    """The models of both sides; what two different ones may spend, they share."""
    if other is None or other.model == options.model:
        return options, options
    if options.budget_usd is None:
        return options, other
    half = options.budget_usd / 2
    return replace(options, budget_usd=half), replace(other, budget_usd=half)


def holding_folder(topics: str | Path, plan: HoldingPlan, output: str | Path | None) -> HeldFolder:
    """Where debates on a file of topics are held."""
    names = dict.fromkeys(plan.models.values())
    return HeldFolder(as_path(output) or default_folder(stem(Path(topics)), "debate-hold", *names))


@strict_options
def hold_debates(
    topics: str | Path,
    *,
    against: str | ClientOptions | None = None,
    rounds: int = ROUNDS,
    arguments: int = ARGUMENTS,
    output: str | Path | None = None,
    **settings: Unpack[AskedSettings],
) -> StudyOutcome[TranscriptRow, HeldSummary]:
    """Let two models debate each topic, and let each side write its best statement at the end.

    Args:
        topics: a file with a column ``topic``, optionally ``affirmative``, ``negative`` and ``id``.
        against: the model of the negative side, by default ``model``, which speaks for both sides. Two models share
            the budget.
        rounds: turns of each side; 0 writes the statements at once, without a debate.
        arguments: debates a topic, each on another argument; if a side has none, so many are asked for.
        output: the run's folder, by default ``runs/TOPICS-debate-hold-MODEL``; the same call goes on there.
        settings: who speaks, and how: :class:`conqret.judging.judge_settings.AskedSettings`.

    Raises:
        DeclarationError: anything wrong with the call, the topics or the folder. No model is asked then.
    """
    first = client_options(settings.get("model"), settings)
    second = None if against is None else client_options(against, settings)
    plan = HoldingPlan(read_debate_topics(Path(topics)), speakers_of(first, second), rounds, arguments)
    with Sessions(**session_settings(settings)) as sessions:
        debates = DebateRun(sessions, holding_folder(topics, plan, output), plan)
        return run(debates, overwrite=settings.get("overwrite", False))


async def _speak(
    motion: Motion,
    number: int,
    side: Side,
    spoken: Sequence[tuple[int, Side]],
    session: Session,
    earlier: Mapping[str, TranscriptRow],
) -> TranscriptRow:
    """A turn; one that comes after a missing one is not asked for, as it would have nothing to answer."""
    if not all(row.answered for row in earlier.values()):
        return TranscriptRow(
            id=motion.key(number, side), reason=NOT_REACHED, detail="something before it is missing"
        )
    record = tuple((*place, earlier[motion.key(*place)]) for place in spoken)
    return await speak(Speaking(motion.argued(earlier), number, side, record), session)


ANSWER_TOKENS = {OPENING: 400, REPLY: 700, CONCLUSION: 550}
"""Tokens of an answer: the words that its prompt asks for, at four tokens for three, with questions and answers."""
ARGUMENT_TOKENS = 35
"""Tokens of an argument: a sentence."""
COUNTED = 100
"""Debates whose prompts are counted; of more, so many stand for all."""

_UNWRITTEN = "an argument that is still to be written, in a sentence of about as many words as this one has"


def estimate(plan: HoldingPlan, library: Library) -> list[ExpectedCost]:
    """What is expected of each speaker, with the arguments before the debates; recordings are not taken off."""
    sides = gathered(zip(plan.speakers, SIDES, strict=True))
    estimates = [
        work(plan, options, side_options, library)
        for work in (_arguing, _debating)
        for options, side_options in sides.items()
    ]
    return [cost for cost in estimates if cost.calls]


def _arguing(
    plan: HoldingPlan, options: ClientOptions, sides: Sequence[Side], library: Library
) -> ExpectedCost:
    asked = [request for request in plan.asked if request.side in sides]
    client = counter(options)
    tokens = sum(capped(prompt_tokens(request.rendered(library), client), client) for request in asked)
    answers = ARGUMENT_TOKENS * sum(request.count for request in asked)
    return expected("find arguments", options, len(asked), tokens, answers)


def _debating(
    plan: HoldingPlan, options: ClientOptions, sides: Sequence[Side], library: Library
) -> ExpectedCost:
    client, motions = counter(options), plan.motions
    counted = motions[:: max(1, len(motions) // COUNTED)]
    turns = [turn for motion in counted for turn in _turns(motion) if turn.side in sides]
    scale = len(motions) / len(counted)
    tokens = sum(
        capped(
            prompt_tokens(turn.rendered(library, turn.documents()), client)
            + sum(ANSWER_TOKENS[REPLY if place else OPENING] for place in range(len(turn.record))),
            client,
        )
        for turn in turns
    )
    answers = sum(ANSWER_TOKENS[turn.ask] for turn in turns)
    calls, prompt, written = (round(scale * count) for count in (len(turns), tokens, answers))
    return expected("debate", options, calls, prompt, written, sampled=1 / scale)


def _turns(motion: Motion) -> Iterator[Speaking]:
    """All turns, with a record of which only the length is known."""
    unwritten = {side: motion.arguments.get(side, _UNWRITTEN) for side in SIDES}
    motion = Motion(motion.id, motion.topic, unwritten, motion.opens, motion.rounds)
    record: list[tuple[int, Side, Turn]] = []
    for number, speaker in motion.places():
        yield Speaking(motion, number, speaker, tuple(record))
        if number:
            said = Turn(id=motion.key(number, speaker), statement=".", questions=("?",) if record else ())
            record.append((number, speaker, said))


SHOWN = 200
"""Debates on the page; more would make it slow to open, and all are in ``debates.jsonl``."""


def held_page(debates: Sequence[ModelDebate], summary: HeldSummary) -> Iterator[str]:
    """The page of a run's debates."""
    return page(
        "held_debates.html.j2",
        topics=list(gathered((debate.topic, debate) for debate in debates[:SHOWN]).items()),
        omitted=max(0, len(debates) - SHOWN),
        summary=summary,
        sides=SIDES,
    )

"""``hold``: debates as a run, recorded and resumable in the middle of each, with what both sides conclude.

Beside ``run.json`` and ``recordings.sqlite`` the folder holds ``arguments.jsonl`` (the arguments that were asked for),
``turns.jsonl`` (the turns as they came), ``debates.jsonl`` (a :class:`~conqret.debate.transcript.Debate` a line),
``statements.jsonl`` (what was concluded, ready for ``conqret debate score`` and ``export``) and ``summary.json``.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from conqret.data import Reason
from conqret.debate.arguments import ARGUMENTS, Arguing, Arguments, FoundArguments, argue, lacking, motions
from conqret.debate.arguments import PROMPT as ASKING
from conqret.debate.speaking import CONCLUSION, OPENING, REPLY, Challenge, Reply, Speaking, Statement, speak
from conqret.debate.transcript import Debate, Lack, Motion, Turn
from conqret.errors import DeclarationError
from conqret.io.atomic import replacing
from conqret.io.corpus import write_lines
from conqret.io.debate_topics import SIDES, DebateTopic, Side
from conqret.llm.keys import schema_digest
from conqret.llm.options import ClientOptions
from conqret.runs.folder import REPORT, SUMMARY, RunFolder, RunRecord
from conqret.runs.rows import RowStore
from conqret.runs.session import Session, SessionCounts, Sessions
from conqret.runs.trials import Trial, perform

ROUNDS = 2
"""Rounds of a debate (Appendix B)."""

ASKED, TURNS, DEBATES, STATEMENTS = "arguments.jsonl", "turns.jsonl", "debates.jsonl", "statements.jsonl"


@dataclass(frozen=True, slots=True)
class Plan:
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
                f"--rounds is 0 (no debate, a statement at once) or more, not {self.rounds}"
            )
        if self.arguments < 1:
            raise DeclarationError(f"--arguments is 1 or more a side, not {self.arguments}")

    @property
    def models(self) -> Mapping[Side, str]:
        """Who speaks for which side."""
        return {side: options.model for side, options in zip(SIDES, self.speakers, strict=True)}

    def asked(self) -> tuple[Arguing, ...]:
        """The arguments that have to be asked for first."""
        return tuple(lacking(self.topics, self.arguments))

    @property
    def turns(self) -> int:
        """How often a speaker is asked: for arguments, for turns, and for conclusions."""
        return len(self.asked()) + sum(1 for one in self.motions({}) for _ in one.places())

    def motions(self, asked: Mapping[str, Sequence[str]]) -> tuple[Motion, ...]:
        """The debates, with the arguments that were asked for."""
        return tuple(motions(self.topics, self.arguments, self.rounds, asked))


class HeldRecord(RunRecord):
    """What ``run.json`` says of debates: all that decides what is asked."""

    SAME: ClassVar[Mapping[str, str]] = {
        "model": "models",
        "identities": "model settings",
        "windows": "context windows",
        "prompts": "prompts",
        "answer_schemas": "answer schemas",
        "rounds": "rounds",
        "topics": "topics or arguments",
    }

    kind: str = "debate-hold"
    model: str
    baseline: bool
    identities: tuple[dict[str, Any], ...]
    windows: tuple[int | None, ...]
    prompts: dict[str, str]
    answer_schemas: str
    rounds: int
    topics: str

    @classmethod
    def of(cls, plan: Plan, sessions: Sessions) -> HeldRecord:
        """The record of these debates."""
        prompts = (ASKING, OPENING, REPLY, CONCLUSION)
        shown = json.dumps(
            [plan.arguments, *((one.id, one.topic, dict(one.arguments)) for one in plan.topics)]
        )
        schemas = "".join(map(schema_digest, (Arguments, Statement, Challenge, Reply)))
        first, second = plan.speakers
        return cls(
            model=" against ".join(dict.fromkeys(plan.models.values())),
            baseline=first.backend.baseline and second.backend.baseline,
            identities=tuple(dict(one.identity) for one in plan.speakers),
            windows=tuple(one.context_window for one in plan.speakers),
            prompts={name: sessions.library[name].digest for name in prompts},
            answer_schemas=hashlib.sha256(schemas.encode()).hexdigest()[:16],
            rounds=plan.rounds,
            topics=hashlib.sha256(shown.encode("utf-8", "surrogatepass")).hexdigest()[:16],
        )

    def __str__(self) -> str:
        return f"debates of {self.model}"


@dataclass(frozen=True)
class HeldFolder(RunFolder[HeldRecord]):
    """The files of debates under one folder."""

    COMMAND: ClassVar[str] = "conqret debate hold"
    MAKES: ClassVar[tuple[str, ...]] = (ASKED, TURNS, DEBATES, STATEMENTS, SUMMARY, REPORT)

    @property
    def debates_file(self) -> Path:
        """The debates, one a line."""
        return self.path / DEBATES

    @property
    def statements_file(self) -> Path:
        """What was concluded."""
        return self.path / STATEMENTS

    def arguments(self) -> RowStore[FoundArguments]:
        """The arguments that were asked for; those that could not be had are asked for again."""
        return RowStore(
            self.path / ASKED, FoundArguments, lambda one: one.key, finished=lambda one: bool(one.arguments)
        )

    def turns(self) -> RowStore[Turn]:
        """The turns so far; those without a statement are asked for again."""
        return RowStore(
            self.path / TURNS, Turn, lambda one: one.key, finished=lambda one: bool(one.statement)
        )


class HeldSummary(BaseModel):
    """Debates in numbers: how many there are and how many are finished, the statements that were concluded, how many
    turns and conclusions are missing by reason, and in how many debates the record did not fit and was shortened."""

    model_config = ConfigDict(frozen=True)

    models: dict[Side, str]
    rounds: int
    topics: int
    debates: int
    finished: int
    statements: int
    missing: dict[str, int]
    trimmed: int


@dataclass(frozen=True, slots=True)
class HeldOutcome:
    """Finished: the debates, their numbers, what this session did, and which answers a replay lacked."""

    debates: tuple[Debate, ...]
    summary: HeldSummary
    session: SessionCounts
    missing: tuple[str, ...]


def hold(
    plan: Plan,
    folder: HeldFolder,
    sessions: Sessions,
    *,
    overwrite: bool = False,
    on_start: Callable[[int], None] = lambda kept: None,
    on_turn: Callable[[Turn | FoundArguments], None] = lambda turn: None,
) -> HeldOutcome:
    """Hold every debate of the plan, or what is left of it, and write the files.

    ``sessions`` is open (``with Sessions(...) as sessions``). ``on_start`` gets how many turns are kept from before:
    a turn is asked for once, wherever a run was stopped.

    Raises:
        DeclarationError: the folder holds something else or another run, another process is writing it, or the
            recordings are none. No model is asked then.
    """
    speakers = {side: sessions.of(one) for side, one in zip(SIDES, plan.speakers, strict=True)}
    for session in speakers.values():
        session.options.backend.check_can_ask("to debate")
        sessions.run(session.ready(folder))
    with folder.claimed(HeldRecord.of(plan, sessions), overwrite=overwrite):
        sessions.keep_in(folder.recordings_file)
        before = sessions.counts
        asked = plan.asked()
        with folder.arguments() as argued, folder.turns() as turns:
            kept = len(argued) + len(turns)
            on_start(kept)
            sessions.run(_argue(asked, speakers, argued, on_turn))
            found = plan.motions({one.key: one.arguments for one in argued.rows()})
            lost = {one.key: one for one in argued.rows() if not one.arguments}
            held = [one for one in found if not _lacks(one, lost)]
            sessions.run(_speak(held, speakers, turns, on_turn))
            argued.arrange(one.key for one in asked)
            turns.arrange(one.key(*place) for one in held for place in one.places())
        said = {turn.key: turn for turn in turns.rows()}
        debates = tuple(_debate(one, said, plan.models, _lacks(one, lost)) for one in found)
        return HeldOutcome(
            debates,
            _write(plan, folder, debates),
            sessions.counts.since(before, kept=kept),
            tuple(str(one) for session in set(speakers.values()) for one in session.client.missing),
        )


async def _argue(
    asked: Sequence[Arguing],
    speakers: Mapping[Side, Session],
    rows: RowStore[FoundArguments],
    on_row: Callable[[FoundArguments], None],
) -> None:
    def trial(one: Arguing) -> Trial[FoundArguments]:
        session = speakers[one.side]
        return Trial(one.key, lambda earlier: argue(one, session.library, session.client))

    async for row in perform(map(trial, asked), rows, in_flight=_in_flight(speakers)):
        on_row(row)


async def _speak(
    held: Sequence[Motion],
    speakers: Mapping[Side, Session],
    rows: RowStore[Turn],
    on_row: Callable[[Turn], None],
) -> None:
    trials = (trial for one in held for trial in _turns(one, speakers))
    async for row in perform(trials, rows, in_flight=_in_flight(speakers)):
        on_row(row)


def _turns(motion: Motion, speakers: Mapping[Side, Session]) -> Iterator[Trial[Turn]]:
    """The turns of a debate, each after all that were before it; both conclusions follow the last round."""
    spoken: list[tuple[int, Side]] = []
    for number, side in motion.places():
        keys = tuple(motion.key(*place) for place in spoken)
        yield Trial(
            motion.key(number, side),
            partial(_turn, motion, number, side, tuple(spoken), speakers[side]),
            keys,
        )
        if number:
            spoken.append((number, side))


async def _turn(
    motion: Motion,
    number: int,
    side: Side,
    spoken: Sequence[tuple[int, Side]],
    session: Session,
    earlier: Mapping[str, Turn],
) -> Turn:
    """A turn; one that comes after a failed one is not asked for, as it would have nothing to answer."""
    turns = [(*place, earlier[motion.key(*place)]) for place in spoken]
    if not all(turn.statement for _, _, turn in turns):
        return Turn(key=motion.key(number, side))
    return await speak(Speaking(motion, number, side, turns), session.library, session.client)


def _in_flight(speakers: Mapping[Side, Session]) -> int:
    return sum(session.client.in_flight for session in set(speakers.values()))


def _lacks(motion: Motion, lost: Mapping[str, FoundArguments]) -> tuple[Lack, ...]:
    """The sides whose arguments could not be had."""
    topic = motion.id.rpartition("-")[0]
    found = {side: lost.get(f"{topic} {side}") for side in SIDES}
    return tuple(
        Lack(what=f"arguments, {side}", reason=row.reason or Reason.INVALID_ANSWER, detail=row.detail)
        for side, row in found.items()
        if row is not None
    )


def _debate(
    motion: Motion, said: Mapping[str, Turn], models: Mapping[Side, str], lost: tuple[Lack, ...]
) -> Debate:
    debate = motion.debate({} if lost else said, models)
    return debate.model_copy(update={"lacks": lost}) if lost else debate


def _write(plan: Plan, folder: HeldFolder, debates: Sequence[Debate]) -> HeldSummary:
    write_lines(folder.debates_file, (one.model_dump(mode="json") for one in debates))
    statements = [row for one in debates for row in one.statements()]
    write_lines(folder.statements_file, statements)
    summary = HeldSummary(
        models=dict(plan.models),
        rounds=plan.rounds,
        topics=len(plan.topics),
        debates=len(debates),
        finished=sum(one.finished for one in debates),
        statements=len(statements),
        missing=dict(Counter(str(lack.reason) for one in debates for lack in one.lacks)),
        trimmed=sum(one.trimmed for one in debates),
    )
    with replacing(folder.summary_file) as file:
        file.write(summary.model_dump_json(indent=1).encode())
    return summary

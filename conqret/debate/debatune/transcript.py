"""A debate as it is held: one topic, an argument for each side, the turns of both, and what each concludes.

DEBATunE, section 3.1: the two sides need not agree in the end, and nobody judges them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from conqret.data import Reason, Trim
from conqret.data.item import Frozen
from conqret.debate.debatune.debate_topics import SIDES, Side
from conqret.runs.study_run import ResponseRow

NOT_REACHED = Reason.NOTHING_TO_JUDGE
"""The reason of a turn that was not asked for because one before it is missing."""


MOST_ID = 200
"""Characters of an id; of a longer one the end stays, which tells sides and debates apart."""


class Turn(ResponseRow):
    """What one side said at its turn.

    ``answers`` are those to the other side's last questions, in their order, and ``questions`` its own; a conclusion
    has neither. ``trims`` names the turns that were shown shortened. Without a ``statement`` there is the ``reason``:
    a failure is never a statement.
    """

    statement: str = ""
    answers: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    trims: tuple[Trim, ...] = ()


class TranscriptRow(Turn):
    """A row of a run of debates: a turn, or the ``arguments`` that a side was asked for before."""

    arguments: tuple[str, ...] = ()


class Round(Frozen):
    """What both sides said in one round; a turn is None where the debate did not come to it."""

    number: int
    turns: dict[Side, Turn | None]


class Lack(Frozen):
    """What a debate lacks, and why."""

    what: str
    reason: Reason
    detail: str = ""


class ModelDebate(Frozen):
    """One debate, finished or not.

    ``opens`` is the side that spoke first in each round. ``models`` has the speaker of each side. ``lacks`` says what
    is not there, and why; it is empty where the debate is finished.
    """

    id: str
    topic: str
    arguments: dict[Side, str]
    models: dict[Side, str]
    opens: Side
    rounds: tuple[Round, ...]
    conclusions: dict[Side, Turn | None]
    lacks: tuple[Lack, ...] = ()

    @property
    def finished(self) -> bool:
        """Whether all turns and both conclusions are there."""
        return not self.lacks

    @property
    def trimmed(self) -> bool:
        """Whether a turn or a conclusion was written after less than the whole record."""
        turns = (
            *(turn for debate_round in self.rounds for turn in debate_round.turns.values()),
            *self.conclusions.values(),
        )
        return any(turn is not None and turn.trims for turn in turns)

    def statements(self) -> Iterator[dict[str, str]]:
        """The concluded statements, as rows that :func:`conqret.debate.debatune.statements.read_statements` reads."""
        for side, turn in self.conclusions.items():
            if turn is not None:
                yield {
                    "id": f"{self.id}-{side}"[-MOST_ID:],
                    "topic": self.topic,
                    "side": side,
                    "statement": turn.statement,
                    "system": self.models[side],
                    "argument": self.arguments[side],
                }


@dataclass(frozen=True, slots=True)
class Motion:
    """What is debated: a topic with an argument for each side, who opens, and for how many rounds.

    ``asked`` has for each side whose argument is still to be found the trial that asks for it, of whose arguments it is
    the one at ``place``.
    """

    id: str
    topic: str
    arguments: Mapping[Side, str]
    opens: Side
    rounds: int
    place: int = 0
    asked: Mapping[Side, str] = field(default_factory=dict)

    @property
    def order(self) -> tuple[Side, Side]:
        """The sides in the order in which they speak."""
        return SIDES if self.opens == SIDES[0] else (SIDES[1], SIDES[0])

    def places(self) -> Iterator[tuple[int, Side]]:
        """All turns in their order: round (from 1) and side; the conclusions are those of round 0."""
        for number in (*range(1, self.rounds + 1), 0):
            for side in self.order:
                yield number, side

    def key(self, number: int, side: Side) -> str:
        """The name of a turn in the run."""
        return f"{self.id} {number or 'conclusion'} {side}"

    def argued(self, rows: Mapping[str, TranscriptRow]) -> Motion:
        """The motion with the arguments that were found; empty where they could not be had."""
        found_arguments = {side: rows[key].arguments for side, key in self.asked.items()}
        chosen = {
            side: arguments[self.place] if arguments else "" for side, arguments in found_arguments.items()
        }
        return replace(self, arguments={**self.arguments, **chosen})

    def debate(self, rows: Mapping[str, TranscriptRow], models: Mapping[Side, str]) -> ModelDebate:
        """The debate that these rows make, by their ids."""
        turns = {place: rows[self.key(*place)] for place in self.places()}
        statements = {place: turn if turn.answered else None for place, turn in turns.items()}
        parts = {f"arguments, {side}": rows[key] for side, key in self.asked.items()}
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
            conclusions={side: statements[0, side] for side in SIDES},
            lacks=tuple(
                Lack(what=what, reason=row.reason, detail=row.detail)
                for what, row in parts.items()
                if row.reason not in (None, NOT_REACHED)
            ),
        )


def named(number: int, side: Side) -> str:
    """A turn in words; the conclusion is that of round 0."""
    return f"round {number}, {side}" if number else f"conclusion, {side}"

"""A model writes statements: what it answers when it is told topic, side and argument, or anything else.

The instruction is sent as it stands, and the answer is taken as it stands: what is measured is the model, before and
after it was tuned (DEBATunE, sections 4 and 5). Beside ``run.json`` and ``recordings.sqlite`` the folder holds
``rows.jsonl`` (each text, or the reason why there is none) and ``statements.jsonl``, which ``conqret debate score``
reads.

The offline debater writes, too: it puts sentences together from the argument, the topic, and what the other side said.
It understands nothing and is a floor: what it writes keeps to its side in so many words, answers each question with its
own argument, and takes up the sentence of the other side that says most that is new to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from conqret.data.item import Frozen
from conqret.debate.debatune.debate_files import SIDES, Instruction, Side, read_instructions
from conqret.errors import DeclarationError, strict_options
from conqret.io.jsonl import json_lines
from conqret.io.safe_files import Content, InFolder
from conqret.judging.cost import ExpectedCost, counter, expected
from conqret.judging.judge_settings import AskedSettings, as_path, run_asked
from conqret.llm.request import Plain, Request
from conqret.llm.token_sampling import GREEDY, Sampling
from conqret.local.text_writing import ROOM
from conqret.options import table_of
from conqret.runs.run_folder import default_folder, stem
from conqret.runs.session import Session
from conqret.runs.study_run import AskedFolder, AskedRecord, ResponseRow, StudyOutcome, StudyPlan, lost
from conqret.runs.trials import Trial
from conqret.text.analysis import Text, weight
from conqret.text.sentences import sentences

ASK = "statement"

ANSWER_TOKENS = 374
"""A statement in tokens: the mean of the 1,440 published ones of three models."""

_SIDES: Mapping[str, Side] = {"pro": SIDES[0], "con": SIDES[1]}


class StatementRow(ResponseRow):
    """What was written; ``cut`` where the room for it was too small."""

    text: str = ""
    cut: bool = False


if TYPE_CHECKING:

    class _SampledRecord(AskedRecord): ...

else:  # with the options that are declared there
    _SampledRecord = table_of(Sampling, AskedRecord)


class StatedRecord(_SampledRecord):
    """What ``run.json`` says of written statements."""

    SAME: ClassVar[Mapping[str, str]] = {
        **AskedRecord.SAME, "asked": "requests", "temperature": "temperature",
    }  # fmt: skip

    kind: str = "debate-write"


@dataclass(frozen=True)
class StatedFolder(AskedFolder[StatedRecord, StatementRow]):
    """The files of written statements under one folder."""

    COMMAND: ClassVar[str] = "conqret debate write"

    statements_file = InFolder("statements.jsonl")
    """The statements, ready to be judged."""


class StatedSummary(Frozen):
    """A run in numbers: how many statements there are, how many of them were cut, and how many there are not (by
    reason)."""

    written: int
    cut: int
    unwritten: dict[str, int]


@dataclass(frozen=True)
class StatementsPlan(StudyPlan[StatementRow, StatedSummary]):
    """Every instruction gets a statement; ``system`` names who wrote them (the model).

    Raises:
        DeclarationError: the offline writer is told anything but to argue for a side.
    """

    models: Session
    folder: StatedFolder
    rows: Sequence[Instruction]
    system: str | None = None
    sampling: Sampling = GREEDY

    def check(self) -> None:
        """Raise DeclarationError where this cannot be asked."""
        backend = self.models.options.backend
        backend.check_can_ask("an instruction", written=True, plain=True)
        if backend.baseline and (odd := next((row for row in self.rows if row.stance == "none"), None)):
            raise DeclarationError(
                f"{odd.place} names no side of a topic, and the offline model can only argue for a side: "
                "name a model"
            )

    def record(self) -> StatedRecord:
        """What ``run.json`` says."""
        shown = [
            [row.id, *([message.role, message.content] for message in row.messages)] for row in self.rows
        ]
        return StatedRecord.of(self.models, {}, shown, temperature=self.sampling.sampling_temperature)

    def trials(self) -> Iterator[Trial[StatementRow]]:
        """A trial for each."""
        return (Trial(row.id, partial(_stated, row, self.models, self.sampling)) for row in self.rows)

    def conclude(self, rows: tuple[StatementRow, ...]) -> tuple[StatedSummary, Mapping[Path, Content]]:
        """The run in numbers, and its files."""
        name = self.models.options.model if self.system is None else self.system
        pairs = [pair for pair in zip(self.rows, rows, strict=True) if pair[1].answered]
        cut = sum(statement.cut for _, statement in pairs)
        summary = StatedSummary(written=len(pairs), cut=cut, unwritten=lost(rows))
        return summary, {
            self.folder.statements_file: json_lines(_record(*pair, name) for pair in pairs),
            self.folder.summary_file: summary.model_dump_json(),
        }


def statements_plan(
    rows: str | Path,
    models: Session,
    *,
    system: str | None = None,
    sampling: Sampling = GREEDY,
    output: str | Path | None = None,
) -> StatementsPlan:
    """Statements that are ready to be written, or to be estimated; takes what :func:`write_statements` takes."""
    source = Path(rows)
    folder = as_path(output) or default_folder(stem(source), "debate-write", models.options.model)
    asked = read_instructions(source, answered=False)
    return StatementsPlan(models, StatedFolder(folder), asked, system, sampling)


@strict_options
def write_statements(
    rows: str | Path,
    *,
    system: str | None = None,
    sampling: Sampling = GREEDY,
    output: str | Path | None = None,
    **settings: Unpack[AskedSettings],
) -> StudyOutcome[StatementRow, StatedSummary]:
    """Have a model write statements, or answer any instructions, to be judged.

    Args:
        rows: rows of topic, side and argument, of an instruction, or chats; responses are ignored.
        system: the name of the writer in the rows, by default the model's name.
        sampling: how the model draws what it writes.
        output: the run's folder, by default ``runs/ROWS-debate-write-MODEL``; the same call goes on there.
        settings: who writes, and how: :class:`conqret.judging.judge_settings.AskedSettings`.

    Raises:
        DeclarationError: anything wrong with the call, the rows or the folder. No model is asked then.
    """
    return run_asked(
        settings,
        lambda session: statements_plan(rows, session, system=system, sampling=sampling, output=output),
    )


def estimate(rows: Sequence[Instruction], session: Session) -> ExpectedCost:
    """The calls, tokens and dollars of all of them; nothing that is recorded already is taken off."""
    client = counter(session.options)
    prompt_tokens = sum(client.count_tokens(message.content) for row in rows for message in row.messages)
    return expected("write statements", session.options, len(rows), prompt_tokens, ANSWER_TOKENS * len(rows))


async def _stated(
    row: Instruction, session: Session, sampling: Sampling, earlier: Mapping[str, StatementRow]
) -> StatementRow:
    answer = await session.client.ask(
        Request(
            ask=ASK,
            item=row.id,
            messages=row.messages,
            response=Plain,
            temperature=sampling.sampling_temperature,
            max_tokens=session.options.max_tokens or ROOM,
            baseline=lambda: offline_statement(row.topic, _SIDES[row.stance], row.argument, ()),
        )
    )
    return StatementRow.of(row.id, answer)


def _record(row: Instruction, statement: StatementRow, system: str) -> dict[str, Any]:
    return {
        "id": row.id,
        "topic": row.topic or row.text,
        "side": _SIDES.get(row.stance, "none"),
        **({"argument": row.argument} if row.argument else {}),
        "instruction": row.text,
        "statement": statement.text,
        "system": system,
        **({"cut": True} if statement.cut else {}),
    }


_TAKES = {
    "affirmative": 'In favour of "{topic}": the answer is yes.',
    "negative": 'Against "{topic}": the answer is no.',
}
_ARGUES = {
    "affirmative": "On grounds of {ground} there is more to gain from it than to lose: {topic}",
    "negative": "On grounds of {ground} there is more to lose from it than to gain: {topic}",
}
_GROUNDS = (
    "fairness", "safety", "cost", "freedom", "health", "trust", "those who come after us", "what works elsewhere",
)  # fmt: skip
"""What nearly every topic can be argued from; the offline debater names one an argument."""
_STILL = "Still: "
"""Stands between what the other side says and what the own side sets against it."""


def offline_arguments(topic: str, side: Side, count: int) -> list[str]:
    """So many arguments for a side, each from another ground, in one sentence."""
    again = [f" ({n // len(_GROUNDS) + 1})" if n >= len(_GROUNDS) else "" for n in range(count)]
    grounds = [_GROUNDS[n % len(_GROUNDS)] + again[n] for n in range(count)]
    return [_ARGUES[side].format(ground=ground, topic=_stop(topic)) for ground in grounds]


def offline_statement(topic: str, side: Side, argument: str, other: Sequence[str]) -> str:
    """The side, the argument, and what is set against the main point of each text of the ``other`` side."""
    point = _stop(argument or topic)
    met = (f'It is said that "{main_point(text, topic, argument)}" {_STILL}{point}' for text in other)
    return "\n\n".join(dict.fromkeys((_TAKES[side].format(topic=topic), point, *met)))


def offline_answer(number: int, topic: str, argument: str) -> str:
    """To a question, by its number, the argument once more."""
    return f"To question {number}: {_stop(argument or topic)}"


def offline_question(reply_text: str, topic: str, argument: str) -> str:
    """A question on the main point of what the other side says."""
    return f'Why should "{main_point(reply_text, topic, argument)}" weigh more than this: {_stop(argument or topic)}'


def main_point(reply_text: str, topic: str, argument: str) -> str:
    """The sentence with the most weight of stems that neither topic nor argument has; of equals the first.

    What only quotes the other side, or the topic, is passed over as long as there is anything else.
    """
    known = Text(f"{topic}\n{argument}").terms
    candidates = [sentence.text.removeprefix(_STILL) for sentence in sentences(reply_text)]

    def new(sentence: str) -> tuple[bool, float]:
        return '"' not in sentence, sum(weight(term) for term in sorted(Text(sentence).terms - known))

    return max(candidates, key=new, default=reply_text.strip())


def _stop(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."

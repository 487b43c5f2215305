"""A model writes statements: what it answers to a topic, a side and an argument, or to anything else.

The instruction is sent as it stands, and the answer is taken as it stands: what is measured is the model, before and
after it was tuned (DEBATunE, sections 4 and 5). Besides ``run.json`` and ``recordings.sqlite`` the folder holds
``rows.jsonl`` (each text, or the reason why there is none) and ``statements.jsonl``, which ``conqret debate score``
reads.

The offline debater writes, too: it puts sentences together from the argument, the topic, and what the other side said.
It understands nothing and is a baseline: what it writes keeps to its side in so many words, answers each question
with its own argument, and takes up the sentence of the other side that says most that is new to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Unpack

from conqret.data.item import Frozen
from conqret.debate.debatune.debate_files import SIDE_OF, SIDES, Instruction, Side, read_instructions
from conqret.errors import DeclarationError, strict_options
from conqret.io.jsonl import json_lines
from conqret.io.safe_files import Content, InFolder
from conqret.llm.client_options import client_options
from conqret.llm.request import GREEDY, Plain, Request, Sampling
from conqret.local.text_writing import ROOM
from conqret.runs.dry_run import RunPrompt
from conqret.runs.request_run import RequestRunSettings, Run
from conqret.runs.run_folder import as_path, default_folder, stem
from conqret.runs.study_run import RequestFolder, RequestRecord, ResponseRow, StudyOutcome, lost
from conqret.text.analysis import Text, weight
from conqret.text.sentences import sentences

PROMPT = "statement"

ANSWER_TOKENS = 374
"""A statement in tokens: the mean of the 1,440 published ones of three models."""

PROMPTS = {PROMPT: RunPrompt(Plain, "write statements", ANSWER_TOKENS, file=False)}


class StatementRow(ResponseRow):
    """A written statement; ``cut`` is True if it was cut off at the token limit."""

    text: str = ""
    cut: bool = False


@dataclass(frozen=True)
class StatementsFolder(
    RequestFolder[RequestRecord, StatementRow], kind="debate-write", same={"temperature": "temperature"}
):
    """The files of a run of written statements in one folder."""

    COMMAND: ClassVar[str] = "conqret debate write"

    statements_file = InFolder("statements.jsonl")
    """The statements, ready to be judged."""


class StatementsSummary(Frozen):
    """The numbers of a run: statements written, those cut off at the token limit, and missing ones by
    reason."""

    written: int
    cut: int
    unwritten: dict[str, int]


@strict_options
def write_statements(
    rows: str | Path,
    *,
    system: str | None = None,
    sampling: Sampling = GREEDY,
    output: str | Path | None = None,
    **settings: Unpack[RequestRunSettings],
) -> StudyOutcome[StatementRow, StatementsSummary]:
    """Have a model write statements, or respond to any instructions, so that they can be judged.

    Args:
        rows: rows of topic, side and argument, of an instruction, or of chats; responses in them are
            ignored.
        system: the name of the writer in the rows, by default the model's name.
        sampling: how the model samples its text.
        output: the run's folder, by default ``runs/ROWS-debate-write-MODEL``; the same call continues a
            stopped run.
        settings: the model and how it is called:
            :class:`conqret.runs.request_run.RequestRunSettings`.

    Returns:
        The statements, and a summary of the run.

    Raises:
        DeclarationError: the call, the rows or the folder are wrong, or the offline model gets an
            instruction that names no side. No request is sent then.
    """
    writer = client_options(settings.get("model"), settings)
    writer.backend.check_can_request("an instruction", written=True, plain=True)
    source = Path(rows)
    folder = StatementsFolder(as_path(output) or default_folder(stem(source), "debate-write", writer.model))
    instructions = read_instructions(source, answered=False)
    odd = next((row for row in instructions if row.stance == "none"), None)
    if writer.backend.baseline and odd is not None:
        raise DeclarationError(
            f"{odd.place} names no side of a topic, and the offline model can only argue for a side: name a model"
        )
    shown = [[row.id, *([message.role, message.content] for message in row.messages)] for row in instructions]

    def concluded(rows: tuple[StatementRow, ...]) -> tuple[StatementsSummary, Mapping[Path, Content]]:
        pairs = [pair for pair in zip(instructions, rows, strict=True) if pair[1].answered]
        cut = sum(statement.cut for _, statement in pairs)
        name = writer.model if system is None else system
        lines = json_lines(_record(*pair, name) for pair in pairs)
        summary = StatementsSummary(written=len(pairs), cut=cut, unwritten=lost(rows))
        return summary, {folder.statements_file: lines}

    with Run(
        folder,
        [writer],
        PROMPTS,
        settings,
        contents=shown,
        total=len(instructions),
        purpose="",
        about=f"{len(instructions)} statements by",
        record={"temperature": sampling.sampling_temperature},
    ) as run:
        room = run.session().options.max_tokens or ROOM
        run.request_all(
            Request(
                ask=PROMPT,
                item=row.id,
                messages=row.messages,
                response=Plain,
                temperature=sampling.sampling_temperature,
                max_tokens=room,
                baseline=partial(
                    offline_statement, row.topic, SIDE_OF.get(row.stance, SIDES[0]), row.argument, ()
                ),
            )
            for row in instructions
        )
        return run.finish(concluded)


def _record(row: Instruction, statement: StatementRow, system: str) -> dict[str, Any]:
    return {
        "id": row.id,
        "topic": row.topic or row.text,
        "side": SIDE_OF.get(row.stance, "none"),
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
    "fairness",
    "safety",
    "cost",
    "freedom",
    "health",
    "trust",
    "those who come after us",
    "what works elsewhere",
)
"""What nearly every topic can be argued from; the offline debater names one an argument."""
_STILL = "Still: "
"""Stands between what the other side says and what the own side sets against it."""


def offline_arguments(topic: str, side: Side, count: int) -> list[str]:
    """Return ``count`` template arguments for a side of a topic, each of one sentence and on another
    ground."""
    again = [f" ({n // len(_GROUNDS) + 1})" if n >= len(_GROUNDS) else "" for n in range(count)]
    grounds = [_GROUNDS[n % len(_GROUNDS)] + again[n] for n in range(count)]
    return [_ARGUES[side].format(ground=ground, topic=_stop(topic)) for ground in grounds]


def offline_statement(topic: str, side: Side, argument: str, other: Sequence[str]) -> str:
    """Return the offline statement: side, argument, and a reply to the main point of each text of the
    ``other`` side."""
    point = _stop(argument or topic)
    met = (f'It is said that "{main_point(text, topic, argument)}" {_STILL}{point}' for text in other)
    return "\n\n".join(dict.fromkeys((_TAKES[side].format(topic=topic), point, *met)))


def offline_answer(number: int, topic: str, argument: str) -> str:
    """Return the offline answer to a numbered question: the argument again."""
    return f"To question {number}: {_stop(argument or topic)}"


def offline_question(reply_text: str, topic: str, argument: str) -> str:
    """Return the offline question about the main point of the other side's text."""
    return f'Why should "{main_point(reply_text, topic, argument)}" weigh more than this: {_stop(argument or topic)}'


def main_point(reply_text: str, topic: str, argument: str) -> str:
    """Return the sentence with the most weight of stems that neither topic nor argument has; of equal ones,
    the first.

    Sentences with quotations are chosen only if there are no others. A text without a sentence is returned
    whole.
    """
    known = Text(f"{topic}\n{argument}").terms
    candidates = [sentence.text.removeprefix(_STILL) for sentence in sentences(reply_text)]

    def new(sentence: str) -> tuple[bool, float]:
        return '"' not in sentence, sum(weight(term) for term in sorted(Text(sentence).terms - known))

    return max(candidates, key=new, default=reply_text.strip())


def _stop(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."

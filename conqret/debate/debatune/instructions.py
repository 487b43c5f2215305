"""``read_instructions``: what a model is told to write, with the response that it is to learn where there is one.

A row is a chat (``messages``, as trl and datasets read them), an ``instruction`` with perhaps an ``input`` and an
``output``, or only ``topic``, ``side`` and ``argument``, of which the instruction is made here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conqret.data.item import Stance
from conqret.debate.debatune.statements import instruction
from conqret.io.checks import each, identifier, one_of, text
from conqret.io.files import file_rows
from conqret.io.items import STANCES
from conqret.io.schema import Field, Schema, TableReader
from conqret.llm.request import Message

ASSISTANT, USER = "assistant", "user"


@dataclass(frozen=True, slots=True)
class Instruction:
    """What a model is told, and what it is to respond (empty where nothing says so).

    ``place`` is the row's file and line, for messages. ``topic`` and ``argument`` are empty, and ``stance`` is none,
    where the row does not name them.
    """

    id: str
    place: str
    messages: tuple[Message, ...]
    response: str = ""
    topic: str = ""
    stance: Stance = "none"
    argument: str = ""

    @property
    def text(self) -> str:
        """What is asked, in the last message."""
        return self.messages[-1].content


def read_instructions(path: Path, *, answered: bool = True) -> tuple[Instruction, ...]:
    """Read instructions, all of them checked; where they are to be ``answered``, each needs its response.

    Raises:
        ItemsError: rows have faults: nothing is asked, no response, an empty one, a role that is none; all are listed.
        DeclarationError: there is no row.
    """
    reader = TableReader(file_rows(path), INSTRUCTION)
    instructions = []
    for values in reader.named("Give each row an id of its own", "row-"):
        messages, response = _told(values)
        faults = [*_unasked(values, messages), *(_unanswered(values, response) if answered else ())]
        for fault in faults:
            reader.fault(*fault)
        instructions.append(
            Instruction(
                values["id"], f"{path}:{reader.line}", messages, response or "", values["topic"].strip(),
                values["side"], values["argument"].strip(),
            )
        )  # fmt: skip
    reader.finish(wanted="rows")
    return tuple(instructions)


def _told(values: Mapping[str, Any]) -> tuple[tuple[Message, ...], str | None]:
    """The messages up to the response, and the response; None where there is none."""
    chat: tuple[Message, ...] = values["messages"]
    if chat:
        answered = chat[-1].role == ASSISTANT
        return (chat[:-1], chat[-1].content) if answered else (chat, None)
    parts = [part for part in (values["instruction"], values["input"]) if part.strip()]
    if not parts and values["topic"].strip() and values["side"] != "none":
        parts = [instruction(values["topic"].strip(), values["side"], values["argument"].strip())]
    return tuple(Message(USER, "\n\n".join(parts)) for _ in parts[:1]), values["output"]


def _unasked(values: Mapping[str, Any], messages: tuple[Message, ...]) -> Iterator[tuple[str, str, str]]:
    if messages and messages[-1].role == USER and messages[-1].content.strip():
        return
    if values["messages"]:
        problem = "have no message of the user before the response"
        yield (
            "messages",
            problem,
            'Write [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}]',
        )
    else:
        remedy = "Add an instruction, messages, or a topic with a side (affirmative or negative)"
        yield "instruction", "is missing", remedy


def _unanswered(values: Mapping[str, Any], response: str | None) -> Iterator[tuple[str, str, str]]:
    count = len(values["messages"])
    if response is None:
        where, problem = ("messages", "end without a response") if count else ("output", "is missing")
        yield (
            where,
            problem,
            'Add {"role": "assistant", "content": "…"}, or an output next to the instruction',
        )
    elif not response.strip():
        where = f"messages[{count}].content" if count else "output"
        yield where, "is empty", "Write what is to be learnt, or remove the row"


_ROLES = {name: name for name in ("system", USER, ASSISTANT)}
_MESSAGE = Schema(
    "a message",
    {
        "role": Field(("role",), one_of(_ROLES, "role"), needed="Write system, user or assistant"),
        "content": Field(("content",), text, needed="Write the text of the message"),
    },
)
INSTRUCTION = Schema(
    "an instruction",
    {
        "id": Field(("id",), identifier),
        "messages": Field(("messages",), each(_MESSAGE, Message), ()),
        "instruction": Field(("instruction",), text, ""),
        "input": Field(("input",), text, ""),
        "output": Field(("output", "response"), text),
        "topic": Field(("topic",), text, ""),
        "side": Field(("side", "stance"), one_of(STANCES, "side"), "none"),
        "argument": Field(("argument",), text, ""),
    },
)

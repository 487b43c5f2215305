"""What debates are on and what came of them: topics, statements and instructions, as rows of files.

``read_debate_topics``: one row a topic, with ``topic``, perhaps ``id``, and ``affirmative`` and ``negative``, each one
text or a list of texts. A side that is left out gets its arguments later. The published file of DEBATunE, which has
them under ``Affirmative.arguments``, reads as it is.

``read_statements``: texts that were to take a side of a topic, of one system or of several, as items. A row has columns
``topic``, ``side`` (affirmative or negative, pro or con) and ``statement`` (or ``response``), perhaps ``id``, and
``system`` (or ``model``) where a file holds several. The published files of DEBATunE are such tables; the columns of
conqret's own items are read as well.

``read_instructions``: what a model is told to write, with the response that it is to learn where there is one. A row is
a chat (``messages``, as trl and datasets read them), an ``instruction`` with perhaps an ``input`` and an ``output``, or
only ``topic``, ``side`` and ``argument``, of which the instruction is made here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from conqret.data import Item
from conqret.data.item import Stance
from conqret.errors import DeclarationError
from conqret.io import CheckedItems, ItemSource, open_items
from conqret.io.checks import a_list, each, identifier, one_of, text
from conqret.io.files import file_rows
from conqret.io.items import STANCES
from conqret.io.rows import InvalidCell, Rows, columns_of, quoted
from conqret.io.schema import Field, TableReader, table_schema
from conqret.judging.judge_folder import JudgeFolder
from conqret.llm.request import Message
from conqret.runs.run_folder import stem

Side = Literal["affirmative", "negative"]
SIDES: tuple[Side, Side] = get_args(Side)
SIDE_OF: Mapping[Stance, Side] = {"pro": SIDES[0], "con": SIDES[1]}


@dataclass(frozen=True, slots=True)
class DebateTopic:
    """A topic with its id and each side's arguments in order (empty where a model is to write them)."""

    id: str
    topic: str
    arguments: Mapping[Side, tuple[str, ...]]


def read_debate_topics(path: Path) -> tuple[DebateTopic, ...]:
    """Read the topics of debates from a file; a topic without an id gets the number of its row.

    Raises:
        ItemsError: rows have faults: no topic or a repeated one, an unknown side, a blank argument, or
            unequal numbers of arguments; all are listed.
        DeclarationError: there is no topic.
    """
    reader = TableReader(file_rows(path), TOPIC)
    topics = []
    for row in reader.rows():
        for name, value in row.record.items():  # what is called like neither side would go unseen
            if isinstance(value, list | Mapping) and name not in SIDED:
                remedy = f"Call it {SIDES[0]} or {SIDES[1]}, or remove it"
                reader.fault(str(name), f"holds arguments, and {quoted(name)} is no side of a debate", remedy)
        values = reader.read(row.record, TOPIC)
        if values is None:
            continue
        reader.once("topic", values["topic"], "Keep one of them, with all arguments in its lists")
        arguments = {side: values[side] for side in SIDES}
        first, other = (len(arguments[side]) for side in SIDES)
        if first and other and first != other:
            problem = f"has another number of arguments ({other}) than {SIDES[0]} ({first})"
            remedy = (
                "Give both sides the same number, or leave one side out: the model then writes its arguments"
            )
            reader.fault(reader.column(SIDES[1]), problem, remedy)
        name = values["id"] or str(reader.number)
        topics.append(DebateTopic(name, values["topic"], arguments))
        reader.once("id", name, "Give each topic an id of its own")
    reader.finish(wanted="topics")
    return tuple(topics)


def _sentence(value: object, where: str, reader: TableReader) -> str:
    text_value = " ".join(text(value, where, reader).split())
    if not text_value:
        raise InvalidCell("is blank", "Write it, or remove it")
    return text_value


def _arguments(value: object, where: str, reader: TableReader) -> tuple[str, ...]:
    """A list, also one that is written into a cell; one text is a list of one."""
    one_alone = isinstance(value, str) and not value.lstrip().startswith("[")
    listed = a_list([value] if one_alone else value, "a list of arguments", 'Write ["…", "…"]')
    return tuple(
        reader.checked(_sentence, argument, f"{where}[{n}]") for n, argument in enumerate(listed, start=1)
    )


TOPIC = table_schema(
    id=Field(("id",), identifier, ""),
    topic=Field(("topic", "question"), _sentence, needed="Write the topic of the debate"),
    affirmative=Field(
        ("affirmative", "Affirmative.arguments", "Affirmative", "positive", "pro"), _arguments, ()
    ),
    negative=Field(("negative", "Negative.arguments", "Negative", "con"), _arguments, ()),
)
SIDED = {column.split(".")[0] for side in SIDES for column in TOPIC.fields[side].columns}
COLLECTED = "collected"
"""Under this key of a topic stands how it was collected, where its claim is worded otherwise."""
_TOPIC_COLUMNS = {*TOPIC.fields["id"].columns, *TOPIC.fields["topic"].columns, COLLECTED, *SIDED}


SYSTEM = "system"
"""Under this key of an item's metadata stands the system that wrote its statement."""


_NEEDS = {
    "argument": "it is the statement that is looked at",
    "stance": "the side that the statement was to take is needed: affirmative or negative, pro or con",
}


def _are_topics(rows: Rows) -> bool:
    columns = {column.split(".")[0] for column in columns_of(rows)}
    return "topic" in columns and columns <= _TOPIC_COLUMNS


def statements_file(place: Path) -> Path:
    """Return the file of statements: that in the folder of a run that writes them, or the file itself."""
    return file if (file := place / "statements.jsonl").is_file() else place


def read_statements(
    files: Sequence[Path], *, on_check: Callable[[CheckedItems], object] = lambda checked: None, **how: Any
) -> tuple[Item, ...]:
    """Read the statements of all files, in order; a system that the rows do not name gets its file's name.

    With several files, each id starts with the name of its file.

    Args:
        files: the files of statements, or the folders of runs that write them.
        on_check: called with the result of checking each file.
        how: further arguments of :func:`statements_in`.

    Raises:
        ItemsError: rows have faults (a missing side, an empty statement); all of a file are listed.
        DeclarationError: a file holds topics, or two files have the same name, and their rows do not name the system.
    """
    statements: list[Item] = []
    names: dict[str, Path] = {}
    for file in map(statements_file, files):
        name = stem(file)
        twin = names.setdefault(name, file)
        if file.is_file() and _are_topics(file_rows(file)):
            raise DeclarationError(
                f"{file} holds topics and no statements: `conqret debate write {file}` has a model write them"
            )
        prefix = name if twin is file else f"{file.absolute().parent.name}-{name}"
        source = statements_in(file, **how)
        on_check(source.check())
        for item in source:
            system = item.metadata.get(SYSTEM) or item.metadata.get("model")
            if not system and twin is not file:
                raise DeclarationError(
                    f"{twin} and {file} are both named {name}, and a system without a name in its "
                    "rows gets the name of the file: rename one"
                )
            changed = {
                "id": item.id if len(files) == 1 else f"{prefix}-{item.id}"[:200],
                "metadata": {**item.metadata, SYSTEM: str(system or name)},
            }
            statements.append(item.model_copy(update=changed))
    return tuple(statements)


def statements_in(
    file: Path,
    *,
    blank: bool = False,
    sided: bool = True,
    skip_invalid: bool | None = None,
    language: str | None = None,
) -> ItemSource:
    """Open one file of statements; its rows are read later.

    Args:
        file: the file.
        blank: whether a statement may be missing.
        sided: whether each row needs a side; rows without one are responses to other instructions.
        skip_invalid: whether rows with faults are skipped.
        language: the language of all rows.
    """
    wanted = {"argument": not blank, "stance": sided}
    needs = {name: why for name, why in _NEEDS.items() if wanted[name]}
    return replace(open_items(file, skip_invalid=skip_invalid, language=language), needs=needs)


def judged_run(folder: Path, format: str, command: str) -> JudgeFolder:  # noqa: A002 - the word that users know
    """Return the folder of a finished run of a judging format; ``command`` is the command that makes such
    runs.

    Raises:
        DeclarationError: there is no finished run, or it is one of another format.
    """
    run = JudgeFolder(folder)
    record = run.record()
    run.summary()
    if record.format != format:
        raise DeclarationError(f"{folder} is a run of the format {record.format}: give a run of `{command}`")
    return run


def system_of(item: Item) -> str:
    """Return the system that wrote a statement; empty where it is unknown."""
    return str(item.metadata.get(SYSTEM, ""))


def instruction_from_item(item: Item) -> str:
    """Return the instruction of a statement: that of its row, or one made from topic, side and argument."""
    text, argument = (str(item.metadata.get(name, "")) for name in ("instruction", "argument"))
    return text.strip() or instruction(item.topic, item.stance, argument)


def instruction(topic: str, stance: str, argument: str = "") -> str:
    """Return the instruction to write a statement for a topic, a side (``pro`` or ``con``) and optionally an
    argument.

    Without a side (``none``), it is the topic itself.
    """
    if stance == "none":
        return topic
    side = {"pro": "Argue for the affirmative side", "con": "Argue for the negative side"}[stance]
    point = f', with this argument: "{argument}"' if argument else ""
    return f'{side} of the topic "{topic}"{point}.'


ASSISTANT, USER = "assistant", "user"


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction as chat messages, with the expected response (empty where there is none).

    ``place`` is the row's file and line, for error messages. ``topic`` and ``argument`` are empty, and
    ``stance`` is none, where the row does not have them.
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
        """Return the text of the instruction: the last message."""
        return self.messages[-1].content


def read_instructions(path: Path, *, answered: bool = True) -> tuple[Instruction, ...]:
    """Read and check the instructions of a file; with ``answered``, each needs its response.

    Of topics (:func:`read_debate_topics`), each argument of each side is an instruction, or each side where there are
    no arguments.

    Raises:
        ItemsError: rows have faults: no instruction, no response, an empty one, an unknown role; all are
            listed.
        DeclarationError: there is no row.
    """
    rows = file_rows(path)
    if not answered and _are_topics(rows):
        return tuple(_instructions_on(read_debate_topics(path), str(path)))
    reader = TableReader(rows, INSTRUCTION)
    instructions = []
    for values in reader.read_as(dict, "Give each row an id of its own", "row-"):
        messages, response = _chat(values)
        chat = "messages" if values["messages"] else ""
        if not messages or messages[-1].role != USER or not messages[-1].content.strip():
            remedy = "Add one, messages of which the last before the response is the user's, or a topic with a side"
            reader.fault(chat or "instruction", "lacks an instruction", remedy)
        if answered and not (response or "").strip():
            remedy = 'Add {"role": "assistant", "content": "…"}, or an output next to the instruction'
            reader.fault(chat or "output", "lacks a response", remedy)
        instructions.append(
            Instruction(
                values["id"],
                f"{path}:{reader.line}",
                messages,
                response or "",
                values["topic"].strip(),
                values["side"],
                values["argument"].strip(),
            )
        )
    reader.finish(wanted="rows")
    return tuple(instructions)


def _instructions_on(topics: Sequence[DebateTopic], path: str) -> Iterator[Instruction]:
    for topic in topics:
        for stance, side in SIDE_OF.items():
            for number, argument in enumerate(topic.arguments[side] or ("",), start=1):
                message = Message(USER, instruction(topic.topic, stance, argument))
                name = f"{topic.id}-{side}-{number}"
                yield Instruction(name, path, (message,), "", topic.topic, stance, argument)


def _chat(values: Mapping[str, Any]) -> tuple[tuple[Message, ...], str | None]:
    """Return the messages before the response, and the response (None if there is none). Without messages they are made
    of the instruction and the input, else of a topic with a side."""
    chat: tuple[Message, ...] = values["messages"]
    if chat:
        answered = chat[-1].role == ASSISTANT
        return (chat[:-1], chat[-1].content) if answered else (chat, None)
    parts = [part for part in (values["instruction"], values["input"]) if part.strip()]
    if not parts and values["topic"].strip() and values["side"] != "none":
        parts = [instruction(values["topic"].strip(), values["side"], values["argument"].strip())]
    return tuple(Message(USER, "\n\n".join(parts)) for _ in parts[:1]), values["output"]


_MESSAGE = table_schema(
    role=Field(
        ("role",), one_of(("system", USER, ASSISTANT), "role"), needed="Write system, user or assistant"
    ),
    content=Field(("content",), text, needed="Write the text of the message"),
)


INSTRUCTION = table_schema(
    id=Field(("id",), identifier),
    messages=Field(("messages",), each(Message, _MESSAGE), ()),
    instruction=Field(("instruction",), text, ""),
    input=Field(("input",), text, ""),
    output=Field(("output", "response"), text),
    topic=Field(("topic",), text, ""),
    side=Field(("side", "stance"), one_of(STANCES, "side"), "none"),
    argument=Field(("argument",), text, ""),
)

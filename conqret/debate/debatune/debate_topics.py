"""``read_debate_topics``: topics with two sides, and the arguments of each side where they are given.

One row a topic: ``topic``, perhaps ``id``, and ``affirmative`` and ``negative``, each one text or a list of texts. A
side that is left out gets its arguments later. The published file of DEBATunE, which has them under
``Affirmative.arguments``, reads as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from conqret.io.checks import a_list, identifier, text
from conqret.io.faults import Unfit, quoted
from conqret.io.files import file_rows
from conqret.io.rows import Row
from conqret.io.schema import Field, Schema, TableReader

Side = Literal["affirmative", "negative"]
SIDES: tuple[Side, Side] = get_args(Side)


@dataclass(frozen=True, slots=True)
class DebateTopic:
    """A topic under its id, and the arguments of each side in their order; none where they are to be asked for."""

    id: str
    topic: str
    arguments: Mapping[Side, tuple[str, ...]]


def read_debate_topics(path: Path) -> tuple[DebateTopic, ...]:
    """Read the topics of a file; one without an id has the number of its row.

    Raises:
        ItemsError: rows have faults: no topic, one that stands twice, a side that is none, a blank argument, or more
            arguments for one side than for the other; all are listed.
        DeclarationError: there is no topic.
    """
    reader = TableReader(file_rows(path), TOPIC)
    topics = []
    for row in reader.rows():
        _check_sides(row, reader)
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
        raise Unfit("is blank", "Write it, or remove it")
    return text_value


def _arguments(value: object, where: str, reader: TableReader) -> tuple[str, ...]:
    """A list, also one that is written into a cell; one text is a list of one."""
    one_alone = isinstance(value, str) and not value.lstrip().startswith("[")
    listed = a_list([value] if one_alone else value, "a list of arguments", 'Write ["…", "…"]')
    return tuple(
        reader.checked(_sentence, argument, f"{where}[{n}]") for n, argument in enumerate(listed, start=1)
    )


TOPIC = Schema(
    "a topic",
    {
        "id": Field(("id",), identifier, ""),
        "topic": Field(("topic", "question"), _sentence, needed="Write the topic of the debate"),
        "affirmative": Field(
            ("affirmative", "Affirmative.arguments", "Affirmative", "positive", "pro"), _arguments, ()
        ),
        "negative": Field(("negative", "Negative.arguments", "Negative", "con"), _arguments, ()),
    },
)
_SIDED = {column.split(".")[0] for side in SIDES for column in TOPIC.fields[side].columns}


def _check_sides(row: Row, reader: TableReader) -> None:
    """A column that holds arguments, and is called like neither side, would go unseen."""
    for name, value in row.record.items():
        if isinstance(value, list | Mapping) and name not in _SIDED:
            remedy = f"Call it {SIDES[0]} or {SIDES[1]}, or remove it"
            reader.fault(str(name), f"holds arguments, and {quoted(name)} is no side of a debate", remedy)

"""Parse nuggets in tables: a text, and optionally its importance and its assignment. Those of whole topics are in
:mod:`conqret.io.nugget_banks`.
"""

from __future__ import annotations

from collections.abc import Mapping

from conqret.data.item import Nugget
from conqret.io.checks import a_list, one_line, one_of, text
from conqret.io.rows import kind
from conqret.io.schema import Field, TableReader, table_schema

NUGGETS = 'Write a list of {"text": …, "importance": "vital" or "okay"}'
_FAILED = "failed"
"""The assignment of AutoNuggetizer where its model gave none: it is no assignment."""
_assignment = one_of(("support", "partial_support", "not_support", _FAILED), "assignment")


def _sub_narrative(value: object, where: str, reader: TableReader) -> str | None:
    """A name on one line, without the quotes around it that TREC's files have."""
    name = " ".join(text(value, where, reader).split())
    if len(name) > 1 and name[0] == name[-1] == '"':
        name = name[1:-1].strip()
    return name or None


def _assigned(value: object, where: str, reader: TableReader) -> str | None:
    assignment: str = _assignment(value, where, reader)
    return None if assignment == _FAILED else assignment


NUGGET = table_schema(
    text=Field(
        ("text", "nugget", "claim", "question"), one_line, needed="Write what it says, or delete the nugget"
    ),
    importance=Field(("importance",), one_of(("vital", "okay"), "importance")),
    sub_narrative=Field(("sub_narrative", "mapped_sub_narrative"), _sub_narrative),
    assignment=Field(("assignment",), _assigned),
)


def read_nuggets(value: object, where: str, reader: TableReader) -> tuple[Nugget, ...]:
    """Parse the nuggets in a column's value: objects or plain texts. Faulty ones are left out with a fault in the
    reader; so is a missing importance where other nuggets have one, but that nugget stays.

    Raises:
        InvalidCell: the value is no list.
    """
    nuggets = [
        _nugget(entry, f"{where}[{number}]", reader)
        for number, entry in enumerate(a_list(value, "a list of nuggets", NUGGETS), start=1)
    ]
    weighed = [nugget.importance is not None for nugget in nuggets if nugget is not None]
    if any(weighed) and not all(weighed):
        place = next(
            number for number, nugget in enumerate(nuggets, 1) if nugget and nugget.importance is None
        )
        problem = "is missing, and other nuggets of the same list have one"
        reader.fault(
            f"{where}[{place}].importance", problem, "Write vital or okay for every nugget, or for none"
        )
    return tuple(nugget for nugget in nuggets if nugget is not None)


def _nugget(value: object, where: str, reader: TableReader) -> Nugget | None:
    if isinstance(value, Nugget):
        value = value.model_dump(exclude_none=True)
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, Mapping):
        reader.fault(where, f"is {kind(value)}, and a nugget is expected", NUGGETS)
        return None
    values = reader.read(value, NUGGET, f"{where}.")
    if values is None:
        return None
    if answers := _answers(value.get("answers")):
        values["text"] = f"{values['text']} {' or '.join(answers)}"
    return reader.model(Nugget, values)


def _answers(value: object) -> list[str]:
    """The answers of a nugget that is a question, which stand under their texts (AutoJudge) or in a list."""
    listed_answers = list(value) if isinstance(value, Mapping | list) else []
    return [" ".join(answer.split()) for answer in listed_answers if isinstance(answer, str)]

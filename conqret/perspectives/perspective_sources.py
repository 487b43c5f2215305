"""What perspectives are made of: survey questions with options, statements, pairs of arguments, open questions.

OpinionQA (Santurkar et al. 2023) has ``key``, ``question`` and ``references`` (the options); Kialo a ``question`` with
a ``statement`` or several ``answers``; ArguAna (Wachsmuth et al. 2018) an ``argument`` and its ``counter``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from conqret.io.checks import a_list, filled, text, trec_id
from conqret.io.faults import Unfit
from conqret.io.files import file_rows
from conqret.io.schema import Field, Schema, TableReader

NO_ANSWER = frozenset({"refused", "don't know", "no answer", "not sure", "prefer not to say"})
"""Options of surveys that are no opinion."""


@dataclass(frozen=True, slots=True)
class PerspectiveSource:
    """One row: what of ``question``, ``options``, ``statement``, ``answers`` and two arguments it has, under an id, and
    its subset, address and licence."""

    id: str
    question: str = ""
    options: tuple[str, ...] = ()
    statement: str = ""
    answers: tuple[str, ...] = ()
    argument: str = ""
    counter: str = ""
    subset: str = ""
    url: str = ""
    licence: str = ""


def _texts(value: object, where: str, reader: TableReader) -> tuple[str, ...]:
    listed = a_list(
        value,
        "a list of texts",
        'Write ["one", "another"]',
        lambda element: isinstance(element, str) and bool(element.strip()),
    )
    answers = tuple(entry.strip() for entry in listed if entry.strip().casefold() not in NO_ANSWER)
    if len(answers) < 2:
        raise Unfit(f"has {len(answers)} that are an opinion", "Give two or more, or remove the row")
    return answers


_ASKED = Field(("question", "topic"), filled, needed="Write the question")
_EVERYWHERE = {
    "id": Field(("id", "key"), trec_id),
    "subset": Field(("subset",), text, ""),
    "url": Field(("url",), text, ""),
    "licence": Field(("licence", "license"), text, ""),
}
SOURCES: Mapping[str, Schema] = {
    "opinionqa": Schema(
        "a survey question",
        {
            **_EVERYWHERE,
            "question": _ASKED,
            "options": Field(
                ("options", "references", "choices"), _texts, needed="List its options in their order"
            ),
        },
    ),
    "kialo": Schema(
        "a question with a statement",
        {
            **_EVERYWHERE,
            "question": _ASKED,
            "statement": Field(("statement", "perspective", "thesis"), filled, ""),
            "answers": Field(("answers",), _texts, ()),
        },
    ),
    "arguana": Schema(
        "a pair of arguments",
        {
            **_EVERYWHERE,
            "argument": Field(("argument", "query", "point"), filled, needed="Give the first argument"),
            "counter": Field(
                ("counter", "counter_argument", "counterargument"),
                filled,
                needed="Give the one that contradicts it",
            ),
        },
    ),
    "open": Schema("an open question", {**_EVERYWHERE, "question": _ASKED}),
}
"""The kinds of rows by the name of the collection that they are like."""


def read_perspective_sources(path: Path, kind_: str) -> tuple[PerspectiveSource, ...]:
    """Read rows of one of :data:`SOURCES`; one without an id has the kind and the number of its row, one without a
    subset the kind.

    Raises:
        ItemsError: rows have faults, or an id stands twice; all are listed.
        DeclarationError: there is no row.
    """
    reader = TableReader(file_rows(path), SOURCES[kind_])
    sources = []
    for values in reader.named("Give each row an id of its own", f"{kind_}-"):
        values["subset"] = values["subset"] or kind_
        if kind_ == "kialo" and bool(values["statement"]) == bool(values["answers"]):
            reader.fault("statement", "must be given, or else answers", "Give one of the two")
        sources.append(PerspectiveSource(**values))
    reader.finish(wanted="rows")
    return tuple(sources)

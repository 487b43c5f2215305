"""Questions with the perspectives on them: what a diverse ranking has to show (BeRDS, section 4).

A row has ``question`` and ``perspectives``, a list of statements or of objects with ``text`` and ``side`` (supporting
or opposing), perhaps ``id``, ``subset``, ``url`` and ``licence``.

They are made of survey questions with options, statements, pairs of arguments, or open questions: OpinionQA (Santurkar
et al. 2023) has ``key``, ``question`` and ``references`` (the options); Kialo a ``question`` with a ``statement`` or
several ``answers``; ArguAna (Wachsmuth et al. 2018) an ``argument`` and its ``counter``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from conqret.io.checks import Filled, OneLine, Text, TrecId, a_list, one_of
from conqret.io.files import file_rows
from conqret.io.jsonl import json_lines
from conqret.io.rows import InvalidCell
from conqret.io.schema import TableReader, in_columns, read_table, schema_of

Side = Literal["", "supporting", "opposing"]
SIDES: tuple[Side, Side] = ("supporting", "opposing")

MIN_PERSPECTIVES = 2
"""A question with one perspective has nothing to be diverse in."""


@dataclass(frozen=True, slots=True)
class QuestionPerspective:
    """A perspective as a statement, and its side of the question (empty where unknown, or where there are not
    two sides)."""

    text: Annotated[OneLine, in_columns(needed="Write the perspective as a statement")]
    side: Annotated[Side, one_of(SIDES, "side")] = ""


def _perspectives(value: object, where: str, reader: TableReader) -> tuple[QuestionPerspective, ...]:
    listed = a_list(value, "a list", 'Write ["Trams pay.", "Trams do not pay."]')
    objects = [entry if isinstance(entry, dict) else {"text": entry} for entry in listed]
    read = [
        reader.read(entry, schema_of(QuestionPerspective), f"{where}[{n}].")
        for n, entry in enumerate(objects, start=1)
    ]
    perspectives = tuple(QuestionPerspective(**values) for values in read if values is not None)
    if len(perspectives) == len(listed) < MIN_PERSPECTIVES:
        raise InvalidCell(
            f"has {len(perspectives)} perspectives", f"Give {MIN_PERSPECTIVES} or more, or remove the row"
        )
    if len({perspective.text.casefold() for perspective in perspectives}) < len(perspectives):
        raise InvalidCell("has the same perspective twice", "Keep one of the two")
    sides = [perspective.side for perspective in perspectives if perspective.side]
    if sides and sorted(sides) != sorted(SIDES):
        raise InvalidCell(
            f"names the sides {', '.join(sides)}", "Name none, or supporting and opposing once each"
        )
    return perspectives


@dataclass(frozen=True, slots=True)
class PerspectiveQuestion:
    """A question with its id and perspectives, and optionally its subset, address and license (empty where
    unknown)."""

    id: TrecId
    question: Annotated[OneLine, in_columns("question", "topic", needed="Write the question")]
    perspectives: Annotated[
        tuple[QuestionPerspective, ...], _perspectives, in_columns(needed="List its perspectives")
    ]
    subset: Annotated[Text, in_columns("subset", "source", "dataset")] = ""
    url: Text = ""
    licence: Annotated[Text, in_columns("licence", "license")] = ""

    @property
    def sided(self) -> bool:
        """Return True if there are exactly two perspectives, one on each side."""
        return sorted(perspective.side for perspective in self.perspectives) == sorted(SIDES)

    def place(self, side: Side) -> int:
        """Return the index, from 0, of the perspective on a side.

        Raises:
            ValueError: no perspective is on that side.
        """
        return [perspective.side for perspective in self.perspectives].index(side)

    def with_support(self, place: int) -> PerspectiveQuestion:
        """Return a copy in which the perspective at ``place`` (0 or 1) is the supporting one, and the other
        the opposing one."""
        sides = SIDES if place == 0 else SIDES[::-1]
        known = tuple(
            replace(perspective, side=side)
            for perspective, side in zip(self.perspectives, sides, strict=True)
        )
        return replace(self, perspectives=known)


def read_perspectives(path: Path) -> tuple[PerspectiveQuestion, ...]:
    """Read questions with perspectives from a JSON Lines, CSV, TSV or Parquet file.

    A question without an id gets the number of its row.

    Raises:
        ItemsError: rows have faults, or an id occurs twice; all faults are listed.
        DeclarationError: there is no question.
    """
    return read_table(path, PerspectiveQuestion, "Give each question an id of its own", wanted="questions")


def perspective_lines(questions: Iterable[PerspectiveQuestion]) -> str:
    """Return questions as JSON Lines, in the format of :func:`read_perspectives`; empty fields are left
    out."""
    records = []
    for question in questions:
        line_fields = {name: value for name, value in asdict(question).items() if value}
        line_fields["perspectives"] = [
            {name: value for name, value in asdict(view).items() if value} for view in question.perspectives
        ]
        records.append(line_fields)
    return "".join(json_lines(records))


NO_ANSWER = frozenset({"refused", "don't know", "no answer", "not sure", "prefer not to say"})
"""Options of surveys that are no opinion."""


def _texts(value: object, where: str, reader: TableReader) -> tuple[str, ...]:
    listed = a_list(
        value,
        "a list of texts",
        'Write ["one", "another"]',
        lambda element: isinstance(element, str) and bool(element.strip()),
    )
    answers = tuple(entry.strip() for entry in listed if entry.strip().casefold() not in NO_ANSWER)
    if len(answers) < 2:
        raise InvalidCell(f"has {len(answers)} that are an opinion", "Give two or more, or remove the row")
    return answers


@dataclass(frozen=True, slots=True)
class PerspectiveSource:
    """One row from which perspectives are made, such as a survey question with options, a statement, or two
    arguments.

    Fields that do not belong to its kind are empty.
    """

    id: Annotated[TrecId, in_columns("id", "key")]
    question: str = ""
    options: tuple[str, ...] = ()
    statement: str = ""
    answers: tuple[str, ...] = ()
    argument: str = ""
    counter: str = ""
    subset: Text = ""
    url: Text = ""
    licence: Annotated[Text, in_columns("licence", "license")] = ""


@dataclass(frozen=True, slots=True)
class _Asked(PerspectiveSource):
    question: Annotated[Filled, in_columns("question", "topic", needed="Write the question")] = ""


@dataclass(frozen=True, slots=True)
class _Survey(_Asked):
    options: Annotated[
        tuple[str, ...],
        _texts,
        in_columns("options", "references", "choices", needed="List its options in their order"),
    ] = ()


@dataclass(frozen=True, slots=True)
class _Stated(_Asked):
    statement: Annotated[Filled, in_columns("statement", "perspective", "thesis")] = ""
    answers: Annotated[tuple[str, ...], _texts] = ()


@dataclass(frozen=True, slots=True)
class _Arguments(PerspectiveSource):
    argument: Annotated[
        Filled, in_columns("argument", "query", "point", needed="Give the first argument")
    ] = ""
    counter: Annotated[
        Filled,
        in_columns(
            "counter", "counter_argument", "counterargument", needed="Give the one that contradicts it"
        ),
    ] = ""


SOURCES: Mapping[str, type[PerspectiveSource]] = {
    "opinionqa": _Survey,
    "kialo": _Stated,
    "arguana": _Arguments,
    "open": _Asked,
}
"""The kinds of rows by the name of the collection that they are like."""


def read_perspective_sources(path: Path, kind_: str) -> tuple[PerspectiveSource, ...]:
    """Read rows of one of the kinds in :data:`SOURCES` from a file.

    A row without an id gets its kind and number as the id; one without a subset gets its kind as the subset.

    Raises:
        ItemsError: rows have faults, or an id occurs twice; all faults are listed.
        DeclarationError: there is no row.
    """
    reader, sources = TableReader(file_rows(path)), list[PerspectiveSource]()
    for source in reader.read_as(SOURCES[kind_], "Give each row an id of its own", f"{kind_}-"):
        if kind_ == "kialo" and bool(source.statement) == bool(source.answers):
            reader.fault("statement", "must be given, or else answers", "Give one of the two")
        sources.append(replace(source, subset=source.subset or kind_))
    reader.finish(wanted="rows")
    return tuple(sources)

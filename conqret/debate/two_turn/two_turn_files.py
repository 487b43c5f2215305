"""``read_two_turn``: questions with two options, and the debate on them, in a layout of conqret's own or as released;
``read_questions``: the same without what is argued.

Own: one JSON object a line::

    {"id": "q7", "question": "…", "options": ["…", "…"], "right": 1, "passage_id": "p1", "passage": "…",
     "arguments": [{"option": 1, "text": "…", "snippets": ["…"]}, {"option": 2, …}],
     "counter_arguments": [{"against": 1, "text": "…", "snippets": []}, {"against": 2, …}]}

Passage, snippets and counter-arguments may be absent, and ``writers`` may name who wrote for either option, counter-
argument against the other one included. Released: single_turn_debate (Parrish et al. 2022, "Single-Turn
Debate Does Not Help Humans Answer Hard Reading-Comprehension Questions"), which has neither passages nor
counter-arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conqret.data.digest import gathered
from conqret.errors import DeclarationError, Fault
from conqret.io.cell_values import as_list
from conqret.io.checks import each, filled, identifier, number, text
from conqret.io.checks import whole_number as whole
from conqret.io.files import file_rows
from conqret.io.rows import InvalidCell, Rows, columns_of, kind, quoted
from conqret.io.schema import Check, Field, Schema, TableReader, table_schema
from conqret.prompts.neutralizing import ANGLES
from conqret.text.citations import quoted_span

_SHOWN = dict.fromkeys(map(ord, ANGLES), "\u2039")
"""What models are shown for a bracket that could open a tag."""

RELEASED = "output_data"
"""The column by which single_turn_debate is known."""


@dataclass(frozen=True, slots=True)
class SideArgument:
    """The text of an argument, with the snippets from the passage that it cites as (#1), (#2) and so on."""

    text: str
    snippets: tuple[str, ...] = ()


NOTHING = SideArgument("")
"""Where nothing is argued."""


@dataclass(frozen=True, slots=True)
class Side:
    """An option with the argument for it, and the counter-argument against that argument (None where there is
    none)."""

    option: str
    argument: SideArgument
    counter: SideArgument | None = None


@dataclass(frozen=True, slots=True)
class TwoTurnQuestion:
    """A question with two sides, of which ``right`` (1 or 2) is the right one.

    ``passage`` and ``writers`` (of either side) are empty where they are unknown.
    """

    id: str
    question: str
    sides: tuple[Side, Side]
    right: int
    passage_id: str
    passage: str = ""
    writers: tuple[str, ...] = ()

    def record(self) -> dict[str, Any]:
        """Return the question as a row in conqret's own layout."""
        counters = [side.counter for side in self.sides if side.counter is not None]
        return {
            "id": self.id,
            "question": self.question,
            "options": [side.option for side in self.sides],
            "right": self.right,
            "passage_id": self.passage_id,
            **({"passage": self.passage} if self.passage else {}),
            "arguments": [
                {"option": n, **_plain(side.argument)} for n, side in enumerate(self.sides, start=1)
            ],
            **(
                {
                    "counter_arguments": [
                        {"against": n, **_plain(counter_argument)}
                        for n, counter_argument in enumerate(counters, start=1)
                    ]
                }
                if counters
                else {}
            ),
            **({"writers": list(self.writers)} if self.writers else {}),
        }


def read_two_turn(path: str | Path) -> tuple[TwoTurnQuestion, ...]:
    """Read and check questions with their debates.

    Raises:
        ItemsError: rows have faults: a missing side, an argument for a third option, a snippet that is
            not in the passage, a repeated id; all are listed.
        DeclarationError: there is no question.
    """
    rows = file_rows(Path(path))
    questions = tuple(_released(rows) if RELEASED in columns_of(rows) else _own(rows))
    if not questions:
        raise DeclarationError(f"{path} contains no questions")
    return questions


def read_questions(path: Path) -> tuple[TwoTurnQuestion, ...]:
    """Read questions for which arguments are to be written, each with its passage; existing arguments are
    ignored.

    Raises:
        ItemsError: rows have faults, such as a missing passage; all are listed.
        DeclarationError: there is no question, or the file is single_turn_debate, which has no passages.
    """
    rows = file_rows(path)
    if RELEASED in columns_of(rows):
        raise DeclarationError(
            f"{path} is single_turn_debate, which lacks the passages that arguments quote: give questions with "
            "id, question, options, right, passage_id and passage"
        )
    kept = ("id", "question", "options", "right", "passage_id")
    fields = {name: QUESTION.fields[name] for name in kept}
    needed = Field(("passage",), filled, needed="Add its text: arguments quote from it")
    reader = TableReader(rows, replace(QUESTION, fields={**fields, "passage": needed}))
    questions = []
    for values in reader.read_as(dict, "Give each question an id of its own"):
        first, two = (Side(option, NOTHING) for option in values.pop("options"))
        questions.append(TwoTurnQuestion(**{**values, "right": values["right"] + 1}, sides=(first, two)))
    reader.finish(wanted="questions")
    return tuple(questions)


def quoted_in(passage: str, snippet: str) -> str | None:
    """Return the passage's words that a snippet quotes, exactly as in the passage; None where it does not
    quote them.

    White space may differ, and so may ``‹`` and ``<``, because prompts show ``‹`` for what could open a tag.
    """
    span = quoted_span(passage.translate(_SHOWN), snippet.translate(_SHOWN))
    return passage[slice(*span)] if span else None


def _texts(value: object, where: str, reader: TableReader) -> tuple[str, ...]:
    """Return a list of texts without the blank ones at its end; others stay, as arguments cite snippets by number.

    Raises:
        InvalidCell: the value is no list of texts.
    """
    listed = as_list(value)
    if not isinstance(listed, list):
        raise InvalidCell(f"is {kind(value)}, and a list of texts is expected", 'Write ["…", "…"]')
    texts = [text(part, f"{where}[{n}]", reader) for n, part in enumerate(listed, start=1)]
    while texts and not texts[-1].strip():
        texts.pop()
    return tuple(texts)


def _options(value: object, where: str, reader: TableReader) -> tuple[str, ...]:
    options = _texts(value, where, reader)
    different = {option.strip() for option in options} - {""}
    if len(different) != 2 or len(options) != 2:
        raise InvalidCell(
            f"has {len(options)} options, {len(different)} of them different",
            "A debate has two different options: write both",
        )
    return options


def _writers(value: object, where: str, reader: TableReader) -> tuple[str, ...]:
    writers = tuple(identifier(name, where, reader) for name in _texts(value, where, reader))
    if len(writers) != 2:
        raise InvalidCell(f"names {len(writers)} writers", "Name two, one for either option, or remove it")
    return writers


def _side(base: int = 1) -> Check:
    """Return a check that reads an option, counted from ``base``, as an index 0 or 1; the check raises InvalidCell for
    any other number."""

    def check(value: object, where: str, reader: TableReader) -> int:
        index = whole(value, where, reader) - base
        if index not in (0, 1):
            raise InvalidCell(
                f"is {quoted(value)}, and there are two options", f"Write {base} or {base + 1}, or remove it"
            )
        return index

    return check


def _part(name: str) -> Schema:
    return table_schema(
        side=Field((name,), _side(), needed="Write which option: 1 or 2"),
        text=Field(("text", "argument"), filled, needed="Write the argument"),
        snippets=Field(("snippets",), _texts, ()),
    )


def _sided(side: int, text: str, snippets: tuple[str, ...]) -> tuple[int, SideArgument]:
    return side, SideArgument(text, snippets)


QUESTION = table_schema(
    id=Field(("id",), identifier, needed="Give each question an id"),
    question=Field(("question",), filled, needed="Write the question"),
    options=Field(("options",), _options, needed="Write both options"),
    right=Field(("right",), _side(), needed="Write which option is right: 1 or 2"),
    passage_id=Field(("passage_id",), identifier, needed="Name the passage: its questions belong together"),
    passage=Field(("passage",), text, ""),
    arguments=Field(
        ("arguments",),
        each(_sided, _part("option")),
        needed="Give an argument for either option, or let conqret debate two-turn write produce them",
    ),
    counter_arguments=Field(("counter_arguments",), each(_sided, _part("against")), ()),
    writers=Field(("writers",), _writers, ()),
)
RELEASED_ARGUMENT = table_schema(
    passage_id=Field(("passage_id",), identifier, needed="Name the passage"),
    question_id=Field(("question_id",), identifier, needed="Number the question"),
    question=Field(("question_text",), filled, needed="Write the question"),
    option=Field(("argue_for",), filled, needed="Write the option that is argued for"),
    side=Field(("argue_for_id",), _side(0), needed="Write which option is argued for: 0 or 1"),
    right=Field(("argue_for_correct",), number, needed="Write whether this option is right"),
    text=Field(("argument",), filled, needed="Write the argument"),
    snippets=Field(("selected_snippets",), _texts, ()),
)


def _own(rows: Rows) -> Iterator[TwoTurnQuestion]:
    reader, questions = TableReader(rows, QUESTION), []
    for values in reader.read_as(dict, "Give each question an id of its own"):
        arguments = _both(reader, "arguments", values["arguments"], "for option")
        counters: Sequence[SideArgument | None] | None = (None, None)
        if values["counter_arguments"]:
            counters = _both(reader, "counter_arguments", values["counter_arguments"], "against option")
        for column in ("arguments", "counter_arguments") if values["passage"].strip() else ():
            _check_snippets(reader, column, values[column], values["passage"])
        if arguments is not None and counters is not None:
            first, two = map(Side, values["options"], arguments, counters)
            questions.append(
                TwoTurnQuestion(
                    values["id"],
                    values["question"],
                    (first, two),
                    values["right"] + 1,
                    values["passage_id"],
                    values["passage"],
                    values["writers"],
                )
            )
    reader.finish()
    yield from questions


def _both(
    reader: TableReader, column: str, arguments: Iterable[tuple[int, SideArgument]], what: str
) -> Sequence[SideArgument] | None:
    """Return the two arguments in the order of the sides; None, with faults in the reader, if a side has none or
    several."""
    met = gathered(arguments)
    by_side = [met.get(side, []) for side in (0, 1)]
    for place, side_arguments in enumerate(by_side, start=1):
        if len(side_arguments) != 1:
            problem = f"has {len(side_arguments) or 'none'} {what} {place}"
            reader.fault(column, problem, "Give exactly one for each of the two sides")
    alone = [side_arguments[0] for side_arguments in by_side if len(side_arguments) == 1]
    return alone if len(alone) == 2 else None


def _check_snippets(
    reader: TableReader, column: str, arguments: Iterable[tuple[int, SideArgument]], passage: str
) -> None:
    """Add a fault to the reader for each snippet that is not in the passage word for word; only white space
    may differ."""
    for place, (_, argument) in enumerate(arguments, start=1):
        for nth, snippet in enumerate(argument.snippets, start=1):
            if snippet.strip() and quoted_in(passage, snippet) is None:
                where = f"{column}[{place}].snippets[{nth}]"
                remedy = "Copy it from the passage word for word, or remove it"
                reader.fault(where, f"is {quoted(snippet)}, which is not in the passage", remedy)


def _released(rows: Rows) -> Iterator[TwoTurnQuestion]:
    """Yield the questions of the published file. Each line has one writer's arguments, and the two sides of a question
    may stand in different lines.

    Raises:
        ItemsError: a question lacks a side or has one twice; all faults are listed.
    """
    holder = table_schema(**{RELEASED: Field((RELEASED,), each(dict, RELEASED_ARGUMENT), needed="Give it")})
    reader = TableReader(rows, holder)
    met = gathered(
        (f"{line['passage_id']}-{line['question_id']}", {**line, "line": reader.line})
        for values in reader
        for line in values[RELEASED]
    )
    questions = []
    for name, lines in met.items():
        sides = {line["side"]: line for line in lines}
        if problem := _released_problem(lines):
            where = f"{RELEASED}, question {quoted(name)}"
            remedy = "A question has two rows: one argues for the right option, one for the other"
            reader.faults.add(Fault(rows.name, lines[0]["line"], where, problem, remedy))
            continue
        first, two = (
            Side(sides[side]["option"], SideArgument(sides[side]["text"], sides[side]["snippets"]))
            for side in (0, 1)
        )
        right = 1 if sides[0]["right"] else 2
        questions.append(
            TwoTurnQuestion(name, lines[0]["question"], (first, two), right, lines[0]["passage_id"])
        )
    reader.finish()
    yield from questions


def _released_problem(lines: Sequence[dict[str, Any]]) -> str:
    if sorted(line["side"] for line in lines) != [0, 1]:
        return f"has {len(lines)} arguments, not one for either option"
    if len({line["question"] for line in lines}) > 1:
        return "is worded differently on its two sides"
    rights = sum(bool(line["right"]) for line in lines)
    return "" if rights == 1 else f"has {rights} right options"


def _plain(argument: SideArgument) -> dict[str, Any]:
    return {"text": argument.text, **({"snippets": list(argument.snippets)} if argument.snippets else {})}

"""Answers to debatable questions, and the partial answers that they are measured by, in DebateQA's layout.

Questions: ``{"id": …, "question": …, "partial_answers": [{"point_of_view": …, "explanation": …}, …]}``.
Answers: ``{"id": …, "generation": …}``. Any JSONL, CSV or Parquet is read through a map of columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path

from conqret.errors import DeclarationError
from conqret.io.checks import each, identifier, one_of, text
from conqret.io.files import file_rows
from conqret.io.schema import Field, Schema, TableReader

_ENDS = (".", "!", "?", "…")


@dataclass(frozen=True, slots=True)
class PartialAnswer:
    """One perspective on a question: a short point of view, and its explanation (DebateQA, section 3)."""

    point_of_view: str
    explanation: str

    @property
    def text(self) -> str:
        """Both as one text; a full stop parts them where the point of view ends without a mark (Equation 1)."""
        view = self.point_of_view.strip()
        stop = "" if not view or view.endswith(_ENDS) else "."
        return f"{view}{stop} {self.explanation.strip()}".strip()

    @property
    def released_text(self) -> str:
        """Both as the released script joins them: always with a full stop."""
        return f"{self.point_of_view}. {self.explanation}"


@dataclass(frozen=True, slots=True)
class DebatableQuestion:
    """A question and its partial answers (none where the file has none)."""

    id: str
    question: str
    partial_answers: tuple[PartialAnswer, ...]


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a system answered to the question with this id."""

    id: str
    text: str


_GIVE_ID = "Give each row its id, or map another column"
_GIVE_TEXT = "Write it as one text, or map another column"
PARTIAL_ANSWER = Schema(
    "answers and questions",
    {
        "point_of_view": Field(("point_of_view", "POV", "pov"), text, needed="Write the point of view"),
        "explanation": Field(("explanation", "Explan"), text, ""),
    },
)


def _partial_answers(schema: Schema) -> Field:
    return Field(("partial_answers",), each(schema, PartialAnswer), ())


QUESTION = Schema(
    "answers and questions",
    {
        "id": Field(("id",), identifier, needed=_GIVE_ID),
        "question": Field(("question", "topic"), text, ""),
        "partial_answers": _partial_answers(PARTIAL_ANSWER),
    },
)
ANSWER = Schema(
    "answers and questions",
    {
        "id": Field(("id",), identifier, needed=_GIVE_ID),
        "answer": Field(("generation", "answer", "argument"), text, needed=_GIVE_TEXT),
    },
)
VERDICT = Schema(
    "verdicts",
    {
        "id": Field(("id",), identifier, needed=_GIVE_ID),
        "label": Field(("label",), one_of({"0": 0.0, "1": 1.0}, "label"), needed="Write 0 or 1"),
    },
)
"""The columns (and the parts of a partial answer) that are looked for; the first that has a value counts."""
_KNOWN = (*QUESTION.fields, *PARTIAL_ANSWER.fields, *ANSWER.fields)
"""One map of columns serves both files, so it may name the fields of the other one."""


@dataclass(frozen=True, slots=True)
class Partners:
    """Which ids of answers and questions meet, and which have no partner."""

    together: tuple[str, ...]
    answers_alone: tuple[str, ...]
    questions_alone: tuple[str, ...]


def read_questions(
    path: str | Path, columns: Mapping[str, str] | None = None
) -> dict[str, DebatableQuestion]:
    """Read questions with their partial answers, by id.

    Raises:
        ItemsError: rows have faults, or ``columns`` maps what no row has; all are listed.
        DeclarationError: ``columns`` maps what is no field, or the file holds no question.
    """
    mapping = columns or {}
    partial = PARTIAL_ANSWER.with_columns(mapping, others=_KNOWN)
    fields = {**QUESTION.fields, "partial_answers": _partial_answers(partial)}
    schema = replace(QUESTION, fields=fields).with_columns(mapping, others=_KNOWN)
    reader = TableReader(file_rows(path), schema)
    return reader.by_id(lambda values: DebatableQuestion(**values), "Keep one of them", wanted="question")


def read_answers(path: str | Path, columns: Mapping[str, str] | None = None) -> Iterator[ModelAnswer]:
    """Give the answers of a file one after the other; check the file with :func:`check_answers` first.

    Raises:
        ItemsError: rows have faults.
    """
    reader = _answers(path, columns)
    for values in reader:
        reader.faults.raise_any()
        yield ModelAnswer(values["id"], values["answer"])
    reader.faults.raise_any()


def check_answers(path: str | Path, columns: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The ids of all answers in their order, after every row was looked at; their texts are not kept.

    Raises:
        ItemsError: rows have faults, an id stands twice among them, or ``columns`` maps what no row has.
        DeclarationError: ``columns`` maps what is no field, or the file holds no answer.
    """
    remedy = "Give each system's answers a file of their own"
    return tuple(_answers(path, columns).by_id(itemgetter("id"), remedy, wanted="answer"))


def _answers(path: str | Path, columns: Mapping[str, str] | None) -> TableReader:
    return TableReader(file_rows(path), ANSWER.with_columns(columns or {}, others=_KNOWN))


def read_verdicts(path: str | Path) -> dict[str, float]:
    """People's verdicts on answers, 1 or 0 by id, from the columns ``id`` and ``label``.

    Raises:
        ItemsError: a row lacks its id or a label of 0 or 1, or an id stands twice; all are listed.
    """
    return TableReader(file_rows(path), VERDICT).by_id(itemgetter("label"), "Keep one of its labels")


def partners(answers: tuple[str, ...], questions: Mapping[str, DebatableQuestion]) -> Partners:
    """Which answers have a question and the other way round, each in the order of its file.

    Raises:
        DeclarationError: no id is in both.
    """
    have = set(answers)
    together = tuple(answer for answer in answers if answer in questions)
    if not together:
        raise DeclarationError(
            f"none of the {len(have)} answers has the id of one of the {len(questions)} questions: use the same ids"
        )
    return Partners(
        together,
        tuple(answer for answer in answers if answer not in questions),
        tuple(question for question in questions if question not in have),
    )

"""Answers to debatable questions, and the partial answers that they are measured by, in DebateQA's layout.

Questions: ``{"id": …, "question": …, "partial_answers": [{"point_of_view": …, "explanation": …}, …]}``.
Answers: ``{"id": …, "generation": …}``. Any JSONL, CSV or Parquet is read through a map of columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from conqret.io.checks import Cell, Identifier, Text, each, identifier, one_of, text
from conqret.io.files import file_rows
from conqret.io.schema import Field, Schema, TableReader, in_columns, schema_of, table_schema

_GIVE_ID = "Give each row its id, or map another column"
_ENDS = (".", "!", "?", "…")


@dataclass(frozen=True, slots=True)
class PartialAnswer:
    """One perspective on a question: a short point of view, and its explanation (DebateQA, section 3)."""

    point_of_view: Annotated[
        Text, in_columns("point_of_view", "POV", "pov", needed="Write the point of view")
    ]
    explanation: Annotated[Text, in_columns("explanation", "Explan")] = ""

    @property
    def text(self) -> str:
        """Return point of view and explanation as one text, with a full stop between them if none is there
        (Equation 1)."""
        view = self.point_of_view.strip()
        stop = "" if not view or view.endswith(_ENDS) else "."
        return f"{view}{stop} {self.explanation.strip()}".strip()

    @property
    def released_text(self) -> str:
        """Return point of view and explanation as DebateQA's script joins them: always with a full stop."""
        return f"{self.point_of_view}. {self.explanation}"


@dataclass(frozen=True, slots=True)
class DebatableQuestion:
    """A debatable question and its partial answers (an empty tuple where the file has none)."""

    id: Annotated[Identifier, in_columns(needed=_GIVE_ID)]
    question: Annotated[Text, in_columns("question", "topic")] = ""
    partial_answers: Annotated[tuple[PartialAnswer, ...], each(PartialAnswer)] = ()


ANSWER = table_schema(
    id=Field(("id",), identifier, needed=_GIVE_ID),
    answer=Field(
        ("generation", "answer", "argument"), text, needed="Write it as one text, or map another column"
    ),
)


@dataclass(frozen=True, slots=True)
class _Verdict:
    id: Annotated[Identifier, in_columns(needed=_GIVE_ID)]
    label: Annotated[float, one_of({"0": 0.0, "1": 1.0}, "label"), in_columns(needed="Write 0 or 1")]
    system: Cell = ""


_KNOWN = ("id", "question", "partial_answers", "point_of_view", "explanation", "answer")
"""One map of columns serves both files, so it may name the fields of the other one."""


def read_questions(
    path: str | Path, columns: Mapping[str, str] | None = None
) -> dict[str, DebatableQuestion]:
    """Read questions with their partial answers from a file; return a mapping from ids to questions.

    Raises:
        ItemsError: rows have faults, or ``columns`` names a column that no row has; all are listed.
        DeclarationError: ``columns`` maps an unknown field, or the file has no question.
    """
    partial = each(PartialAnswer, _mapped(schema_of(PartialAnswer), columns))
    questions = _mapped(schema_of(DebatableQuestion), columns)
    fields = {
        **questions.fields,
        "partial_answers": replace(questions.fields["partial_answers"], check=partial),
    }
    reader = TableReader(file_rows(path), replace(questions, fields=fields))
    by_id = {question.id: question for question in reader.read_as(DebatableQuestion, "Keep one of them")}
    reader.finish(wanted="question")
    return by_id


def read_answers(path: str | Path, columns: Mapping[str, str] | None = None) -> dict[str, str]:
    """Read the answers of a file; return a mapping from ids to texts.

    Raises:
        ItemsError: rows have faults, an id occurs twice, or ``columns`` names a column that no row has.
        DeclarationError: ``columns`` maps an unknown field, or the file has no answer.
    """
    reader, answers = TableReader(file_rows(path), _mapped(ANSWER, columns)), dict[str, str]()
    for values in reader:
        reader.once("id", values["id"], "Give each system's answers a file of their own")
        answers[values["id"]] = values["answer"]
    reader.finish(wanted="answer")
    return answers


def _mapped(declared: Schema, columns: Mapping[str, str] | None) -> Schema:
    return declared.with_columns(columns or {}, "answers and questions", others=_KNOWN)


def read_verdicts(path: str | Path) -> dict[tuple[str, str], float]:
    """Read human verdicts on answers: a mapping from system and id to 1 or 0, from the columns ``id``, ``label``
    and perhaps ``system`` (empty without it: the verdicts are on the answers of any system).

    Raises:
        ItemsError: a row lacks its id or a label of 0 or 1, or an answer occurs twice; all are listed.
    """
    reader, verdicts = TableReader(file_rows(path)), dict[tuple[str, str], float]()
    for row in reader.read_as(_Verdict):
        reader.once("id", f"{row.system} {row.id}".strip(), "Keep one of its labels")
        verdicts[row.system, row.id] = row.label
    reader.finish(wanted="labels")
    return verdicts

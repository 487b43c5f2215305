"""Answers to debatable questions, and the partial answers that they are measured by, in DebateQA's layout.

Questions: ``{"id": …, "question": …, "partial_answers": [{"point_of_view": …, "explanation": …}, …]}``.
Answers: ``{"id": …, "generation": …}``. Any JSONL, CSV or Parquet is read through a map of columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from conqret.errors import DeclarationError, Fault
from conqret.io.cells import list_in_text
from conqret.io.faults import FaultList, kind, quoted
from conqret.io.files import file_rows
from conqret.io.rows import Row
from conqret.io.texts import text_problem

ANSWER_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": ("id",),
    "answer": ("generation", "answer", "argument"),
}
REFERENCE_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": ("id",),
    "question": ("question", "topic"),
    "partial_answers": ("partial_answers",),
    "point_of_view": ("point_of_view", "POV", "pov"),
    "explanation": ("explanation", "Explan"),
}
"""The columns (and the parts of a partial answer) that are looked for, the first that is there."""
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
        ItemsError: rows have faults; all are listed.
        DeclarationError: ``columns`` maps what is no field, or to what no row has, or the file holds no question.
    """
    names, faults = _Columns(REFERENCE_COLUMNS, columns), FaultList()
    found: dict[str, DebatableQuestion] = {}
    for row in _rows(path, faults):
        reader = _Reader(str(path), row, names, faults)
        one, question = reader.identifier(), reader.text("question", required=False)
        partial = reader.partial_answers()
        if one is None or partial is None:
            continue
        if one in found:
            reader.fault("id", f"{quoted(one)} stands twice", "Keep one of them")
        found[one] = DebatableQuestion(one, question or "", partial)
    names.check(path)
    faults.raise_any()
    if not found:
        raise DeclarationError(f"{path} holds no question")
    return found


def read_answers(path: str | Path, columns: Mapping[str, str] | None = None) -> Iterator[ModelAnswer]:
    """Give the answers of a file one after the other; check the file with :func:`check_answers` first.

    Raises:
        ItemsError: a row has faults.
    """
    names = _Columns(ANSWER_COLUMNS, columns)
    faults = FaultList()
    for row in _rows(path, faults):
        answer = _answer(_Reader(str(path), row, names, faults))
        faults.raise_any()
        if answer is not None:
            yield answer
    faults.raise_any()


def check_answers(path: str | Path, columns: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The ids of all answers in their order, after every row was looked at; their texts are not kept.

    Raises:
        ItemsError: rows have faults, an id stands twice among them; all are listed.
        DeclarationError: ``columns`` maps what is no field, or to what no row has, or the file holds no answer.
    """
    names, faults = _Columns(ANSWER_COLUMNS, columns), FaultList()
    ids: dict[str, None] = {}
    for row in _rows(path, faults):
        reader = _Reader(str(path), row, names, faults)
        answer = _answer(reader)
        if answer is None:
            continue
        if answer.id in ids:
            reader.fault(
                "id", f"{quoted(answer.id)} stands twice", "Give each system's answers a file of their own"
            )
        ids[answer.id] = None
    names.check(path)
    faults.raise_any()
    if not ids:
        raise DeclarationError(f"{path} holds no answer")
    return tuple(ids)


def partners(answers: tuple[str, ...], questions: Mapping[str, DebatableQuestion]) -> Partners:
    """Which answers have a question and the other way round, each in the order of its file.

    Raises:
        DeclarationError: no id is in both.
    """
    have = set(answers)
    together = tuple(one for one in answers if one in questions)
    if not together:
        raise DeclarationError(
            f"no id of the {len(have)} answers is among those of the {len(questions)} questions"
        )
    return Partners(
        together,
        tuple(one for one in answers if one not in questions),
        tuple(one for one in questions if one not in have),
    )


def _rows(path: str | Path, faults: FaultList) -> Iterator[Row]:
    for row in file_rows(path):
        if isinstance(row, Fault):
            faults.add(row)
        else:
            yield row


def _answer(reader: _Reader) -> ModelAnswer | None:
    one, text = reader.identifier(), reader.text("answer", required=True)
    return None if one is None or text is None else ModelAnswer(one, text)


class _Columns:
    """Where each field is looked for, and which of the columns that were mapped a row had."""

    def __init__(self, defaults: Mapping[str, tuple[str, ...]], columns: Mapping[str, str] | None) -> None:
        self._mapped, self._there = dict(columns or {}), dict[str, bool]()
        for field in self._mapped:
            if field not in {*ANSWER_COLUMNS, *REFERENCE_COLUMNS}:
                known = ", ".join(dict.fromkeys([*ANSWER_COLUMNS, *REFERENCE_COLUMNS]))
                raise DeclarationError(f"the map of columns names {quoted(field)}; known are {known}")
        self._names = {
            field: (self._mapped[field],) if field in self._mapped else names
            for field, names in defaults.items()
        }

    def look(self, field: str, record: Mapping[str, object]) -> tuple[str, object]:
        """The column of the field in this record and what it holds, None where the record has none."""
        names = self._names[field]
        self._there[field] = self._there.get(field, False) or any(name in record for name in names)
        return next(
            ((name, record[name]) for name in names if record.get(name) is not None), (names[0], None)
        )

    def check(self, path: str | Path) -> None:
        """Raise DeclarationError where no row had a column that was mapped: its name is wrong."""
        for field, column in self._mapped.items():
            if not self._there.get(field, True):
                raise DeclarationError(
                    f"no row of {path} has the column {quoted(column)}, which is mapped to {field}: correct --columns"
                )


class _Reader:
    """One row while it is read."""

    def __init__(self, name: str, row: Row, names: _Columns, faults: FaultList) -> None:
        self._name, self._row, self._names, self._faults = name, row, names, faults

    def fault(self, field: str, problem: str, remedy: str) -> None:
        self._faults.add(Fault(self._name, self._row.line, field, problem, remedy))

    def identifier(self) -> str | None:
        column, value = self._names.look("id", self._row.record)
        if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
            self.fault(column, f"is {kind(value)}, and an id is a text or a number", "Give each row its id")
            return None
        return str(value)

    def text(self, field: str, *, required: bool, record: Mapping[str, object] | None = None) -> str | None:
        column, value = self._names.look(field, self._row.record if record is None else record)
        if value is None and not required:
            return ""
        if not isinstance(value, str):
            self.fault(
                column,
                f"is {kind(value)}, and a text is expected",
                "Write it as one text, or map another column",
            )
            return None
        if problem := text_problem(value):
            self.fault(column, *problem)
            return None
        return value

    def partial_answers(self) -> tuple[PartialAnswer, ...] | None:
        column, value = self._names.look("partial_answers", self._row.record)
        if value is None:
            return ()
        if isinstance(value, str):
            value = list_in_text(value)
        if not isinstance(value, list | tuple) or not all(isinstance(one, Mapping) for one in value):
            self.fault(
                column,
                f"is {kind(value)}, and a list of objects is expected",
                "Write [{point_of_view, explanation}]",
            )
            return None
        found = []
        for one in value:
            view = self.text("point_of_view", required=True, record=one)
            explanation = self.text("explanation", required=False, record=one)
            if view is None or explanation is None:
                return None
            found.append(PartialAnswer(view, explanation))
        return tuple(found)

"""A criterion of a rubric as a record, by whatever names its fields are published.

Our own layout has the fields of :class:`~conqret.judging.criterion.Criterion`; read as they are published are besides
ResearchRubrics and TREC RAG 2026 (``criterion``, ``weight``, ``axis``), HealthBench (``criterion``, ``points``,
``tags``) and DRAGUN (``question_text``, ``importance``, ``short_answers``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from conqret.io.cell_values import as_list, is_missing
from conqret.io.rows import Unfit, kind, near, quoted
from conqret.judging.criterion import IMPORTANCES, Criterion, criterion_in, criterion_of, is_named, name_from
from conqret.text.numbers import number_in

_QUESTION = ("question", "criterion", "statement", "question_text")
_WEIGHT = ("weight", "points")
_AXIS = ("axis", "category")
_KNOWN = (
    *(*_QUESTION, *_WEIGHT, *_AXIS),
    *("name", "scale", "anchors", "looks_at", "importance", "tags", "short_answers", "question_id"),
)
MOST_CRITERIA = 500
"""Criteria of one rubric."""

_ANSWER = ("answer_text", "answer", "short_answer", "text")
_DRAGUN = {"have to know": ("vital", 4.0), "good to know": ("okay", 2.0), "nice to know": ("okay", 1.0)}
"""The words of DRAGUN with the weight that the track gives to a question of each."""
_ENDS = re.compile(r"(\d{1,3})\s*+(?:-|–|to|\.\.|,)\s*+(\d{1,3})")
_LETTERED = re.compile(r"\A[a-c]\s*[:.)]\s*", re.I)
SUPPORT = {
    0: "no support: the answer has no connection with it, or contradicts it",
    1: "partial: the answer has some of its key elements, but not all",
    2: "support: the answer is consistent with its key elements, in whatever words",
}
"""DRAGUN's judgments of a short answer; of a report that contradicts one no points are taken away here."""
ANSWER_AND_QUESTION = ("answer", "question")
_AXIS_TAG = "axis:"


def criteria_in(record: Any) -> Iterator[tuple[Criterion, bool]]:
    """The criteria of one record, and whether each was named.

    Raises:
        Unfit, DeclarationError: it is none.
    """
    if isinstance(record, str | Criterion):
        criterion = criterion_of(record)
        yield criterion, is_named(record, criterion)
        return
    if not isinstance(record, Mapping):
        raise Unfit(f"is {kind(record)}, but must be a criterion", "Write an object with a question")
    cells = ((key, as_list(value)) for key, value in record.items())  # an array is compared place by place
    values = {key: value for key, value in cells if value != "" and not _is_empty(key, value)}
    for key in values:
        if key not in _KNOWN and (meant := near(str(key), _KNOWN)):
            raise Unfit("is not a field of a criterion", f"Rename it, perhaps to {meant!r}", str(key))
    criterion = criterion_in(_table(values))
    if "short_answers" in values:
        yield from _short_answers(criterion, values["short_answers"])
    else:
        yield criterion, "name" in values


def _is_empty(key: str, value: Any) -> bool:
    """Whether a field has nothing; a weight that is no number is not the same as none."""
    return is_missing(value) and not (key in _WEIGHT and isinstance(value, float))


def _table(values: Mapping[str, Any]) -> dict[str, Any]:
    """A criterion as a table of our own, from a record by whatever names it has its fields.

    Raises:
        Unfit: there is no question, or a weight or an importance is none.
    """
    column = next((name for name in _QUESTION if name in values), None)
    if column is None:
        raise Unfit("has no question", "Write in a sentence what is judged: question = …")
    question = values[column]
    if not isinstance(question, str) or not re.search(r"\w", question):
        raise Unfit("is not a sentence", "Write in a sentence what is judged", column)
    table = {name: values[name] for name in ("name", "scale", "anchors", "looks_at") if name in values}
    if isinstance(table.get("scale"), str):  # as tables have it
        written = table["scale"].strip().removeprefix("[").removesuffix("]").strip()
        if ends := _ENDS.fullmatch(written):
            table["scale"] = [int(ends[1]), int(ends[2])]
    if column != "question":  # as others publish it: no word in it says that documents are to be shown
        table.setdefault("looks_at", ANSWER_AND_QUESTION)
    return {**table, "question": question, **_graded(values)}


def _graded(values: Mapping[str, Any]) -> dict[str, Any]:
    """Weight, importance and axis, by whatever names they have."""
    graded: dict[str, Any] = _importance(values["importance"]) if "importance" in values else {}
    for column in _WEIGHT:
        if column in values:
            graded["weight"] = _number(values[column], column)
    axis = next((values[column] for column in _AXIS if column in values), None)
    if axis is None:
        tags = values.get("tags")
        listed_tags = tags if isinstance(tags, list) else []
        tagged = [tag for tag in listed_tags if isinstance(tag, str) and tag.startswith(_AXIS_TAG)]
        axis = tagged[0].removeprefix(_AXIS_TAG).replace("_", " ") if tagged else ""
    return graded | ({"axis": axis} if axis else {})


def _number(value: Any, column: str) -> float:
    if not isinstance(value, bool) and isinstance(value, int | float | str):
        try:
            return number_in(str(value))
        except ValueError:
            pass
    raise Unfit(f"is {quoted(value)}, but must be a number", "Write the points as a number", column)


def _importance(value: Any) -> dict[str, Any]:
    word = _LETTERED.sub("", value.strip()).casefold() if isinstance(value, str) else ""
    if word in IMPORTANCES:
        return {"importance": word}
    if word in _DRAGUN:
        importance, weight = _DRAGUN[word]
        return {"importance": importance, "weight": weight}
    known = ", ".join((*IMPORTANCES, *_DRAGUN))
    raise Unfit(f"is {quoted(value)}, which is not a known importance", f"Write one of {known}", "importance")


def _short_answers(criterion: Criterion, answers: Any) -> Iterator[tuple[Criterion, bool]]:
    """A criterion for each short answer to a question of DRAGUN, which share the question's weight."""
    if not isinstance(answers, list) or not answers:
        raise Unfit("is not a list of short answers", "Write the answers as a list", "short_answers")
    if len(answers) > MOST_CRITERIA:
        raise Unfit(f"has more than {MOST_CRITERIA} answers", "Split the rubric", "short_answers")
    for place, one in enumerate(answers, start=1):
        found = one if isinstance(one, str) else None
        if isinstance(one, Mapping):
            found = next((one[name] for name in _ANSWER if isinstance(one.get(name), str)), None)
        if not found or not found.strip():
            raise Unfit("has no text", "Write the answer as a text", f"short_answers[{place}]")
        sentence = f"To the question “{criterion.question}”, the answer supports: {found.strip()}"
        own = replace(
            criterion,
            name=name_from(found),
            question=sentence,
            scale=(0, 2),
            anchors=SUPPORT,
            weight=criterion.points / len(answers),
        )
        yield own, False

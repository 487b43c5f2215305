"""Rubrics as they are written: in TOML, YAML, JSON, JSON Lines or a table, for all items or for each topic or item.

A rubric is a list of criteria, each a record. Our own layout has the fields of
:class:`~conqret.data.criterion.Criterion`; read as they are published are besides ResearchRubrics and TREC RAG 2026
(``criterion``, ``weight``, ``axis``), HealthBench (``criterion``, ``points``, ``tags``) and DRAGUN (``question_text``,
``importance``, ``short_answers``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from conqret.data.criterion import (
    IMPORTANCES,
    Criterion,
    criterion_in,
    criterion_of,
    is_named,
    name_from,
    unique,
)
from conqret.errors import DeclarationError, Fault
from conqret.io.cell_values import as_list, as_text, is_missing, list_in_text, sound_id
from conqret.io.files import file_rows, several_files
from conqret.io.rows import FaultList, InvalidCell, Row, kind, near, object_rows, quoted
from conqret.io.rubric_set import ITEM_KEYS, TOPIC_KEYS, RubricError, Rubrics, item_ids, topics_of
from conqret.io.source import ItemSource
from conqret.io.toml import Place, line_of, read_toml, read_yaml
from conqret.text.numbers import number_in

OWN = ("rubric", "rubrics")
"""Where an item has its own rubric."""
LISTS = ("rubrics", "rubric", "criteria")
"""Under these names an object has the criteria of a rubric."""
RubricSource = str | Path | Rubrics | Mapping[str, Any] | Sequence[Criterion | str | Mapping[str, Any]]
"""A file or a folder of files; criteria; or rubrics by the id of an item or topic."""


def rubrics_of(source: RubricSource) -> Rubrics:
    """Read rubrics from a file, from a list of criteria, or from a mapping from topics or items to such
    lists.

    Raises:
        RubricError: the rubrics have faults; it lists them all, with file and line.
        DeclarationError: the source has no rubric.
    """
    if isinstance(source, Rubrics):
        return source
    if isinstance(source, str | Path):
        return _read_file(Path(source))
    if isinstance(source, Mapping):
        reader, by_key = _RubricReader("rubric"), source.get("for")
        if isinstance(by_key, Mapping):  # as Rubrics.plain writes it
            items = source.get("items", [])
            if not isinstance(items, list | tuple):
                raise DeclarationError(f"'items' is {kind(items)}, but must be a list of ids")
            ids = frozenset(items)
            rows = [{"item" if key in ids else "topic": key, "rubric": by_key[key]} for key in by_key]
            return replace(reader.rows(object_rows(rows)), places={})
        if _list_name(source):
            return reader.rows([Row(1, source)])
        return reader.rows(object_rows([{"key": key, "rubric": source[key]} for key in source]))
    if isinstance(source, Iterable):
        return _RubricReader("rubric").rows(Row(place, _filled(one)) for place, one in enumerate(source, 1))
    raise DeclarationError(f"a rubric must be a file or a list of criteria, not {kind(source)}")


def _filled(record: Any) -> Any:
    """A record from memory without what is empty in it: those of a frame have NaN there."""
    if not isinstance(record, Mapping):
        return record
    return {name: value for name, value in record.items() if not is_missing(value)}


def own_rubrics(source: ItemSource) -> Rubrics:
    """Read the rubrics in the items' own field ``rubric`` or ``rubrics``.

    It is empty where no item has a rubric.

    Raises:
        RubricError: a rubric has faults; it lists them with their items.
    """
    topics = set[str]()

    def rows() -> Iterator[Row]:
        for file, line, item in source.located():
            topics.update(set(topics_of(item)).difference(item_ids(item)))
            own = next((item.metadata[name] for name in OWN if not is_missing(item.metadata.get(name))), None)
            if own is not None:
                yield Row(line, {"item": item.id, "rubric": own}, file)

    own = list(rows())
    if not own:
        return Rubrics()
    rubrics = _RubricReader(source.name).rows(own)
    # a record says that the keys name items only where the topic of an item is called as another item is
    return replace(
        rubrics, items=frozenset() if topics.isdisjoint(rubrics.by_key) else rubrics.items, columns=OWN
    )


def _read_file(path: Path) -> Rubrics:
    suffix, reader = path.suffix.lower(), _RubricReader(str(path))
    if suffix == ".toml":
        text, data = read_toml(path)
        return reader.whole(data, partial(line_of, text))
    if suffix in (".yaml", ".yml"):
        return reader.whole(*read_yaml(path))
    return reader.rows(several_files(path) or file_rows(path))


class _RubricReader:
    """A reader of one source: it collects criteria for all items, rubrics by key, and faults, until ``_made`` returns
    the rubrics or raises an error. ``whole`` and ``rows`` are the two ways in."""

    def __init__(self, name: str) -> None:
        self.name, self.faults, self._file = name, FaultList(), name
        self._line: Callable[[Place], int]
        """The line of a place in the record that is read."""
        self._shared: list[Criterion] = []
        self._names: set[str] = set()
        self._by_key: dict[str, tuple[Criterion, ...]] = {}
        self._items: set[str] = set()
        self._places: dict[str, tuple[str, int]] = {}

    def whole(self, data: Any, line: Callable[[Place], int]) -> Rubrics:
        """Return the rubrics of data that was read whole: a list of criteria or rows, an object that has such a list,
        or one row. ``line`` returns the line of a place in the data.

        Raises:
            DeclarationError: there is no rubric, or too many criteria.
            RubricError: criteria have faults; all are listed.
        """
        base: Place = ()
        if isinstance(data, Mapping) and not _key(data)[1]:
            if not (name := _list_name(data)):
                raise DeclarationError(f"{self.name} contains no rubric: write a list named criteria")
            data, base = data[name], (name,)
        for index, record in enumerate(data if isinstance(data, list) else [data]):
            start = (*base, index) if isinstance(data, list) else base
            self._line = lambda place, start=start: line((*start, *place))  # type: ignore[misc]
            self._record(record)
        return self._made()

    def rows(self, rows: Iterable[Row | Fault]) -> Rubrics:
        """Return the rubrics of rows, each of them a criterion or a row with a rubric.

        Raises:
            DeclarationError: there is no rubric, or too many criteria.
            RubricError: rows have faults; all are listed.
        """
        for row in rows:
            if isinstance(row, Fault):
                self.faults.add(row)
                continue
            self._line = lambda place, line=row.line: line  # type: ignore[misc]
            self._file = row.file or self.name
            self._record(row.record)
        return self._made()

    def _made(self) -> Rubrics:
        self.faults.raise_any(RubricError)
        if not self._shared and not self._by_key:
            raise DeclarationError(f"{self.name} contains no criterion")
        if self._shared and self._by_key:
            raise DeclarationError(
                f"{self.name} contains criteria for all items and for single ones: write two files"
            )
        return Rubrics(tuple(self._shared), self._by_key, frozenset(self._items), self._places, self.name)

    def _fault(self, problem: str, remedy: str, place: Place) -> None:
        steps = (f"[{step + 1}]" if isinstance(step, int) else f".{step}" for step in place)
        where = "".join(steps).removeprefix(".")
        self.faults.add(Fault(self._file, self._line(place), where, problem, remedy))

    def _record(self, record: Any) -> None:
        """Add a record: a criterion, or a rubric without a key, to the criteria shared by all items; a rubric with the
        id or the topic of an item to that one's. Faults are collected, also a second rubric of the same key.

        Raises:
            DeclarationError: a shared rubric has more than :data:`MAX_CRITERIA` criteria.
        """
        if not (name := _list_name(record)):
            self._shared += self._criteria(record, (), self._names)
            if len(self._shared) > MAX_CRITERIA:
                raise DeclarationError(f"{self.name} has more than {MAX_CRITERIA} criteria: remove some")
            return
        criteria = self._rubric(record[name], (name,))
        column, key = _key(record)
        if not column:
            self._shared += criteria
            return
        try:
            if not (isinstance(key, str) and column in ("topic", "question", "prompt")):
                key = sound_id(as_text(key))
        except InvalidCell as invalid:
            self._fault(invalid.problem, invalid.remedy, (column,))
            return
        if key in self._by_key:
            file, line = self._places[key]
            problem = f"is {quoted(key)}, as in line {line} of {file}"
            self._fault(problem, "Write one rubric for each, with all of its criteria", (column,))
        if criteria:
            self._by_key[key] = tuple(criteria)
            self._places[key] = (self._file, self._line(()))
            self._items |= {key} if column in ITEM_KEYS else set()

    def _rubric(self, given: Any, place: Place) -> list[Criterion]:
        if name := _list_name(given):
            given, place = given[name], (*place, name)
        try:
            every = list_in_text(given) if isinstance(given, str) else as_list(given)
        except InvalidCell as invalid:
            self._fault(invalid.problem, invalid.remedy, place)
            return []
        if not isinstance(every, Sequence):
            self._fault(f"is {kind(given)}, and a list of criteria is expected", "Write a list", place)
            return []
        if not every:
            self._fault("has no criterion", "Add its criteria, or remove the rubric", place)
        if len(every) > MAX_CRITERIA:
            self._fault(f"has more than {MAX_CRITERIA} criteria", "Split the rubric", place)
            return []
        taken = set[str]()
        each = (self._criteria(one, (*place, index), taken) for index, one in enumerate(every))
        return list(chain.from_iterable(each))

    def _criteria(self, record: Any, place: Place, taken: set[str]) -> list[Criterion]:
        """Return the criteria that a record holds: one, or one for each short answer to its question; none,
        with a fault, if it is invalid.

        ``place`` is the record's position in the source; ``taken`` has the names in use and gets the new
        ones.
        """
        try:
            return [unique(one, taken, named=named) for one, named in criteria_in(record)]
        except InvalidCell as invalid:
            self._fault(invalid.problem, invalid.remedy, (*place, invalid.where) if invalid.where else place)
        except DeclarationError as error:
            self._fault(f"cannot be used: {error}", "Correct it (docs/rubrics.md)", place)
        return []


def _list_name(record: Any) -> str:
    """Under which name an object has the criteria of a rubric; empty where it has none."""
    return next((name for name in LISTS if isinstance(record, Mapping) and name in record), "")


def _key(record: Mapping[str, Any]) -> tuple[str, Any]:
    """Return the first column that names the item or the topic of a row, and its value; two empty texts if there is
    none."""
    return next(
        (
            (column, record[column])
            for column in ("key", *ITEM_KEYS, *TOPIC_KEYS)
            if not is_missing(record.get(column)) and isinstance(record[column], str | int | float)
        ),
        ("", ""),
    )


_QUESTION = ("question", "criterion", "statement", "question_text")
_WEIGHT = ("weight", "points")
_AXIS = ("axis", "category")
_KNOWN = (
    *(*_QUESTION, *_WEIGHT, *_AXIS),
    *("name", "scale", "anchors", "looks_at", "importance", "tags", "short_answers", "question_id"),
)
MAX_CRITERIA = 500
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
    """Yield the criteria in one record, each with True if the record gives its name and False if it was
    generated.

    Raises:
        InvalidCell: a field is invalid.
        DeclarationError: a criterion is invalid.
    """
    if isinstance(record, str | Criterion):
        criterion = criterion_of(record)
        yield criterion, is_named(record, criterion)
        return
    if not isinstance(record, Mapping):
        raise InvalidCell(f"is {kind(record)}, but must be a criterion", "Write an object with a question")
    cells = ((key, as_list(value)) for key, value in record.items())  # an array is compared place by place
    values = {key: value for key, value in cells if value != "" and not _is_empty(key, value)}
    for key in values:
        if key not in _KNOWN and (meant := near(str(key), _KNOWN)):
            raise InvalidCell("is not a field of a criterion", f"Rename it, perhaps to {meant!r}", str(key))
    criterion = criterion_in(_table(values))
    if "short_answers" in values:
        yield from _short_answers(criterion, values["short_answers"])
    else:
        yield criterion, "name" in values


def _is_empty(key: str, value: Any) -> bool:
    """Whether a field has nothing; a weight that is no number is not the same as none."""
    return is_missing(value) and not (key in _WEIGHT and isinstance(value, float))


def _table(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a criterion by conqret's names, from a record with any known names for them.

    Raises:
        InvalidCell: there is no question, or a weight or an importance is none.
    """
    column = next((name for name in _QUESTION if name in values), None)
    if column is None:
        raise InvalidCell("has no question", "Write in a sentence what is judged: question = …")
    question = values[column]
    if not isinstance(question, str) or not re.search(r"\w", question):
        raise InvalidCell("is not a sentence", "Write in a sentence what is judged", column)
    table = {name: values[name] for name in ("name", "scale", "anchors", "looks_at") if name in values}
    if isinstance(table.get("scale"), str):  # as tables have it
        written = table["scale"].strip().removeprefix("[").removesuffix("]").strip()
        if ends := _ENDS.fullmatch(written):
            table["scale"] = [int(ends[1]), int(ends[2])]
    if column != "question":  # as others publish it: no word in it says that documents are to be shown
        table.setdefault("looks_at", ANSWER_AND_QUESTION)
    return {**table, "question": question, **_graded(values)}


def _graded(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``weight``, ``importance`` and ``axis`` of a criterion, as far as it has them under any known name; an
    axis may also stand among its ``tags``.

    Raises:
        InvalidCell: a weight or an importance cannot be read.
    """
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
    raise InvalidCell(f"is {quoted(value)}, but must be a number", "Write the points as a number", column)


def _importance(value: Any) -> dict[str, Any]:
    word = _LETTERED.sub("", value.strip()).casefold() if isinstance(value, str) else ""
    if word in IMPORTANCES:
        return {"importance": word}
    if word in _DRAGUN:
        importance, weight = _DRAGUN[word]
        return {"importance": importance, "weight": weight}
    known = ", ".join((*IMPORTANCES, *_DRAGUN))
    raise InvalidCell(f"is {quoted(value)}, no known importance", f"Write one of {known}", "importance")


def _short_answers(criterion: Criterion, answers: Any) -> Iterator[tuple[Criterion, bool]]:
    """Yield for each short answer to a question of DRAGUN a criterion on the scale 0 to 2, with an equal part of the
    question's points. The second value, whether the user named the criterion, is False.

    Raises:
        InvalidCell: there are no answers, too many, or one has no text.
    """
    if not isinstance(answers, list) or not answers:
        raise InvalidCell("is not a list of short answers", "Write the answers as a list", "short_answers")
    if len(answers) > MAX_CRITERIA:
        raise InvalidCell(f"has more than {MAX_CRITERIA} answers", "Split the rubric", "short_answers")
    for place, one in enumerate(answers, start=1):
        found = one if isinstance(one, str) else None
        if isinstance(one, Mapping):
            found = next((one[name] for name in _ANSWER if isinstance(one.get(name), str)), None)
        if not found or not found.strip():
            raise InvalidCell("has no text", "Write the answer as a text", f"short_answers[{place}]")
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

"""Rubrics as they are written: in TOML, YAML, JSON, JSON Lines or a table, for all items or for each topic or item.

A rubric is a list of criteria, each a record (:mod:`conqret.judging.rubric_records`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from conqret.data import Item
from conqret.errors import DeclarationError, Fault, FaultsError, number
from conqret.io.cell_values import as_list, as_text, is_missing, list_in_text, sound_id
from conqret.io.files import file_rows
from conqret.io.reports import TOPIC_IDS, topic_names
from conqret.io.rows import FaultList, ObjectRows, Row, Unfit, kind, listed, quoted
from conqret.io.source import ItemSource, several_files
from conqret.io.toml import Place, line_of, read_toml, read_yaml
from conqret.judging.criterion import Criterion, unique
from conqret.judging.judge_options import GIVE, RUBRIC
from conqret.judging.rubric_records import MOST_CRITERIA, criteria_in

OWN = (RUBRIC, "rubrics")
"""Where an item has its own rubric."""
LISTS = ("rubrics", "rubric", "criteria")
"""Under these names an object has the criteria of a rubric."""
ITEM_KEYS = ("item", "item_id")
"""Names of what says for which item a rubric is."""
TOPIC_KEYS = (
    *TOPIC_IDS,
    *("question_id", "prompt_id", "sample_id", "task_id", "id", "topic", "question", "prompt"),
)
"""Names of what says for which topic a rubric is, and of what of an item's metadata says its topic."""


class RubricError(FaultsError):
    """A rubric has faults."""

    of = "rubric"


@dataclass(frozen=True)
class Rubrics:
    """A rubric for all items (``shared``), or one for each topic or item, ``by_key``; ``items`` are the keys that name
    an item and no topic, ``places`` file and line of each key, ``name`` what messages call the whole, and ``columns``
    where the items have their own: then every key names an item."""

    shared: tuple[Criterion, ...] = ()
    by_key: Mapping[str, tuple[Criterion, ...]] = field(default_factory=dict)
    items: frozenset[str] = frozenset()
    places: Mapping[str, tuple[str, int]] = field(default_factory=dict, compare=False, repr=False)
    name: str = field(default=RUBRIC, compare=False)
    columns: tuple[str, ...] = field(default=(), compare=False)

    def of(self, item: Item) -> tuple[Criterion, ...]:
        """The rubric of an item; none where there is none for it."""
        key = self.key_of(item)
        return self.shared if key is None else self.by_key[key]

    def key_of(self, item: Item) -> str | None:
        """The key that names the item, or else its topic; None where none does.

        A key that names an item is compared with ids alone, so that no item gets the rubric of another; any other with
        the topic first, and with the id last.
        """
        ids = _ids(item)
        items = self.by_key if self.columns else self.items
        named = next((key for key in ids if key in items and key in self.by_key), None)
        if named is not None or self.columns:
            return named
        keys = (key for key in (*_topics(item), *ids) if key in self.by_key and key not in items)
        return next(keys, None)

    @property
    def each(self) -> tuple[tuple[Criterion, ...], ...]:
        """Every rubric."""
        return (self.shared,) if self.shared else tuple(self.by_key.values())

    def plain(self) -> dict[str, Any]:
        """It as JSON data; :func:`rubrics_of` reads it."""
        if self.shared:
            return {"criteria": [criterion.plain() for criterion in self.shared]}
        by_key = {key: [criterion.plain() for criterion in every] for key, every in self.by_key.items()}
        return {"for": by_key, "items": sorted(self.items)}

    def check(self, items: Iterable[Item]) -> list[str]:
        """How many items have no rubric, and how many rubrics no item.

        Raises:
            RubricError: a rubric names an item that is not there.
            DeclarationError: no item has a rubric.
        """
        if self.shared:
            return []
        met, lacking, total, first = set[str](), 0, 0, ""
        for item in items:
            key = self.key_of(item)
            total += 1
            if key is None:
                lacking, first = lacking + 1, first or item.id
            else:
                met.add(key)
        unmet = [key for key in self.by_key if key not in met]
        faults = FaultList(
            Fault(
                *self.places[key], "", f"is a rubric for {quoted(key)}, but there is no such item", _NO_ITEM
            )
            for key in unmet
            if key in self.items and key in self.places and not self.columns
        )
        faults.raise_any(RubricError)
        if not met and total:
            raise DeclarationError(
                f"{self.name} has no rubric for any of the {number(total, 'item')}: its rubrics are for "
                f"{listed(unmet, 3)}, and the first item is {quoted(first)}: write ids or topics of the items"
            )
        notes = []
        if unmet:
            notes.append(
                f"{len(unmet)} of {len(self.by_key)} rubrics of {self.name} are for topics of no item"
            )
        if lacking:
            notes.append(f"{lacking} of {total} items have no rubric (the first: {first}), and are unscored")
        return notes


_NO_ITEM = "Correct the id, or remove the rubric"
RubricSource = str | Path | Rubrics | Mapping[str, Any] | Sequence[Criterion | str | Mapping[str, Any]]
"""A file or a folder of files; criteria; or rubrics by the id of an item or topic."""


def _ids(item: Item) -> tuple[str, ...]:
    """The id of an item, and that before it was changed."""
    return (item.id,) if item.version is None else (item.id, item.version.original)


def _topics(item: Item) -> Iterator[str]:
    """What may name the topic of an item: fields of its metadata, and the topic itself."""
    yield from topic_names(item, TOPIC_KEYS)
    yield item.topic


def rubrics_of(source: RubricSource) -> Rubrics:
    """Read rubrics.

    Raises:
        RubricError: it has faults; it lists them all, with file and line.
        DeclarationError: it is nothing that holds a rubric, or holds none.
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
            return replace(reader.rows(ObjectRows(rows)), places={})
        if _list_name(source):
            return reader.rows([Row(1, source)])
        return reader.rows(ObjectRows([{"key": key, "rubric": source[key]} for key in source]))
    if isinstance(source, Iterable):
        return _RubricReader("rubric").rows(Row(place, _filled(one)) for place, one in enumerate(source, 1))
    raise DeclarationError(f"a rubric must be a file or a list of criteria, not {kind(source)}")


def _filled(record: Any) -> Any:
    """A record from memory without what is empty in it: those of a frame have NaN there."""
    if not isinstance(record, Mapping):
        return record
    return {name: value for name, value in record.items() if not is_missing(value)}


def own_rubrics(source: ItemSource) -> Rubrics:
    """The rubrics that the items of a source have themselves, in a field rubric or rubrics.

    Raises:
        RubricError: one has faults; each is told with the item.
        DeclarationError: no item has one.
    """
    topics = set[str]()

    def rows() -> Iterator[Row]:
        for file, line, item in source.located():
            topics.update(set(_topics(item)).difference(_ids(item)))
            own = next((item.metadata[name] for name in OWN if not is_missing(item.metadata.get(name))), None)
            if own is not None:
                yield Row(line, {"item": item.id, "rubric": own}, file)

    own = list(rows())
    if not own:
        raise DeclarationError(GIVE[RUBRIC])
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
    """One source while it is read: criteria, or rows that each have a rubric; its faults."""

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
        """The rubrics of a file that was read whole: a list, or an object that has one."""
        base: Place = ()
        if isinstance(data, Mapping) and not _key(data)[1]:
            if not (name := _list_name(data)):
                raise DeclarationError(
                    f"{self.name} contains no rubric: write a list of criteria under the name criteria"
                )
            data, base = data[name], (name,)
        for index, record in enumerate(data if isinstance(data, list) else [data]):
            start = (*base, index) if isinstance(data, list) else base
            self._line = lambda place, start=start: line((*start, *place))  # type: ignore[misc]
            self._record(record)
        return self._made()

    def rows(self, rows: Iterable[Row | Fault]) -> Rubrics:
        """The rubrics of rows."""
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
                f"{self.name} contains criteria for all items and rubrics for single items: write them into two files"
            )
        return Rubrics(tuple(self._shared), self._by_key, frozenset(self._items), self._places, self.name)

    def _fault(self, problem: str, remedy: str, place: Place) -> None:
        steps = (f"[{step + 1}]" if isinstance(step, int) else f".{step}" for step in place)
        where = "".join(steps).removeprefix(".")
        self.faults.add(Fault(self._file, self._line(place), where, problem, remedy))

    def _record(self, record: Any) -> None:
        """Take in a criterion, or a row that has a rubric."""
        if not (name := _list_name(record)):
            self._shared += self._criteria(record, (), self._names)
            if len(self._shared) > MOST_CRITERIA:
                raise DeclarationError(
                    f"{self.name} has more than {MOST_CRITERIA} criteria, the most for a rubric: remove some"
                )
            return
        criteria = self._rubric(record[name], (name,))
        column, key = _key(record)
        if not column:
            self._shared += criteria
            return
        try:
            if not (isinstance(key, str) and column in ("topic", "question", "prompt")):
                key = sound_id(as_text(key))
        except Unfit as unfit:
            self._fault(unfit.problem, unfit.remedy, (column,))
            return
        if key in self._by_key:
            file, line = self._places[key]
            self._fault(
                f"is {quoted(key)}, as in line {line} of {file}",
                "Write one rubric for each, with all of its criteria",
                (column,),
            )
        if criteria:
            self._by_key[key] = tuple(criteria)
            self._places[key] = (self._file, self._line(()))
            self._items |= {key} if column in ITEM_KEYS else set()

    def _rubric(self, given: Any, place: Place) -> list[Criterion]:
        if name := _list_name(given):
            given, place = given[name], (*place, name)
        try:
            every = list_in_text(given) if isinstance(given, str) else as_list(given)
        except Unfit as unfit:
            self._fault(unfit.problem, unfit.remedy, place)
            return []
        if not isinstance(every, Sequence):
            self._fault(f"is {kind(given)}, and a list of criteria is expected", "Write a list", place)
            return []
        if not every:
            self._fault("has no criterion", "Add its criteria, or remove the rubric", place)
        if len(every) > MOST_CRITERIA:
            self._fault(f"has more than {MOST_CRITERIA} criteria", "Split the rubric", place)
            return []
        taken = set[str]()
        each = (self._criteria(one, (*place, index), taken) for index, one in enumerate(every))
        return list(chain.from_iterable(each))

    def _criteria(self, record: Any, place: Place, taken: set[str]) -> list[Criterion]:
        """The criteria that a record holds: one, or of a question with short answers one for each of these."""
        try:
            return [unique(one, taken, named=named) for one, named in criteria_in(record)]
        except Unfit as unfit:
            self._fault(unfit.problem, unfit.remedy, (*place, unfit.where) if unfit.where else place)
        except DeclarationError as error:
            self._fault(f"cannot be used: {error}", "Correct it (docs/rubrics.md)", place)
        return []


def _list_name(record: Any) -> str:
    """Under which name an object has the criteria of a rubric; empty where it has none."""
    return next((name for name in LISTS if isinstance(record, Mapping) and name in record), "")


def _key(record: Mapping[str, Any]) -> tuple[str, Any]:
    """What names the item or topic of a row, and the name; the questions of criteria are none."""
    return next(
        (
            (column, record[column])
            for column in ("key", *ITEM_KEYS, *TOPIC_KEYS)
            if not is_missing(record.get(column)) and isinstance(record[column], str | int | float)
        ),
        ("", ""),
    )

"""The rows of a log of verdicts: which item each is about, and what was said of it, metric by metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conqret.data import Item
from conqret.errors import DeclarationError, Fault, FaultsError, number
from conqret.io import ItemSource, open_items
from conqret.io.cell_values import as_text
from conqret.io.checks import identifier, one_of
from conqret.io.checks import number as a_number
from conqret.io.columns import FIELDS
from conqret.io.comparisons import OUTCOMES
from conqret.io.faults import Unfit, listed
from conqret.io.files import file_rows
from conqret.io.label_scale import TRUTH, LabelScale, Scales, parse_scales
from conqret.io.rows import ObjectRows, Row, Rows, readable_columns
from conqret.io.schema import Check, Field, Schema, TableReader
from conqret.judging.orders import swap_item
from conqret.judging.own_judge import PAIRED, SINGLE
from conqret.judging.scales import PREFERENCE

WORDS: Mapping[str, float] = {
    **{word: value for word, value in OUTCOMES.items() if word != "0"},
    "model_a": 1.0,
    "model_b": 0.0,
}
"""The words for a verdict that are read, in any case. 0 is none: some mean a tie by it, and others the second."""
VERDICT, SCORE = "verdict", "score"
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "item", "item_id"),
    "swapped": ("swapped",),
    VERDICT: ("verdict", "winner"),
    PAIRED: (PAIRED,),
    SCORE: ("score", "rating", SINGLE),
}
"""Which columns may hold what, beside those of items, and those that are called as a metric that is asked for."""
OF_METRICS: Mapping[str, tuple[str, ...]] = {PAIRED: (VERDICT, PAIRED), SINGLE: (SCORE,)}


@dataclass(frozen=True, slots=True)
class VerdictRows:
    """What a log holds: ``judged`` are the items as they were shown, each with a value in [0, 1] for each of
    ``metrics`` (None: nothing was said), which can be read once. ``known`` are the items by id, where they come from a
    file of their own; ``notes`` grow while the rows are read."""

    name: str
    metrics: tuple[str, ...]
    judged: Iterator[tuple[Item, Mapping[str, float | None]]]
    known: Mapping[str, Item] | None
    notes: list[str]


def verdict_rows(
    verdicts: Any,
    items: Any = None,
    *,
    metrics: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    scale: str | None = None,
    skip_invalid: bool = False,
) -> VerdictRows:
    """Open a log; see :func:`conqret.judging.verdict_log.read_log`.

    Raises:
        FaultsError: the items are faulty; the rows, while they are read.
        DeclarationError: as there.
    """
    wanted = tuple(dict.fromkeys(metric.replace("-", "_") for metric in metrics))
    mapping = dict(columns or {})
    scales = parse_scales([scale] if scale else [], (), None, Scales(LabelScale("interval", whole=False)))
    schema = _schema(wanted, scales)
    schema = schema.with_columns({name: mapping[name] for name in mapping if name not in FIELDS or name == "id"},
                                 others=FIELDS)  # fmt: skip
    of_items = {name: column for name, column in mapping.items() if name in FIELDS}
    notes: list[str] = []
    if items is None:
        if skip_invalid:
            raise DeclarationError(
                "--skip-invalid works only where the texts are in a file of their own, not in the log of verdicts: "
                "correct the log, and leave --skip-invalid out"
            )
        source = open_items(verdicts, columns=of_items)
        fields = _found(source.rows, schema, wanted, without=("id", "swapped"))
        return _read(source.name, _with_texts(source, fields), fields, wanted, None, notes)
    rows = file_rows(verdicts) if isinstance(verdicts, str | Path) else ObjectRows(list(verdicts))
    fields = _found(rows, schema, wanted)
    of_items.pop("id", None)
    source = open_items(items, columns=of_items, skip_invalid=skip_invalid)
    checked = source.check()
    notes += [f"left out: {reason}" for reason in checked.reasons]
    known = {item.id: item for item in source}
    return _read(rows.name, _named(_values(rows, fields), known, notes), fields, wanted, known, notes)


def _read(
    name: str,
    rows: Iterable[tuple[Item, Mapping[str, Any]]],
    fields: Schema,
    wanted: Sequence[str],
    known: Mapping[str, Item] | None,
    notes: list[str],
) -> VerdictRows:
    metrics = tuple(wanted) or ((PAIRED,) if set(OF_METRICS[PAIRED]) & set(fields.fields) else (SINGLE,))
    judged = ((item, {metric: _value(metric, values) for metric in metrics}) for item, values in rows)
    return VerdictRows(Path(name).name, metrics, judged, known, notes)


def _value(metric: str, values: Mapping[str, Any]) -> float | None:
    names = OF_METRICS.get(metric, (metric,))
    return next((values[name] for name in names if values.get(name) is not None), None)


def _schema(metrics: Iterable[str], scales: Scales) -> Schema:
    checks: dict[str, Check] = {
        "id": identifier,
        "swapped": one_of(TRUTH, "yes-or-no value"),
        VERDICT: one_of(WORDS, "verdict"),
        PAIRED: _preference,
        SCORE: _score(scales[SINGLE]),
    }
    fields = {name: Field(COLUMNS[name], check) for name, check in checks.items()}
    others = {name: Field((name,), _score(scales[name])) for name in metrics if name not in OF_METRICS}
    return Schema("a verdict", {**fields, **others})


def _preference(value: object, where: str, reader: TableReader) -> float:
    word = as_text(value).casefold()
    return PREFERENCE[word] if word in PREFERENCE else _score(LabelScale())(value, where, reader)


def _score(scale: LabelScale) -> Check:
    def check(value: object, where: str, reader: TableReader) -> float:
        figure = a_number(value, where, reader)
        low, high = scale.ends() if scale.bounded else (0.0, 1.0)
        if not low <= figure <= high:
            remedy = "Correct it" if scale.bounded else "Set the scale, as in --verdict-scale 1:10"
            raise Unfit(f"lies outside of the range from {low:g} to {high:g}", remedy)
        return (figure - low) / (high - low)

    return check


def _found(rows: Rows, schema: Schema, wanted: Sequence[str], without: Sequence[str] = ()) -> Schema:
    """The schema with the columns that are there. Raises DeclarationError where what is wanted is not."""
    names = readable_columns(rows)
    available = schema.among(names)
    available = replace(
        available, fields={name: field for name, field in available.fields.items() if name not in without}
    )
    derivable = [metric for metric in OF_METRICS if set(OF_METRICS[metric]) & set(available.fields)]
    lacking = [field for field in wanted if field not in available.fields and field not in derivable]
    if lacking or not (wanted or derivable):
        what = ", ".join(lacking) or "no verdict and no score"
        raise DeclarationError(
            f"{rows.name} has {what if not lacking else f'no column for {what}'} (its columns: "
            f"{listed(names, 20)}): name "
            "the column, verdict=… (first, second, tie) or score=…"
        )
    return available


def _with_texts(source: ItemSource, fields: Schema) -> Iterator[tuple[Item, Mapping[str, Any]]]:
    """Each row's item, and its values. Raises DeclarationError where rows are no items."""
    if source.layout.records is not iter:
        raise DeclarationError(
            f"{source.name} is read as {source.layout.name}, whose rows have no verdicts: name its columns "
            "(topic=…,argument=…,verdict=…)"
        )
    taken = frozenset(column for field in fields.fields.values() for column in field.columns)
    yield from zip(replace(source, rows=_Bare(source.rows, taken)), _values(source.rows, fields), strict=True)


@dataclass(frozen=True, slots=True)
class _Bare:
    """Rows without what is said in them."""

    rows: Rows
    taken: frozenset[str]

    @property
    def name(self) -> str:
        return self.rows.name

    @property
    def columns(self) -> tuple[str, ...] | None:
        return self.rows.columns

    def __iter__(self) -> Iterator[Row | Fault]:
        for row in self.rows:
            kept = row if isinstance(row, Fault) else replace(row, record=self._rest(row.record))
            yield kept

    def _rest(self, record: Mapping[str, object]) -> dict[str, object]:
        return {name: value for name, value in record.items() if name not in self.taken}


def _values(rows: Rows, schema: Schema) -> Iterator[Mapping[str, Any]]:
    """The values of each row. Raises FaultsError in the end, with all faults."""
    reader = TableReader(rows, schema)
    for row in reader.rows():
        yield reader.read(row.record, schema) or {}
    reader.finish(FaultsError, "verdicts")


def _named(
    rows: Iterable[Mapping[str, Any]], known: Mapping[str, Item], notes: list[str]
) -> Iterator[tuple[Item, Mapping[str, Any]]]:
    """The rows with the items that they name; what is in no file of items goes into the notes."""
    unknown = []
    for values in rows:
        item = known.get(values.get("id") or "")
        if item is None:
            unknown.append(values.get("id") or "without an id")
        else:
            yield (swap_item(item) if values.get("swapped") else item), values
    if unknown:
        notes.append(f"{number(len(unknown), 'verdict')} of unknown items, such as {unknown[0]}")

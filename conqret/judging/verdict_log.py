"""Verdicts that were given before, elsewhere: a log of them, as a judge that repeats its verdicts.

A row is one item (or one pair, as it was shown) with its verdicts. The log may have the texts itself, or name
items of a file by their ids.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from conqret.data import Item
from conqret.errors import DeclarationError, FaultsError, metric_name, number
from conqret.io import ItemSource, open_items
from conqret.io.cell_values import as_text
from conqret.io.checks import identifier, one_of
from conqret.io.checks import number as a_number
from conqret.io.columns import CONQRET, FIELDS
from conqret.io.files import file_rows
from conqret.io.label_set import YES_NO, LabelScale, Scales, parse_scales
from conqret.io.pairs import OUTCOMES
from conqret.io.rows import InvalidCell, Row, Rows, listed, mapped, object_rows, readable_columns
from conqret.io.schema import Check, Field, Schema, TableReader
from conqret.judging.judge_options import PAIRED, SINGLE
from conqret.judging.judge_parts import Judge
from conqret.judging.own_judge import own_judge, plain
from conqret.judging.scales import PREFERENCE, swap_item
from conqret.llm.backends.verdicts import admit, texts_of
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions

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
"""Which columns may hold what, in addition to those of items, and those that are called as a metric that is
requested."""
OF_METRICS: Mapping[str, tuple[str, ...]] = {PAIRED: (VERDICT, PAIRED), SINGLE: (SCORE,)}


def _value(metric: str, values: Mapping[str, Any]) -> float | None:
    names = OF_METRICS.get(metric, (metric,))
    return next((values[name] for name in names if values.get(name) is not None), None)


def _schema(metrics: Iterable[str], scales: Scales, *, named: bool) -> Schema:
    checks: dict[str, Check] = {
        VERDICT: one_of(WORDS, "verdict"),
        PAIRED: _preference,
        SCORE: _score(scales[SINGLE]),
    }
    if named:
        checks |= {"id": identifier, "swapped": one_of(YES_NO, "yes-or-no value")}
    fields = {name: Field(COLUMNS[name], check) for name, check in checks.items()}
    others = {name: Field((name,), _score(scales[name])) for name in metrics if name not in OF_METRICS}
    return Schema({**fields, **others})


def _preference(value: object, where: str, reader: TableReader) -> float:
    word = as_text(value).casefold()
    return PREFERENCE[word] if word in PREFERENCE else _score(LabelScale())(value, where, reader)


def _score(scale: LabelScale) -> Check:
    def check(value: object, where: str, reader: TableReader) -> float:
        figure = a_number(value, where, reader)
        low, high = scale.ends() if scale.bounded else (0.0, 1.0)
        if not low <= figure <= high:
            remedy = "Correct it" if scale.bounded else "Set the scale, as in --verdict-scale 1:10"
            raise InvalidCell(f"lies outside of the range from {low:g} to {high:g}", remedy)
        return (figure - low) / (high - low)

    return check


def _found(rows: Rows, schema: Schema, wanted: Sequence[str]) -> Schema:
    """Return the schema with the columns that the log has.

    Raises:
        DeclarationError: a ``wanted`` metric has no column, or no column holds verdicts or scores.
    """
    names = readable_columns(rows)
    available = schema.among(names)
    there = available.fields.keys() | {metric for metric in OF_METRICS if _has(metric, available)}
    lacking = [metric for metric in wanted if metric not in there]
    if lacking or not (wanted or there & OF_METRICS.keys()):
        what = f"no column for {', '.join(lacking)}" if lacking else "no verdict and no score"
        raise DeclarationError(
            f"{rows.name} has {what} (its columns: {listed(names, 20)}): name the column, verdict=… (first, second, "
            "tie) or score=…"
        )
    return available


def _has(metric: str, schema: Schema) -> bool:
    return not schema.fields.keys().isdisjoint(OF_METRICS[metric])


def _values(rows: Rows, schema: Schema) -> Iterator[Mapping[str, Any]]:
    """The values of each row. Raises FaultsError in the end, with all faults."""
    reader = TableReader(rows, schema)
    for row in reader.rows():
        yield reader.read(row.record, schema) or {}
    reader.finish(FaultsError, "verdicts")


def _named(
    rows: Iterable[Mapping[str, Any]], known: Mapping[str, Item], notes: list[str]
) -> Iterator[tuple[Item, Mapping[str, Any]]]:
    """Yield the rows of a log with the items that they name, swapped if the row says so. Rows of unknown items are left
    out, and their number goes into ``notes``."""
    unknown = []
    for values in rows:
        name = values.get("id") or "without an id"
        if name in known:
            yield (swap_item(known[name]) if values.get("swapped") else known[name]), values
        else:
            unknown.append(name)
    if unknown:
        notes.append(f"{number(len(unknown), 'verdict')} of unknown items, such as {unknown[0]}")


@dataclass(frozen=True)
class VerdictLog:
    """A log of verdicts that were made elsewhere, in place of a judge.

    ``items`` are the distinct items, with the arguments in the order in which they first occur. ``verdicts``
    maps the texts of an item to its verdicts in the log's order, each with a value in [0, 1] (or None) for
    each of ``metrics``.
    """

    name: str
    items: tuple[Item, ...]
    metrics: tuple[str, ...]
    verdicts: Mapping[str, Sequence[Mapping[str, float | None]]]
    notes: tuple[str, ...] = ()
    skip_invalid: bool = False

    @property
    def source(self) -> ItemSource:
        """The log's items as a source of items to judge."""
        return ItemSource(object_rows(self.items, self.name), CONQRET, skip_invalid=self.skip_invalid)

    @cached_property
    def both_orders(self) -> bool:
        """True if every pair was judged in both orders, so that a preference can combine both."""
        return all(self.times(item) and self.times(swap_item(item)) for item in self.items)

    def times(self, item: Item, *, pair: bool = True) -> int:
        """Return how often the log has the item: as a ``pair`` in this order, or its argument alone."""
        return len(self.verdicts.get(texts_of(plain(item, pair=pair)), ()))

    def answers(
        self, item: Item, metrics: Iterable[str], sample: int = 0, *, one_order: bool = False
    ) -> bool:
        """Return True if the log has a verdict for each of ``metrics`` of the item, for this number of
        sample, from 0.

        A preference needs verdicts in both orders if the log has all pairs in both, unless ``one_order`` is
        true.
        """
        both = self.both_orders and not one_order
        return all(
            self.times(shown, pair=metric == PAIRED) > sample
            for metric in metrics
            for shown in ([item, swap_item(item)] if metric == PAIRED and both else [item])
        )


def read_log(items: Any, settings: Mapping[str, Any]) -> VerdictLog | None:
    """Read the log of verdicts among the settings of :func:`conqret.judge`, with its items; None where there is none.

    Args:
        items: the items that the ids in the log refer to. Without them each row has the texts as they were
            shown, in the columns of an item.
        settings: ``verdicts`` (a file of JSON Lines, CSV, Parquet, or rows in memory; with ``items`` each row
            has the id of one, and optionally ``swapped``) and ``verdict_scale`` (the lowest and highest number,
            ``1:10``, or those of one metric, ``groundedness=1:5``; default: 0 to 1). ``metrics`` are those to
            read: ``preference`` from a verdict, any other from a number (default: preference where there are
            verdicts, else overall_quality). ``columns`` maps fields to columns (``{"score": "rating"}``).

    Raises:
        FaultsError: rows are invalid.
        DeclarationError: no column has verdicts or scores, or a column or scale is invalid; or there are neither
            items nor a log, or a scale without a log.
    """
    verdicts, scale = settings.get("verdicts"), settings.get("verdict_scale")
    if verdicts is None:
        if scale is not None and items is not None:
            raise DeclarationError("--verdict-scale is the scale of a log of verdicts: add --verdicts")
        if items is None:
            raise DeclarationError(
                "nothing is given to be judged: name a file of items, or a log of verdicts (--verdicts)"
            )
        return None
    skip_invalid = settings.get("skip_invalid", False)
    wanted = tuple(dict.fromkeys(metric_name(metric) for metric in settings.get("metrics") or ()))
    scales = parse_scales([scale] if scale else [], (), None, Scales(LabelScale("interval", whole=False)))
    mapping, notes = dict(settings.get("columns") or {}), list[str]()
    own = {name: column for name, column in mapping.items() if name not in FIELDS or name == "id"}
    of_items = {name: column for name, column in mapping.items() if name in FIELDS}
    schema = _schema(wanted, scales, named=items is not None)
    schema = schema.with_columns(own, "a verdict", others=(*FIELDS, "swapped"))
    if items is None and skip_invalid:
        raise DeclarationError(
            "--skip-invalid works only where the texts are in a file of their own, not in the log of verdicts: "
            "correct the log, and leave --skip-invalid out"
        )
    if items is None:
        source = open_items(verdicts, columns=of_items)
        rows = source.rows
        if source.layout.records is not iter:
            raise DeclarationError(
                f"{source.name} is read as {source.layout.name}, whose rows have no verdicts: name its columns "
                "(topic=…,argument=…,verdict=…)"
            )
    else:
        of_items.pop("id", None)
        rows = file_rows(verdicts) if isinstance(verdicts, str | Path) else object_rows(list(verdicts))
        source = open_items(items, columns=of_items, skip_invalid=skip_invalid)
        notes += [f"left out: {reason}" for reason in source.check().reasons]
    fields = _found(rows, schema, wanted)
    wanted = wanted or ((PAIRED,) if _has(PAIRED, fields) else (SINGLE,))
    values = _values(rows, fields)
    if items is None:
        taken = {column for field in fields.fields.values() for column in field.columns}

        def texts(row: Row) -> list[Row]:
            return [replace(row, record={name: row.record[name] for name in row.record if name not in taken})]

        source = replace(source, rows=replace(rows, records=partial(mapped, rows, texts)))
        log = _gathered(wanted, zip(source, values, strict=True), None)
    else:
        known = {item.id: item for item in source}
        log = _gathered(wanted, _named(values, known, notes), known)
    name, notes = Path(rows.name).name, [*notes, *log.notes]
    return replace(log, name=name, notes=tuple(notes), skip_invalid=skip_invalid)


def logged_judge(log: VerdictLog, client: ClientOptions) -> tuple[Judge, ClientOptions]:
    """Return the format and the client options that answer from the log.

    A preference combines both orders where every pair was judged in both, else it is the verdict in the order
    of the item.

    Raises:
        DeclarationError: the client names a model.
    """
    if client.model != OFFLINE_MODEL:
        raise DeclarationError(f"a log of verdicts needs no model: leave {client.model} out")
    judge = own_judge(log.metrics)
    judge_prompts = tuple(
        replace(part, both_orders=part.both_orders and log.both_orders) for part in judge.judge_prompts
    )
    return replace(judge, judge_prompts=judge_prompts), replace(client, model=admit(log.name, log.verdicts))


def _gathered(
    metrics: tuple[str, ...],
    rows: Iterable[tuple[Item, Mapping[str, Any]]],
    known: Mapping[str, Item] | None,
) -> VerdictLog:
    """Return the log of these rows: verdicts by the texts of an item, in their order. Without ``known`` items, the
    items are those of the rows, each once and with an id of its own (a number is added, since pairs of one question
    often share their id)."""
    verdicts: dict[str, list[Mapping[str, float | None]]] = {}
    items, met, count = dict[str, Item](), set[str](), 0
    for item, row in rows:
        count += 1
        for pair in (True, False):
            values = {metric: _value(metric, row) for metric in metrics if (metric == PAIRED) is pair}
            if values:
                verdicts.setdefault(texts_of(plain(item, pair=pair)), []).append(values)
        shown = {texts_of(plain(version, pair=True)) for version in (item, swap_item(item))}
        if shown.isdisjoint(met):
            name = next(name for name in _names(item.id) if name not in items)
            items[name] = item if name == item.id else item.model_copy(update={"id": name})
        met |= shown
    log = VerdictLog("", tuple((items if known is None else known).values()), metrics, verdicts)
    if PAIRED not in metrics:
        note = f"{number(count, 'judgment')} of {number(len(log.items), 'item')}"
    else:
        both = sum(bool(log.times(item) and log.times(swap_item(item))) for item in log.items)
        note = (
            f"{number(count, 'verdict')} of {number(len(log.items), 'pair')}, {both} of them in both orders"
        )
        if not log.both_orders:
            note += ": the verdict in the order of the item counts"
    return replace(log, notes=(note,))


def _names(name: str) -> Iterator[str]:
    yield name
    yield from map(f"{name}#{{}}".format, itertools.count(2))

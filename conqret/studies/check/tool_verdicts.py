"""Verdicts and labels that a tool wrote, and the table of rows that they make."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from conqret.errors import DeclarationError

Record = dict[str, Any]
Side = Literal["judge", "human", "code"]

_HUMAN = re.compile(
    r"(?<![a-z])(?:humans?|annotat(?:or|ion|ed)s?|experts?|manual|reviewers?|gold|labels?|ground truth"
    r"|user (?:score|feedback|rating)|thumbs?)(?![a-z])"
)
_GENERIC = re.compile(r"(?<![a-z])(?:score|rating|verdict|judge|llm|eval|feedback|geval|by)(?![a-z])")


@dataclass(frozen=True, slots=True)
class ToolVerdict:
    """A verdict on one unit under a name, by a judge, a human (``author``) or a program without a model."""

    unit: str
    side: Side
    name: str
    value: object
    author: str = ""
    reason: str = ""


@dataclass(slots=True)
class ToolResult:
    """What a reader finds.

    Attributes:
        tool: the name of the tool.
        units_are: what the tool calls that on which verdicts are given, in the plural.
        labels: which values are the human labels.
        units: the texts and other fields of each unit.
        verdicts: all verdicts; of two by the same name and author the later holds.
        warning: what a reader must know about verdicts or labels.
    """

    tool: str
    units_are: str
    labels: str
    units: dict[str, dict[str, object]] = field(default_factory=dict)
    verdicts: list[ToolVerdict] = field(default_factory=list)
    warning: str = ""

    def add_unit(self, name: str, number: int, fields: dict[str, object]) -> str:
        """Add a unit and return its name, with its ``number`` if the name is taken."""
        unit = name if name not in self.units else f"{name} #{number}"
        self.units[unit] = fields
        return unit

    def add(
        self, unit: str, side: Side, name: str, value: object, reason: str = "", author: str = ""
    ) -> None:
        """Add a verdict on a unit."""
        self.verdicts.append(ToolVerdict(unit, side, name, value, author, reason))


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRows:
    """The result file of another tool, as rows.

    Attributes:
        rows: one row for each judged output: ``id``, ``input``, ``output``, ``reason``, ``system`` or ``run`` where
            there are several, what else the tool knows of it, a column for each judge, and ``human`` or one column for
            each annotator. A verdict that the judge did not give begins with ``ERROR``.
        judges: the columns that hold a judge's verdicts.
        humans: the columns that hold human labels; empty if the file has none.
        note: one line that says what was read.
    """

    rows: list[dict[str, object]]
    judges: tuple[str, ...]
    humans: tuple[str, ...]
    note: str


def _words(name: str) -> str:
    return re.sub(r"[\W_]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)).lower()


def is_human(name: str) -> bool:
    """Return True if a name of a column or score says that its values are human labels."""
    return bool(_HUMAN.search(_words(name)))


def topic(name: str) -> str:
    """Return what is judged under a name, without the words that say who judges: human_correctness is correctness."""
    return re.sub(r"[\W\d]+", "_", _GENERIC.sub(" ", _HUMAN.sub(" ", _words(name)))).strip("_")


def first(record: Mapping[str, Any], names: str) -> Any:
    """Return the first value under one of ``names`` (separated by spaces), where a dot reaches into an object; None
    where there is none. Empty texts, None and NaN do not count as values.
    """
    for name in names.split():
        value: Any = record
        for part in [name] if name in record else name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if value is not None and value != "" and value == value:
            return value
    return None


def text_of(value: object) -> str:
    """Return a text as it stands, of an object with one text that text, of messages the last, else JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, dict) and len(value) == 1:
        return text_of(next(iter(value.values())))
    if isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
        return text_of(first(value[-1], "content text") or value[-1])
    return json.dumps(value, ensure_ascii=False, default=str)


def plain_fields(fields: object) -> dict[str, object]:
    """Return the fields of a metadata object that can be columns (a group for ``--by``, a label): those with a text, a
    number or a truth value, whose name does not begin with ``_``. Any other value than an object has none."""
    pairs = fields.items() if isinstance(fields, dict) else ()
    return {
        name: value
        for name, value in pairs
        if isinstance(value, str | int | float | bool) and name[:1] != "_"
    }


def opened(value: object) -> Any:
    """Return the list or object that a cell of a CSV file holds, as JSON or as Python prints it; any other
    value as it is."""
    if isinstance(value, str) and value.lstrip().startswith(("[", "{", '"')):
        for read in (json.loads, ast.literal_eval):
            try:
                return read(value)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
    return value


def failed(error: object) -> str:
    """Return the cell of a verdict that the judge did not give."""
    return f"ERROR: {text_of(error) or 'no verdict'}"


_TEXTS = {
    "input": re.compile(r"user_input|request|inputs?(?:\..+)?"),
    "output": re.compile(r"response|predictions|outputs?(?:\..+)?"),
    "reference": re.compile(r"references?(?:\..+)?"),
    "contexts": re.compile("retrieved_contexts"),
}
"""What the columns of texts are called here, and in tables of tools."""


_NUMBERS = re.compile(r"|nan|none|true|false|pass|fail|-?[\d.]+(?:e-?\d+)?", re.IGNORECASE)


def wide_reader(
    tool: str, units_are: str, metric: str, *, guessed: bool = False
) -> Callable[[list[Record]], ToolResult]:
    """Return the reader of a table with a column for each metric: its name says whether annotators filled it.

    Args:
        tool: the name of the tool.
        units_are: what a row is, in the plural.
        metric: the form of the names of columns with verdicts, whose group is the metric.
        guessed: whether other columns may have this form: a metric is then one of numbers, or pass and fail, and an
            empty cell is a verdict that the judge failed to give.
    """

    def read(records: list[Record]) -> ToolResult:
        result = ToolResult(tool, units_are, "columns named human, label or annotator")
        names = list(dict.fromkeys(name for record in records for name in record))
        texts: dict[str, str] = {}
        for column, form in _TEXTS.items():
            texts |= dict.fromkeys([name for name in names if form.fullmatch(name)][:1], column)
        humans = [name for name in names if "." not in name and is_human(name)]
        judges: dict[str, str] = {}
        for name in names:
            found = None if name in texts or name in humans else re.fullmatch(metric, name)
            if found and (
                not guessed or all(_NUMBERS.fullmatch(str(record.get(name))) for record in records)
            ):
                judges[name] = found[1]
        humans += [name for name in judges if is_human(judges[name])]
        labels = {name: judges.pop(name, name) for name in humans}
        judged = set(map(topic, judges.values()))
        others = [name for name in names if name not in {"id", *texts, *judges, *labels}]
        for number, record in enumerate(records, start=1):
            fields = plain_fields({name: record.get(name) for name in others})
            fields |= {column: text_of(_object(record.get(name))) for name, column in texts.items()}
            unit = result.add_unit(str(first(record, "id trace_id example_id") or number), number, fields)
            for column, name in judges.items():
                value = (
                    failed("no value") if guessed and _is_empty(record.get(column)) else record.get(column)
                )
                if not _is_empty(value):
                    result.add(unit, "judge", name, value, _reason(record, column))
            for column, name in labels.items():
                if not _is_empty(record.get(column)):
                    about = topic(name)
                    by_topic, author = (about, "") if about in judged else ("", about or name)
                    result.add(unit, "human", by_topic, record[column], author=author)
        return result

    return read


def _object(text: object) -> object:
    return opened(text) if isinstance(text, str) and text.startswith("{") else text


def _is_empty(value: object) -> bool:
    return value is None or value in ("", "-") or value != value


def _reason(record: Record, column: str) -> str:
    base = column.removesuffix("/value").removesuffix("/score")
    names = (f"{column}_reason", f"{base}/rationale", f"{base}/justification", f"{column}_comment")
    return next((text_of(record[name]) for name in names if name in record), "")


def verdict_table(result: ToolResult, source: str) -> ToolRows:
    """Make rows of the verdicts of a result: of the judges that judge what was labeled, and of the annotators.

    Where annotators labeled several metrics, the one with most labels is compared, and the note names the others.

    Raises:
        DeclarationError: no verdict is a judge's.
    """
    verdicts = [*result.verdicts, *_labels_in_fields(result)]
    sides = {verdict.side for verdict in verdicts}
    judged = [verdict for verdict in verdicts if verdict.side == ("judge" if "judge" in sides else "code")]
    if not judged:
        raise DeclarationError(
            f"{source}: this export of {result.tool} has human labels and no verdict of a judge"
        )
    columns = {verdict.name: verdict.name for verdict in judged}
    columns |= {name: f"judge_{name}" for name in columns if name in _FIXED}
    labels: dict[str, list[ToolVerdict]] = {}
    for verdict in verdicts:
        if verdict.side == "human":
            labels.setdefault(topic(verdict.name), []).append(verdict)
    shared = {topic(name) for name in columns} & labels.keys()
    subject = max(shared or labels or [""], key=lambda name: len(labels.get(name, ())))
    judges = [name for name in columns if not shared or topic(name) == subject]
    chosen = {verdict.unit for verdict in judged if verdict.name in judges}
    rows: dict[str, dict[str, object]] = {
        unit: {"id": unit, **fields, "reason": "", **dict.fromkeys(columns.values())}
        for unit, fields in result.units.items()
        if unit in chosen
    }
    for verdict in judged:
        if row := rows.get(verdict.unit):
            row[columns[verdict.name]] = verdict.value
            if verdict.name == judges[0]:
                row["reason"] = verdict.reason
    humans = _put_labels(rows, labels.pop(subject, []), "human")
    further = []
    for name, verdicts in labels.items():
        about = next((columns[judge] for judge in columns if topic(judge) == name), columns[judges[0]])
        further += [
            f"--judge {about} --human {label}" for label in _put_labels(rows, verdicts, f"human_{name}")
        ]
    names = tuple(columns[name] for name in judges)
    labeled = sum(any(row[column] is not None for column in humans) for row in rows.values())
    note = f"{result.tool} results: {len(rows)} {result.units_are}, {', '.join(names)} "
    note += "is the judge, " if len(names) == 1 else "are the judges, "
    note += (
        f"{result.labels} are the labels ({labeled} of {len(rows)})"
        if humans
        else f"no {result.labels} in it"
    )
    note += f"; {result.warning}" if result.warning else ""
    note += f"; other labels: {', '.join(further)}" if further else ""
    return ToolRows(rows=list(rows.values()), judges=names, humans=humans, note=note)


_FIXED = {"id", "input", "output", "reason", "system", "run", "human"}
"""Columns that no judge's column may replace."""


def _labels_in_fields(result: ToolResult) -> Iterator[ToolVerdict]:
    """Yield human labels that the user keeps in metadata, and take them out of the fields of ``result.units``; empty
    ones are dropped. ``result.labels`` then says where labels come from. None if the tool itself has labels."""
    if any(verdict.side == "human" for verdict in result.verdicts):
        return
    for unit, fields in result.units.items():
        for name in [name for name in fields if name not in _FIXED - {"human"} and is_human(name)]:
            value = fields.pop(name)
            if value not in (None, ""):
                result.labels = "human labels in the metadata"
                yield ToolVerdict(unit, "human", "", value, topic(name) or name)


def _put_labels(
    rows: dict[str, dict[str, object]], labels: list[ToolVerdict], column: str
) -> tuple[str, ...]:
    """Put labels into the ``rows`` by unit, and return their columns: ``column`` alone, or with each annotator's name
    if a unit has several. Rows without a label get None; labels without a row are left out."""
    several = len({(label.unit, label.author) for label in labels}) > len({label.unit for label in labels})
    columns = {label.author: f"{column}_{label.author}" if several else column for label in labels}
    for row in rows.values():
        row.update(dict.fromkeys(columns.values()))
    for label in labels:
        if label.unit in rows:
            rows[label.unit][columns[label.author]] = label.value
    return tuple(dict.fromkeys(columns.values()))

"""Verdicts and labels that a tool wrote, and the table of rows that they make."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
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
class Verdict:
    """A verdict on one unit under a name, by a judge, a human (``author``) or a program without a model."""

    unit: str
    side: Side
    name: str
    value: object
    author: str = ""
    reason: str = ""


@dataclass(slots=True)
class Result:
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
    verdicts: list[Verdict] = field(default_factory=list)
    warning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRows:
    """The result file of another tool, as rows.

    Attributes:
        tool: the name of the tool.
        rows: one row for each judged output: ``id``, ``input``, ``output``, ``reason``, ``system`` or ``run`` where
            there are several, what else the tool knows of it, a column for each judge, and ``human`` or one column for
            each annotator. A verdict that the judge did not give begins with ``ERROR``.
        judges: the columns that hold a judge's verdicts.
        humans: the columns that hold human labels; empty if the file has none.
        note: one line that says what was read.
    """

    tool: str
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


def first(record: Mapping[str, Any], *names: str) -> Any:
    """Return the first value that is there; a dot goes into an object."""
    for name in names:
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
        return text_of(first(value[-1], "content", "text") or value[-1])
    return json.dumps(value, ensure_ascii=False, default=str)


def plain_fields(fields: object) -> dict[str, object]:
    """Return the fields of a metadata object that can be columns: a group for ``--by``, a label."""
    fields = fields if isinstance(fields, dict) else {}
    return {
        name: value
        for name, value in fields.items()
        if isinstance(value, str | int | float | bool) and name[:1] != "_"
    }


def opened(value: object) -> Any:
    """Return the list or object that a cell of a CSV file holds, as JSON or as Python prints it."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{", '"')):
        return value
    for read in (json.loads, ast.literal_eval):
        try:
            return read(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return value


def failed(error: object) -> str:
    """Return the cell of a verdict that the judge did not give."""
    return f"ERROR: {text_of(error) or 'no verdict'}"


def wide_table(
    tool: str, units_are: str, records: list[Record], metrics: dict[str, str], texts: dict[str, str]
) -> Result:
    """Read a table with a column for each metric: its name says whether annotators filled it.

    Args:
        tool: the name of the tool.
        units_are: what a row is, in the plural.
        records: the rows.
        metrics: the columns of verdicts and labels, with the name of the metric in each.
        texts: the columns of texts, with what each is called here.
    """
    result = Result(tool, units_are, "columns named human, label or annotator")
    others = [name for name in records[0] if name not in metrics and name not in texts and name != "id"]
    topics = {metric: topic(metric) for metric in metrics.values()}
    judges = {column: metric for column, metric in metrics.items() if not is_human(metric)}
    judged = {topics[metric] for metric in judges.values()}
    humans = {
        column: (about, "") if (about := topics[metric]) in judged else ("", about or metric)
        for column, metric in metrics.items()
        if column not in judges
    }
    for number, record in enumerate(records, start=1):
        unit = str(first(record, "id", "trace_id", "example_id") or number)
        unit = unit if unit not in result.units else f"{unit} {number}"
        fields = plain_fields({name: record.get(name) for name in others})
        for name, column in texts.items():
            text = record.get(name)
            is_object = isinstance(text, str) and text.startswith("{")
            fields[column] = text_of(opened(text) if is_object else text)
        result.units[unit] = fields
        for column, metric in judges.items():
            value = record.get(column)
            if not _is_empty(value):
                result.verdicts.append(Verdict(unit, "judge", metric, value, reason=_reason(record, column)))
            elif tool == "ragas":  # it leaves out the value where the judge failed
                result.verdicts.append(Verdict(unit, "judge", metric, failed("no value")))
        for column, (about, author) in humans.items():
            if not _is_empty(record.get(column)):
                result.verdicts.append(Verdict(unit, "human", about, record[column], author))
    return result


def _is_empty(value: object) -> bool:
    return value is None or value in ("", "-") or value != value


def _reason(record: Record, column: str) -> str:
    base = column.removesuffix("/value").removesuffix("/score")
    for name in (f"{column}_reason", f"{base}/rationale", f"{base}/justification", f"{column}_comment"):
        if name in record:
            return text_of(record[name])
    return ""


def verdict_table(result: Result, source: str) -> ToolRows:
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
    labels: dict[str, list[Verdict]] = {}
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
    tool_rows = list(rows.values())
    names = tuple(columns[name] for name in judges)
    note = _note(result, tool_rows, names, humans)
    note += f"; other labels: {', '.join(further)}" if further else ""
    return ToolRows(tool=result.tool, rows=tool_rows, judges=names, humans=humans, note=note)


_FIXED = {"id", "input", "output", "reason", "system", "run", "human"}
"""Columns that no judge's column may replace."""


def _labels_in_fields(result: Result) -> Iterator[Verdict]:
    """Yield human labels that the user keeps in metadata, where the tool itself has none."""
    if any(verdict.side == "human" for verdict in result.verdicts):
        return
    for unit, fields in result.units.items():
        for name in [name for name in fields if name not in _FIXED - {"human"} and is_human(name)]:
            value = fields.pop(name)
            if value not in (None, ""):
                result.labels = "human labels in the metadata"
                yield Verdict(unit, "human", "", value, topic(name) or name)


def _put_labels(rows: dict[str, dict[str, object]], labels: list[Verdict], column: str) -> tuple[str, ...]:
    """Put labels into rows and return their columns: one, or one for each annotator if annotators overlap."""
    by_unit: dict[str, dict[str, object]] = {}
    for label in labels:
        by_unit.setdefault(label.unit, {})[label.author] = label.value
    several = any(len(values) > 1 for values in by_unit.values())
    authors = dict.fromkeys(label.author for label in labels)
    columns = {author: f"{column}_{author}" if several else column for author in authors}
    for unit, row in rows.items():
        row.update(dict.fromkeys(columns.values()))
        row.update({columns[author]: value for author, value in by_unit.get(unit, {}).items()})
    return tuple(dict.fromkeys(columns.values()))


def _note(
    result: Result, rows: list[dict[str, object]], judges: tuple[str, ...], humans: tuple[str, ...]
) -> str:
    labeled = sum(any(row[column] is not None for column in humans) for row in rows)
    note = f"{result.tool} results: {len(rows)} {result.units_are}, {', '.join(judges)} "
    note += "is the judge, " if len(judges) == 1 else "are the judges, "
    note += (
        f"{result.labels} are the labels ({labeled} of {len(rows)})"
        if humans
        else f"no {result.labels} in it"
    )
    return f"{note}; {result.warning}" if result.warning else note

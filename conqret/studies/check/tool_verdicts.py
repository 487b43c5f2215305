"""Verdicts and labels that a tool wrote, and the table of rows that they make."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
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
        warning: what a reader must know about the labels.
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
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    for read in (json.loads, ast.literal_eval):
        try:
            return read(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return value


def failed(error: object) -> str:
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
    found = Result(tool, units_are, "columns named human, label or annotator")
    judged = {topic(metric) for metric in metrics.values() if not is_human(metric)}
    for number, record in enumerate(records, start=1):
        unit = str(first(record, "id", "trace_id", "example_id") or number)
        unit = unit if unit not in found.units else f"{unit} {number}"
        rest = {
            name: record[name]
            for name in record
            if name not in metrics and name not in texts and name != "id"
        }
        found.units[unit] = {
            column: text_of(record.get(name)) for name, column in texts.items()
        } | plain_fields(rest)
        for column, metric in metrics.items():
            value = record.get(column)
            human = is_human(metric)
            about = topic(metric)
            name, author = (about, "") if about in judged else ("", about or metric)
            empty = value in (None, "", "-") or value != value
            if human and not empty:
                found.verdicts.append(Verdict(unit, "human", name, value, author))
            elif not human and (not empty or tool == "ragas"):  # whose metric is empty where the judge failed
                value = None if empty else value
                found.verdicts.append(Verdict(unit, "judge", metric, value, reason=_reason(record, column)))
    return found


def _reason(record: Record, column: str) -> str:
    base = column.removesuffix("/value").removesuffix("/score")
    return text_of(
        first(record, f"{column}_reason", f"{base}/rationale", f"{base}/justification", f"{column}_comment")
    )


def verdict_table(result: Result, path: Path) -> ToolRows:
    """Make rows of the verdicts of a result: of the judges that judge what was labeled, and of the annotators.

    Raises:
        DeclarationError: no verdict is a judge's.
    """
    verdicts = [*result.verdicts, *_labels_in_fields(result)]
    kind = "judge" if any(verdict.side == "judge" for verdict in verdicts) else "code"
    judged = [verdict for verdict in verdicts if verdict.side == kind]
    labels = [verdict for verdict in verdicts if verdict.side == "human"]
    if not judged:
        raise DeclarationError(
            f"{path}: this export of {result.tool} has human labels and no verdict of a judge"
        )
    names = list(dict.fromkeys(verdict.name for verdict in judged))
    counts = Counter(topic(verdict.name) for verdict in labels)
    shared = [name for name in counts if any(topic(judge) == name for judge in names)]
    subject = max(shared or counts or [""], key=counts.__getitem__)
    judges = [name for name in names if not shared or topic(name) == subject]
    chosen = {verdict.unit for verdict in judged if verdict.name in judges}
    taken = {name: name if name not in _FIXED else f"judge_{name}" for name in names}
    rows: dict[str, dict[str, object]] = {}
    for unit, fields in result.units.items():
        if unit in chosen:
            rows[unit] = {"id": unit, **fields, "reason": "", **dict.fromkeys(taken.values())}
    for verdict in judged:
        if row := rows.get(verdict.unit):
            row[taken[verdict.name]] = verdict.value
            if verdict.name == judges[0]:
                row["reason"] = verdict.reason
    humans = _put_labels(rows, [verdict for verdict in labels if topic(verdict.name) == subject], "human")
    others = [name for name in counts if name != subject]
    for other in others:
        _put_labels(
            rows, [verdict for verdict in labels if topic(verdict.name) == other], f"human_{other or 'other'}"
        )
    columns = tuple(taken[name] for name in judges)
    return ToolRows(
        tool=result.tool,
        rows=list(rows.values()),
        judges=columns,
        humans=humans,
        note=_note(
            result, list(rows.values()), columns, humans, [f"human_{other or 'other'}" for other in others]
        ),
    )


_FIXED = {"id", "input", "output", "reason", "system", "run", "human"}
"""Columns that no judge's column may replace."""


def _labels_in_fields(result: Result) -> Iterator[Verdict]:
    """Yield human labels that the user keeps beside the texts, in metadata, where the tool itself has none."""
    if any(verdict.side == "human" for verdict in result.verdicts):
        return
    for unit, fields in result.units.items():
        for name in [name for name in fields if name not in _FIXED and is_human(name)]:
            value = fields.pop(name)
            if value not in (None, ""):
                yield Verdict(unit, "human", "", value, name)


def _put_labels(rows: dict[str, dict[str, object]], labels: list[Verdict], column: str) -> tuple[str, ...]:
    """Put labels into rows and return their columns: one, or one for each annotator if annotators overlap."""
    by_unit: dict[str, dict[str, object]] = {}
    for label in labels:
        by_unit.setdefault(label.unit, {})[label.author] = label.value
    several = any(len(values) > 1 for values in by_unit.values())
    columns = {
        author: f"{column}_{author}" if several else column for label in labels for author in [label.author]
    }
    for unit, row in rows.items():
        row.update(dict.fromkeys(columns.values()))
        row.update({columns[author]: value for author, value in by_unit.get(unit, {}).items()})
    return tuple(dict.fromkeys(columns.values()))


def _note(
    result: Result,
    rows: list[dict[str, object]],
    judges: tuple[str, ...],
    humans: tuple[str, ...],
    others: list[str],
) -> str:
    labeled = sum(any(row[column] is not None for column in humans) for row in rows)
    verb = "is the judge" if len(judges) == 1 else "are the judges"
    labels = (
        f"{result.labels} are the labels ({labeled} of {len(rows)})"
        if humans
        else f"no {result.labels} in it"
    )
    note = f"{result.tool} results: {len(rows)} {result.units_are}, {', '.join(judges)} {verb}, {labels}"
    if others:
        note += f"; also labeled: --human {', --human '.join(others)} with --judge"
    return f"{note}; {result.warning}" if result.warning else note

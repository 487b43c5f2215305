"""Assessments, scores and annotations of MLflow, Langfuse, Phoenix, LangSmith and Opik, as each exports them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from conqret.studies.check.tool_verdicts import (
    Record,
    Result,
    Side,
    Verdict,
    failed,
    first,
    is_human,
    opened,
    text_of,
    wide_table,
)

_MLFLOW_SIDES: dict[str, Side] = {"LLM_JUDGE": "judge", "AI_JUDGE": "judge", "HUMAN": "human", "CODE": "code"}
_LANGFUSE_SIDES: dict[str, Side] = {"EVAL": "judge", "ANNOTATION": "human", "API": "judge"}
_PHOENIX_SIDES: dict[str, Side] = {"LLM": "judge", "HUMAN": "human", "CODE": "code"}
_LANGSMITH_SIDES: dict[str, Side] = {"app": "human", "model": "judge", "auto_eval": "judge", "api": "judge"}
_OPIK_SIDES: dict[str, Side] = {"ui": "human", "online_scoring": "judge", "sdk": "judge"}


def mlflow(records: list[Record]) -> Result:
    """Read traces with their assessments, as ``mlflow.search_traces`` returns them, a table or a list."""
    result = Result("MLflow", "traces", "assessments by a human")
    for number, record in enumerate(records, start=1):
        trace = record["info"] if isinstance(record.get("info"), dict) else record
        unit = str(first(trace, "trace_id", "request_id") or number)
        result.units[unit] = {
            "input": text_of(opened(first(trace, "request", "request_preview", "inputs"))),
            "output": text_of(opened(first(trace, "response", "response_preview", "outputs"))),
        }
        parts = opened(trace.get("assessments")) or ()
        for part in sorted(parts, key=lambda part: str(part.get("create_time"))):
            feedback, source = part.get("feedback"), str(first(part, "source.source_type"))
            side = _MLFLOW_SIDES.get(source.upper().rpartition(".")[2])
            if side is None or not isinstance(feedback, dict) or part.get("valid") is False:
                continue
            value = feedback.get("value")
            if value is None:
                value = failed(first(feedback, "error.error_message", "error"))
            name = str(first(part, "assessment_name", "name"))
            author, reason = str(first(part, "source.source_id") or ""), text_of(part.get("rationale"))
            result.verdicts.append(Verdict(unit, side, name, value, author, reason))
    return result


def mlflow_table(records: list[Record]) -> Result:
    """Read the table of an evaluation: ``result_df``, or the artifact ``eval_results_table.json``."""
    metrics = {
        name: re.sub(r"(?:/v\d+)?/(?:value|score)\Z", "", name)
        for name in records[0]
        if name.endswith(("/value", "/score")) or is_human(name)
    }
    texts = {
        "inputs": "input",
        "request": "input",
        "outputs": "output",
        "predictions": "output",
        "response": "output",
    }
    texts = {name: column for name, column in texts.items() if name in records[0]}
    return wide_table("MLflow", "rows", records, metrics, texts)


@dataclass(frozen=True, slots=True)
class _Fields:
    """The fields of a record that is one verdict; of each the first that is there."""

    unit: tuple[str, ...]
    name: str
    value: tuple[str, ...]
    author: tuple[str, ...]
    reason: tuple[str, ...]
    time: tuple[str, ...]


def _scores(
    result: Result, records: list[Record], side: Callable[[Record], Side | None], fields: _Fields
) -> Result:
    """Add the verdicts of records of which each is one, the earliest first."""
    for record in sorted(records, key=lambda record: str(first(record, *fields.time))):
        by, unit, value = side(record), first(record, *fields.unit), first(record, *fields.value)
        if by is None or unit is None or value is None:
            continue
        result.units.setdefault(str(unit), {})
        author = str(first(record, *fields.author) or "") if by == "human" else ""
        name, reason = str(record.get(fields.name)), text_of(first(record, *fields.reason))
        result.verdicts.append(Verdict(str(unit), by, name, value, author, reason))
    return result


def langfuse(records: list[Record]) -> Result:
    """Read scores: the export of the table of scores, a page of the API, or the blob storage export."""
    scores = []
    for record in records:
        kind = first(record, "dataType", "data_type")
        if kind == "CATEGORICAL":  # the number is only the category's place
            scores.append({**record, "value": first(record, "stringValue", "string_value", "value")})
        elif kind == "BOOLEAN":
            scores.append({**record, "value": str(record.get("value")).lower() in ("1", "1.0", "true")})
        elif kind == "NUMERIC":
            scores.append(record)
    names = (
        "observationId",
        "observation_id",
        "subject.id",
        "traceId",
        "trace_id",
        "sessionId",
        "session_id",
    )
    fields = _Fields(
        unit=names,
        name="name",
        value=("value",),
        author=("authorUserName", "authorUserId", "author_user_id"),
        reason=("comment",),
        time=("timestamp", "createdAt", "created_at"),
    )

    def side(record: Record) -> Side | None:
        source = str(record.get("source"))
        return (
            "human" if source == "API" and is_human(str(record.get("name"))) else _LANGFUSE_SIDES.get(source)
        )

    return _scores(Result("Langfuse", "scored outputs", "scores of source ANNOTATION"), scores, side, fields)


def phoenix(records: list[Record]) -> Result:
    """Read annotations: the table of ``get_span_annotations_dataframe``, or a page of the API."""
    score, label = ("result.score", "score"), ("result.label", "label")
    fields = _Fields(
        unit=("span_id", "context.span_id", "trace_id", "session_id", "", "index"),
        name="annotation_name" if "annotation_name" in records[0] else "name",
        value=score + label if _pass_or_fail(first(record, *score) for record in records) else label + score,
        author=("user_id", "identifier"),
        reason=("result.explanation", "explanation"),
        time=("updated_at", "created_at"),
    )

    def side(record: Record) -> Side | None:
        return _PHOENIX_SIDES.get(str(record.get("annotator_kind")))

    result = _scores(Result("Phoenix", "spans", "annotations by a human"), records, side, fields)
    if not result.verdicts:
        result.warning = (
            "no row names the span that it is on: call reset_index() on the frame of annotations first"
        )
    return result


def _pass_or_fail(values: Iterable[object]) -> bool:
    return all(str(value).lower() in ("0", "1", "0.0", "1.0", "true", "false") for value in values)


def langsmith(records: list[Record]) -> Result:
    """Read feedback, as ``Client.list_feedback`` returns it: what the app recorded is human, also a correction."""
    feedback = []
    for record in records:
        feedback.append({**record, "feedback_source": opened(record.get("feedback_source"))})
        correction = opened(record.get("correction"))
        if isinstance(correction, dict) and correction:
            value = first(correction, "score", "value")
            feedback.append({**record, "score": value, "value": None, "feedback_source": {"type": "app"}})
    fields = _Fields(
        unit=("run_id", "trace_id"),
        name="key",
        value=("score", "value"),
        author=("feedback_source.user_name", "feedback_source.user_id"),
        reason=("comment",),
        time=("modified_at", "created_at"),
    )

    def side(record: Record) -> Side | None:
        if is_human(str(record.get("key"))):
            return "human"
        return _LANGSMITH_SIDES.get(str(first(record, "feedback_source.type")))

    return _scores(Result("LangSmith", "runs", "feedback entries from the app"), feedback, side, fields)


def opik(records: list[Record]) -> Result:
    """Read traces or items of an experiment with their feedback scores, as the SDK and the command line export them."""
    result = Result("Opik", "traces", "feedback scores given in the page")
    for number, record in enumerate(records, start=1):
        trace = record["trace"] if isinstance(record.get("trace"), dict) else record
        unit = str(first(trace, "id", "trace_id") or number)
        result.units[unit] = {
            "input": text_of(opened(trace.get("input"))),
            "output": text_of(opened(trace.get("output"))),
        }
        for score in opened(trace.get("feedback_scores")) or ():
            authors = score.get("value_by_author")
            for author, part in authors.items() if isinstance(authors, dict) and authors else [("", score)]:
                source = str(first(part, "source") or score.get("source")).lower()
                side = "human" if is_human(str(score["name"])) else _OPIK_SIDES.get(source)
                value = part.get("value")
                if not _pass_or_fail([value]):
                    value = first(part, "category_name", "value")
                if side is not None and value is not None:
                    name = author if side == "human" else ""
                    reason = text_of(first(part, "reason") or score.get("reason"))
                    result.verdicts.append(Verdict(unit, side, str(score["name"]), value, name, reason))
    return result


def prefixed(tool: str, units_are: str, prefix: str) -> Callable[[list[Record]], Result]:
    """Return the reader of a table with its metrics in columns that have a prefix: LangSmith's and Opik's CSV."""

    def read(records: list[Record]) -> Result:
        names = dict.fromkeys(name for record in records for name in record)
        metrics = {name: name.removeprefix(prefix) for name in names if name.startswith(prefix)}
        metrics = {
            name: metric for name, metric in metrics.items() if not name.endswith(("_reason", "_comment"))
        }
        metrics |= {name: name for name in names if "." not in name and is_human(name)}
        texts: dict[str, str] = {}
        for column in ("input", "output", "reference"):
            name = next((name for name in names if re.match(rf"{column}s?(?:\.|\Z)", name)), None)
            texts |= {name: column} if name else {}
        return wide_table(tool, units_are, records, metrics, texts)

    return read

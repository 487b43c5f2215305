"""Assessments, scores and annotations of MLflow, Langfuse, Phoenix, LangSmith and Opik, as each exports them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

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

# MLflow


def mlflow(records: list[Record]) -> Result:
    found = Result("MLflow", "traces", "assessments by a human")
    sides: dict[str, Side] = {"LLM_JUDGE": "judge", "AI_JUDGE": "judge", "HUMAN": "human", "CODE": "code"}
    for number, record in enumerate(records, start=1):
        trace = record["info"] if isinstance(record.get("info"), dict) else record
        unit = str(first(trace, "trace_id", "request_id") or number)
        found.units[unit] = {
            "input": text_of(opened(first(trace, "request", "request_preview", "inputs"))),
            "output": text_of(opened(first(trace, "response", "response_preview", "outputs"))),
        }
        for part in sorted(
            opened(trace.get("assessments")) or (), key=lambda part: str(part.get("create_time"))
        ):
            feedback = part.get("feedback")
            side = sides.get(str(first(part, "source.source_type")).upper().rpartition(".")[2])
            if side and isinstance(feedback, dict) and part.get("valid") is not False:
                value = feedback.get("value")
                if value is None and side != "human":
                    value = failed(first(feedback, "error.error_message", "error"))
                name, author = (
                    str(first(part, "assessment_name", "name")),
                    str(first(part, "source.source_id")),
                )
                found.verdicts.append(
                    Verdict(unit, side, name, value, author, text_of(part.get("rationale")))
                )
    return found


def mlflow_table(records: list[Record]) -> Result:
    names = [name for record in records[:1] for name in record if name.endswith(("/value", "/score"))]
    humans = [name for record in records[:1] for name in record if is_human(name)]
    metrics = {name: re.sub(r"(?:/v\d+)?/(?:value|score)\Z", "", name) for name in names} | {
        name: name for name in humans
    }
    texts = {
        "inputs": "input",
        "request": "input",
        "outputs": "output",
        "predictions": "output",
        "response": "output",
    }
    return wide_table(
        "MLflow", "rows", records, metrics, {name: texts[name] for name in texts if name in records[0]}
    )


# Langfuse, Phoenix, LangSmith, Opik


def _scores(
    tool: str,
    labels: str,
    records: list[Record],
    side: Callable[[Record], Side | None],
    names: Mapping[str, tuple[str, ...]],
) -> Result:
    """Read a list with one verdict in each record; ``names`` gives the fields of unit, name, value, author, reason, time."""
    found = Result(tool, "scored outputs", labels)
    for record in sorted(records, key=lambda record: str(first(record, *names["time"]))):
        by, unit = side(record), first(record, *names["unit"])
        value = first(record, *names["value"])
        if by is None or unit is None or value is None:
            continue
        found.units.setdefault(str(unit), {})
        name, author = str(first(record, *names["name"])), str(first(record, *names["author"]) or "")
        author = author if by == "human" else ""
        reason = text_of(first(record, *names["reason"]))
        found.verdicts.append(Verdict(str(unit), by, name, value, author, reason))
    return found


def langfuse(records: list[Record]) -> Result:
    sides: dict[str, Side] = {"EVAL": "judge", "ANNOTATION": "human", "API": "judge"}
    records = [
        record for record in records if first(record, "dataType", "data_type") not in ("TEXT", "CORRECTION")
    ]
    for record in records:
        if (
            first(record, "dataType", "data_type") == "CATEGORICAL"
        ):  # its number is only the place in the list
            record["value"] = first(record, "stringValue", "string_value", "value")
        elif first(record, "dataType", "data_type") == "BOOLEAN":
            record["value"] = str(record.get("value")).lower() in ("1", "1.0", "true")
    names = {
        "unit": (
            "observationId",
            "observation_id",
            "traceId",
            "trace_id",
            "subject.id",
            "sessionId",
            "session_id",
        ),
        "name": ("name",),
        "value": ("value",),
        "author": ("authorUserName", "authorUserId", "author_user_id"),
        "reason": ("comment",),
        "time": ("timestamp", "createdAt", "created_at"),
    }
    human_api = {
        record.get("name")
        for record in records
        if record.get("source") == "API" and is_human(str(record["name"]))
    }

    def side(record: Record) -> Side | None:
        return "human" if record.get("name") in human_api else sides.get(str(record.get("source")))

    return _scores("Langfuse", "scores of source ANNOTATION", records, side, names)


def phoenix(records: list[Record]) -> Result:
    sides: dict[str, Side] = {"LLM": "judge", "HUMAN": "human", "CODE": "code"}
    names = {
        "unit": ("span_id", "context.span_id", "trace_id", "session_id", "", "index"),
        "name": ("annotation_name", "name"),
        "value": ("result.label", "label", "result.score", "score"),
        "author": ("user_id", "identifier"),
        "reason": ("result.explanation", "explanation"),
        "time": ("updated_at", "created_at"),
    }
    found = _scores(
        "Phoenix",
        "annotations by a human",
        records,
        lambda record: sides.get(str(record.get("annotator_kind"))),
        names,
    )
    return found


def langsmith(records: list[Record]) -> Result:
    sides: dict[str, Side] = {"app": "human", "model": "judge", "auto_eval": "judge", "api": "judge"}
    for record in list(records):
        record["feedback_source"] = opened(record.get("feedback_source"))
        record["correction"] = opened(record.get("correction"))
        if isinstance(record["correction"], dict) and record["correction"]:  # a human corrected the evaluator
            value = first(record["correction"], "score", "value")
            records.append(
                {
                    **record,
                    "score": value,
                    "value": None,
                    "feedback_source": {"type": "app"},
                    "correction": None,
                }
            )
    names = {
        "unit": ("run_id", "trace_id"),
        "name": ("key",),
        "value": ("score", "value"),
        "author": ("feedback_source.user_name", "feedback_source.user_id"),
        "reason": ("comment",),
        "time": ("modified_at", "created_at"),
    }

    def side(record: Record) -> Side | None:
        if is_human(str(record.get("key"))):
            return "human"
        return sides.get(str(first(record, "feedback_source.type")))

    return _scores("LangSmith", "feedback from the app and corrections", records, side, names)


def prefixed(tool: str, units_are: str, prefix: str) -> Reader:
    """Return the reader of a table that has its metrics in columns with a prefix, and texts in others."""

    def read(records: list[Record]) -> Result:
        fields = dict.fromkeys(name for record in records for name in record)
        metrics = {name: name.removeprefix(prefix) for name in fields if name.startswith(prefix)}
        metrics = {
            name: metric for name, metric in metrics.items() if not re.search(r"_(?:reason|comment)\Z", name)
        }
        metrics |= {
            name: name for name in fields if name not in metrics and is_human(name) and "." not in name
        }
        texts = {
            name: column
            for column in ("input", "output", "reference")
            for name in fields
            if re.match(rf"{column}s?(?:\.|\Z)", name)
        }
        one = {column: name for name, column in reversed(texts.items())}
        return wide_table(tool, units_are, records, metrics, {name: column for column, name in one.items()})

    return read


def opik(records: list[Record]) -> Result:
    found = Result("Opik", "traces", "feedback scores given in the page")
    sides: dict[str, Side] = {"ui": "human", "online_scoring": "judge", "sdk": "judge"}
    for number, record in enumerate(records, start=1):
        trace = record["trace"] if isinstance(record.get("trace"), dict) else record
        unit = str(first(trace, "id", "trace_id", "trace_id") or number)
        found.units[unit] = {
            "input": text_of(opened(trace.get("input"))),
            "output": text_of(opened(trace.get("output"))),
        }
        for score in opened(trace.get("feedback_scores")) or ():
            by_author = score.get("value_by_author")
            for author, part in (
                by_author if isinstance(by_author, dict) and by_author else {"": score}
            ).items():
                side = sides.get(str(part.get("source") or score.get("source")).lower())
                side = "human" if is_human(str(score["name"])) else side
                value = first(part, "category_name", "value")
                if side and value is not None:
                    author = author if side == "human" else ""
                    found.verdicts.append(
                        Verdict(unit, side, score["name"], value, author, text_of(part.get("reason")))
                    )
    return found

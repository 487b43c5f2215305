"""The formats in which other tools write their results: where the verdicts, the labels and the texts stand in each."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Record = dict[str, Any]
Side = Literal["judge", "human", "code"]
Reader = Callable[[list[Record]], "Result"]

_HUMAN = re.compile(
    r"(?<![a-z])(?:humans?|annotat(?:or|ion|ed)s?|experts?|manual|reviewers?|gold|labels?|ground truth"
    r"|user (?:score|feedback|rating)|thumbs?)(?![a-z])"
)
_GENERIC = re.compile(r"(?<![a-z])(?:score|rating|verdict|judge|llm|eval|feedback|geval|by)(?![a-z])")
_MODEL_GRADED = re.compile(
    r"(?:not-)?(?:llm-rubric|g-eval|factuality|model-graded-.+|answer-relevance|context-.+|search-rubric"
    r"|conversation-relevance|agent-rubric|trajectory:goal-success|pi)"
)
"""Assertions of promptfoo that a model decides on one output; ``select-best`` compares outputs with each other."""
_RAGAS_TEXTS = {
    "user_input": "input",
    "response": "output",
    "reference": "reference",
    "retrieved_contexts": "contexts",
    "question": "input",
    "answer": "output",
    "ground_truth": "reference",
}
_RAGAS_OTHER = re.compile(
    r"id|index|unnamed.*|.*contexts?(?:_ids)?|multi_responses|rubrics?|reference.*|persona.*|query.*|synthesizer_name|.*tool_calls"
)
_GRADES = {"C": "pass", "I": "fail", "N": "fail"}
"""Values of inspect_ai: correct, incorrect, no answer (which it counts as 0, as incorrect); partial is a half."""


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


def _words(name: str) -> str:
    return re.sub(r"[\W_]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)).lower()


def is_human(name: str) -> bool:
    """Return True if a name of a column or score says that its values are human labels."""
    return bool(_HUMAN.search(_words(name)))


def topic(name: str) -> str:
    """Return what is judged under a name, without the words that say who judges: human_correctness is correctness."""
    return re.sub(r"[\W\d]+", "_", _GENERIC.sub(" ", _HUMAN.sub(" ", _words(name)))).strip("_")


def _first(record: Mapping[str, Any], *names: str) -> Any:
    """Return the first value that is there; a dot goes into an object."""
    for name in names:
        value: Any = record
        for part in [name] if name in record else name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if value is not None and value != "" and value == value:
            return value
    return None


def _text(value: object) -> str:
    """Return a text as it stands, of an object with one text that text, of messages the last, else JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, dict) and len(value) == 1:
        return _text(next(iter(value.values())))
    if isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
        return _text(_first(value[-1], "content", "text") or value[-1])
    return json.dumps(value, ensure_ascii=False, default=str)


def _plain(fields: object) -> dict[str, object]:
    """Return the fields of a metadata object that can be columns: a group for ``--by``, a label."""
    fields = fields if isinstance(fields, dict) else {}
    return {name: value for name, value in fields.items() if isinstance(value, str | int | float | bool)}


def _opened(value: object) -> Any:
    """Return the list or object that a cell of a CSV file holds, as JSON or as Python prints it."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    for read in (json.loads, ast.literal_eval):
        try:
            return read(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return value


def _failed(error: object) -> str:
    return f"ERROR: {_text(error) or 'no verdict'}"


# promptfoo


def _promptfoo(results: list[Record]) -> Result:
    found = Result("promptfoo", "tests", "human assertions")
    systems = {_system(result) for result in results}
    for number, result in enumerate(results):
        test, prompt = result.get("testIdx", number), result.get("promptIdx", 0)
        case = result.get("testCase") or {}
        unit = f"{test}-{prompt}" if len(systems) > 1 else str(test)
        while unit in found.units:  # --repeat
            unit += "'"
        values = _first(result, "vars", "testCase.vars") or {}
        found.units[unit] = {
            "input": "\n".join(f"{name}: {_text(value)}" for name, value in values.items())
            or _text(result.get("prompt")),
            "output": _text(_first(result, "response.output", "text")),
            **({"system": _system(result)} if len(systems) > 1 else {}),
            **{
                name: value
                for name, value in _plain(case.get("metadata")).items()
                if not name.startswith("_")
            },
        }
        seen: dict[str, int] = {}
        for part in (result.get("gradingResult") or {}).get("componentResults") or []:
            assertion = part.get("assertion") or {}
            kind = assertion.get("type") or ""
            value = "pass" if part.get("pass") else "fail"
            if kind == "human":
                found.verdicts.append(Verdict(unit, "human", "", value, reason=_text(part.get("comment"))))
            elif kind:
                name = assertion.get("metric") or kind
                seen[name] = seen.get(name, 0) + 1
                name = name if seen[name] == 1 else f"{name} {seen[name]}"
                if (part.get("metadata") or {}).get("graderError"):
                    value = _failed(part.get("reason"))
                side: Side = "judge" if _MODEL_GRADED.fullmatch(kind) else "code"
                found.verdicts.append(Verdict(unit, side, name, value, reason=_text(part.get("reason"))))
    return found


def _system(result: Record) -> str:
    provider = result.get("provider")
    name = _first(provider, "label", "id") if isinstance(provider, dict) else provider
    return f"{name or ''} {result.get('promptIdx', 0)}".strip()


def _promptfoo_table(content: Record) -> Result:
    rows = content["table"]["body"] if "table" in content else content["body"]
    return _promptfoo([{"vars": row["test"].get("vars"), **cell} for row in rows for cell in row["outputs"]])


# DeepEval


def _deepeval(cases: list[Record]) -> Result:
    found = Result("DeepEval", "test cases", "human labels")
    for number, case in enumerate(cases):
        unit = str(case.get("name") or f"test_case_{number}")
        unit = unit if unit not in found.units else f"{unit} {number}"
        found.units[unit] = {
            "input": _text(_first(case, "input", "turns")),
            "output": _text(_first(case, "actualOutput", "actual_output")),
            **_plain(_first(case, "metadata", "additionalMetadata", "additional_metadata")),
        }
        for metric in _first(case, "metricsData", "metrics_data") or []:
            success, model = metric.get("success"), _first(metric, "evaluationModel", "evaluation_model")
            value = "pass" if success else "fail"
            if metric.get("error") or (success is None and metric.get("score") is None):
                value = _failed(metric.get("error"))
            name = re.sub(r" \[\w+\]\Z", "", str(metric.get("name")))
            side: Side = "judge" if model else "code"
            found.verdicts.append(Verdict(unit, side, name, value, reason=_text(metric.get("reason"))))
    return found


# inspect_ai


def inspect_log(samples: Iterable[Record]) -> Result:
    """Return the verdicts in the samples of a log of inspect_ai: a value that was edited is a human label, and the one
    before the judge's."""
    found = Result("inspect_ai", "samples", "edited scores")
    outputs: dict[str, set[str]] = {}
    read = []
    for sample in samples:
        output = sample.get("output") or {}
        text = _text(
            output.get("completion") or _first((output.get("choices") or [{}])[0], "message.content")
        )
        outputs.setdefault(str(sample["id"]), set()).add(text)
        read.append(
            (
                str(sample["id"]),
                sample.get("epoch", 1),
                text,
                {name: sample.get(name) for name in _OF_A_SAMPLE},
            )
        )
    epochs = len(read) > len(outputs)
    runs = epochs and all(len(texts) == 1 for texts in outputs.values())
    kept = 0
    for name, epoch, text, sample in read:
        unit = f"{name} epoch {epoch}" if epochs else name
        found.units[unit] = {
            **({"id": name, "run": epoch} if runs else {"sample": name} if epochs else {}),
            "input": _text(sample["input"]),
            "output": text,
            **_plain(sample["metadata"]),
        }
        for scorer, score in (sample["scores"] or {}).items():
            history = score.get("history") or [score]
            edits = [edit for edit in history if edit.get("provenance") or edit is not history[0]]
            edits = [edit for edit in edits if edit.get("value", "UNCHANGED") != "UNCHANGED"]
            if not history[0].get("provenance"):
                for part, value in _inspect_values(scorer, history[0].get("value")):
                    reason = _text(_first(history[0], "explanation", "reason"))
                    found.verdicts.append(Verdict(unit, "judge", part, value, reason=reason))
            if edits:
                for part, value in _inspect_values(scorer, score.get("value")):
                    found.verdicts.append(Verdict(unit, "human", part, value))
                kept += score.get("value") == history[0].get("value")
    labels = sum(verdict.side == "human" for verdict in found.verdicts)
    if any(verdict.value == "P" for verdict in found.verdicts):
        found.verdicts = [_in_numbers(verdict) for verdict in found.verdicts]
    if labels and not kept:
        found.warning = "every edit changed the value: record an edit also where the judge is right, or all rates are too low"
    return found


_OF_A_SAMPLE = ("input", "metadata", "scores")


def _inspect_values(scorer: str, value: object) -> list[tuple[str, object]]:
    if isinstance(value, dict):
        return [pair for name, part in value.items() for pair in _inspect_values(f"{scorer} {name}", part)]
    if isinstance(value, float) and math.isnan(value):
        return [(scorer, _failed("unscored"))]
    return [] if isinstance(value, list) else [(scorer, _GRADES.get(str(value), value))]


def _in_numbers(verdict: Verdict) -> Verdict:
    numbers = {"pass": 1.0, "P": 0.5, "fail": 0.0}
    value = numbers.get(str(verdict.value), verdict.value)
    return Verdict(verdict.unit, verdict.side, verdict.name, value, verdict.author, verdict.reason)


# ragas


def _ragas(records: list[Record]) -> Result:
    texts = {
        name: column for name, column in _RAGAS_TEXTS.items() if any(name in record for record in records[:1])
    }
    fields = dict.fromkeys(name for record in records for name in record)
    metrics = [name for name in fields if name not in texts and not _RAGAS_OTHER.fullmatch(name.lower())]
    metrics = [
        name for name in metrics if is_human(name) or _is_metric([record.get(name) for record in records])
    ]
    return _wide("ragas", "samples", records, {name: name for name in metrics}, texts)


def _is_metric(values: list[object]) -> bool:
    """Return True if all values are numbers, or pass and fail."""
    return all(
        re.fullmatch(r"|nan|none|true|false|pass|fail|-?[\d.]+(?:e-?\d+)?", str(value).lower())
        for value in values
    )


def _ragas_annotated(content: Record) -> Result:
    """Read annotations as ragas loads them to align a metric: an accepted output is the label, or its correction."""
    found = Result("ragas", "annotations", "accepted or edited outputs")
    for metric, samples in content.items():
        for number, sample in enumerate(samples if isinstance(samples, list) else ()):
            unit, output, target = f"{metric} {number}", sample.get("metric_output"), sample.get("target")
            found.units[unit] = {
                "input": _text(_first(sample, "metric_input.user_input")),
                "output": _text(_first(sample, "metric_input.response")),
            }
            found.verdicts.append(Verdict(unit, "judge", metric, output))
            if target is None and sample.get("is_accepted"):
                target = output
            for prompt in (sample.get("prompts") or {}).values() if target is None else ():
                target = _first(prompt, "edited_output.verdict", "edited_output.score")
            if target is None and output in (0, 1):
                target = 1 - output
            if target is not None:
                found.verdicts.append(Verdict(unit, "human", metric, target))
    return found


def _wide(
    tool: str, units_are: str, records: list[Record], metrics: dict[str, str], texts: dict[str, str]
) -> Result:
    """Read a table with a column for each metric: its name says whether annotators filled it."""
    found = Result(tool, units_are, "columns named human, label or annotator")
    judged = {topic(metric) for metric in metrics.values() if not is_human(metric)}
    for number, record in enumerate(records, start=1):
        unit = str(_first(record, "id", "trace_id", "example_id") or number)
        unit = unit if unit not in found.units else f"{unit} {number}"
        rest = {
            name: record[name]
            for name in record
            if name not in metrics and name not in texts and name != "id"
        }
        found.units[unit] = {column: _text(record.get(name)) for name, column in texts.items()} | _plain(rest)
        for column, metric in metrics.items():
            value = record.get(column)
            human = is_human(metric)
            about = topic(metric)
            name, author = (about, "") if about in judged else ("", about or metric)
            if human and value not in (None, "", "-") and value == value:
                found.verdicts.append(Verdict(unit, "human", name, value, author))
            elif not human and not (value == "-" and tool == "Opik"):
                found.verdicts.append(Verdict(unit, "judge", metric, value, reason=_reason(record, column)))
    return found


def _reason(record: Record, column: str) -> str:
    base = column.removesuffix("/value").removesuffix("/score")
    return _text(
        _first(record, f"{column}_reason", f"{base}/rationale", f"{base}/justification", f"{column}_comment")
    )


# MLflow


def _mlflow(records: list[Record]) -> Result:
    found = Result("MLflow", "traces", "assessments by a human")
    sides: dict[str, Side] = {"LLM_JUDGE": "judge", "AI_JUDGE": "judge", "HUMAN": "human", "CODE": "code"}
    for number, record in enumerate(records, start=1):
        trace = record["info"] if isinstance(record.get("info"), dict) else record
        unit = str(_first(trace, "trace_id", "request_id") or number)
        found.units[unit] = {
            "input": _text(_opened(_first(trace, "request", "request_preview", "inputs"))),
            "output": _text(_opened(_first(trace, "response", "response_preview", "outputs"))),
        }
        for part in sorted(
            _opened(trace.get("assessments")) or (), key=lambda part: str(part.get("create_time"))
        ):
            feedback = part.get("feedback")
            side = sides.get(str(_first(part, "source.source_type")).upper().rpartition(".")[2])
            if side and isinstance(feedback, dict) and part.get("valid") is not False:
                value = feedback.get("value")
                if value is None and side != "human":
                    value = _failed(_first(feedback, "error.error_message", "error"))
                name, author = (
                    str(_first(part, "assessment_name", "name")),
                    str(_first(part, "source.source_id")),
                )
                found.verdicts.append(Verdict(unit, side, name, value, author, _text(part.get("rationale"))))
    return found


def _mlflow_table(records: list[Record]) -> Result:
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
    return _wide(
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
    for record in sorted(records, key=lambda record: str(_first(record, *names["time"]))):
        by, unit = side(record), _first(record, *names["unit"])
        value = _first(record, *names["value"])
        if by is None or unit is None or value is None:
            continue
        found.units.setdefault(str(unit), {})
        name, author = str(_first(record, *names["name"])), str(_first(record, *names["author"]) or "")
        author = author if by == "human" else ""
        reason = _text(_first(record, *names["reason"]))
        found.verdicts.append(Verdict(str(unit), by, name, value, author, reason))
    return found


def _langfuse(records: list[Record]) -> Result:
    sides: dict[str, Side] = {"EVAL": "judge", "ANNOTATION": "human", "API": "judge"}
    records = [
        record for record in records if _first(record, "dataType", "data_type") not in ("TEXT", "CORRECTION")
    ]
    for record in records:
        if (
            _first(record, "dataType", "data_type") == "CATEGORICAL"
        ):  # its number is only the place in the list
            record["value"] = _first(record, "stringValue", "string_value", "value")
        elif _first(record, "dataType", "data_type") == "BOOLEAN":
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


def _phoenix(records: list[Record]) -> Result:
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


def _langsmith(records: list[Record]) -> Result:
    sides: dict[str, Side] = {"app": "human", "model": "judge", "auto_eval": "judge", "api": "judge"}
    for record in list(records):
        record["feedback_source"] = _opened(record.get("feedback_source"))
        record["correction"] = _opened(record.get("correction"))
        if isinstance(record["correction"], dict) and record["correction"]:  # a human corrected the evaluator
            value = _first(record["correction"], "score", "value")
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
        return sides.get(str(_first(record, "feedback_source.type")))

    return _scores("LangSmith", "feedback from the app and corrections", records, side, names)


def _prefixed(tool: str, units_are: str, prefix: str) -> Reader:
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
        return _wide(tool, units_are, records, metrics, {name: column for column, name in one.items()})

    return read


def _opik(records: list[Record]) -> Result:
    found = Result("Opik", "traces", "feedback scores given in the page")
    sides: dict[str, Side] = {"ui": "human", "online_scoring": "judge", "sdk": "judge"}
    for number, record in enumerate(records, start=1):
        trace = record["trace"] if isinstance(record.get("trace"), dict) else record
        unit = str(_first(trace, "id", "trace_id", "trace_id") or number)
        found.units[unit] = {
            "input": _text(_opened(trace.get("input"))),
            "output": _text(_opened(trace.get("output"))),
        }
        for score in _opened(trace.get("feedback_scores")) or ():
            by_author = score.get("value_by_author")
            for author, part in (
                by_author if isinstance(by_author, dict) and by_author else {"": score}
            ).items():
                side = sides.get(str(part.get("source") or score.get("source")).lower())
                side = "human" if is_human(str(score["name"])) else side
                value = _first(part, "category_name", "value")
                if side and value is not None:
                    author = author if side == "human" else ""
                    found.verdicts.append(
                        Verdict(unit, side, score["name"], value, author, _text(part.get("reason")))
                    )
    return found


def object_reader(content: Record) -> Callable[[Record], Result] | None:
    """Return the reader of a file that is one object as a tool writes it; None for an object of records."""
    results = content.get("results")
    if isinstance(results, dict) and isinstance(results.get("results"), list):
        return lambda whole: _promptfoo(whole["results"]["results"])
    if isinstance(content.get("body"), list) and isinstance(content.get("head"), dict):
        return _promptfoo_table
    run = content.get("testRunData") if isinstance(content.get("testRunData"), dict) else content
    for name in ("testCases", "test_results"):
        if isinstance(run.get(name), list):
            more = run.get("conversationalTestCases") or []
            return lambda _: _deepeval([*run[name], *more])
    if isinstance(content.get("samples"), list) and isinstance(content.get("eval"), dict):
        return lambda whole: inspect_log(whole["samples"])
    samples = [part for value in content.values() if isinstance(value, list) for part in value[:1]]
    if samples and all(
        isinstance(part, dict) and {"metric_input", "metric_output"} <= part.keys() for part in samples
    ):
        return _ragas_annotated
    return None


def _has(*names: str) -> Callable[[set[str]], bool]:
    return lambda fields: fields.issuperset(names)


RECORD_READERS: tuple[tuple[Callable[[set[str]], bool], Reader], ...] = (
    (_has("gradingResult"), _promptfoo),
    (_has("metricsData"), _deepeval),
    (_has("metrics_data"), _deepeval),
    (_has("assessments"), _mlflow),
    (lambda fields: "info" in fields and "data" in fields, _mlflow),
    (_has("feedback_scores"), _opik),
    (_has("annotator_kind"), _phoenix),
    (_has("key", "feedback_source"), _langsmith),
    (_has("source", "name", "value", "dataType"), _langfuse),
    (_has("source", "name", "value", "data_type"), _langfuse),
    (
        lambda fields: any(name.startswith("feedback_scores.") for name in fields),
        _prefixed("Opik", "traces", "feedback_scores."),
    ),
    (
        lambda fields: any(name.startswith("feedback.") for name in fields),
        _prefixed("LangSmith", "runs", "feedback."),
    ),
    (lambda fields: any(re.search(r"\w/(?:value|score)\Z", name) for name in fields), _mlflow_table),
    (_has("user_input", "response"), _ragas),
)
"""By which fields the records of a tool are known, the first that fits, and who reads them."""

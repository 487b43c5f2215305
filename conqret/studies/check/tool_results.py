"""Results of other tools as plain rows: where verdicts, labels and texts stand in what each tool writes."""

from __future__ import annotations

import csv
import io
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from conqret.errors import DeclarationError
from conqret.io.limits import UNPACKED, UTF8_MARK, whole_bytes
from conqret.io.zip_files import BadZipFile, ZipFile, zip_member
from conqret.studies.check.tool_verdicts import (
    Record,
    Side,
    ToolResult,
    ToolRows,
    ToolVerdict,
    failed,
    first,
    is_human,
    opened,
    plain_fields,
    text_of,
    verdict_table,
    wide_reader,
)

_LOOK = 2**18
"""How many bytes are looked at before a whole file is read."""
_MARKS = re.compile(
    rb'"(?:evalId|gradingResult|testCases|testRunData|test_results|eval_id|metric_output|columns)"'
)
"""Fields of which an object that a tool writes as a whole file has at least one."""
_CORRUPT = (BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, OSError)
"""What reading a zip archive that is cut off or corrupt raises."""
_OTHER_CONTENT = (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError, csv.Error)
"""What a file raises that has the names of a tool's fields and another content: the general reader reads it."""


def tool_rows(path: Path) -> ToolRows | None:
    """Read a file that has a tool's own layout; None for any other file, also for a tool's list of records.

    The beginning of the file decides: of another file no more than that is read.

    Raises:
        DeclarationError: the file is larger than a limit, cannot be unpacked, or lacks the judge's verdicts.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        start = file.read(_LOOK).removeprefix(UTF8_MARK).lstrip()
    if start.startswith(b"PK\x03\x04") and path.suffix.lower() == ".eval":
        return _table(lambda: inspect_log(_samples(path)), str(path))
    if start.startswith(b"{") and _MARKS.search(start):
        return _table(lambda: _of_object(json.loads(whole_bytes(path))), str(path))
    if b"Grader Reason" in start.partition(b"\n")[0]:
        return _table(lambda: promptfoo_csv(whole_bytes(path, UNPACKED).decode("utf-8-sig")), str(path))
    return None


def tool_records(records: Sequence[Mapping[str, object]], source: str) -> ToolRows | None:
    """Read the rows of a table, or a list of records, that a tool wrote; None for any other.

    Args:
        records: the rows.
        source: what the table is called in errors.

    Raises:
        DeclarationError: the table lacks the judge's verdicts.
    """
    return _table(lambda: _of_records(records), source)


def _table(read: Callable[[], ToolResult | None], source: str) -> ToolRows | None:
    try:
        result = read()
    except _OTHER_CONTENT:
        return None
    if result is not None and not result.verdicts and result.warning:
        raise DeclarationError(f"{source}: {result.warning}")
    return verdict_table(result, source) if result and result.verdicts else None


def _of_records(records: Sequence[Mapping[str, object]]) -> ToolResult | None:
    fields = {name for record in records[:50] for name in record}
    for patterns, reader in _READERS:
        if all(any(re.fullmatch(pattern, name) for name in fields) for pattern in patterns):
            return reader([dict(record) for record in records])
    return None


def _samples(path: Path) -> Iterator[Record]:
    """Yield the samples in a log of inspect_ai in its zip format, in their order there.

    Raises:
        DeclarationError: the archive is corrupt, or too large.
    """
    try:
        with ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if entry.filename.startswith("samples/")]
            if sum(entry.file_size for entry in entries) > UNPACKED.most:
                raise DeclarationError(
                    f"{path} unpacks to more than {UNPACKED}: split the log, {UNPACKED.remedy}"
                )
            for entry in entries:
                yield json.loads(zip_member(archive, entry))
    except _CORRUPT as error:
        raise DeclarationError(
            f"{path} cannot be unpacked ({error}): write it as JSON with inspect log convert --to json"
        ) from error


def _of_object(content: Record) -> ToolResult | None:
    """Read a file that is one object, as a tool writes it; None if no tool is recognized. Content that a tool does not
    write may raise KeyError, TypeError and others."""
    if isinstance(tests := first(content, "results.results"), list):
        return promptfoo(tests)
    if isinstance(rows := first(content, "table.body body"), list):
        cells = [{"vars": row["test"].get("vars"), **cell} for row in rows for cell in row["outputs"]]
        return promptfoo(cells)
    run = content.get("testRunData") or content
    if isinstance(cases := first(run, "testCases test_results"), list):
        return deepeval([*cases, *(run.get("conversationalTestCases") or [])])
    if isinstance(content.get("samples"), list) and isinstance(content.get("eval"), dict):
        return inspect_log(content["samples"])
    if {"columns", "data"} <= content.keys():
        return _of_records([dict(zip(content["columns"], row, strict=True)) for row in content["data"]])
    if all(isinstance(samples, list) for samples in content.values()):
        return ragas_annotated(content)
    return None


_MODEL_GRADED = re.compile(
    r"(?:not-)?(?:llm-rubric|g-eval|factuality|model-graded-.+|answer-relevance|context-.+|search-rubric"
    r"|conversation-relevance|agent-rubric|trajectory:goal-success|pi)"
)
"""Assertions that a model decides on one output; ``select-best`` compares outputs with each other."""
_GRADER_ERROR = re.compile(
    r"No output\Z|Could not (?:extract|perform)|API (?:call )?error|Error parsing output|LLM.* (?:is|are|does) not "
    r"|G-Eval .*(?:invalid|no output)|.{0,60} (?:produced malformed response|did not match expected format)"
)
"""How the reason of an assertion whose model gave no verdict begins, where promptfoo does not mark it otherwise."""


def promptfoo(tests: list[Record]) -> ToolResult:
    """Read the results of an evaluation; a human assertion is what the page writes for a thumb up or down."""
    result = ToolResult("promptfoo", "tests", "human assertions")
    systems = [
        f"{first(test, 'provider.label provider.id provider') or 'provider'} {test.get('promptIdx', 0)}".strip()
        for test in tests
    ]
    several = len(set(systems)) > 1
    for number, (test, system) in enumerate(zip(tests, systems, strict=True)):
        place = str(test.get("testIdx", number))
        values = first(test, "vars testCase.vars") or {}
        fields: dict[str, object] = {
            "input": "\n".join(f"{name}: {text_of(value)}" for name, value in values.items()),
            "output": text_of(first(test, "response.output text")),
            **({"id": place, "system": system} if several else {}),
            **plain_fields(first(test, "testCase.metadata")),
        }
        unit = result.add_unit(f"{place} {system}" if several else place, number, fields)
        seen: dict[str, int] = {}
        for part in first(test, "gradingResult.componentResults") or []:
            kind, value = first(part, "assertion.type"), "pass" if part.get("pass") else "fail"
            if kind == "human":
                result.add(unit, "human", "", value)
            elif kind:
                name, reason = first(part, "assertion.metric") or kind, text_of(part.get("reason"))
                seen[name] = seen.get(name, 0) + 1
                side: Side = "judge" if _MODEL_GRADED.fullmatch(kind) else "code"
                unmarked = side == "judge" and value == "fail" and _GRADER_ERROR.match(reason)
                if unmarked or first(part, "metadata.graderError"):
                    value = failed(reason)
                result.add(unit, side, name if seen[name] == 1 else f"{name} {seen[name]}", value, reason)
    return result


def promptfoo_csv(text: str) -> ToolResult:
    """Read the CSV output of promptfoo, which has one status for all assertions of a test. If a rating has overwritten
    one, the result has no rows and a warning, as the judge's verdict is lost."""
    head, *rows = csv.reader(io.StringIO(text, newline=""))
    places = [place for place, name in enumerate(head) if name == "Status"]
    tests = []
    for number, cells in enumerate(filter(None, rows), start=1):
        values = {head[i]: cells[i] for i in range(places[0] - 1) if head[i] != "Description"}
        for place in places:
            reason = cells[head.index("Grader Reason", place)]
            if reason.startswith("Manual result"):
                warning = "a rating stands in the place of the judge's verdict; "
                warning += "export JSON, which has both: promptfoo export eval EVAL_ID -o results.json"
                return ToolResult("promptfoo", "tests", "ratings", warning=warning)
            verdict = {
                "assertion": {"type": "llm-rubric", "metric": "assertions"},
                "pass": cells[place] == "PASS",
                "reason": reason,
                "metadata": {"graderError": cells[place] == "ERROR"},
            }
            system = {"testIdx": number, "provider": head[place - 1], "promptIdx": ""}
            grading = {"gradingResult": {"componentResults": [verdict]}}
            tests.append({**system, "vars": values, "text": cells[place - 1], **grading})
    return replace(promptfoo(tests), labels="ratings")


def deepeval(cases: list[Record]) -> ToolResult:
    """Read the test cases of a test run; a metric's ``success`` is the verdict."""
    result = ToolResult("DeepEval", "test cases", "human labels")
    for number, case in enumerate(cases):
        fields = {
            "input": text_of(first(case, "input turns")),
            "output": text_of(first(case, "actualOutput actual_output")),
            **plain_fields(first(case, "metadata additionalMetadata additional_metadata")),
        }
        unit = result.add_unit(str(case.get("name") or f"test_case_{number}"), number, fields)
        for metric in first(case, "metricsData metrics_data metricsMetadata") or []:
            value = "pass" if metric.get("success") else "fail"
            if metric.get("error") or first(metric, "success score") is None:
                value = failed(metric.get("error"))
            name = re.sub(r" \[\w+\]\Z", "", str(first(metric, "name metric")))
            side: Side = "judge" if first(metric, "evaluationModel evaluation_model") else "code"
            result.add(unit, side, name, value, text_of(metric.get("reason")))
            result.warning = "success is by each metric's threshold"
    return result


_GRADES = {"C": "pass", "I": "fail", "N": "fail"}
"""Correct, incorrect, no answer (which inspect_ai counts as 0, as incorrect); partial is a half."""
_HALVES = {"pass": 1.0, "P": 0.5, "fail": 0.0}
_PROGRAMS = {"match", "includes", "exact", "f1", "pattern", "answer", "choice", "math"}
"""Scorers that use no model."""


def _sample(record: Record) -> Record:
    """Return what is needed of a sample, which is large with its messages and events."""
    choice = (first(record, "output.choices") or [{}])[0]
    output = first(record, "output.completion") or first(choice, "message.content")
    texts = {"input": text_of(record.get("input")), "output": text_of(output), "id": str(record["id"])}
    fields = plain_fields(record.get("metadata")) | texts
    return {"fields": fields, "epoch": record.get("epoch", 1), "scores": record.get("scores") or {}}


def inspect_log(records: Iterable[Record]) -> ToolResult:
    """Read the samples of a log of inspect_ai: an edited value is a human label, the value before it the judge's.

    Epochs of one output are runs of the judge; where the output differs, each epoch is a sample of its own.
    """
    result = ToolResult("inspect_ai", "samples", "edited scores")
    samples = [_sample(record) for record in records]
    outputs: dict[str, set[str]] = {}
    parts: dict[str, list[str]] = {}
    for sample in samples:
        outputs.setdefault(sample["fields"]["id"], set()).add(sample["fields"]["output"])
        parts |= {
            name: [*value]
            for name, it in sample["scores"].items()
            if isinstance(value := it.get("value"), dict)
        }
    epochs = len(samples) > len(outputs)
    runs = all(len(texts) == 1 for texts in outputs.values())
    for sample in samples:
        fields, name, epoch = sample["fields"], sample["fields"]["id"], sample["epoch"]
        unit = f"{name} epoch {epoch}" if epochs else name
        if epochs:
            fields |= {"run": epoch} if runs else {"id": unit, "sample": name}
        result.units[unit] = fields
        for scorer, score in sample["scores"].items():
            result.verdicts.extend(_of_score(unit, scorer, score, parts.get(scorer, [""])))
    in_halves = {verdict.name for verdict in result.verdicts if verdict.value == "P"}
    result.verdicts = [
        replace(it, value=_HALVES.get(str(it.value), it.value)) if it.name in in_halves else it
        for it in result.verdicts
    ]
    edited = {(it.unit, it.name): it.value for it in result.verdicts if it.side == "human"}
    before = {(it.unit, it.name): it.value for it in result.verdicts if it.side != "human"}
    changed = [before[key] != value for key, value in edited.items() if key in before]
    if changed and all(changed):
        result.warning = "every edit changed the score"
    return result


def _of_score(unit: str, scorer: str, score: Record, parts: list[str]) -> Iterator[ToolVerdict]:
    """Yield the judge's verdicts of a score and, if an edit gave a value, the labels of the last edit. A score that an
    annotator added has no verdict. ``parts`` names the values of a score that is an object, under which one without a
    value is repeated."""
    original, *edits = score.get("history") or [score]
    side: Side = "code" if scorer in _PROGRAMS else "judge"
    if original.get("provenance"):
        edits = [original, *edits] if score is not original else []
    else:
        reason = text_of(first(original, "explanation reason"))
        for name, value in _inspect_values(scorer, original.get("value"), parts):
            yield ToolVerdict(unit, side, name, value, reason=reason)
    edits = [edit for edit in edits if edit.get("value", "UNCHANGED") != "UNCHANGED"]
    for name, value in _inspect_values(scorer, edits[-1]["value"], parts) if edits else ():
        yield ToolVerdict(unit, "human", name, value, text_of(first(edits[-1], "provenance.author")))


def _inspect_values(scorer: str, value: object, parts: list[str]) -> Iterator[tuple[str, object]]:
    """Yield the value of a score, or one for each part where the scorer gives an object; lists are left out."""
    for name, part in (value if isinstance(value, dict) else dict.fromkeys(parts, value)).items():
        if not isinstance(part, list):
            missing = part is None or part != part
            yield f"{scorer} {name}".strip(), failed("unscored") if missing else _GRADES.get(str(part), part)


_RAGAS_METRIC = (
    r"(?!(?:id|index|unnamed.*|.*contexts?(?:_ids)?|multi_responses|rubrics?|reference.*|persona.*|query.*"
    r"|synthesizer_name|.*tool_calls)\Z)(.+)"
)
"""Columns of a ragas table that may be a metric."""


def ragas_annotated(content: Record) -> ToolResult:
    """Read annotations as ragas loads them to align a metric. The label is the target; else the output if it was
    accepted, else its correction, else the other of 0 and 1. Samples without an output are left out."""
    result = ToolResult("ragas", "annotations", "accepted or edited outputs")
    for metric, samples in content.items():
        for number, sample in enumerate(samples):
            if "metric_output" not in sample:
                continue
            output, target = sample["metric_output"], sample.get("target")
            texts = [text_of(first(sample, f"metric_input.{name}")) for name in ("user_input", "response")]
            unit = result.add_unit(f"{metric} {number}", number, {"input": texts[0], "output": texts[1]})
            result.add(unit, "judge", metric, output)
            if target is None and sample.get("is_accepted"):
                target = output
            for prompt in (sample.get("prompts") or {}).values() if target is None else ():
                target = first(prompt, "edited_output.verdict edited_output.score")
            if target is None and output in (0, 1):
                target = 1 - output
            if target is not None:
                result.add(unit, "human", metric, target)
    return result


_SIDES: dict[str, Side] = {
    **dict.fromkeys("llm llm_judge ai_judge eval api sdk model auto_eval online_scoring".split(), "judge"),
    **dict.fromkeys("human annotation app ui".split(), "human"),
    "code": "code",
}
"""Who gave a verdict, by the word for its source; what a program wrote may be named as human."""
_SOURCE = "source.source_type feedback_source.type annotator_kind source"
_NAME = "assessment_name annotation_name key name"
_UNIT = (
    "unit span_id context.span_id observationId observation_id subject.id run_id traceId trace_id sessionId session_id "
    "index"
)
_NUMBER, _WORD = "result.score score value", "category_name result.label label"
_AUTHOR = (
    "author authorUserName authorUserId author_user_id source.source_id user_id identifier feedback_source.user_name "
    "feedback_source.user_id"
)
_REASON = "rationale comment result.explanation explanation reason"
_TIME = "create_time modified_at updated_at timestamp createdAt created_at"


def _annotated(result: ToolResult, records: Sequence[Record]) -> ToolResult:
    """Add the verdicts of ``records`` (one verdict each), the earliest first, to the result, and return it.

    The value is the number where all numbers are 0 or 1, else the word where there is one.
    """
    numbers = {str(first(record, _NUMBER)).lower() for record in records}
    binary = numbers <= {"0", "1", "0.0", "1.0", "true", "false"}
    values = f"{_NUMBER} {_WORD}" if binary else f"{_WORD} {_NUMBER}"
    for record in sorted(records, key=lambda record: str(first(record, _TIME))):
        name, value, unit = str(first(record, _NAME)), first(record, values), first(record, _UNIT)
        source = str(first(record, _SOURCE)).lower().rpartition(".")[2]
        side = "human" if source in ("api", "sdk") and is_human(name) else _SIDES.get(source)
        if side is not None and unit is not None and value is not None:
            result.units.setdefault(str(unit), {})
            author = str(first(record, _AUTHOR) or "") if side == "human" else ""
            result.add(str(unit), side, name, value, text_of(first(record, _REASON)), author)
    return result


def _traces(result: ToolResult, records: list[Record], inner: str, parts: str) -> Iterator[Record]:
    """Add traces to ``result.units`` (a trace may stand in the field ``inner`` of its record), and yield the entries of
    their field ``parts``, each with the id of its trace as ``unit``."""
    for number, record in enumerate(records, start=1):
        trace = record[inner] if isinstance(record.get(inner), dict) else record
        unit = str(first(trace, "id trace_id request_id") or number)
        result.units[unit] = {
            "input": text_of(opened(first(trace, "request request_preview inputs input"))),
            "output": text_of(opened(first(trace, "response response_preview outputs output"))),
        }
        yield from ({**part, "unit": unit} for part in opened(trace.get(parts)) or ())


def mlflow(records: list[Record]) -> ToolResult:
    """Read traces with their assessments, as ``mlflow.search_traces`` returns them, a table or a list."""
    result, verdicts = ToolResult("MLflow", "traces", "assessments by a human"), []
    for part in _traces(result, records, "info", "assessments"):
        feedback = part.get("feedback")
        if isinstance(feedback, dict) and part.get("valid") is not False:
            error = failed(first(feedback, "error.error_message error"))
            verdicts.append({**part, "value": error if feedback.get("value") is None else feedback["value"]})
    return _annotated(result, verdicts)


def opik(records: list[Record]) -> ToolResult:
    """Read traces or items of an experiment with their feedback scores, each of several authors."""
    result, verdicts = ToolResult("Opik", "traces", "feedback scores given in the page"), []
    for score in _traces(result, records, "trace", "feedback_scores"):
        for author, part in (score.get("value_by_author") or {"": {}}).items():
            own = {name: value for name, value in part.items() if value is not None}
            verdicts.append({**score, **own, "author": author})
    return _annotated(result, verdicts)


def langfuse(records: list[Record]) -> ToolResult:
    """Read scores, from a page or the API; of categories the number is only the place."""
    scores = [
        {**record, "value": first(record, "stringValue string_value value")}
        for record in records
        if first(record, "dataType data_type") in ("NUMERIC", "CATEGORICAL", "BOOLEAN")
    ]
    return _annotated(ToolResult("Langfuse", "scored outputs", "scores of source ANNOTATION"), scores)


def phoenix(records: list[Record]) -> ToolResult:
    """Read annotations: the table of ``get_span_annotations_dataframe``, or a page of the API."""
    result = _annotated(ToolResult("Phoenix", "spans", "annotations by a human"), records)
    if not result.verdicts:
        result.warning = (
            "no row names the span that it is on: call reset_index() on the frame of annotations first"
        )
    return result


def langsmith(records: list[Record]) -> ToolResult:
    """Read feedback, as ``Client.list_feedback`` returns it: what the app recorded is human, also a correction."""
    feedback = []
    for record in records:
        feedback.append({**record, "feedback_source": opened(record.get("feedback_source"))})
        correction = opened(record.get("correction"))
        if isinstance(correction, dict) and correction:
            value = first(correction, "score value")
            feedback.append({**record, "score": value, "value": None, "feedback_source": {"type": "app"}})
    return _annotated(ToolResult("LangSmith", "runs", "feedback entries from the app"), feedback)


_READERS: tuple[tuple[tuple[str, ...], Callable[[list[Record]], ToolResult]], ...] = (
    (("gradingResult",), promptfoo),
    (("metrics_?[dD]ata",), deepeval),
    (("assessments",), mlflow),
    (("info", "data"), mlflow),
    (("feedback_scores",), opik),
    (("annotator_kind",), phoenix),
    (("key", "feedback_source"), langsmith),
    (("source", "name", "value", "data_?[tT]ype"), langfuse),
    ((r"feedback_scores\..+",), wide_reader("Opik", "traces", r"feedback_scores\.(.+)(?<!_reason)")),
    ((r"feedback\..+",), wide_reader("LangSmith", "runs", r"feedback\.(.+)(?<!_comment)")),
    ((r".*\w/(?:value|score)",), wide_reader("MLflow", "rows", r"(.+?)(?:/v\d+)?/(?:value|score)")),
    (("user_input", "response"), wide_reader("ragas", "samples", _RAGAS_METRIC, guessed=True)),
)
"""The fields, as regular expressions, by which a tool's records are known, the first that fit, and who reads them."""

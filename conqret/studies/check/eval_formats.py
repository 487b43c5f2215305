"""Results of promptfoo, DeepEval, inspect_ai and ragas: where verdicts, labels and texts stand in each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from conqret.studies.check.tool_verdicts import (
    Record,
    Result,
    Side,
    Verdict,
    failed,
    first,
    is_human,
    plain_fields,
    text_of,
    wide_table,
)

_MODEL_GRADED = re.compile(
    r"(?:not-)?(?:llm-rubric|g-eval|factuality|model-graded-.+|answer-relevance|context-.+|search-rubric"
    r"|conversation-relevance|agent-rubric|trajectory:goal-success|pi)"
)
"""Assertions of promptfoo that a model decides on one output; ``select-best`` compares outputs with each other."""
_GRADER_ERROR = re.compile(
    r"No output\Z|Could not (?:extract|perform)|API (?:call )?error|Error parsing output|LLM.* (?:is|are|does) not "
    r"|G-Eval .*(?:invalid|no output)|.{0,60} (?:produced malformed response|did not match expected format)"
)
"""How promptfoo begins the reason of an assertion whose model gave no verdict, where it does not mark it otherwise."""
_RAGAS_TEXTS = {
    "user_input": "input",
    "response": "output",
    "reference": "reference",
    "retrieved_contexts": "contexts",
}
_RAGAS_OTHER = re.compile(
    r"id|index|unnamed.*|.*contexts?(?:_ids)?|multi_responses|rubrics?|reference.*|persona.*|query.*"
    r"|synthesizer_name|.*tool_calls"
)
"""Columns of a ragas table that are neither a text for the page nor a metric."""
_GRADES = {"C": "pass", "I": "fail", "N": "fail"}
"""Values of inspect_ai: correct, incorrect, no answer (which it counts as 0, as incorrect); partial is a half."""
_PROGRAMS = {"match", "includes", "exact", "f1", "pattern", "answer", "choice", "math"}
"""Scorers of inspect_ai that use no model."""


# promptfoo


def promptfoo(results: list[Record]) -> Result:
    """Read the results of an evaluation; a human assertion is what the page writes for a thumb up or down."""
    result = Result("promptfoo", "tests", "human assertions")
    systems = {_system(test) for test in results}
    for number, test in enumerate(results):
        case = test.get("testCase") or {}
        place = str(test.get("testIdx", number))
        unit = f"{place} {_system(test)}" if len(systems) > 1 else place
        unit = f"{unit} #{number}" if unit in result.units else unit
        values = first(test, "vars", "testCase.vars") or {}
        result.units[unit] = {
            "input": "\n".join(f"{name}: {text_of(value)}" for name, value in values.items()),
            "output": text_of(first(test, "response.output", "text")),
            **({"id": place, "system": _system(test)} if len(systems) > 1 else {}),
            **plain_fields(case.get("metadata")),
        }
        seen: dict[str, int] = {}
        for part in (test.get("gradingResult") or {}).get("componentResults") or []:
            assertion = part.get("assertion") or {}
            kind = assertion.get("type") or ""
            value = "pass" if part.get("pass") else "fail"
            if kind == "human":
                result.verdicts.append(Verdict(unit, "human", "", value, reason=text_of(part.get("comment"))))
            elif kind:
                name = assertion.get("metric") or kind
                seen[name] = seen.get(name, 0) + 1
                name = name if seen[name] == 1 else f"{name} {seen[name]}"
                side: Side = "judge" if _MODEL_GRADED.fullmatch(kind) else "code"
                reason = text_of(part.get("reason"))
                marked = (part.get("metadata") or {}).get("graderError")
                if marked or (side == "judge" and value == "fail" and _GRADER_ERROR.match(reason)):
                    value = failed(reason)
                result.verdicts.append(Verdict(unit, side, name, value, reason=reason))
    return result


def _system(test: Record) -> str:
    """Return the provider and the number of the prompt."""
    provider = test.get("provider")
    name = first(provider, "label", "id") if isinstance(provider, dict) else provider
    return f"{name or 'provider'} {test.get('promptIdx', 0)}"


def promptfoo_table(content: Record) -> Result:
    """Read the table that the page downloads as JSON."""
    rows = content["table"]["body"] if "table" in content else content["body"]
    return promptfoo([{"vars": row["test"].get("vars"), **cell} for row in rows for cell in row["outputs"]])


def promptfoo_csv(records: list[Record]) -> Result:
    """Read the CSV output, which has one status for all assertions of a test; a rating overwrites it."""
    result = Result("promptfoo", "tests", "ratings")
    columns = [name.partition("#")[0] for name in records[0]] if records else []
    places = [place for place, name in enumerate(columns) if name == "Status"]
    for number, record in enumerate(records, start=1):
        cells = [str(cell) for cell in record.values()]
        texts = [f"{columns[i]}: {cells[i]}" for i in range(places[0] - 1) if columns[i] != "Description"]
        for place in places:
            unit, system = str(number), columns[place - 1]
            fields: dict[str, object] = {"input": "\n".join(texts), "output": cells[place - 1]}
            if len(places) > 1:
                unit = f"{number} {system}"
                fields |= {"id": str(number), "system": system}
            reason = cells[columns.index("Grader Reason", place)]
            if reason.startswith("Manual result"):
                text = "a rating stands in the place of the judge's verdict; "
                text += "export JSON, which has both: promptfoo export eval EVAL_ID -o results.json"
                return replace(result, verdicts=[], warning=text)
            value = cells[place].lower() if cells[place] in ("PASS", "FAIL") else failed(cells[place])
            result.units[unit] = fields
            result.verdicts.append(Verdict(unit, "judge", "assertions", value, reason=reason))
    return result


# DeepEval


def deepeval(cases: list[Record]) -> Result:
    """Read the test cases of a test run; a metric's ``success`` is the verdict."""
    result = Result("DeepEval", "test cases", "human labels", warning="success is by each metric's threshold")
    for number, case in enumerate(cases):
        unit = str(case.get("name") or f"test_case_{number}")
        unit = unit if unit not in result.units else f"{unit} {number}"
        result.units[unit] = {
            "input": text_of(first(case, "input", "turns")),
            "output": text_of(first(case, "actualOutput", "actual_output")),
            **plain_fields(first(case, "metadata", "additionalMetadata", "additional_metadata")),
        }
        for metric in first(case, "metricsData", "metrics_data", "metricsMetadata") or []:
            success, model = metric.get("success"), first(metric, "evaluationModel", "evaluation_model")
            value = "pass" if success else "fail"
            if metric.get("error") or (success is None and metric.get("score") is None):
                value = failed(metric.get("error"))
            name = re.sub(r" \[\w+\]\Z", "", str(first(metric, "name", "metric")))
            side: Side = "judge" if model else "code"
            result.verdicts.append(Verdict(unit, side, name, value, reason=text_of(metric.get("reason"))))
    return result


# inspect_ai


@dataclass(frozen=True, slots=True)
class _Sample:
    """What is needed of a sample, which is large with its messages and events."""

    name: str
    epoch: int
    fields: dict[str, object]
    scores: dict[str, Record]


def _sample(record: Record) -> _Sample:
    output = record.get("output") or {}
    choice = (output.get("choices") or [{}])[0]
    texts = {
        "input": text_of(record.get("input")),
        "output": text_of(output.get("completion") or first(choice, "message.content")),
    }
    fields = plain_fields(record.get("metadata")) | texts | {"id": str(record["id"])}
    return _Sample(str(record["id"]), record.get("epoch", 1), fields, record.get("scores") or {})


def inspect_log(records: Iterable[Record]) -> Result:
    """Read the samples of a log of inspect_ai: an edited value is a human label, the value before it the judge's.

    Epochs of one output are runs of the judge; where the output differs, each epoch is a sample of its own.
    """
    result = Result("inspect_ai", "samples", "edited scores")
    samples = [_sample(record) for record in records]
    outputs: dict[str, set[object]] = {}
    for sample in samples:
        outputs.setdefault(sample.name, set()).add(sample.fields["output"])
    epochs = len(samples) > len(outputs)
    runs = epochs and all(len(texts) == 1 for texts in outputs.values())
    parts = {
        scorer: list(score["value"])
        for sample in samples
        for scorer, score in sample.scores.items()
        if isinstance(score.get("value"), dict)
    }
    for sample in samples:
        unit = f"{sample.name} epoch {sample.epoch}" if epochs else sample.name
        of_epoch = {"run": sample.epoch} if runs else {"id": unit, "sample": sample.name}
        result.units[unit] = sample.fields | (of_epoch if epochs else {})
        for scorer, score in sample.scores.items():
            result.verdicts.extend(_of_score(unit, scorer, score, parts.get(scorer, [])))
    numbers = {"pass": 1.0, "P": 0.5, "fail": 0.0}
    in_halves = {verdict.name for verdict in result.verdicts if verdict.value == "P"}
    result.verdicts = [
        replace(verdict, value=numbers.get(str(verdict.value), verdict.value))
        if verdict.name in in_halves
        else verdict
        for verdict in result.verdicts
    ]
    edited = {(it.unit, it.name): it.value for it in result.verdicts if it.side == "human"}
    before = {(it.unit, it.name): it.value for it in result.verdicts if it.side != "human"}
    changed = [before[key] != value for key, value in edited.items() if key in before]
    if changed and all(changed):
        result.warning = "every edit changed the score: record an edit also where the judge is right"
    return result


def _of_score(unit: str, scorer: str, score: Record, parts: list[str]) -> Iterator[Verdict]:
    """Yield the judge's verdict, unless a human added the score, and the label, if an edit gave a value."""
    history = score.get("history") or [score]
    original = history[0]
    side: Side = "code" if scorer in _PROGRAMS else "judge"
    if not original.get("provenance"):
        reason = text_of(first(original, "explanation", "reason"))
        for name, value in _inspect_values(scorer, original.get("value"), parts):
            yield Verdict(unit, side, name, value, reason=reason)
        history = history[1:]
    edits = [edit for edit in history if edit.get("value", "UNCHANGED") != "UNCHANGED"]
    if edits and score is not original:
        author = text_of(first(edits[-1], "provenance.author"))
        for name, value in _inspect_values(scorer, edits[-1]["value"], parts):
            yield Verdict(unit, "human", name, value, author)


def _inspect_values(scorer: str, value: object, parts: list[str]) -> list[tuple[str, object]]:
    """Return the value of a score, or one for each part where the scorer gives an object; lists are left out."""
    values = value if isinstance(value, dict) else dict.fromkeys(parts or [""], value)
    return [
        (
            f"{scorer} {name}".strip(),
            failed("unscored") if part != part or part is None else _GRADES.get(str(part), part),
        )
        for name, part in values.items()
        if not isinstance(part, list)
    ]


# ragas


def ragas(records: list[Record]) -> Result:
    """Read the table of ``EvaluationResult.to_pandas()``, to which the user added columns of human labels."""
    texts = {name: column for name, column in _RAGAS_TEXTS.items() if name in records[0]}
    names = [name for name in records[0] if name not in texts and not _RAGAS_OTHER.fullmatch(name.lower())]
    metrics = [name for name in names if is_human(name) or _is_metric([row.get(name) for row in records])]
    return wide_table("ragas", "samples", records, {name: name for name in metrics}, texts)


def _is_metric(values: list[object]) -> bool:
    """Return True if all values are numbers, or pass and fail."""
    return all(
        re.fullmatch(r"|nan|none|true|false|pass|fail|-?[\d.]+(?:e-?\d+)?", str(value).lower())
        for value in values
    )


def ragas_annotated(content: Record) -> Result:
    """Read annotations as ragas loads them to align a metric: an accepted output is the label, or its correction."""
    result = Result("ragas", "annotations", "accepted or edited outputs")
    for metric, samples in content.items():
        for number, sample in enumerate(samples if isinstance(samples, list) else ()):
            unit, output, target = f"{metric} {number}", sample.get("metric_output"), sample.get("target")
            result.units[unit] = {
                "input": text_of(first(sample, "metric_input.user_input")),
                "output": text_of(first(sample, "metric_input.response")),
            }
            result.verdicts.append(Verdict(unit, "judge", metric, output))
            if target is None and sample.get("is_accepted"):
                target = output
            for prompt in (sample.get("prompts") or {}).values() if target is None else ():
                target = first(prompt, "edited_output.verdict", "edited_output.score")
            if target is None and output in (0, 1):
                target = 1 - output
            if target is not None:
                result.verdicts.append(Verdict(unit, "human", metric, target))
    return result

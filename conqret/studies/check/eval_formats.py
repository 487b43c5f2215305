"""Results of promptfoo, DeepEval, inspect_ai and ragas: where verdicts, labels and texts stand in each."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

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


# promptfoo


def promptfoo(results: list[Record]) -> Result:
    found = Result("promptfoo", "tests", "human assertions")
    systems = {_system(result) for result in results}
    for number, result in enumerate(results):
        test, prompt = result.get("testIdx", number), result.get("promptIdx", 0)
        case = result.get("testCase") or {}
        unit = f"{test}-{prompt}" if len(systems) > 1 else str(test)
        while unit in found.units:  # --repeat
            unit += "'"
        values = first(result, "vars", "testCase.vars") or {}
        found.units[unit] = {
            "input": "\n".join(f"{name}: {text_of(value)}" for name, value in values.items())
            or text_of(result.get("prompt")),
            "output": text_of(first(result, "response.output", "text")),
            **({"system": _system(result)} if len(systems) > 1 else {}),
            **{
                name: value
                for name, value in plain_fields(case.get("metadata")).items()
                if not name.startswith("_")
            },
        }
        seen: dict[str, int] = {}
        for part in (result.get("gradingResult") or {}).get("componentResults") or []:
            assertion = part.get("assertion") or {}
            kind = assertion.get("type") or ""
            value = "pass" if part.get("pass") else "fail"
            if kind == "human":
                found.verdicts.append(Verdict(unit, "human", "", value, reason=text_of(part.get("comment"))))
            elif kind:
                name = assertion.get("metric") or kind
                seen[name] = seen.get(name, 0) + 1
                name = name if seen[name] == 1 else f"{name} {seen[name]}"
                if (part.get("metadata") or {}).get("graderError"):
                    value = failed(part.get("reason"))
                side: Side = "judge" if _MODEL_GRADED.fullmatch(kind) else "code"
                found.verdicts.append(Verdict(unit, side, name, value, reason=text_of(part.get("reason"))))
    return found


def _system(result: Record) -> str:
    provider = result.get("provider")
    name = first(provider, "label", "id") if isinstance(provider, dict) else provider
    return f"{name or ''} {result.get('promptIdx', 0)}".strip()


def promptfoo_table(content: Record) -> Result:
    rows = content["table"]["body"] if "table" in content else content["body"]
    return promptfoo([{"vars": row["test"].get("vars"), **cell} for row in rows for cell in row["outputs"]])


def promptfoo_csv(records: list[Record]) -> Result:
    """Read the CSV output, which has one status for all assertions of a test; a rating overwrites it."""
    found = Result("promptfoo", "tests", "ratings")
    columns = list(records[0]) if records else []
    places = [place for place, name in enumerate(columns) if re.fullmatch(r"Status(#\d+)?", name)]
    first_output = places[0] - 1 if places else 0
    for number, record in enumerate(records, start=1):
        cells = list(record.values())
        for place in places:
            if any(str(cell).startswith("Manual result") for cell in cells[place : place + 5]):
                found.verdicts.clear()
                found.warning = (
                    "a rating stands in the place of the judge's verdict here; "
                    "export JSON, which has both: promptfoo export eval EVAL_ID -o results.json"
                )
                return found
            unit = str(number) if len(places) == 1 else f"{number} {columns[place - 1]}"
            texts = [f"{columns[i]}: {cells[i]}" for i in range(first_output) if columns[i] != "Description"]
            found.units[unit] = {"input": "\n".join(texts), "output": cells[place - 1]}
            if len(places) > 1:
                found.units[unit]["system"] = columns[place - 1]
            status = str(cells[place])
            value = status.lower() if status in ("PASS", "FAIL") else failed(status)
            found.verdicts.append(Verdict(unit, "judge", "assertions", value, reason=str(cells[place + 3])))
    return found


# DeepEval


def deepeval(cases: list[Record]) -> Result:
    found = Result("DeepEval", "test cases", "human labels")
    for number, case in enumerate(cases):
        unit = str(case.get("name") or f"test_case_{number}")
        unit = unit if unit not in found.units else f"{unit} {number}"
        found.units[unit] = {
            "input": text_of(first(case, "input", "turns")),
            "output": text_of(first(case, "actualOutput", "actual_output")),
            **plain_fields(first(case, "metadata", "additionalMetadata", "additional_metadata")),
        }
        for metric in first(case, "metricsData", "metrics_data") or []:
            success, model = metric.get("success"), first(metric, "evaluationModel", "evaluation_model")
            value = "pass" if success else "fail"
            if metric.get("error") or (success is None and metric.get("score") is None):
                value = failed(metric.get("error"))
            name = re.sub(r" \[\w+\]\Z", "", str(metric.get("name")))
            side: Side = "judge" if model else "code"
            found.verdicts.append(Verdict(unit, side, name, value, reason=text_of(metric.get("reason"))))
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
        text = text_of(
            output.get("completion") or first((output.get("choices") or [{}])[0], "message.content")
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
            "input": text_of(sample["input"]),
            "output": text,
            **plain_fields(sample["metadata"]),
        }
        for scorer, score in (sample["scores"] or {}).items():
            history = score.get("history") or [score]
            edits = [edit for edit in history if edit.get("provenance") or edit is not history[0]]
            edits = [edit for edit in edits if edit.get("value", "UNCHANGED") != "UNCHANGED"]
            if not history[0].get("provenance"):
                for part, value in _inspect_values(scorer, history[0].get("value")):
                    reason = text_of(first(history[0], "explanation", "reason"))
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
        return [(scorer, failed("unscored"))]
    return [] if isinstance(value, list) else [(scorer, _GRADES.get(str(value), value))]


def _in_numbers(verdict: Verdict) -> Verdict:
    numbers = {"pass": 1.0, "P": 0.5, "fail": 0.0}
    value = numbers.get(str(verdict.value), verdict.value)
    return Verdict(verdict.unit, verdict.side, verdict.name, value, verdict.author, verdict.reason)


# ragas


def ragas(records: list[Record]) -> Result:
    texts = {
        name: column for name, column in _RAGAS_TEXTS.items() if any(name in record for record in records[:1])
    }
    fields = dict.fromkeys(name for record in records for name in record)
    metrics = [name for name in fields if name not in texts and not _RAGAS_OTHER.fullmatch(name.lower())]
    metrics = [
        name for name in metrics if is_human(name) or _is_metric([record.get(name) for record in records])
    ]
    return wide_table("ragas", "samples", records, {name: name for name in metrics}, texts)


def _is_metric(values: list[object]) -> bool:
    """Return True if all values are numbers, or pass and fail."""
    return all(
        re.fullmatch(r"|nan|none|true|false|pass|fail|-?[\d.]+(?:e-?\d+)?", str(value).lower())
        for value in values
    )


def ragas_annotated(content: Record) -> Result:
    """Read annotations as ragas loads them to align a metric: an accepted output is the label, or its correction."""
    found = Result("ragas", "annotations", "accepted or edited outputs")
    for metric, samples in content.items():
        for number, sample in enumerate(samples if isinstance(samples, list) else ()):
            unit, output, target = f"{metric} {number}", sample.get("metric_output"), sample.get("target")
            found.units[unit] = {
                "input": text_of(first(sample, "metric_input.user_input")),
                "output": text_of(first(sample, "metric_input.response")),
            }
            found.verdicts.append(Verdict(unit, "judge", metric, output))
            if target is None and sample.get("is_accepted"):
                target = output
            for prompt in (sample.get("prompts") or {}).values() if target is None else ():
                target = first(prompt, "edited_output.verdict", "edited_output.score")
            if target is None and output in (0, 1):
                target = 1 - output
            if target is not None:
                found.verdicts.append(Verdict(unit, "human", metric, target))
    return found

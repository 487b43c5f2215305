"""conqret's metrics as Python assertions of promptfoo: a file with the line
``from conqret.adapters.promptfoo import get_assert`` is one, and its ``config`` says what is requested.

The config has ``metric``, and may have ``format``, ``threshold`` (0.5), the names of the variables that hold the
``topic`` (question), the ``documents`` (documents), the ``reference`` (reference) and the ``second_argument``, and the
settings of :func:`conqret.judge` for one item. Without such a variable the reference is the text that another assertion
of the test expects. Stance, nuggets and language stand in the test's metadata.

promptfoo starts a Python for every assertion, so that a budget is counted in the file of recordings, which all share.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conqret.adapters.single import SingleMetric, as_item
from conqret.data import Status
from conqret.errors import DeclarationError

VARIABLES = {"topic": "question"} | {name: name for name in ("documents", "reference", "second_argument")}
"""The names of the item's fields in a test's ``vars``, unless the config sets others."""
EXPECTING = frozenset(
    "equals similar factuality model-graded-factuality context-recall rouge-n bleu gleu".split()
)
"""The assertions of promptfoo whose value is an expected answer."""
THRESHOLD = 0.5
"""The lowest score of an assertion that passes, unless the config sets another: promptfoo's own for
grades.
"""


def get_assert(output: str, context: Mapping[str, Any]) -> dict[str, Any]:
    """Judge a provider's output and return a promptfoo assertion result, with the score also under the
    metric's name.

    promptfoo requires a number. An output without a score therefore fails with a placeholder 0: ``reason``
    says why, and ``namedScores`` and ``metadata`` hold no score. An output to which the metric does not
    apply (the answer declines, or there is no reference) passes with a placeholder 1.

    Raises:
        DeclarationError: the config or the variables lack a field, or name something that does not
            exist; or there is a budget without recordings.
    """
    config, values = dict(context.get("config") or {}), context.get("vars") or {}
    names = {field: config.pop(field, name) for field, name in VARIABLES.items()}
    threshold = config.pop("threshold", THRESHOLD)
    if "metric" not in config:
        raise DeclarationError("the assertion's config lacks the metric: write metric: faithfulness, say")
    if config.get("budget_usd") is not None and not config.get("recordings"):
        raise DeclarationError(
            "budget_usd needs recordings: FILE, in which all assertions count what they spend"
        )
    if names["topic"] not in values:
        there = ", ".join(map(repr, values)) or "none"
        raise DeclarationError(
            f"there is no variable {names['topic']!r}, but {there}: name the variable of the topic in the config"
        )
    documents, test = values.get(names["documents"]) or (), context.get("test") or {}
    metadata = dict(test.get("metadata") or {})
    if rival := values.get(names["second_argument"]):
        metadata["second_argument"] = rival
    item = as_item(
        values[names["topic"]],
        output,
        [documents] if isinstance(documents, str) else documents,
        values.get(names["reference"]) or _expected(test),
        metadata,
    )
    single = SingleMetric.create(**config)
    measure, words, details = single.described(single.judged(item))
    single.close()
    inapplicable = measure.status is Status.INAPPLICABLE
    return {
        "pass": inapplicable or (measure.value is not None and measure.value >= threshold),
        "score": 1 if inapplicable else measure.value or 0,
        "reason": words or f"{single.name}: {measure.value:.3f}",
        "namedScores": {} if measure.value is None else {single.name: measure.value},
        "metadata": {"conqret": details},
    }


def _expected(test: Mapping[str, Any]) -> str | None:
    """The text that the first other assertion of a test expects; None where it is a template, or there is none."""
    for check in test.get("assert") or ():
        kind, value = str(check.get("type", "")).partition(":")[0], check.get("value")
        if kind in EXPECTING and isinstance(value, str) and "{{" not in value:
            return value
    return None

"""conqret's metrics as Python assertions of promptfoo: a file with the line
``from conqret.adapters.promptfoo import get_assert`` is one, and its ``config`` says what is asked.

The config has ``format`` and ``metric``, and may have ``threshold`` (0.5), the names of the variables that hold the
``topic`` (question), the ``documents`` (documents), the ``reference`` (reference) and the ``second_argument``, and the
settings of :func:`conqret.judge` for one item. Without such a variable the reference is the text that another assertion
of the test expects. Stance, nuggets and language stand in the test's metadata.

promptfoo starts a Python for every assertion. They all ask one process, which lives as long as promptfoo does: budget
and limits hold for all assertions with the same config.
"""

from __future__ import annotations

import asyncio
import functools
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conqret.errors import DeclarationError

VARIABLES = {"topic": "question"} | {name: name for name in ("documents", "reference", "second_argument")}
"""Where the fields of an item stand in a test's ``vars``, unless the config says otherwise."""
EXPECTING = frozenset(
    "equals similar factuality model-graded-factuality context-recall rouge-n bleu gleu".split()
)
"""promptfoo's assertions whose value is an expected answer."""
THRESHOLD = 0.5
"""From which score on an assertion passes, unless the config says otherwise: promptfoo's own for grades."""


def get_assert(output: str, context: Mapping[str, Any]) -> dict[str, Any]:
    """The result of one assertion on a provider's output, with the score under the metric's name, too.

    promptfoo has no result without a number. What has no score fails with a 0 that is no score: the reason says why,
    and ``namedScores`` and ``metadata`` hold none.

    Raises:
        DeclarationError: the config or the variables lack something, or name something that there is not.
    """
    config, values = dict(context.get("config") or {}), context.get("vars") or {}
    names = {field: config.pop(field, name) for field, name in VARIABLES.items()}
    threshold = config.pop("threshold", THRESHOLD)
    if lacking := [name for name in ("format", "metric") if name not in config]:
        raise DeclarationError(
            f"the assertion's config lacks {' and '.join(lacking)}: write format and metric into it"
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
    item = {
        "topic": values[names["topic"]],
        "argument": output,
        "documents": [documents] if isinstance(documents, str) else list(documents),
        "reference": values.get(names["reference"]) or _expected(test),
        "metadata": metadata,
    }
    started = Path(sys.argv[0])
    if "promptfoo" in started.parts and "wrapper" in started.stem and sys.platform != "win32":
        from conqret.adapters.judge_process import ask_process

        response = ask_process(config, item)
    else:
        from conqret.adapters.single import outcome

        response = asyncio.run(outcome(_single(json.dumps(config, sort_keys=True)), item))
    value = response["value"]
    return {
        "pass": value is not None and value >= threshold,
        "score": value or 0,
        "reason": response["told"] or f"{response['name']}: {value:.3f}",
        "namedScores": {} if value is None else {response["name"]: value},
        "metadata": {"conqret": response["kept"]},
    }


def _expected(test: Mapping[str, Any]) -> str | None:
    """The text that the first other assertion of a test expects; None where it is a template, or there is none."""
    for check in test.get("assert") or ():
        kind, value = str(check.get("type", "")).partition(":")[0], check.get("value")
        if kind in EXPECTING and isinstance(value, str) and "{{" not in value:
            return value
    return None


@functools.cache
def _single(config: str) -> Any:
    from conqret.adapters.single import SingleMetric

    return SingleMetric.of(**json.loads(config))

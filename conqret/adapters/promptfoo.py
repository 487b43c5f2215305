"""conqret's metrics as Python assertions of promptfoo: a file with the line
``from conqret.adapters.promptfoo import get_assert`` is one, and its ``config`` says what is asked.

The config has ``format`` and ``metric``, and may have ``threshold`` (0.5), the names of the variables that hold the
``topic`` (question), the ``documents`` (documents) and the ``second_argument`` (reference), and the settings of
:func:`conqret.judge` for one item.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conqret.adapters.single import SingleMetric, as_item, kept, told
from conqret.errors import DeclarationError

VARIABLES = {"topic": "question", "documents": "documents", "second_argument": "reference"}
"""Where the fields of an item stand in a test's ``vars``, unless the config says otherwise."""
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
            f"there is no variable {names['topic']!r}, but {there}: name the topic's in the config"
        )
    single = SingleMetric.of(**config)
    documents = values.get(names["documents"]) or ()
    item = as_item(
        values[names["topic"]],
        output,
        [documents] if isinstance(documents, str) else documents,
        values.get(names["second_argument"]),
    )
    judgment = single.judged(item)
    found = single.measure(judgment)
    return {
        "pass": found.value is not None and found.value >= threshold,
        "score": found.value or 0,
        "reason": told(found) or f"{single.name}: {found.value:.3f}",
        "namedScores": {} if found.value is None else {single.name: found.value},
        "metadata": {"conqret": kept(judgment, single.metric)},
    }

"""conqret's metrics as feedback functions of TruLens."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Unpack

from conqret._optional import require
from conqret.adapters.single import MetricName, SingleMetric, SingleSettings, as_item, faults
from conqret.errors import ItemsError

SkipEval: Any = require("trulens.core.metric", extra="trulens").SkipEval

Feedback = Callable[..., tuple[float, dict[str, Any]]]


def feedback(
    metric: MetricName,
    format: str | None = None,  # noqa: A002
    **settings: Unpack[SingleSettings],
) -> Feedback:
    """Return a feedback function for a TruLens ``Metric`` that applies one metric, from 0 to 1.

    The function takes ``question``, ``answer``, ``context`` (a list of texts), ``expected`` (the
    reference), ``stance`` and ``nuggets``. It returns the score and a dict with explanation, parts and
    fingerprint. ``settings`` are those of :func:`conqret.judge`.

    A record without a score, or without a field that the format needs, is skipped with its reason, and
    counts in no mean. (A NaN would make TruLens's event database unreadable.)

    Raises:
        DeclarationError: the format, metric or setting does not exist.
    """
    single = SingleMetric.create(metric, format, **settings)

    def scored(
        question: str,
        answer: str | None = None,
        context: Iterable[str] | str = (),
        expected: str | None = None,
        stance: str | None = None,
        nuggets: Any = None,
    ) -> tuple[float, dict[str, Any]]:
        documents = [context] if isinstance(context, str) else context
        try:
            more = {"stance": stance, "nuggets": nuggets}
            judgment = single.judged(as_item(question, answer, documents, expected, more))
        except ItemsError as error:
            raise SkipEval(f"no score: {faults(error)}") from error
        measure, words, more = single.described(judgment)
        if measure.value is None:
            raise SkipEval(words)
        return measure.value, more

    scored.__name__ = scored.__qualname__ = single.name.replace(" ", "_").replace("-", "_")
    return scored

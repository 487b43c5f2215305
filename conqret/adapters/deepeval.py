"""conqret's metrics in DeepEval: ``assert_test(case, [ConqretMetric("faithfulness")])``."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Unpack

from conqret._optional import require
from conqret.adapters.single import MetricName, SingleMetric, SingleSettings, as_document, as_item, faults
from conqret.data import Judgment, Status
from conqret.errors import ItemsError
from conqret.llm.client_options import OFFLINE_MODEL

base: Any = require("deepeval.metrics", extra="deepeval").BaseMetric
errors: Any = require("deepeval.errors", extra="deepeval")


class ConqretMetric(base):  # type: ignore[misc]
    """A DeepEval metric that scores test cases with one metric of a conqret format, from 0 to 1.

    It reads input, output, retrieval context (or context) and expected output (the reference). For a
    ``ConversationalTestCase`` the last answer is judged, and the expected outcome is the reference.
    Stance, nuggets and language come from the metadata.

    A test case without a score gets an ``error`` with the reason, and never a 0. A metric that does not
    apply (the answer declines, or there is no reference) is skipped. If the format needs a field that the
    case lacks, ``ErrorConfig(skip_on_missing_params=True)`` skips the case. ``score_breakdown`` holds
    parts, explanation and fingerprint.
    """

    def __init__(
        self,
        metric: MetricName,
        format: str | None = None,  # noqa: A002
        threshold: float = 0.5,
        *,
        settings: SingleSettings | None = None,
        single: SingleMetric | None = None,
        **more: Unpack[SingleSettings],
    ) -> None:
        """``settings``, or further keywords, are those of :func:`conqret.judge` (``model``, ``samples``, ``recordings``
        …). DeepEval copies metrics by the attributes that are called as the parameters, so these are attributes, too;
        by ``single`` the copies share the session, and with it the budget, of the metric that they copy.

        Raises:
            DeclarationError: there is no such format, metric or setting.
        """
        self.format, self.metric, self.threshold = format, metric, threshold
        self.settings: SingleSettings = {**(settings or {}), **more}
        self.single = single or SingleMetric.create(metric, format, **self.settings)
        self.evaluation_model = self.settings.get("model") or OFFLINE_MODEL
        self.include_reason = self.async_mode = True

    def measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float | None:
        """Judge a test case and return its score from 0 to 1, or None if it has no score."""
        with self._checked():
            return self._take(self.single.judged(_item(test_case)))

    async def a_measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float | None:
        """Judge a test case asynchronously and return its score from 0 to 1, or None if it has no score."""
        with self._checked():
            return self._take(await self.single.ajudged(_item(test_case)))

    @property
    def __name__(self) -> str:
        return self.single.name

    @contextlib.contextmanager
    def _checked(self) -> Iterator[None]:
        """Turn the error for a faulty item into DeepEval's error for missing fields, as a context manager."""
        try:
            yield
        except ItemsError as error:
            raise errors.MissingTestCaseParamsError(faults(error)) from error

    def _take(self, judgment: Judgment) -> float | None:
        measure, self.reason, self.score_breakdown = self.single.described(judgment)
        self.score = measure.value
        self.skipped = measure.status is Status.INAPPLICABLE
        self.error = None if measure.value is not None or self.skipped else self.reason
        self.evaluation_cost = judgment.trace.cost_usd
        self.success = self.skipped or self.is_successful()
        return measure.value


def _item(case: Any) -> dict[str, Any]:
    if turns := getattr(case, "turns", None):
        own = any(turn.retrieval_context for turn in turns)
        return as_item(turns, None, () if own else case.context, case.expected_outcome, case.metadata)
    documents = map(_document, case.retrieval_context or case.context or ())
    return as_item(case.input, case.actual_output, documents, case.expected_output, case.metadata)


def _document(passage: Any) -> Any:
    """A text as it is; what has a source as a document."""
    if not hasattr(passage, "context"):
        return passage
    return as_document(passage.context, metadata={"source": getattr(passage, "source", None)})

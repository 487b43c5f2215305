"""conqret's metrics as evaluators of LlamaIndex, and its nodes as documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Unpack

from conqret._optional import require
from conqret.adapters.single import MetricName, SingleMetric, SingleSettings, as_document, as_item, faults
from conqret.errors import ItemsError

evaluation: Any = require("llama_index.core.evaluation", extra="llamaindex")


class ConqretResult(evaluation.EvaluationResult):  # type: ignore[misc]
    """A LlamaIndex evaluation result with a ``measure`` that holds parts, status and fingerprint."""

    measure: dict[str, Any] = {}  # noqa: RUF012


class ConqretEvaluator(evaluation.BaseEvaluator):  # type: ignore[misc]
    """A LlamaIndex evaluator that applies one metric of a conqret format, from 0 to 1.

    It reads query, response, contexts and reference. For formats that compare two arguments,
    ``second_response`` is the second one (default: the reference). ``stance``, ``nuggets`` and
    ``language`` are optional.

    A response without a score, or without a field that the format needs, gives an invalid result with the
    reason. A result passes if its score is at least ``threshold``; without a threshold ``passing`` is not
    set. ``settings`` are those of :func:`conqret.judge`.

    Raises:
        DeclarationError: the format, metric or setting does not exist.
    """

    def __init__(
        self,
        metric: MetricName,
        format: str | None = None,  # noqa: A002
        threshold: float | None = None,
        **settings: Unpack[SingleSettings],
    ) -> None:
        self.single = SingleMetric.create(metric, format, **settings)
        self.threshold = threshold

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Iterable[Any] | None = None,
        reference: str | None = None,
        second_response: str | None = None,
        **kwargs: Any,
    ) -> ConqretResult:
        """Judge the response to a query, and return the result; contexts are texts or documents (the other arguments:
        see the class). Without a score, or with a faulty item, the result is invalid, with the reason."""
        texts = list(contexts or ())
        try:
            item = as_item(query, response, texts, reference, {"second_argument": second_response, **kwargs})
            judgment = await self.single.ajudged(item)
        except ItemsError as error:
            why = f"no score: {faults(error)}"
            return ConqretResult(
                query=query, response=response, feedback=why, invalid_result=True, invalid_reason=why
            )
        measure, words, more = self.single.described(judgment)
        lost = words if measure.value is None else None
        passing = None if measure.value is None or self.threshold is None else measure.value >= self.threshold
        return ConqretResult(
            query=query,
            response=response,
            contexts=[text if isinstance(text, str) else text["text"] for text in texts],
            score=measure.value,
            passing=passing,
            feedback=words,
            invalid_result=lost is not None,
            invalid_reason=lost,
            measure=more,
        )

    def evaluate_response(self, query: str | None = None, response: Any = None, **kwargs: Any) -> Any:
        """Judge a response object of a query engine and return the result; its source nodes are the
        documents.
        """
        return self.evaluate(query, *_said(response), **kwargs)

    async def aevaluate_response(
        self, query: str | None = None, response: Any = None, **kwargs: Any
    ) -> ConqretResult:
        """Judge a response object of a query engine asynchronously and return the result."""
        return await self.aevaluate(query, *_said(response), **kwargs)

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts: Any) -> None:
        """conqret's prompts are files (``conqret info prompt``), and none of LlamaIndex's templates."""


def documents_of(nodes: Iterable[Any]) -> Iterator[dict[str, str]]:
    """Yield LlamaIndex nodes, with or without scores, as the documents of a conqret item.

    Title and URL come from the metadata. Scores and other metadata are dropped.
    """
    for scored_node in nodes:
        node = getattr(scored_node, "node", scored_node)
        yield as_document(node.get_content(), node.node_id, node.metadata)


def _said(response: Any) -> tuple[str | None, list[dict[str, str]]]:
    if response is None:
        return None, []
    return response.response, list(documents_of(response.source_nodes))

"""conqret's metrics in ragas, as those of ``ragas.metrics.collections``, and its datasets in and out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Unpack

from conqret._optional import require
from conqret.adapters.single import (
    MetricName,
    SingleMetric,
    SingleSettings,
    as_document,
    as_item,
    beyond,
    faults,
)
from conqret.data import Judgment
from conqret.errors import ItemsError
from conqret.io import open_items
from conqret.judging.judge import Items

base: Any = require("ragas.metrics.collections.base", extra="ragas").BaseMetric
MetricResult = require("ragas.metrics.result", extra="ragas").MetricResult
Dataset = require("ragas.dataset", extra="ragas").Dataset

CONTEXTS, CONTEXT_IDS = "retrieved_contexts", "retrieved_context_ids"


class ConqretMetric(base):  # type: ignore[misc]
    """One metric of one of conqret's formats, 0 to 1, of user input, response, retrieved contexts (with
    ``retrieved_context_ids``) and reference, and of a row's stance, nuggets and language; what else a row has is left
    out. The user input may be the messages of a conversation (``MultiTurnSample.user_input``), whose last answer is
    then the response. ``settings`` are those of :func:`conqret.judge`.

    What has no score, or lacks what the format needs, is a result whose value is None, and whose reason says why.
    ``traces["output"]`` holds what a number cannot say: parts, status, fingerprint.

    Raises:
        DeclarationError: there is no such format, metric or setting.
    """

    def __init__(self, format: str, metric: MetricName, **settings: Unpack[SingleSettings]) -> None:  # noqa: A002
        self.single = SingleMetric.create(format, metric, **settings)
        super().__init__(name=self.single.name)

    async def ascore(
        self,
        user_input: str | Sequence[Any],
        response: str | None = None,
        retrieved_contexts: Iterable[str] = (),
        reference: str | None = None,
        **row: Any,
    ) -> Any:
        """The score of one sample, for code that is asynchronous."""
        try:
            contexts = _documents(retrieved_contexts, row.get(CONTEXT_IDS))
            item = as_item(user_input, response, contexts, reference, row)
            return self._result(item, await self.single.ajudged(item))
        except ItemsError as error:
            return MetricResult(None, reason=f"no score: {faults(error)}")

    def score(
        self,
        user_input: str | Sequence[Any],
        response: str | None = None,
        retrieved_contexts: Iterable[str] = (),
        reference: str | None = None,
        **row: Any,
    ) -> Any:
        """The same, also where an event loop is running already (a notebook)."""
        try:
            contexts = _documents(retrieved_contexts, row.get(CONTEXT_IDS))
            item = as_item(user_input, response, contexts, reference, row)
            return self._result(item, self.single.judged(item))
        except ItemsError as error:
            return MetricResult(None, reason=f"no score: {faults(error)}")

    def _result(self, item: dict[str, Any], judgment: Judgment) -> Any:
        measure, words, more = self.single.described(judgment)
        return MetricResult(measure.value, reason=words, traces={"input": item, "output": more})


def items_of(dataset: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """The samples of an ``EvaluationDataset``, or the rows of a ``Dataset``, as records of items for
    :func:`conqret.judge`. Contexts have their ids, where there are any; what else there is becomes metadata."""
    for sample in dataset:
        row = dict(sample) if isinstance(sample, Mapping) else sample.model_dump(exclude_none=True)
        texts, ids = row.get(CONTEXTS), row.get(CONTEXT_IDS)
        if texts and ids and len(texts) == len(ids):
            del row[CONTEXT_IDS]
            row[CONTEXTS] = _documents(texts, ids)
        yield row


def _documents(texts: Iterable[Any] | None, ids: Sequence[Any] | None) -> list[Any]:
    """Contexts with their ids, where each has one."""
    listed = list(texts or ())
    if not ids or len(ids) != len(listed):
        return listed
    return [as_document(text, str(identifier)) for identifier, text in zip(ids, listed, strict=True)]


def as_dataset(items: Items, name: str = "conqret", backend: Any = "inmemory") -> Any:
    """Items (a file, a frame or a list) as a ``Dataset`` of ragas, a row each.

    Images are contexts by their URLs. Fields that ragas has no column for keep their own names, by which
    :func:`items_of` reads them back; titles and addresses of documents stand in ``metadata``.
    """
    rows = [
        {
            "user_input": item.topic,
            CONTEXTS: [document.image or document.text for document in item.documents],
            CONTEXT_IDS: [document.id for document in item.documents],
            "response": item.argument,
            "reference": item.reference,
            **beyond(item, "reference"),
        }
        for item in open_items(items)
    ]
    return Dataset(name=name, backend=backend, data=rows)

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
    """A Ragas metric that applies one metric of a conqret format, from 0 to 1.

    It reads user input, response, retrieved contexts (with ``retrieved_context_ids``), reference, stance,
    nuggets and language; other columns are ignored. If the user input is a list of messages
    (``MultiTurnSample.user_input``), their last answer is the response. ``settings`` are those of
    :func:`conqret.judge`.

    A sample without a score, or without a field that the format needs, gives a result with value None and
    the reason. ``traces["output"]`` holds parts, status and fingerprint.

    Raises:
        DeclarationError: the format, metric or setting does not exist.
    """

    def __init__(
        self,
        metric: MetricName,
        format: str | None = None,  # noqa: A002
        **settings: Unpack[SingleSettings],
    ) -> None:
        self.single = SingleMetric.create(metric, format, **settings)
        super().__init__(name=self.single.name)

    async def ascore(
        self,
        user_input: str | Sequence[Any],
        response: str | None = None,
        retrieved_contexts: Iterable[str] = (),
        reference: str | None = None,
        **row: Any,
    ) -> Any:
        """Judge one sample asynchronously and return a ``MetricResult``; its value is in [0, 1], or None
        without a score.

        The arguments are ragas's columns (see the class).
        """
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
        """Judge one sample and return a ``MetricResult`` as :meth:`ascore` does; also works inside a
        running event loop (a notebook).
        """
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
    """Yield the samples of a Ragas ``EvaluationDataset``, or the rows of a ``Dataset``, as item records.

    :func:`conqret.judge` reads these records. Contexts keep their ids if there are any; other fields
    become metadata.
    """
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
    """Convert items (a file, a frame or a list) into a Ragas ``Dataset`` with one row per item.

    An image document becomes its URL. Fields without a Ragas column keep their conqret name, so
    :func:`items_of` can read them back. Titles and URLs of documents are in ``metadata``.
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
